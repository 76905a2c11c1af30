"""Where conversations are, whose a file is, and which call started an agent."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.folder_logs import FolderLogs
from agentview.providers._kit.signatures import Signature
from agentview.providers.openhands.openhands.folder import AGENTS, FOLDER
from agentview.sources.files import read_part
from agentview.sources.one_look import found_once

_SURE = 0.97
_CUT = re.compile(
    rb'\{\s*"id":\s*"[^"]{1,80}",\s*"timestamp":\s*"[^"]{1,40}",\s*"source":\s*'
    rb'"(?:agent|user|environment|hook)".{0,250}"system_prompt":\s*\{',
    re.DOTALL,
)
_SOURCES = frozenset({"agent", "user", "environment", "hook"})
_STARTS = re.compile(rb'"kind":\s*"(?:Task|Delegate)Action"')
_SEARCHED = 64 * 1024 * 1024
"""Bytes of a conversation in which the calls that started agents are looked for."""


def _is_kind(kind: object) -> bool:
    # Imported here: few files get this far.
    from agentview.providers.openhands.openhands.decode import KINDS

    return isinstance(kind, str) and kind in KINDS


class Conversations(FolderLogs):
    """Directories with a file for each event; those of agents are inside those that began them."""

    child_folder = AGENTS

    signatures = (Signature(_SURE, {"id": str, "source": _SOURCES, "kind": _is_kind}),)
    # The first event has all instructions: it is longer than what was read.
    cut_lines = ((_CUT, _SURE),)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The conversation in a directory; one of an agent by where it is."""
        own = path.stem
        if path.parent.name != AGENTS:
            return SessionRef(self.name, own, str(path))
        above = path.parent.parent
        call = _started_by(above, _first_prompt(head))
        return SessionRef(
            self.name,
            own,
            str(path),
            stream=Stream(StreamKind.SUBAGENT, own),
            parent_id=above.name,
            parent_call=text_of(call.get("tool_call_id")),
            label=text_of(fields_of(call.get("action")).get("description")),
        )


def _first_prompt(head: bytes) -> str | None:
    for line in head.split(b"\n"):
        if b'"MessageEvent"' in line:
            try:
                return _words(fields_of(fields_of(orjson.loads(line)).get("llm_message")))
            except ValueError:
                return None
    return None


def _words(message: Mapping[str, object]) -> str:
    parts = (text_of(fields_of(item).get("text")) for item in items_of(message.get("content")))
    return "\n".join(filter(None, parts))


def _started_by(above: Path, prompt: str | None) -> Fields:
    """The event of the one call that gave an agent this prompt; nothing where several did."""
    nothing: Fields = {}
    if not prompt:
        return nothing
    found = [call for call, given in _starting_calls(above) if prompt in given]
    return found[0] if len(found) == 1 else nothing


@found_once
def _starting_calls(log: Path) -> Sequence[tuple[Fields, Sequence[object]]]:
    """The events of calls that start agents, each with the prompts that it gives them."""
    found: list[tuple[Fields, Sequence[object]]] = []
    for line in read_part(log, 0, _SEARCHED).split(b"\n"):
        if _STARTS.search(line) is None:
            continue
        try:
            call = fields_of(orjson.loads(line))
        except ValueError:
            continue
        action = fields_of(call.get("action"))
        found.append((call, [action.get("prompt"), *fields_of(action.get("tasks")).values()]))
    return found


DISCOVERY = Conversations("openhands", FOLDER)
