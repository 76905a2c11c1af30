"""Follows one file that is rewritten whole: its content when that has changed, or its records."""

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from agentview.domain.value import Value
from agentview.errors import NotFound, Unreadable
from agentview.sources.file_stamp import FileStamp, Stamp, stamp_from
from agentview.sources.json_values import check_values
from agentview.sources.line_splitter import Line, make_line
from agentview.sources.lines import READ_SIZE, Chunk, Item, Reset
from agentview.sources.open_file import open_file, read_span
from agentview.sources.resume_point import ResetReason

T = TypeVar("T")

Split = Callable[[bytes], Sequence[tuple[int, int]]]
"""Gives the start and end of each record of a document, in order."""

_MAX_SIZE = 512 * 1024 * 1024
# Time stamps of some file systems count in steps of two seconds.
_STAMP_STEP_NS = 2_000_000_000


class Document(Value, Generic[T], gc=True):
    """One state of the file: its bytes, and what `parse` made of them.

    `value` is None when the bytes cannot be parsed but have stood unchanged long enough to be what
    the writer meant; `error` then says why.
    """

    data: bytes
    value: T | None
    error: str | None = None


class DocumentPoll(Value, Generic[T], gc=True):
    """Result of one poll.

    `document` is None when nothing is new. `unsettled` is True when the bytes look half-written:
    poll again, after `settle` seconds at the latest, also when no change is reported. `missing` is
    True when no file is there.
    """

    document: Document[T] | None = None
    unsettled: bool = False
    missing: bool = False


class DocumentReader(Generic[T]):
    """The successive contents of one file.

    `parse` makes a value of the bytes and raises ValueError when they are no whole document. Bytes
    that it refuses are held back until they have not changed for `settle` seconds.
    """

    def __init__(self, path: Path, parse: Callable[[bytes], T], settle: float = 1.0) -> None:
        self.path = path
        self.settle = settle
        self._parse = parse
        self._given: bytes | None = None
        self._stamp: Stamp = None
        self._refused: tuple[bytes, float] | None = None

    def poll(self) -> DocumentPoll[T]:
        """Read the file if it may have changed.

        Raises Unreadable when the file is there but cannot be read or has more than 512 MiB.
        """
        try:
            fd, status = open_file(self.path)
        except NotFound:
            self._given = self._stamp = self._refused = None
            return DocumentPoll(missing=True)
        try:
            stamp = stamp_from(status)
            if stamp == self._stamp:
                return DocumentPoll()
            if stamp.size > _MAX_SIZE:
                raise Unreadable(f"{self.path} is too large: {stamp.size} bytes.")
            data = read_span(fd, 0, stamp.size)
            if stamp_from(os.fstat(fd)) != stamp:
                return DocumentPoll(unsettled=True)
        finally:
            os.close(fd)
        return self._take(data, stamp)

    def _take(self, data: bytes, stamp: FileStamp) -> DocumentPoll[T]:
        digest = hashlib.blake2b(data, digest_size=16).digest()
        document = None
        if digest != self._given:
            document = self._read(data, digest)
            if document is None:
                return DocumentPoll(unsettled=True)
            self._given = digest
        self._refused = None
        # A second rewrite within one step of the clock would leave the same stamp behind.
        fresh = abs(time.time_ns() - max(stamp.modified, stamp.changed)) < _STAMP_STEP_NS
        self._stamp = None if fresh else stamp
        return DocumentPoll(document)

    def _read(self, data: bytes, digest: bytes) -> Document[T] | None:
        try:
            check_values(data)
            return Document(data, self._parse(data))
        except ValueError as error:
            now = time.monotonic()
            if self._refused is None or self._refused[0] != digest:
                self._refused = (digest, now)
            if now - self._refused[1] < self.settle:
                return None
            return Document(data, None, str(error))


def document_lines(data: bytes, spans: Sequence[tuple[int, int]] | None) -> list[Line]:
    """The records at `spans` of a document; None for what is not a document: it is one record."""
    whole = [(0, len(data))] if data.strip() else []
    found = [
        make_line(data[start:end], start) for start, end in (whole if spans is None else spans)
    ]
    return [line for line in found if line is not None]


class DocumentLines:
    """Records of a document that `split` finds in it (start and end of each, in order).

    `split` raises ValueError for an invalid document; what stays so for `settle` seconds is given
    as one record. A document that has only grown at its end gives what is new; any other gives all
    of it behind a `Reset`: places of records are void then, while most records may say the same.
    """

    def __init__(self, path: Path, split: Split, settle: float = 1.0) -> None:
        self.path = path
        self._documents = DocumentReader(path, split, settle)
        self._given: list[tuple[int, int, int]] = []

    def move(self, path: Path) -> None:
        """Continue at another path: a document that says the same gives nothing again."""
        self.path = self._documents.path = path

    def poll(self, max_bytes: int = READ_SIZE) -> Chunk:  # noqa: ARG002  (a document is one piece)
        """Read the document if it may have changed.

        Raises Unreadable when the file is there but cannot be read or is too large.
        """
        found = self._documents.poll()
        if found.document is None:
            return Chunk([], missing=found.missing, unsettled=found.unsettled)
        lines = document_lines(found.document.data, found.document.value)
        places = [(line.offset, line.length, hash(line.data or line.head)) for line in lines]
        known, self._given = self._given, places
        items: list[Item] = [*lines[len(known) :]]
        if places[: len(known)] != known:
            items = [Reset(ResetReason.REWRITTEN), *lines]
        return Chunk(items)

    def finish(self) -> list[Line]:
        return []

    def finish_torn(self) -> list[Line]:
        """Return an invalid document that was held back as one record; empty after output."""
        if self._given:
            return []
        settle, self._documents.settle = self._documents.settle, 0.0
        try:
            return [item for item in self.poll().items if isinstance(item, Line)]
        finally:
            self._documents.settle = settle
