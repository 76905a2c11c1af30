"""Where conversations are, whose a file is, and which call started an agent."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit.discovery import probe_lines
from agentview.providers._kit.folder_logs import FolderLogs
from agentview.providers.openhands.folder import AGENTS, FOLDER
from agentview.sources.files import read_part
from agentview.sources.one_look import found_once

_SURE = 0.97
_ENVELOPE = re.compile(
    rb'\{\s*"id":\s*"[^"]{1,80}",\s*"timestamp":\s*"[^"]{1,40}",\s*"source":\s*'
    rb'"(?:agent|user|environment|hook)"'
)
_SOURCES = frozenset({"agent", "user", "environment", "hook"})
_PROMPT = re.compile(rb'"system_prompt":\s*\{')
_STARTS = re.compile(rb'"kind":\s*"(?:Task|Delegate)Action"')
_SEARCHED = 64 * 1024 * 1024
"""Bytes of a conversation in which the calls that started agents are looked for."""


class Conversations(FolderLogs):
    """Directories with a file for each event; those of agents are inside those that began them."""

    child_folder = AGENTS

    def probe(self, head: bytes, path: Path) -> float:
        """By the envelope of an event and what sort of event it says it is."""
        _ = path
        return probe_lines(head, _probe_line)

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


def _probe_line(line: bytes) -> float:
    if not line.startswith(b"{") or b'"source"' not in line:
        return 0.0
    try:
        fields = fields_of(orjson.loads(line))
    except ValueError:
        # The first event has all instructions: it is longer than what was read.
        cut = _ENVELOPE.match(line) is not None and _PROMPT.search(line[:400]) is not None
        return _SURE if cut else 0.0
    own = isinstance(fields.get("id"), str) and text_of(fields.get("source")) in _SOURCES
    # Imported here: few files get this far.
    from agentview.providers.openhands.decode import KINDS

    return _SURE if own and text_of(fields.get("kind")) in KINDS else 0.0


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
