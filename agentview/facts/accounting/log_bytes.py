"""All bytes of a log, from its start to its end: its records, and what lies between them."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agentview.domain.value import Value
from agentview.errors import NotFound
from agentview.providers.base import HEAD_BYTES, Documents, Provider
from agentview.sources.document import DocumentReader, document_lines
from agentview.sources.line_splitter import BOM, Line, LineSplitter
from agentview.sources.open_file import open_file, read_span

PIECE = 1024 * 1024
"""Bytes read at a time."""

_BLANK = b" \t\r\n"
_FRAMING = b"[]{},:"

Read = Callable[[int, int], bytes]


class Separators(Value):
    """Bytes of a log that are in no record; the first five add up to all of them.

    `terminators` are the LF or CRLF of records, `blanks` other white space, `bom` a byte order
    mark, `framing` brackets and commas of a document. `other` is none of these: bytes that were
    dropped, which must not be.
    """

    terminators: int = 0
    blanks: int = 0
    bom: int = 0
    framing: int = 0
    other: int = 0
    blank_lines: int = 0

    @property
    def total(self) -> int:
        return self.terminators + self.blanks + self.bom + self.framing + self.other

    def plus(self, more: "Separators") -> "Separators":
        return Separators(
            self.terminators + more.terminators,
            self.blanks + more.blanks,
            self.bom + more.bom,
            self.framing + more.framing,
            self.other + more.other,
            self.blank_lines + more.blank_lines,
        )


@dataclass(slots=True)
class LogBytes:
    """The bytes of a log by their use, once all of its records have been taken out of it."""

    size: int = 0
    """Bytes that it holds; of a compressed one, unpacked."""
    lines: int = 0
    """Lines, blank ones and one without its newline included."""
    separators: Separators = field(default_factory=Separators)
    document: bool = False
    """True if it is one JSON document."""


OnProgress = Callable[[int, int], None]
"""Called with the number of bytes that have been read, and the number of all bytes."""


def nothing(_done: int, _size: int) -> None:
    """Nobody hears of progress."""


def records_of(
    provider: Provider, path: Path, whole: LogBytes, on_progress: OnProgress = nothing
) -> Iterator[tuple[Line, int]]:
    """All records of a log in order, each with the number of the line that it begins in.

    The last one counts without its newline too. When all are given, `whole` is filled. Raises
    NotFound and Unreadable.
    """
    fd, status = open_file(path)
    try:
        documents = provider.documents
        if documents is not None and provider.is_document(read_span(fd, 0, HEAD_BYTES)):
            whole.document = True
            yield from _document_records(path, documents, whole)
            on_progress(whole.size, whole.size)
            return
        between = _Between(lambda start, stop: read_span(fd, start, stop - start))
        for line in _lines(fd, status, whole, on_progress):
            yield line, between.until(line)
        _finish(between, whole)
    finally:
        os.close(fd)


def _lines(
    fd: int, status: os.stat_result, whole: LogBytes, on_progress: OnProgress
) -> Iterator[Line]:
    splitter = LineSplitter()
    while piece := read_span(fd, whole.size, min(PIECE, status.st_size - whole.size)):
        whole.size += len(piece)
        yield from splitter.feed(piece)
        on_progress(whole.size, status.st_size)
    last = splitter.finish()
    if last is not None:
        yield last


def _document_records(
    path: Path, documents: Documents, whole: LogBytes
) -> Iterator[tuple[Line, int]]:
    reader = DocumentReader(path, documents.split, settle=0.0)
    while (found := reader.poll()).document is None:
        if found.missing:
            raise NotFound(f"No such file: {path}.")
    data = found.document.data
    whole.size = len(data)
    spans = found.document.value
    between = _Between(lambda start, stop: data[start:stop], whole=True, framed=spans is not None)
    for line in document_lines(data, spans):
        yield line, between.until(line)
    _finish(between, whole)


def _finish(between: "_Between", whole: LogBytes) -> None:
    between.until(Line(whole.size, 0, b""))
    whole.separators = between.separators()
    whole.lines = between.number - (1 if between.ends_line or not whole.size else 0)


class _Between:
    """Follows records through a log and looks at all that lies between them."""

    def __init__(self, read: Read, *, whole: bool = False, framed: bool = False) -> None:
        """`whole`: a document, whose records go over lines; `framed`: it is divided by brackets."""
        self._read = read
        self._whole = whole
        self._framed = framed
        self._at = 0
        self._after_record = False
        self._terminators = self._blanks = self._bom = self._framing = self._other = 0
        self._blank_lines = 0
        self.number = 1
        """Of the line that was reached."""
        self.ends_line = False
        """Whether what was looked at last ends in a newline."""

    def separators(self) -> Separators:
        return Separators(
            self._terminators,
            self._blanks,
            self._bom,
            self._framing,
            self._other,
            self._blank_lines,
        )

    def until(self, line: Line) -> int:
        """Take what lies before a record, then the record; gives the number of its line."""
        offset, length = line.offset, line.length
        if length and offset == self._at + 1 and self._after_record and not self._whole:
            # As nearly all records lie: nothing but the newline, which ended the one before.
            self._terminators += 1
            self.number += 1
        else:
            for start in range(self._at, offset, PIECE):
                self._look(self._read(start, min(start + PIECE, offset)))
        number = self.number
        if length:
            self.ends_line = False
            self._after_record = True
            if self._whole or line.data is None:
                self._skip(offset, length)
        self._at = offset + length
        return number

    def _skip(self, offset: int, length: int) -> None:
        for start in range(offset, offset + length, PIECE):
            piece = self._read(start, min(start + PIECE, offset + length))
            self.number += piece.count(b"\n")
            self.ends_line = piece.endswith(b"\n")

    def _look(self, gap: bytes) -> None:
        if not gap:
            return
        terminator = bom = 0
        if self._at == 0 and not self._after_record and gap.startswith(BOM):
            bom = len(BOM)
        elif self._after_record and not self._framed:
            terminator = next((len(end) for end in (b"\n", b"\r\n") if gap.startswith(end)), 0)
        rest = gap[bom + terminator :]
        bare = rest.translate(None, _BLANK)
        framing = len(bare) - len(bare.translate(None, _FRAMING)) if self._framed else 0
        self._terminators += terminator
        self._bom += bom
        self._blanks += len(rest) - len(bare)
        self._framing += framing
        self._other += len(bare) - framing
        if not self._framed:
            self._blank_lines += rest.count(b"\n")
        self.number += gap.count(b"\n")
        self.ends_line = gap.endswith(b"\n")
        self._after_record = False
        self._at += len(gap)
