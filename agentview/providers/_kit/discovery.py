"""Discovery of logs that are files of lines, one for each session: what differs is a subclass."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef, StreamKind
from agentview.normalize.json_values import AROUND_RECORD, Fields, fields_of
from agentview.normalize.partial_json import load, readable
from agentview.normalize.session_state import NO_HABITS, LogHabits
from agentview.providers._kit.signatures import Signature, confidence_in
from agentview.providers.base import CERTAIN, HEAD_BYTES, Light
from agentview.providers.folders import declared_roots
from agentview.sources.compressed import SUFFIXES, unpacked_head
from agentview.sources.files import END_BYTES, files_below, read_ends, read_part
from agentview.sources.member import Member
from agentview.sources.one_look import known_in_look

CutLine = tuple[re.Pattern[bytes], float]
"""How a line begins that is longer than what was read, and the confidence in it."""


_PLACES = 200
"""Places of a line that are tried as the end of a record."""
PROBED_LINES = 40
"""Lines of a file that are looked at to recognise it."""
_MOST_LINES = 64
"""The same for any provider."""
_MOST_RECENT = 4
"""Files whose first lines are kept."""
_NEXT = re.compile(rb"\}\s*,?\s*(?=\{)")
_UNREADABLE = object()
_SESSION_ID = re.compile(rb'"session(?:Id|_id)"')


class _HeadLine:
    """A line that a file begins with, or a record on it: read once for all providers that ask."""

    def __init__(self, text: bytes) -> None:
        self.text = text

    @cached_property
    def value(self) -> object:
        """The value on the line; `_UNREADABLE` where it is none, or was cut."""
        try:
            return load(self.text)
        except ValueError:
            return _UNREADABLE

    @cached_property
    def records(self) -> Sequence["_HeadLine"]:
        """The records on a line that holds several, as far as they are whole."""
        line = self.text
        if not line.startswith(b"{") or self.value is not _UNREADABLE:
            return ()
        found: list[_HeadLine] = []
        start = 0
        for place in islice(_NEXT.finditer(line), _PLACES):
            piece = _HeadLine(line[start : place.start() + 1])
            # Such brackets may stand inside a record too.
            if piece.value is not _UNREADABLE:
                found.append(piece)
                start = place.end()
        return found


class _HeadLines:
    """The first lines of a file, each made when the first provider asks for it."""

    def __init__(self, head: bytes) -> None:
        lines = head.lstrip(b"\xef\xbb\xbf\x00").split(b"\n", _MOST_LINES)
        self._texts = lines[:_MOST_LINES]
        self._made: dict[int, _HeadLine] = {}

    def first(self, most: int) -> Iterator[_HeadLine]:
        for at, text in enumerate(self._texts[:most]):
            line = self._made.get(at)
            if line is None:
                line = self._made[at] = _HeadLine(text.strip(AROUND_RECORD))
            yield line


_recent: list[tuple[bytes, _HeadLines]] = []
"""Lines are kept, because each provider asks for those of the same file."""


def _head_lines(head: bytes) -> _HeadLines:
    # They all have the same object: to find it so is faster than its hash.
    for known, lines in tuple(_recent):
        if known is head:
            return lines
    made = _HeadLines(head)
    _recent[:] = [(head, made), *_recent[: _MOST_RECENT - 1]]
    return made


def _probe(head: bytes, most: int, probe: Callable[[_HeadLine], float]) -> float:
    best = 0.0
    for line in _head_lines(head).first(most):
        for each in _with_records(line):
            best = max(best, probe(each))
            if best >= CERTAIN:
                return best
    return best


def _with_records(line: _HeadLine) -> Iterator[_HeadLine]:
    yield line
    yield from line.records


def probe_lines(
    head: bytes, probe_line: Callable[[bytes], float], most: int = PROBED_LINES
) -> float:
    """The highest confidence in one of the first lines; a certain one ends the search.

    `most` is at most 64.
    """
    return _probe(head, most, lambda line: probe_line(line.text))


def probe_records(
    head: bytes,
    probe_record: Callable[[Fields], float],
    cut_lines: Sequence[CutLine] = (),
    most: int = PROBED_LINES,
) -> float:
    """The highest confidence in a record of the first lines; a certain one ends the search.

    A line that cannot be read has that of the first of `cut_lines` which it begins with.
    """

    def probe_line(line: _HeadLine) -> float:
        if line.value is not _UNREADABLE:
            return probe_record(fields_of(line.value))
        begun = (each for begin, each in cut_lines if begin.match(line.text))
        return next(begun, 0.0)

    return _probe(head, most, probe_line)


def first_record(head: bytes) -> Fields:
    """The record on the first line of a file; nothing where that is not a whole JSON object."""
    try:
        return fields_of(load(head.lstrip(b"\xef\xbb\xbf\x00 \r\n").partition(b"\n")[0]))
    except ValueError:
        return {}


class LogFiles:
    """A `Discovery`; a subclass says what its records have, and where its files are."""

    signatures: Sequence[Signature] = ()
    """Forms of record by which a log is known, surest first."""
    cut_lines: Sequence[CutLine] = ()
    endings: tuple[str, ...] = (".jsonl",)
    """How the names of files end that may be logs."""
    other_files: frozenset[str] = frozenset()
    """Names of files with such an ending that are no logs."""
    other_endings: tuple[str, ...] = ()
    """How the names of files end that have such an ending and are no logs."""
    skipped: frozenset[str] = frozenset()
    """Names of folders that have no logs."""
    head_bytes = HEAD_BYTES
    """How much of a file decides whose it is."""
    least = 0.0
    """Confidence from which a file below a root is mine; one without any never is."""
    habits: LogHabits = NO_HABITS
    """Facts that the log leaves open of the state of a session."""

    def __init__(self, name: str) -> None:
        self.name = name

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence 0..1 that a file that begins with `head` is mine; 0.95 and more is certain."""
        _ = path
        return probe_records(head, self.probe_record, self.cut_lines)

    def probe_record(self, record: Fields) -> float:
        """The same for a record on one of the first lines: by the first signature that fits."""
        return confidence_in(record, self.signatures)

    def session_id(self, head: bytes) -> str | None:
        """The id of the session that a file begins; None leaves it to the name of the file."""
        _ = head

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session in a file that begins with `head`; an agent's log says so here."""
        return SessionRef(self.name, self.session_id(head) or path.stem, str(path))

    def roots(self, env: Mapping[str, str]) -> Sequence[Path]:
        return declared_roots(self.name, env) or []

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        return self._logs(files_below(root, self.endings, skipped=self.skipped))

    def session_at(self, path: Path) -> SessionRef | None:
        """The session in a file; None when the file is not mine."""
        head = self._head(path)
        confidence = self.probe(head, path)
        mine = confidence > 0 and confidence >= self.least
        return self._now(self.session(path, head)) if mine else None

    def ref(self, path: Path) -> SessionRef:
        return self._now(self.session(path, self._head(path)))

    def known(self, path: Path) -> SessionRef | None:
        """The session in a file as the look at many sessions has it, if the file is still so."""
        found = known_in_look(str(path))
        if not isinstance(found, SessionRef) or found.provider != self.name:
            return None
        return found if self._now(found) == found else None

    def children(self, ref: SessionRef) -> Sequence[SessionRef]:
        """The logs of this session's agents in the folders where such logs are."""
        found = (
            self.known(Path(path)) or self.ref(Path(path))
            for place in self.child_places(ref)
            for path in sorted(
                entry.path for entry in self._logs(files_below(place, self.endings, depth=0))
            )
        )
        return tuple(
            each
            for each in found
            if each.stream.kind is StreamKind.SUBAGENT and each.session_id == ref.session_id
        )

    def child_places(self, ref: SessionRef) -> Sequence[Path]:
        """None: what agents do is in the log of the session that started them."""
        _ = ref
        return ()

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """None: no output is kept outside of the log."""
        _ = ref, recorded

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the events of the first and the last 128 kB; of a packed file the first."""
        # A list of sessions asks for them, and one that is opened does not.
        from agentview.providers._kit.session_info import end_lines, overview

        path = Path(ref.path)
        head, tail, start = read_ends(path)
        # The end of a compressed file cannot be had without all that stands before it.
        if path.suffix in SUFFIXES:
            head, tail = unpacked_head(path, END_BYTES), b""
        events = list(end_lines(head, tail, start, ref, decode))
        length = start + len(tail) if tail else len(head)
        return overview(ref, events, name=ref.label, habits=self.habits, length=length)

    def _logs(self, entries: Iterable["os.DirEntry[str]"]) -> Iterator["os.DirEntry[str]"]:
        for entry in entries:
            if entry.name not in self.other_files and not entry.name.endswith(self.other_endings):
                yield entry

    def _head(self, path: Path) -> bytes:
        """The first bytes of a file, unpacked if it is compressed."""
        packed, most = path.suffix in SUFFIXES, self.head_bytes
        return readable(unpacked_head(path, most) if packed else read_part(path, 0, most))

    @staticmethod
    def _now(ref: SessionRef) -> SessionRef:
        """The session with the time and the size that its file has now."""
        try:
            status = Path(ref.path).stat()
        except OSError:
            return ref
        return replace(ref, modified=status.st_mtime, size=status.st_size)


def named_late(
    look: Callable[[Path], SessionRef],
) -> Callable[[SessionRef], SessionRef | None]:
    """`Provider.refresh_ref` of logs that are named by their file until a record names the session.

    `look` gives the session that a file holds. An agent's log is known by more than its records.
    """

    def refresh_ref(known: SessionRef) -> SessionRef | None:
        path = Path(known.path)
        is_agent = known.stream.kind is not StreamKind.MAIN
        return None if is_agent or _is_named(path, known.size or 0) else look(path)

    return refresh_ref


def _is_named(path: Path, size: int) -> bool:
    """Return True if the first so many bytes name the session, or it is late for that."""
    head = read_part(path, 0, min(size, HEAD_BYTES))
    return len(head) == HEAD_BYTES or _SESSION_ID.search(head.rpartition(b"\n")[0]) is not None
