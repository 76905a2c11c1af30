"""Searches one session in a worker: the records that hold a term, nearest to a byte first."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.search.byte_prefilter import BytePrefilter
from agentview.facts.search.matcher import Matcher
from agentview.facts.search.reading import keep_buffers
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.contained import reading
from agentview.query.parser import Term
from agentview.sources.open_file import open_file, read_span
from agentview.sources.seek import line_between, line_end, line_start
from agentview.system.workers.connection import Connection
from agentview.timeline.rows.reading import decode_line

Hit = tuple[int, int]
"""Byte offset of a record, and the number of an event in it."""

HANDLER = "agentview.facts.search.session_worker:serve"


class Request(Value):
    """Look for a term in the first `end` bytes of a log, outward from byte `origin`."""

    number: int
    session: SessionRef
    term: Term | None = None
    """None has the worker get ready."""
    places: tuple[str, ...] = ()
    """The values of `in:`."""
    origin: int = 0
    end: int = 0


class Answer(Value):
    """The hits for a request since the last answer to it."""

    number: int
    hits: list[Hit]
    fraction: float
    """Part that has been looked at, 0 to 1; 1 is the last answer."""
    trouble: str | None = None
    """Why the search could not continue; the last answer."""


BLOCK = 1024 * 1024
"""Bytes that are read at a time: so few that they and their lower-case form stay in the cache."""


class ScanProgress(Value):
    """Hits found since the last one, and how much of the bytes has been looked at, 0 to 1."""

    hits: list[Hit]
    fraction: float


def spans_outward(origin: int, end: int, block: int = BLOCK) -> Iterator[tuple[int, int]]:
    """The bytes from 0 to `end` in blocks, in turns after and before `origin`."""
    after = before = min(max(origin, 0), end)
    while after < end or before > 0:
        if after < end:
            yield after, min(after + block, end)
            after += block
        if before > 0:
            yield max(0, before - block), before
            before -= block


class LogScan:
    """One search through the first `end` bytes of the open file `fd`."""

    def __init__(
        self, provider: Provider, session: SessionRef, fd: int, matcher: Matcher, end: int
    ) -> None:
        self._provider = provider
        self._session = session
        self._fd = fd
        self._matcher = matcher
        self._longest = matcher.needle.longest if matcher.needle is not None else 0
        self._end = end
        self._rare = True
        self._cut: set[int] = set()
        """Starts of lines that reach over the border of a block: they are looked at once."""

    def run(self, origin: int, block: int = BLOCK) -> Iterator[ScanProgress]:
        """All hits, nearest block first. Raises Unreadable when the file was cut."""
        done = 0
        for start, stop in spans_outward(origin, self._end, block):
            for hits in self._block(start, stop):
                yield ScanProgress(hits, done / self._end)
            done += stop - start
            yield ScanProgress([], done / self._end)

    def _block(self, start: int, stop: int) -> Iterator[list[Hit]]:
        """Hits of the lines in which the text begins between `start` and `stop`, line by line."""
        needle = self._matcher.needle
        base = max(0, start - self._longest)
        data = read_span(self._fd, base, min(stop + self._longest, self._end) - base)
        haystack = (
            _EveryByte(data) if needle is None else BytePrefilter(needle, data, rare=self._rare)
        )
        at = haystack.find(0)
        # What is common in one block of a log is common in the others.
        self._rare = haystack.rare
        while at >= 0:
            first, last = self._line(data, base, at)
            if first >= base and last < base + len(data):
                yield self._look(first, last)
            elif first not in self._cut:
                self._cut.add(first)
                yield self._look(first, last)
            if last + 1 >= base + len(data):
                return
            at = haystack.find(last + 1 - base)

    def _line(self, data: bytes, base: int, at: int) -> tuple[int, int]:
        """Where the line begins and ends that holds the byte at `at` of `data`."""
        before, after = data.rfind(b"\n", 0, at), data.find(b"\n", at)
        first = base + before + 1 if before >= 0 else line_start(self._fd, base)
        last = base + after if after >= 0 else line_end(self._fd, base + len(data), self._end)
        return first, last

    def _look(self, first: int, last: int) -> list[Hit]:
        line = line_between(self._fd, first, last)
        if line is None:
            return []
        if line.data is None:
            # Too long to be decoded: its bytes are all that is shown of it.
            return [(line.offset, 0)] if self._matcher.needle is not None else []
        events = decode_line(self._provider, self._session, line)
        return [
            (line.offset, sub)
            for sub, event in enumerate(events)
            if self._matcher.finds(event.body)
        ]


class _EveryByte:
    """Bytes in which all lines are looked at."""

    rare = True

    def __init__(self, data: bytes) -> None:
        self._end = len(data)

    def find(self, start: int) -> int:
        return start if start < self._end else -1


_MESSAGE_HITS = 128
"""Hits of a message: few enough to be taken in on an event loop at once."""
_MESSAGE_SECONDS = 0.05


def serve(connection: Connection) -> None:
    """Answer each `Request` until the parent is gone; a request ends the search before it.

    One without a term only has the worker get ready.
    """
    keep_buffers()
    request: Request | None
    while (request := connection.receive()) is not None:
        load_provider(request.session.provider)
        if request.term is not None:
            try:
                with reading(request.session):
                    _search(request, request.term, connection)
            except AgentViewError as error:
                connection.send(Answer(request.number, [], 0.0, error.message))


def _search(request: Request, term: Term, connection: Connection) -> None:
    fd, _ = open_file(Path(request.session.path))
    try:
        provider = load_provider(request.session.provider)
        matcher = Matcher(term, request.places)
        sweep = LogScan(provider, request.session, fd, matcher, request.end)
        hits: list[Hit] = []
        # The first hit is reported at once: the reader is taken there.
        due, room = 0.0, 1
        for swept in sweep.run(request.origin):
            hits += swept.hits
            now = time.perf_counter()
            if len(hits) >= room or (now > due and (hits or swept.fraction)):
                if connection.waiting():
                    return
                connection.send(Answer(request.number, hits, min(swept.fraction, 0.999)))
                hits, due, room = [], now + _MESSAGE_SECONDS, _MESSAGE_HITS
        connection.send(Answer(request.number, hits, 1.0))
    finally:
        os.close(fd)
