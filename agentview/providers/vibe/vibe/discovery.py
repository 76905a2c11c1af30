"""Where sessions are, and whose a file of records is."""

from collections.abc import Sequence
from pathlib import Path

import orjson

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, whole_of
from agentview.providers._kit.folder_logs import FolderLogs
from agentview.providers._kit.signatures import Signature
from agentview.providers.vibe.vibe.folder import CURRENT, FOLDER, META
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
        own = text_of(meta.get("session_id")) or _named(head) or path.stem
        parent = text_of(meta.get("parent_session_id"))
        if parent is None or not _is_agent(path):
            return SessionRef(self.name, own, str(path))
        stream = Stream(StreamKind.SUBAGENT, own)
        label = text_of(meta.get("title"))
        return SessionRef(self.name, own, str(path), stream, parent_id=parent, label=label)

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        return [Path(ref.path).parent] if _children(ref) else []

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The sessions that this one lists as its own."""
        places = [Path(ref.path).parent / name for name in _children(ref)]
        found = [self.ref(place) for place in places if (place / CURRENT).is_file()]
        return [each for each in found if each.stream.kind is StreamKind.SUBAGENT]


def _children(ref: SessionRef) -> list[str]:
    listed = items_of(_meta(Path(ref.path)).get("child_sessions"))
    named = (text_of(each) or text_of(fields_of(each).get("session_id")) for each in listed)
    return [name for name in named if name is not None and is_file_name(name)]


def _meta(path: Path) -> Fields:
    return _object(path / META) if path.is_dir() else {}


def _is_agent(path: Path) -> bool:
    """Return True if a session with one above it is an agent's; a fork is a session of its own."""
    generation = text_of(_object(path / CURRENT).get("generation")) or ""
    if not is_file_name(generation):
        return True
    state = _object(path / "generations" / generation / "runtime-state.json")
    identity = fields_of(state.get("identity"))
    return identity.get("kind") != "root" and whole_of(identity.get("depth")) != 0


def _object(path: Path) -> Fields:
    try:
        return fields_of(orjson.loads(first_bytes(path, _SIDE_BYTES)))
    except ValueError:
        return {}


def _named(head: bytes) -> str | None:
    try:
        return text_of(fields_of(orjson.loads(head.partition(b"\n")[0])).get("sessionId"))
    except ValueError:
        return None


DISCOVERY = UnifiedStore("vibe", FOLDER)
