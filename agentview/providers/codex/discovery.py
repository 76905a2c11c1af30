"""Where sessions lie, whether a file is one, and which files its agents write."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BufferedReader
from pathlib import Path

import msgspec
import orjson
from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import User
from agentview.domain.index_entry import KIND_CODES, EventFact, LightEvent
from agentview.domain.session import (
    MAIN_STREAM,
    SessionInfo,
    SessionRef,
    Stream,
    StreamKind,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, fields_of
from agentview.normalize.session_state import LogHabits, is_edit
from agentview.providers._kit import session_info as events_overview
from agentview.providers._kit.discovery import LogFiles
from agentview.providers._kit.typed_values import read_as
from agentview.providers.base import Light
from agentview.providers.codex.code_mode import is_escalated
from agentview.providers.codex.forked_prefix import MOST, InheritedPrefix, inherited
from agentview.providers.codex.legacy_json import is_document, items_at_ends, members_in
from agentview.providers.codex.probing import probe_head, sessions_in
from agentview.providers.codex.schema import (
    FirstLine,
    SessionMeta,
    Source,
    Subagent,
    ThreadName,
)
from agentview.sources.compressed import SUFFIXES, unpacked_head
from agentview.sources.files import (
    END_BYTES,
    files_below,
    is_directory,
    open_regular,
    read_ends,
    read_part,
)
from agentview.sources.member import Member
from agentview.sources.one_look import found_once, known_in_look, looks_at_many
from agentview.sources.packed_file import content_size

# What a session is about and what it is doing, from the records at its two ends.

_DESCRIBING = re.compile(
    rb'"type"\s*:\s*"(?:session_meta|turn_context|thread_settings_applied|thread_name_updated'
    rb'|user_message|UserMessage|thread\.started)"'
    rb'|"role"\s*:\s*"user"'
)
"""Records that have the directory, the model, the name, or a prompt."""


def _asks_first(call: ToolCall) -> bool:
    """True if a command is to run outside the sandbox, which a person or a rule has to allow.

    Where the policy is never to ask, the client refuses such a call at once.
    """
    return call.kind is ToolKind.SHELL and is_escalated(fields_of(call.args))


def _is_brief(call: ToolCall, mode: str | None) -> bool:
    """True for edits, and for tools of MCP servers unless the policy is never to ask.

    The client asks about a tool whose server says nothing of what it does (0.171.0).
    """
    return is_edit(call, mode) or (call.kind is ToolKind.MCP and mode != "never")


def _wrapped(call: ToolCall) -> ToolCall:
    # Imported here: a list of sessions mostly needs none of the tools.
    from agentview.providers.codex.tools import wrapped_call

    return wrapped_call(call)


_PROMPT = KIND_CODES[RowKind.USER]

HABITS = LogHabits(asks_first=_asks_first, brief=_is_brief, wrapped=_wrapped)
"""Facts that the log leaves open of the state of a session."""


def overview(
    ref: SessionRef, head: bytes, tail: bytes, tail_start: int, decode: Light, name: str | None
) -> SessionInfo:
    """Facts about a session from the bytes of its head and of its tail, which begins anywhere.

    The title is the name that was given to the session, else its first prompt; what an agent was
    asked may be encrypted, and what the client's reviewer is asked is the same each time: then it
    goes by its own name.
    """
    if is_document(head):
        return events_overview.overview(ref, _of_document(head, tail, ref, decode), name=name)
    events = events_overview.end_lines(head, tail, tail_start, ref, decode, _DESCRIBING.search)
    return events_overview.overview(ref, events, name=name, habits=HABITS, only_timed=_is_no_prompt)


def _of_document(head: bytes, tail: bytes, ref: SessionRef, decode: Light) -> Iterator[LightEvent]:
    session = fields_of(members_in(head).get("session"))
    for value in ({**session, "instructions": None}, *items_at_ends(head, tail)):
        yield from events_overview.decoded(value, ref, decode)


def _is_no_prompt(light: EventFact) -> bool:
    """Return True for a prompt that says nothing of the session.

    It is a call to be judged, with what was said before it, or only the lines in front of a message
    that cannot be read.
    """
    if light.kind != _PROMPT:
        return False
    from agentview.providers.codex.content import REVIEWER
    from agentview.providers.codex.response_item import ADDRESS

    body = light.event().body
    if not isinstance(body, User) or body.via is None:
        return False
    return body.via == REVIEWER or body.text.startswith(ADDRESS)


NAME = "codex"

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_NAMED = re.compile(
    rf"rollout-(?:\d{{4}}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-)?({_UUID})(?:_{_UUID})?"
    r"\.json(?:l(?:\.zst)?)?",
    re.IGNORECASE,
)
_KEYS_CUT = re.compile(
    rb'"(id|session_id|parent_thread_id|forked_from_id|agent_nickname|agent_role|agent_path)"'
    rb'\s*:\s*"((?:[^"\\]|\\.)*)"'
)
_BEGUN = b'"thread.started"'
_BEGUN_BYTES = 512
"""Most bytes of a line that reports the start of a session."""
_TYPE_BYTES = 200
_ENDINGS = (".jsonl", ".jsonl.zst", ".json")
_AGENTS = frozenset({"subagent", "guardian_review"})
"""Sources of threads that no person began."""
_FOLDERS = ("sessions", "archived_sessions")
_FIRST_BYTES = 16_384
"""Bytes that nearly always hold the first line of the oldest logs and of agents' logs."""
_FIRST_LINE = 262_144
"""Bytes read of a first line; it may hold all instructions that the model is given."""
_INDEX_BYTES = 1_048_576
_CLOCK_SLACK = 120.0
"""Seconds by which the time in an agent's id may lie outside of the time its parent was written."""


def _is_complete(path: Path) -> bool:
    """Return whether a log that nothing was printed into has all facts of its reference.

    Raises OSError when the log cannot be read.
    """
    head = read_part(path, 0, _FIRST_LINE)
    _, ended, rest = head.partition(b"\n")
    if len(head) < _FIRST_LINE and not (ended and (b"\n" in rest or len(rest) > _TYPE_BYTES)):
        return False
    status = path.stat()
    known = min(content_size(path, status.st_size), _FIRST_LINE)
    meta = _meta(str(path), status.st_ino, known)
    if _parent(meta) is None and not _is_fork(meta):
        return True
    try:
        _inherited(str(path), status.st_ino, known)
    except LookupError:
        return content_size(path, status.st_size) >= MOST
    return True


def _is_fork(meta: SessionMeta) -> bool:
    return meta.followed or bool(meta.forked_from_id)


def _id_in_name(path: Path) -> str:
    match = _NAMED.fullmatch(path.name)
    return match[1] if match is not None else path.stem


def _subagent(meta: SessionMeta) -> Subagent | str | None:
    return meta.source.subagent if isinstance(meta.source, Source) else None


def _parent(meta: SessionMeta) -> str | None:
    """The thread that started this one, where an agent did; a fork by the person is not an agent.

    Agents of the client itself, such as its reviewer, may name only the session that they serve.
    """
    agent = _subagent(meta)
    spawn = agent.thread_spawn if isinstance(agent, Subagent) else None
    parent = (spawn and spawn.parent_thread_id) or meta.parent_thread_id or None
    if parent is None and (agent or meta.thread_source in _AGENTS):
        parent = meta.session_id or None
    return parent if parent != meta.id else None


def _label(meta: SessionMeta) -> str | None:
    """Return the name of an agent, or its purpose."""
    agent = _subagent(meta)
    purpose = agent.other if isinstance(agent, Subagent) else agent
    return meta.agent_nickname or meta.agent_path or meta.agent_role or purpose


def _first_line(line: bytes) -> FirstLine:
    """A first line as it is declared. Raises ValueError for anything but JSON."""
    try:
        # It may have long texts, which need not be read.
        return _FIRST_LINES.decode(line)
    except (msgspec.ValidationError, RecursionError):
        return read_as(orjson.loads(line), FirstLine)


_FIRST_LINES = msgspec.json.Decoder(FirstLine)


def _session_in(first: FirstLine) -> SessionMeta:
    """The session of a first line, whatever its form; an empty one of any other line."""
    if first.type == "session_meta":
        return first.payload or SessionMeta()
    if first.type == "thread.started":
        return SessionMeta(first.thread_id)
    return first if first.type is None and first.instructions is not UNSET else SessionMeta()


@lru_cache(maxsize=8192)
def _meta(path: str, inode: int, size: int) -> SessionMeta:
    """Return the facts of the first line; they do not change as long as as much of it is there."""
    _ = inode
    head = unpacked_head(Path(path), min(size, _FIRST_BYTES))
    if b"\n" not in head and size > _FIRST_BYTES:
        head = unpacked_head(Path(path), size)
    if is_document(head):
        return read_as(members_in(head).get("session"), SessionMeta)
    head = head.lstrip(b"\xef\xbb\xbf\x00 \r\n")
    end = head.find(b"\n") + 1 or len(head)
    line = head[:end]
    try:
        found = _session_in(_first_line(line))
    except ValueError:
        return read_as(_cut_meta(line), SessionMeta)
    found.followed = b'"session_meta"' in head[end : end + _TYPE_BYTES]
    return found


@lru_cache(maxsize=64)
def _parts(path: str, inode: int, size: int) -> tuple[tuple[int, str], ...]:
    """The sessions in a file that several were printed into; none in any other file."""
    _ = inode, size
    place = Path(path)
    if place.suffix in SUFFIXES or _BEGUN not in read_part(place, 0, _FIRST_BYTES):
        return ()
    try:
        with BufferedReader(open_regular(place)) as lines:
            return sessions_in(lines)
    except OSError:
        return ()


def _before(path: str, inode: int, size: int) -> InheritedPrefix:
    """Return the part in front of a thread's own records; nothing where that is not known."""
    try:
        return _inherited(path, inode, size)
    except LookupError:
        return InheritedPrefix()


@lru_cache(maxsize=8192)
def _inherited(path: str, inode: int, size: int) -> InheritedPrefix:
    """It does not change once it is there. Raises LookupError, kept by no cache, before."""
    meta = _meta(path, inode, size)
    found = inherited(Path(path), meta, agent=_parent(meta) is not None)
    if found is None:
        raise LookupError(path)
    return found


def _cut_meta(line: bytes) -> Fields:
    """Return the facts at the start of a first line that is too long to be read whole."""
    if b'"session_meta"' not in line[:200]:
        return {}
    found: dict[str, object] = {}
    for match in _KEYS_CUT.finditer(line):
        found.setdefault(match[1].decode(), match[2].decode("utf-8", "replace"))
    return found


def _is_near(ref: SessionRef) -> Callable[[Path], bool]:
    """Return a test of whether a log may be of an agent of a session, by the time in its name.

    None is where the log of the session does not exist.
    """
    log = Path(ref.path)
    began = _time_in(ref.session_id)
    try:
        ended = log.stat().st_mtime
    except OSError:
        return lambda _: False

    def is_near(path: Path) -> bool:
        match = _NAMED.fullmatch(path.name)
        at = _time_in(match[1]) if match is not None else None
        return path != log and (at is None or began is None or _within(at, began, ended))

    return is_near


def _within(at: float, began: float, ended: float) -> bool:
    return began - _CLOCK_SLACK <= at <= ended + _CLOCK_SLACK


_ByParent = Mapping[str, Sequence[SessionRef]]
"""Logs of agents by the thread that started each."""


def _agents_in_look(ref: SessionRef) -> list[_ByParent]:
    """Agents among which those of a session are, as a look at many sessions finds them once."""
    return [_agents_in(folder, flat) for folder, flat in _agents_places(ref)]


def _agents_near(ref: SessionRef, is_near: Callable[[Path], bool]) -> list[_ByParent]:
    """The same for one session, of the logs that are near it."""
    places = _agents_places(ref)
    return [_by_parent(filter(is_near, _paths(folder, flat))) for folder, flat in places]


def _agents_places(ref: SessionRef) -> list[tuple[Path, bool]]:
    """Where logs of agents are: among those of all sessions, or next to a moved log (True)."""
    place = _sessions_folder(os.path.dirname(ref.path))  # noqa: PTH120  (asked for thousands)
    if place is not None:
        return [(place, False)]
    log = Path(ref.path)
    return [(log.parent, True), (log.with_suffix(""), False)]


@found_once
def _agents_in(folder: Path, flat: bool) -> _ByParent:
    return _by_parent(_paths(folder, flat))


def _by_parent(paths: Iterable[Path]) -> _ByParent:
    found: dict[str, list[SessionRef]] = {}
    for path in paths:
        seen = known_in_look(str(path))
        if isinstance(seen, SessionRef) and seen.stream.kind is StreamKind.MAIN:
            continue
        agent = DISCOVERY.known(path) or DISCOVERY.ref(path)
        if agent.stream.kind is not StreamKind.MAIN and agent.parent_id is not None:
            found.setdefault(agent.parent_id, []).append(agent)
    return found


def _paths(folder: Path, flat: bool) -> list[Path]:
    """The logs below a folder; with `flat` those in it whose names say that they are logs."""
    entries = files_below(folder, _ENDINGS, depth=0) if flat else files_below(folder, _ENDINGS)
    found = (Path(entry.path) for entry in entries)
    return sorted(path for path in found if not flat or _NAMED.fullmatch(path.name))


def _time_in(uuid: str) -> float | None:
    """Epoch seconds in a UUIDv7; None for another sort of id."""
    bare = uuid.replace("-", "")
    if len(bare) != 32 or bare[12] != "7":
        return None
    try:
        return int(bare[:12], 16) / 1000
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def _sessions_folder(folder: str) -> Path | None:
    """The folder of all sessions that a folder with logs is, or is in."""
    place = Path(folder)
    return next((each for each in (place, *place.parents) if each.name in _FOLDERS), None)


def _given_name(ref: SessionRef) -> str | None:
    """The newest name of the thread in `session_index.jsonl` next to the folder of sessions."""
    folder = _sessions_folder(os.path.dirname(ref.path))  # noqa: PTH120
    if folder is None:
        return None
    index = folder.parent / "session_index.jsonl"
    try:
        status = index.stat()
    except OSError:
        return None
    names = _names(str(index), status.st_mtime_ns, status.st_size)
    return names.get(ref.stream.id or ref.session_id)


@lru_cache(maxsize=8)
def _names(path: str, modified: int, size: int) -> Mapping[str, str]:
    """The newest name of each thread, as of a time and a size of the index."""
    _ = modified
    data = read_part(Path(path), max(0, size - _INDEX_BYTES), _INDEX_BYTES)
    entries = (mapping(line.decode("utf-8", "replace")) for line in data.split(b"\n"))
    named = (read_as(entry, ThreadName) for entry in entries)
    return {each.id: each.thread_name for each in named if each.id and each.thread_name}


class Rollouts(LogFiles):
    """Logs in a folder of each day, also compressed ones, and what was printed."""

    endings = _ENDINGS

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a rollout or a printed stream."""
        _ = path
        return probe_head(head)

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """Logs under a root, a configuration directory, or a folder of one day."""
        inner = [root / folder for folder in _FOLDERS if is_directory(root / folder)]
        for place in inner or [root]:
            yield from super().files(place)

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file; the name of one says that it is a log."""
        mine = _NAMED.fullmatch(path.name) or probe_head(unpacked_head(path, _FIRST_BYTES)) > 0
        return self.ref(path) if mine else None

    def ref(self, path: Path) -> SessionRef:
        """The session that a file holds: its thread, and the thread that started it, if one did."""
        try:
            status = path.stat()
            size = _FIRST_LINE if path.suffix in SUFFIXES else content_size(path, status.st_size)
            known = min(size, _FIRST_LINE)
            meta = _meta(str(path), status.st_ino, known)
        except OSError:
            return SessionRef(NAME, _id_in_name(path), str(path), MAIN_STREAM)
        thread = meta.id or meta.session_id or _id_in_name(path)
        found = SessionRef(NAME, thread, str(path), modified=status.st_mtime, size=status.st_size)
        parent = _parent(meta)
        if parent is None:
            named = _NAMED.fullmatch(path.name) is not None
            parts = () if named else _parts(str(path), status.st_ino, status.st_size)
            before = (
                _before(str(path), status.st_ino, known) if _is_fork(meta) else InheritedPrefix()
            )
            return replace(
                found,
                label=_label(meta) if _subagent(meta) else None,
                parts=parts,
                own_from=before.end,
                spent_before=before.spent,
            )
        before = _before(str(path), status.st_ino, known)
        return replace(
            found,
            session_id=meta.session_id or parent,
            stream=Stream(StreamKind.SUBAGENT, thread),
            parent_id=parent,
            label=_label(meta),
            own_from=before.end,
            spent_before=before.spent,
        )

    def refresh_ref(self, known: SessionRef) -> SessionRef | None:
        """The session of a log that was written on; None when what is known of it stays true.

        An empty log does not say whose it is, and the first lines of one that repeats another do
        not say where its own begin; where one session was printed to, another may be.
        """
        path = Path(known.path)
        printed = _BEGUN in read_part(path, 0, _FIRST_BYTES) and not _NAMED.fullmatch(path.name)
        if printed and known.size:
            start = max(0, known.size - _BEGUN_BYTES)
            more = read_part(path, start, path.stat().st_size - start)
            if _BEGUN not in more:
                return replace(known, size=start + len(more))
        found = self.ref(path)
        if known.stream.kind is not StreamKind.MAIN:
            found = replace(found, session_id=known.session_id)
        same = replace(found, size=known.size, modified=known.modified) == known
        return None if same and not printed and _is_complete(path) else found

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """Files of agents that a session started, and of those that they started in turn.

        An agent's file is in the folder of the day on which it was started.
        """
        if ref.stream.kind is not StreamKind.MAIN:
            return ()
        groups = _agents_in_look(ref) if looks_at_many() else None
        if groups is not None and not any(ref.session_id in group for group in groups):
            return ()
        is_near = _is_near(ref)
        if groups is None:
            groups = _agents_near(ref, is_near)
        waiting, known = [ref.session_id], dict[str, SessionRef]()
        while waiting:
            thread = waiting.pop()
            for child in (each for group in groups for each in group.get(thread, ())):
                if child.path not in known and is_near(Path(child.path)):
                    known[child.path] = replace(child, session_id=ref.session_id)
                    waiting.append(child.stream.id)
        return tuple(known[path] for path in sorted(known))

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """The folder of all sessions that a log is in; for another log its own folder."""
        if ref.stream.kind is not StreamKind.MAIN:
            return ()
        return tuple(folder for folder, _ in _agents_places(ref))

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last 128 kB of a file, and the name that was given to it."""
        path = Path(ref.path)
        head, tail, tail_start = read_ends(path)
        # The end of a compressed file cannot be had without all that stands before it.
        if path.suffix in SUFFIXES:
            head, tail = unpacked_head(path, END_BYTES), b""
        return overview(ref, head, tail, tail_start, decode, _given_name(ref))


DISCOVERY = Rollouts(NAME)
