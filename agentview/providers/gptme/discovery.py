"""Where conversations are, whose a file is, and what the folder of one says of it."""

import os
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_values import Fields, fields_of, local_time_of, said_in, text_of
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.session_info import end_lines, overview
from agentview.providers._kit.signatures import Signature, Test
from agentview.providers.base import Light
from agentview.sources.files import read_ends, read_part
from agentview.sources.member import Member

ROLES = frozenset({"system", "user", "assistant"})
"""Who a message may be from; results of tools are from the system."""
LOG = "conversation.jsonl"
_CONFIG_BYTES = 65_536
_NOTHING: Fields = {}
_SURE, _LIKELY = 0.96, 0.6
_MESSAGE: Mapping[str, Test] = {"timestamp": local_time_of, "content": said_in, "role": ROLES}
_OWN_KEYS = frozenset({"pinned", "hide", "call_id", "file_hashes"})
_KEYS = _OWN_KEYS | {"role", "content", "timestamp", "files", "metadata"}


class Conversations(LogFiles):
    """A log of messages in each folder; the files next to it are linked, or say the same."""

    skipped = frozenset({"workspace", "branches", "files", "tool-outputs", "attachments"})

    signatures = (
        Signature(_SURE, _MESSAGE, any_of=_OWN_KEYS),
        Signature(_LIKELY, _MESSAGE, only=_KEYS),
    )

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        return (entry for entry in super().files(root) if entry.name == LOG)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """A conversation is known by the name of its folder."""
        _ = head
        own = path.parent.name if path.name == LOG else path.stem
        return SessionRef(self.name, own, str(path))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the ends of the log, and the name and the project in the configuration."""
        path = Path(ref.path)
        head, tail, start = read_ends(path)
        chat = _chat(path.parent) if path.name == LOG else _NOTHING
        events = end_lines(head, tail, start, ref, decode)
        name, project = text_of(chat.get("name")), text_of(chat.get("workspace"))
        return overview(ref, events, name=name, project=project)


def _chat(folder: Path) -> Fields:
    """The section `chat` in the configuration of a conversation; empty if it cannot be read."""
    text = read_part(folder / "config.toml", 0, _CONFIG_BYTES).decode("utf-8", "replace")
    try:
        return fields_of(tomllib.loads(text).get("chat"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return _NOTHING


DISCOVERY = Conversations("gptme")
