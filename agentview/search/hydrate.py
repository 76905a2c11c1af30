"""Documents made again from their log: the index holds no text, and a result may lack its call."""

import os
from collections.abc import Iterator

from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.providers.base import Provider
from agentview.search.document_builder import DocumentBuilder
from agentview.search.documents import Document
from agentview.search.fts_index import Found
from agentview.search.reading import records
from agentview.sources.line_splitter import DEFAULT_LIMIT, Line, make_line
from agentview.sources.open_file import read_span
from agentview.sources.seek import line_between, line_end, line_start
from agentview.store.decode_line import decode_line

_LONGEST_SPAN = 1024 * 1024
"""Bytes up to which all records between the first and the last of a document are read."""

_CALL_WITHIN = 1024 * 1024
"""Bytes before a result in which its call is looked for."""


def rebuild(provider: Provider, ref: SessionRef, fd: int, found: Found) -> Document | None:
    """The document as the log has it now; None when it is there no more."""
    place = (found.offset, found.sub)
    made = _gathered(provider, ref, fd, found)
    return next((each for each in made if each.place == place), None)


def is_whole(found: Found) -> bool:
    """Whether all records of the document are read to make it again."""
    return found.parts <= 2 or found.end - found.offset <= _LONGEST_SPAN


def with_call(provider: Provider, ref: SessionRef, fd: int, result: Document) -> Document:
    """The result with the call that it answers, when that stands not far before it."""
    offset, answers = result.place[0], result.answers
    base = max(0, offset - _CALL_WITHIN)
    before = read_span(fd, base, offset - base)
    at = before.rfind(answers.encode("utf-8", "replace")) if answers else -1
    while at >= 0 and answers:
        start, end = line_start(fd, base + at), line_end(fd, base + at, offset)
        called = line_between(fd, start, end)
        events = decode_line(provider, ref, called) if called is not None else []
        bodies = (event.body for event in events)
        if called and any(isinstance(b, ToolCall) and b.call_id == answers for b in bodies):
            last = Found(0, 0, *called[:2], 0, result.kind, None, offset, offset + result.length, 2)
            made = _gathered(provider, ref, fd, last)
            return next((each for each in made if each.last == offset), result)
        at = before.rfind(answers.encode("utf-8", "replace"), 0, max(0, start - base))
    return result


def _gathered(provider: Provider, ref: SessionRef, fd: int, found: Found) -> list[Document]:
    gathering = DocumentBuilder(provider)
    made: list[Document] = []
    for line in _lines(provider, fd, found):
        made += gathering.feed(decode_line(provider, ref, line), line.offset, line.length)
    return [*made, *gathering.give_up(found.end + 1)]


def _lines(provider: Provider, fd: int, found: Found) -> Iterator[Line]:
    if found.parts > 2 and found.end - found.offset <= _LONGEST_SPAN:
        # Pieces of one text, or a call that several records tell of.
        end = os.fstat(fd).st_size
        for item in records(provider, fd, found.offset, end, torn=True):
            if not isinstance(item, int) and item.offset <= found.last:
                yield item
            elif (item if isinstance(item, int) else item.offset) > found.last:
                return
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
