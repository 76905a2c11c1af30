"""The records of one file that is rewritten whole, given as those of a file that grows by lines."""

from collections.abc import Callable, Sequence
from pathlib import Path

from agentview.sources.document import DocumentReader
from agentview.sources.line_splitter import Line, make_line
from agentview.sources.lines import READ_SIZE, Chunk, Item, Reset
from agentview.sources.resume_point import ResetReason

Split = Callable[[bytes], Sequence[tuple[int, int]]]


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
        """Nothing: a document is whole."""
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
