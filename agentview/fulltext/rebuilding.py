"""Documents that the index knows of, made again from their log: the index holds no text."""

from collections.abc import Iterator

from agentview.domain.session import SessionRef
from agentview.fulltext.documents import Document, Documents
from agentview.fulltext.index import Found
from agentview.providers.base import Provider
from agentview.store.decoding import decode_line
from agentview.tailing import Line
from agentview.tailing.file import read_span
from agentview.tailing.splitter import DEFAULT_LIMIT, cut_lines, make_line

_LONGEST_SPAN = 1024 * 1024
"""Bytes up to which all records between the first and the last of a document are read."""


def rebuild(provider: Provider, ref: SessionRef, fd: int, found: Found) -> Document | None:
    """The document as the log has it now; None when it is there no more."""
    documents = Documents()
    made: list[Document] = []
    for line in _lines(fd, found):
        made += documents.feed(decode_line(provider, ref, line))
    made += documents.give_up(found.end + 1)
    place = (found.offset, found.sub)
    return next((each for each in made if each.place == place), None)


def is_whole(found: Found) -> bool:
    """Whether all records of the document are read to make it again."""
    return found.parts <= 2 or found.end - found.offset <= _LONGEST_SPAN


def _lines(fd: int, found: Found) -> Iterator[Line]:
    if found.parts > 2 and found.end - found.offset <= _LONGEST_SPAN:
        # Pieces of one text, or a call that several records tell of.
        data = read_span(fd, found.offset, found.end - found.offset)
        yield from cut_lines(data + b"\n", 0, found.offset)
        return
    spans = [(found.offset, found.length)]
    if found.last != found.offset:
        spans.append((found.last, found.end - found.last))
    for offset, length in spans:
        line = _record(fd, offset, length)
        if line is not None:
            yield line


def _record(fd: int, offset: int, length: int) -> Line | None:
    if length > DEFAULT_LIMIT:
        return Line(offset, length, None, head=read_span(fd, offset, 256))
    return make_line(read_span(fd, offset, length), offset)
