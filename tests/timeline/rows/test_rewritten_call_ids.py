"""Samples whose call ids are written over: the calls are those with ids that are unique."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from agentview.domain.events import Event, ToolResult, User
from agentview.domain.tools import ToolCall
from agentview.providers import provider_names
from tests.providers.joined_log import joined, shown
from tests.samples import Sample, all_samples

_LARGEST = 300_000
_FEWEST = 4
_LONG = 12
"""Characters of an id that no other text has by chance."""

NAMINGS: dict[str, Callable[[str, int], str]] = {
    "by turn": lambda name, index: f"{name}:{index}",
    "redacted": lambda _name, _index: "REDACTED",
    "empty": lambda _name, _index: "",
}
"""New ids by the name of the tool and a number that no call has which waits at the same time."""
FALL_SHORT = {
    "codex": "commands that run at once end in another order, and an end has nothing but the id",
    "happier": "a call that waits may be written again as a whole, with other arguments",
    "otel": "a span and the requests behind it say a result again, and only the id joins them",
    "vscode_copilot": "results are the values of an object whose keys are ids: one for each id",
}
"""Formats that show other calls where ids are redacted or empty, and why: none may be added."""


class Told(NamedTuple):
    """A call as it is shown."""

    input: str
    outcome: str


class Lifetime(NamedTuple):
    """From the event that begins a call to the one with its last result."""

    name: str
    response: str
    first: int
    last: int

    def meets(self, other: "Lifetime") -> bool:
        """True for calls of which a result may belong to either, as far as an id says."""
        apart = self.first > other.last or other.first > self.last
        return not apart or self.response == other.response


def _with_most_calls(provider: str) -> Sample | None:
    best, most = None, _FEWEST - 1
    for sample in all_samples():
        if sample.provider.name != provider or len(sample.data) > _LARGEST:
            continue
        bodies = (event.body for event in sample.events())
        calls = len({body.call_id for body in bodies if isinstance(body, ToolCall)})
        if calls > most:
            best, most = sample, calls
    return best


def _calls(sample: Sample, path: Path) -> list[ToolCall]:
    bodies = (activity.body for activity in shown(joined(sample.provider, path)))
    return [body for body in bodies if isinstance(body, ToolCall)]


def _lifetimes(events: Sequence[Event]) -> dict[str, Lifetime]:
    """The lifetimes of calls by their ids; one without a result waits until the next prompt."""
    prompts = [at for at, event in enumerate(events) if isinstance(event.body, User)]
    found: dict[str, Lifetime] = {}
    for at, event in enumerate(events):
        body = event.body
        if isinstance(body, ToolCall) and body.call_id not in found:
            response = event.response_id or event.record_id or str(event.source.offset)
            end = next((prompt for prompt in prompts if prompt > at), len(events))
            found[body.call_id] = Lifetime(body.provider_name, response, at, end)
    ends = {
        event.body.call_id: at
        for at, event in enumerate(events)
        if isinstance(event.body, ToolResult)
    }
    return {own: life._replace(last=ends.get(own, life.last)) for own, life in found.items()}


def _numbers(lifetimes: dict[str, Lifetime]) -> dict[str, int]:
    """A number for each call, which no other has that has its name and waits as well."""
    found: dict[str, int] = {}
    for own, life in lifetimes.items():
        rivals = {
            number
            for other, number in found.items()
            if lifetimes[other].name == life.name and lifetimes[other].meets(life)
        }
        found[own] = next(number for number in count() if number not in rivals)
    return found


def _renamed(text: str, names: dict[str, str]) -> str:
    """The text with other ids; short ones are ids only as whole strings."""
    if not names:
        return text
    ids = sorted(map(re.escape, names), key=len, reverse=True)
    in_words = "|".join(own for own in ids if len(own) >= _LONG)
    quoted = "|".join(ids)
    pattern = rf"(?<=[\"'])(?:{quoted})(?=[\"'])" + (in_words and rf"|(?:{in_words})")
    return re.sub(pattern, lambda found: names[found[0]], text)


def _told(calls: Iterable[ToolCall], names: dict[str, str]) -> list[Told]:
    return [
        Told(
            _renamed(f"{call.args_json} {call.title}", names),
            _renamed(f"{call.output!r} {call.state} {call.ok}", names),
        )
        for call in calls
    ]


def _differs(before: list[Told], after: list[Told], alone: list[bool]) -> str:
    """How calls differ; of those that wait at the same time the outcomes may be exchanged."""
    if len(before) != len(after):
        return f"{len(before)} calls, {len(after)} shown"
    if [each.input for each in before] != [each.input for each in after]:
        return "other inputs"
    if sorted(each.outcome for each in before) != sorted(each.outcome for each in after):
        return "other outcomes"
    wrong = sum(mine and old != new for old, new, mine in zip(before, after, alone, strict=True))
    return f"{wrong} outcomes of other calls" if wrong else ""


def _difference(sample: Sample, naming: str, folder: Path) -> str:
    lifetimes = _lifetimes(list(sample.events()))
    numbers = _numbers(lifetimes)
    names = {own: NAMINGS[naming](life.name, numbers[own]) for own, life in lifetimes.items()}
    path = folder / naming / sample.path.name
    path.parent.mkdir()
    path.write_text(_renamed(sample.data.decode(), names))
    calls = _calls(sample, sample.path)
    alone = [
        not any(
            names[other] == names[call.call_id] and life.meets(lifetimes[call.call_id])
            for other, life in lifetimes.items()
            if other != call.call_id
        )
        for call in calls
    ]
    return _differs(_told(calls, names), _told(_calls(sample, path), {}), alone)


@pytest.mark.parametrize("provider", provider_names())
def test_calls_are_told_apart_whatever_their_ids(provider: str, tmp_path: Path):
    sample = _with_most_calls(provider)
    if sample is None:
        pytest.skip("no sample has calls enough")
    wrong = {naming: _difference(sample, naming, tmp_path) for naming in NAMINGS}
    short = {"redacted", "empty"} if provider in FALL_SHORT else set[str]()
    assert {naming for naming, difference in wrong.items() if difference} == short, wrong
