"""Where transcripts lie, whether a file is one, and which files its agents write."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.events import User
from agentview.domain.index_entry import LightEvent, event_of
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionInfo, SessionRef, Stream, StreamKind
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of
from agentview.providers._kit import session_info as events_overview
from agentview.providers._kit.discovery import probe_records
from agentview.providers._kit.signatures import Signature, SignatureTable, filled
from agentview.providers.base import Light
from agentview.providers.cursor.cursor.text_transcript import begins_plain, split_plain
from agentview.providers.folders import declared_roots
from agentview.sources.files import (
    files_below,
    is_directory,
    lines_of_tail,
    read_ends,
    read_part,
)

# Recognizes by content whether a file is a stream, a transcript, or messages of the SDK.

_PROBED_LINES = 20
_SURE = 0.97
_LIKELY = 0.8
_MAYBE = 0.3

_FOREIGN = frozenset(
    {"uuid", "parent_tool_use_id", "tools", "mcp_servers", "sessionId", "num_turns"}
)
"""Keys of other clients' records of the same types."""

_SDK_TYPES = frozenset(
    {"system", "user", "assistant", "thinking", "tool_call", "status", "task", "request"}
)
_BLOCKS = frozenset(
    {"text", "tool_use", "tool_call", "thinking", "reasoning", "tool_result", "image"}
)
_CUT = re.compile(
    rb'\s*\{\s*(?:"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{\s*"content"\s*:'
    rb'|"type"\s*:\s*"tool_call"\s*,\s*"subtype"\s*:\s*"(?:started|completed)"\s*,\s*"call_id"'
    rb'|"type"\s*:\s*"thinking"\s*,\s*"subtype"\s*:\s*"delta")'
)
_PLAIN_ANSWER = re.compile(rb"^(?:assistant:|\[(?:Thinking|Tool call)\])", re.MULTILINE)


def _has_blocks(content: object) -> bool:
    kinds = {str(fields_of(part).get("type")).replace("-", "_") for part in items_of(content)}
    return content == [] or bool(kinds & _BLOCKS)


_WORDS = re.compile("(?s).+")
_MESSAGE = frozenset({"message/id", "message/role", "timestamp", "type"})
_TRANSCRIPT = {"role": frozenset({"user", "assistant"}), "message/content": list}
_ENDS = frozenset({"started", "completed"})
_THOUGHT = frozenset({"delta", "completed"})
_IN_SESSION, _IN_RUN = frozenset({"session_id"}), frozenset({"run_id", "agent_id"})
_SAID = frozenset({"message/id", "message/usage"})
_SIGNATURES = SignatureTable(
    Signature(_SURE, {"type": _SDK_TYPES}, _IN_RUN),
    Signature(0.0, {"type": str}, _IN_RUN),
    Signature(
        _SURE, {"type": "system", "subtype": "init"},
        _IN_SESSION | {"apiKeySource", "permissionMode"},
    ),
    Signature(_SURE, {"type": "thinking", "subtype": _THOUGHT}, _IN_SESSION),
    Signature(
        _SURE, {"type": "tool_call", "subtype": _ENDS, "tool_call": filled},
        _IN_SESSION | {"call_id"},
    ),
    # Messages of a transcript; clients to come may have a little more.
    Signature(_LIKELY, {**_TRANSCRIPT, "message/content": _has_blocks}, without=_MESSAGE),
    Signature(0.6, {"type": "result"}, _IN_SESSION | {"request_id", "duration_api_ms"}),
    Signature(0.5, {"type": "user", "message/role": "user"}, _IN_SESSION, without=_SAID),
    Signature(0.5, {"type": "assistant", "message/role": "assistant"}, _IN_SESSION, without=_SAID),
    Signature(_MAYBE, _TRANSCRIPT, without=_MESSAGE),
    # Lines between the messages of a transcript.
    Signature(_MAYBE, {"type": "turn_ended"}, only=frozenset({"type", "status"})),
    Signature(0.2, {"type": "error", "error": _WORDS}, only=frozenset({"type", "error"})),
)  # fmt: skip


def probe_head(head: bytes) -> float:
    """Confidence 0..1 that a file that begins with `head` is one of this client's."""
    if begins_plain(head):
        return 0.9 if _PLAIN_ANSWER.search(head) else 0.4
    return probe_records(head, _confidence, ((_CUT, _LIKELY),), _PROBED_LINES)


def _confidence(record: Fields) -> float:
    return 0.0 if record.keys() & _FOREIGN else _SIGNATURES.confidence(record)


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, decode: Light
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    A transcript has times of prompts at most: then that of the file says when something came last.
    """
    blocks = ((head, 0), lines_of_tail(head, tail, tail_start))
    events = [event_of(light) for each in blocks for light in _events(*each, ref, decode)]
    info = events_overview.overview(ref, events)
    timed = any(event.time is not None and not isinstance(event.body, User) for event in events)
    if timed or info.started is None or events[-1].time is not None:
        return info
    untimed = events_overview.overview(ref, (replace(event, time=None) for event in events))
    return replace(untimed, started=info.started)


def _events(block: bytes, start: int, ref: SessionRef, decode: Light) -> Iterator[LightEvent]:
    """Events of the whole records of a block."""
    if not begins_plain(block):
        yield from events_overview.whole_lines(block, start, ref, decode)
        return
    for begin, end in split_plain(block):
        place = SourceRef(ref.path, start + begin, end - begin)
        yield from decode(block[begin:end], place, ref)


NAME = "cursor"

_TRANSCRIPTS = "agent-transcripts"
_AGENTS = "subagents"
_ENDINGS = (".jsonl", ".txt")
_CHATS = "chats"
_HEAD_BYTES = 16_384


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` is a stream or a transcript."""
    _ = path
    return probe_head(head)


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    return declared_roots(NAME, env) or []


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    """Transcripts under a root, a configuration directory, or the folder of one project.

    Those of chats that the client keeps too, and that say more, are left out.
    """
    inner = root / "projects"
    place = inner if is_directory(inner) else root
    chats = {chat.name for folder in _folders(place.parent / _CHATS) for chat in _folders(folder)}
    for folder in _transcript_folders(place):
        for entry in _logs(folder):
            own = Path(entry.path)
            kept = own.parent.name != _AGENTS and own.stem in chats
            if not kept or is_directory(_agents(own)):
                yield entry


def session_at(path: Path) -> SessionRef | None:
    return ref(path)


def _transcript_folders(place: Path) -> Iterator[Path]:
    if place.name == _TRANSCRIPTS:
        yield place
        return
    for folder in (place, *_folders(place)):
        found = folder / _TRANSCRIPTS
        if is_directory(found):
            yield found


def _logs(folder: Path) -> Iterator["os.DirEntry[str]"]:
    """`<id>.jsonl`, `<id>/<id>.jsonl` and `<id>/subagents/<agent>.jsonl`."""
    yield from files_below(folder, _ENDINGS, depth=0)
    for session in _folders(folder):
        yield from files_below(session, _ENDINGS, depth=0)
        yield from files_below(session / _AGENTS, _ENDINGS, depth=0)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(folder / entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []


def ref(path: Path) -> SessionRef:
    """The session that a file holds: the id that its first record states, else its file name."""
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, path.stem, str(path), MAIN_STREAM)
    found = SessionRef(NAME, path.stem, str(path), modified=status.st_mtime, size=status.st_size)
    if path.parent.name == _AGENTS:
        parent = path.parent.parent.name
        stream = Stream(StreamKind.SUBAGENT, path.stem)
        return replace(found, session_id=parent, stream=stream, parent_id=parent)
    return replace(found, session_id=_stated_id(path) or path.stem)


def _stated_id(path: Path) -> str | None:
    line = read_part(path, 0, _HEAD_BYTES).lstrip(b"\xef\xbb\xbf\x00 \r\n").partition(b"\n")[0]
    try:
        record = fields_of(orjson.loads(line))
    except ValueError:
        return None
    return text_of(record.get("session_id")) or text_of(record.get("agent_id"))


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """Transcripts of the agents that a session started."""
    found = (
        entry for place in child_places(ref) for entry in files_below(place, _ENDINGS, depth=0)
    )
    paths = sorted(Path(entry.path) for entry in found)
    return tuple(
        replace(_ref(path), session_id=ref.session_id, parent_id=ref.session_id) for path in paths
    )


def _ref(path: Path) -> SessionRef:
    return ref(path)


def child_places(ref: SessionRef) -> Sequence[Path]:
    """`subagents` in the session's own folder, whether the log is in that folder or next to it."""
    if ref.stream.kind is not StreamKind.MAIN:
        return ()
    return (_agents(Path(ref.path)),)


def _agents(log: Path) -> Path:
    """Where transcripts of agents are that a session started."""
    own = log.parent if log.parent.name == log.stem else log.with_suffix("")
    return own / _AGENTS


def externalized_output(ref: SessionRef, recorded: str) -> Path | None:
    """None: the client keeps no output next to its transcripts."""
    _ = ref, recorded
    return None


def info(ref: SessionRef, decode: Light) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, start = read_ends(Path(ref.path))
    return overview(ref, head, tail, start, decode)
