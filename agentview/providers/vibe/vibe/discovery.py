"""Where sessions are, and whose a file of records is."""

from collections.abc import Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import fields_of, text_of, whole_of
from agentview.providers._kit.folder_logs import FolderLogs
from agentview.providers._kit.signatures import Signature
from agentview.providers._kit.typed_values import read_as
from agentview.providers.vibe.vibe.folder import CURRENT, FOLDER, META
from agentview.providers.vibe.vibe.schema import Child, Meta, Pointer, Runtime
from agentview.sources.files import is_file_name
from agentview.sources.member import first_bytes

_SURE = 0.97
_KEYS = frozenset({"sessionId", "turnId", "generationStatus", "relatedEntryId"})
_ENTRIES = frozenset({"message", "reasoning", "effect", "checkpoint", "callback"})
_SIDE_BYTES = 1 << 20


class UnifiedStore(FolderLogs):
    """Directories of sessions, side by side with those of their agents."""

    signatures = (Signature(_SURE, {"type": _ENTRIES}, keys=_KEYS),)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a directory; an agent's states the session above it."""
        meta = _meta(path)
        own = meta.session_id or _named(head) or path.stem
        parent = meta.parent_session_id
        if not parent or not _is_agent(path):
            return SessionRef(self.name, own, str(path))
        stream = Stream(StreamKind.SUBAGENT, own)
        label = meta.title or None
        return SessionRef(self.name, own, str(path), stream, parent_id=parent, label=label)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        return [Path(ref.path).parent] if _children(ref) else []

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The sessions that this one lists as its own."""
        places = [Path(ref.path).parent / name for name in _children(ref)]
        found = [self.ref(place) for place in places if (place / CURRENT).is_file()]
        return [each for each in found if each.stream.kind is StreamKind.SUBAGENT]


def _children(ref: SessionRef) -> list[str]:
    listed = _meta(Path(ref.path)).child_sessions
    named = (each.session_id if isinstance(each, Child) else each for each in listed)
    return [name for name in named if name and is_file_name(name)]


def _meta(path: Path) -> Meta:
    return read_as(_object(path / META) if path.is_dir() else None, Meta)


def _is_agent(path: Path) -> bool:
    """Return True if a session with one above it is an agent's; a fork is a session of its own."""
    generation = read_as(_object(path / CURRENT), Pointer).generation or ""
    if not is_file_name(generation):
        return True
    state = _object(path / "generations" / generation / "runtime-state.json")
    identity = read_as(state, Runtime).identity
    return identity.kind != "root" and whole_of(identity.depth) != 0


def _object(path: Path) -> object:
    try:
        return orjson.loads(first_bytes(path, _SIDE_BYTES))
    except ValueError:
        return None


def _named(head: bytes) -> str | None:
    try:
        return text_of(fields_of(orjson.loads(head.partition(b"\n")[0])).get("sessionId"))
    except ValueError:
        return None


DISCOVERY = UnifiedStore("vibe", FOLDER)
