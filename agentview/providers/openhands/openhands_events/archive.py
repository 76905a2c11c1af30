"""How evaluations keep trajectories: `output.jsonl`, a line for each task that was given.

Source: the public source of OpenHands (`evaluation/utils/shared.py`, 0.9 to 0.60). The history of a
task is a list of events, or, in older versions, of pairs of an action and what was observed. A task
is given as lines: its events, then what was counted and what it came to.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from agentview.errors import Unreadable
from agentview.normalize.json_fields import to_json
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.partial_json import load
from agentview.sources.member import Archive, Container

TASK = "task"
"""Key of the line that says what a task came to."""
_BEGIN = re.compile(
    rb'\s*\{\s*"instance_id"\s*:\s*(?:"[^"\\]{1,200}"|\d+)\s*,'
    rb'\s*"(?:test_result|instruction|instance)"\s*:'
)
_LARGE = ("history", "instance", "instruction")
"""Members whose content is in the events, or belongs to the data set."""


def _begins(head: bytes) -> bool:
    return _BEGIN.match(head) is not None


def _tasks(container: Container) -> Iterator[tuple[str, Fields]]:
    """The tasks with a name for each: several attempts at one are numbered."""
    seen: Counter[str] = Counter()
    for line in container.lines:
        try:
            task = fields_of(load(line)) if line.strip() else fields_of(None)
        except ValueError:
            # The last line may be cut.
            continue
        if task:
            name = str(task.get("instance_id"))
            seen[name] += 1
            yield name if seen[name] == 1 else f"{name}#{seen[name]}", task


def _sessions(container: Container) -> Iterator[Mapping[str, object]]:
    for name, _ in _tasks(container):
        yield {"id": name}


def _lines(container: Container, session: str) -> Iterator[bytes]:
    """The lines of a task. Raises Unreadable where it is not there."""
    task = next((task for name, task in _tasks(container) if name == session), None)
    if task is None:
        raise Unreadable(f"No task {session} in {container.path}.")
    for event in _events(task):
        yield to_json(event).encode("utf-8", "replace")
    kept = {key: value for key, value in task.items() if key not in _LARGE}
    yield to_json({TASK: kept}).encode("utf-8", "replace")


def _events(task: Fields) -> Iterator[object]:
    """The events in their order; of a pair both, where the observation says anything.

    What is in a pair belongs together, also in versions that do not number events.
    """
    for at, each in enumerate(items_of(task.get("history"))):
        pair = items_of(each)
        if len(pair) != 2:
            yield each
            continue
        action, seen = map(fields_of, pair)
        number = action.get("id", at)
        yield {**action, "id": number}
        if seen.get("observation") != "null":
            yield {**seen, "cause": seen.get("cause", number)}


ARCHIVE = Archive(begins=_begins, sessions=_sessions, lines=_lines)
