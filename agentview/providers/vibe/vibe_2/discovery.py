"""Where sessions are, whose a file of messages is, and which call started an agent."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.normalize.session_state import LogHabits
from agentview.providers._kit.folder_logs import FolderLogs
from agentview.providers._kit.signatures import Signature
from agentview.providers.vibe.vibe_2.folder import FOLDER, MESSAGES, meta_of
from agentview.sources.member import first_bytes
from agentview.sources.one_look import found_once

_SURE = 0.96
_LIKELY = 0.8
_KEYS = frozenset(
    ("role", "content", "reasoning_content", "message_id", "name", "tool_call_id", "tool_calls")
)
_ROLES = frozenset({"user", "assistant", "tool", "system"})
_AGENTS = "agents"
"""The folder in a session's own that has those of its agents."""
_SEARCHED = 64 * 1024 * 1024
"""Bytes of a session in which the calls that started agents are looked for."""


class MessageFolders(FolderLogs):
    """Directories with messages; those of agents are inside those that began them."""

    child_folder = _AGENTS
    skipped = frozenset({"unified", "active", "plugins"})
    habits = LogHabits(late_calls=True)
    signatures = (
        Signature(_SURE, {"role": _ROLES, "injected": bool}, any_of={"message_id", "tool_call_id"}),
        # Older messages do not say whether the client wrote them.
        Signature(_LIKELY, {"role": _ROLES, "message_id": str, "content": str}, only=_KEYS),
    )

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a directory; one of an agent by where it is."""
        meta = meta_of(path)
        own = text_of(meta.get("session_id")) or path.stem
        if path.parent.name != _AGENTS:
            return SessionRef(self.name, own, str(path))
        above = path.parent.parent
        return SessionRef(
            self.name,
            own,
            str(path),
            stream=Stream(StreamKind.SUBAGENT, own),
            parent_id=text_of(meta_of(above).get("session_id")) or above.stem,
            parent_call=_started_by(above, head),
            label=text_of(fields_of(meta.get("agent_profile")).get("name")),
        )


def _started_by(above: Path, head: bytes) -> str | None:
    """The one call whose task is the prompt of an agent; None where several may be."""
    prompt = next((text_of(each.get("content")) for each in _messages(head)), None)
    if prompt is None:
        return None
    given = (prompt, prompt.rpartition("\n\n")[2])
    found = [call for call, task in _tasks(above / MESSAGES) if task in given]
    return found[0] if len(found) == 1 else None


@found_once
def _tasks(log: Path) -> Sequence[tuple[str | None, str]]:
    return [
        (text_of(call.get("id")), task)
        for message in _messages(first_bytes(log, _SEARCHED))
        for call in map(fields_of, items_of(message.get("tool_calls")))
        if (task := _task(fields_of(call.get("function"))))
    ]


def _task(function: Fields) -> str:
    asked = function.get("name") == "task"
    return (text_of(mapping(function.get("arguments")).get("task")) or "") if asked else ""


def _messages(data: bytes) -> Iterator[Fields]:
    for line in data.split(b"\n"):
        try:
            message = fields_of(orjson.loads(line))
        except ValueError:
            continue
        if "role" in message:
            yield message


DISCOVERY = MessageFolders("vibe_2", FOLDER)
