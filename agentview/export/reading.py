"""Reads the logs of a session forward, line by line with their numbers, and follows them."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.export.events import EventLines, Fields
from agentview.providers import HEAD_BYTES
from agentview.providers.base import Provider
from agentview.store.decoding import decode_line
from agentview.store.growing import Growing
from agentview.store.reading import log_reader
from agentview.tailing import Item, Line, LineReader, Reset, read_at
from agentview.tailing.stdin import PipeReader
from agentview.tailing.watcher import Watcher

_HEAD_LINES = 1000
TOLD_ANEW = "told anew"
"""Reason of a reset of a log that tells something else of its session since it has grown."""
ReadSpan = Callable[[int, int], bytes]


class LineNumbers:
    """1-based numbers of lines that are given by their places, in order.

    What stands between two records, line ends and blank lines, is read again with `read_span`
    (offset, length) where it is more than one byte.
    """

    def __init__(self, read_span: ReadSpan) -> None:
        self._read_span = read_span
        self._end = 0
        self._number: int | None = 1

    def number(self, line: Line) -> int | None:
        """The number of the next line; None once the bytes before it cannot be had any more."""
        gap = line.offset - self._end
        # A gap below zero is a line that is given again because it has grown.
        if gap > 0:
            self._number = self._advance(gap)
        self._end = line.offset + line.length
        return self._number

    def _advance(self, gap: int) -> int | None:
        if self._number is None:
            return None
        # One byte between two records can only be their newline.
        if gap == 1 and self._end > 0:
            return self._number + 1
        try:
            return self._number + self._read_span(self._end, gap).count(b"\n")
        except AgentViewError:
            return None


class LogFeed:
    """One log file: each `poll` gives the events that it has not given yet, as lines of output."""

    def __init__(self, provider: Provider, ref: SessionRef, lines: EventLines) -> None:
        self.ref = ref
        self.path = Path(ref.path)
        self._provider = provider
        self._lines = lines
        self._reader = log_reader(provider, self.path)
        self._has_lines = isinstance(self._reader, LineReader)
        self._numbers = self._count_anew()
        self._growing = Growing(provider, ref)
        self._polled = False

    def poll(self) -> Iterator[Fields]:
        """Read to the end of the file, a last line that is whole without its newline included.

        A log that tells something else of its session since it has grown is read anew.
        """
        more = True
        while more:
            chunk = self._reader.poll()
            found = self._growing.again() if self._polled else None
            if found is not None:
                self.ref, self._reader = found, log_reader(self._provider, self.path)
                self._numbers = self._count_anew()
                yield self._lines.reset(self.ref, TOLD_ANEW)
                continue
            yield from self._take(chunk.items)
            more = chunk.more
        self._polled = True
        yield from self._take([*self._reader.finish()])

    def finish(self) -> Iterator[Fields]:
        """Give the last line whatever it holds: nobody writes any more."""
        yield from self._take([*self._reader.finish_torn()])

    def _take(self, items: list[Item]) -> Iterator[Fields]:
        for item in items:
            if isinstance(item, Reset):
                self._numbers = self._count_anew()
                yield self._lines.reset(self.ref, item.reason.value)
                continue
            number = self._numbers.number(item) if self._has_lines else None
            for event in decode_line(self._provider, self.ref, item, number):
                yield from self._lines.feed(event, self.ref)

    def _count_anew(self) -> LineNumbers:
        return LineNumbers(lambda offset, length: read_at(self.path, offset, length))


class SessionFeed:
    """A session: its own log and, unless told otherwise, those of the agents that it started."""

    def __init__(self, provider: Provider, ref: SessionRef, *, subagents: bool = True) -> None:
        self._provider = provider
        self._subagents = subagents
        self._lines = EventLines(provider)
        self._main = LogFeed(provider, ref, self._lines)
        self._feeds: dict[str, LogFeed] = {ref.path: self._main}

    def read(self) -> Iterator[Fields]:
        """All events that the logs hold now, log after log, the session's own first."""
        yield from self._main.poll()
        yield from self._main.finish()
        for feed in self._find_agents():
            yield from feed.poll()
            yield from feed.finish()
        yield from self._lines.release()

    async def follow(self) -> AsyncIterator[list[Fields]]:
        """Events as they are written, in the batches they come in; never ends by itself."""
        with Watcher() as watcher:
            watcher.add_files([self._main.path])
            if self._subagents:
                for place in self._provider.discovery.child_places(self._main.ref):
                    watcher.add_tree(place)
            yield self._poll([self._main, *self._find_agents()])
            async for changed in watcher:
                feeds = [feed for feed in self._feeds.values() if feed.path in changed]
                if changed - {feed.path for feed in feeds}:
                    feeds += self._find_agents()
                if batch := self._poll(feeds):
                    yield batch

    def _poll(self, feeds: list[LogFeed]) -> list[Fields]:
        lines = [line for feed in feeds for line in feed.poll()]
        return [*lines, *self._lines.release()]

    def _find_agents(self) -> list[LogFeed]:
        """Logs of agents that are there now and were not before."""
        if not self._subagents:
            return []
        found: list[LogFeed] = []
        for ref in self._provider.discovery.children(self._main.ref):
            if ref.path not in self._feeds:
                self._feeds[ref.path] = feed = LogFeed(self._provider, ref, self._lines)
                found.append(feed)
        return found


class PipeFeed:
    """A session that comes through a pipe; its places are offsets in what came."""

    def __init__(
        self, reader: PipeReader, choose: Callable[[Path, bytes], Provider | None]
    ) -> None:
        """Take `choose` to say whose session it is, by the spool file and its first bytes."""
        self._reader = reader
        self._choose = choose
        self._numbers = LineNumbers(reader.read_at)
        self._unknown: list[Line] = []

    async def follow(self) -> AsyncIterator[list[Fields]]:
        """Events as they come, until the pipe closes; none when nothing is recognised."""
        provider: Provider | None = None
        ref: SessionRef | None = None
        lines: EventLines | None = None
        async for batch in self._reader.batches():
            if provider is None or ref is None or lines is None:
                self._unknown += batch
                provider = self._choose(self._reader.path, self._head())
                if provider is None:
                    continue
                ref, lines = _piped_ref(provider, self._reader.path), EventLines(provider)
            else:
                self._unknown = batch
            yield [
                fields
                for line in self._unknown
                for event in decode_line(provider, ref, line, self._numbers.number(line))
                for fields in lines.feed(event, ref)
            ]
        if lines is not None:
            yield [*lines.release()]

    def _head(self) -> bytes:
        head = b"\n".join(line.data or line.head for line in self._unknown[:_HEAD_LINES])
        return head[:HEAD_BYTES]


def _piped_ref(provider: Provider, spool: Path) -> SessionRef:
    """The session by what came first; the name of the spool file must not show anywhere."""
    ref = provider.discovery.ref(spool)
    session_id = "stdin" if ref.session_id == spool.stem else ref.session_id
    return replace(ref, session_id=session_id, path="-")
