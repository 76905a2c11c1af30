"""Reads the logs of a session forward, line by line with their numbers, and follows them."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from agentview.domain.index_entry import LightEvent, RecordFacts
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers.base import Provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.reports.export.events import Fields
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Chunk, Item, LineReader, Reset
from agentview.sources.member import is_member
from agentview.sources.open_file import read_at
from agentview.sources.resume_point import ResetReason
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.session_refresh import SessionRefresher

REIDENTIFIED = "reidentified"
"""Reason of a reset of a log that identifies its session differently since it has grown."""
ReadSpan = Callable[[int, int], bytes]
Numbered = tuple[Line, int | None]
"""A record with its 1-based line number, None where that is not known."""
NumberedFacts = tuple[RecordFacts, int | None]
"""The facts of a record with the same."""


class FactsForm(Protocol):
    """A form to which the facts of records are enough."""

    def take_facts(self, records: Sequence[NumberedFacts]) -> None:
        """Take the next records."""
        ...

    def keep_first(self, line: Line, events: Sequence[LightEvent]) -> bool:
        """Take the events of a record that was decoded for its facts; False if enough."""
        ...


class LogForm(Protocol):
    """Turns the records of one log into lines of output."""

    @property
    def by_facts(self) -> FactsForm | None:
        """The form as one that takes facts; None for one that needs events."""
        ...

    def take(self, records: Sequence[Numbered]) -> Iterator[Fields]:
        """Lines that the next records of the log give rise to at once."""
        ...

    def move(self, ref: SessionRef) -> None:
        """Continue: the log is at another path."""
        ...

    def reset(self, ref: SessionRef, reason: str) -> Iterator[Fields]:
        """Begin again: the records that follow are those of the log from its start."""
        ...

    def rewrite(
        self, ref: SessionRef, records: Sequence[Numbered], reason: str
    ) -> Iterator[Fields]:
        """Take all records of a log that was written again, of which most may be as before.

        Lines of what is new and of what changed; a reset where an earlier line no longer holds.
        """
        ...


class SessionForm(Protocol):
    """Turns the logs of one session into lines of output."""

    def log(self, ref: SessionRef) -> LogForm:
        """The form of one log of the session; its own log comes first."""
        ...

    def release(self) -> Iterator[Fields]:
        """Lines that were held back, now that all logs have been read to their end."""
        ...


class LineNumbers:
    """1-based numbers of lines that are given by their places, in order.

    What stands between two records, line ends and blank lines, is read again with `read_span`
    (offset, length) where it is more than one byte.
    """

    def __init__(self, read_span: ReadSpan) -> None:
        self._read_span = read_span
        self._end = 0
        self._number: int | None = 1

    def number(self, line: Line | RecordFacts) -> int | None:
        """The number of the line that comes next, of a record or not.

        None once the bytes before it cannot be had any more.
        """
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
    """One log file: each `poll` reads what it has not read yet, and gives lines of output."""

    def __init__(self, provider: Provider, ref: SessionRef, form: SessionForm) -> None:
        self.ref = ref
        self.path = Path(ref.path)
        self._provider = provider
        self._form = form.log(ref)
        self._open()
        self._growing = SessionRefresher(provider, ref)
        self._polled = False
        self._held: list[Item] = []
        self._end = 0

    @property
    def position(self) -> int:
        """The byte behind the last record that was read; 0 where records have no fixed places."""
        return self._end if self._has_lines else 0

    @property
    def _keeps_ids(self) -> bool:
        """True if the same records have the same ids in a log that was written again."""
        return not self._has_lines or is_member(self.path)

    def skip(self, position: int) -> None:
        """Read the records that end up to a byte, for what later ones say of them."""
        more = self._has_lines
        while more and self._end < position:
            chunk = self._reader.poll()
            known = [
                item
                for item in chunk.items
                if isinstance(item, Line) and item.offset + item.length <= position
            ]
            self._held += chunk.items[len(known) :]
            for _ in self._take(known):
                pass
            more = chunk.more

    def poll(self) -> Iterator[Fields]:
        """Read to the end of the file, a last line that is whole without its newline included.

        A log that identifies its session differently since it has grown is read again.
        """
        held, self._held = self._held, []
        yield from self._take(held)
        more = True
        while more:
            chunk = self._reader.poll()
            found = self._growing.again() if self._polled else None
            if found is not None:
                self.ref = found
                yield from self._read_again(REIDENTIFIED)
                continue
            if any(isinstance(item, Line) and item.replaces for item in chunk.items):
                yield from self._read_again(ResetReason.REWRITTEN.value)
                continue
            if self._keeps_ids and any(isinstance(item, Reset) for item in chunk.items):
                yield from self._take_rewritten(chunk)
                more = False
                continue
            yield from self._take(chunk.items)
            more = chunk.more
        self._polled = True
        yield from self._take([*self._reader.finish()])

    def read(self) -> Iterator[Fields]:
        """Read the log to its end, once; records whose facts are kept are not decoded for them."""
        form = self._form.by_facts
        if form is None or not self._has_lines:
            yield from self.poll()
            yield from self.finish()
            return
        # Imported here: what follows a log decodes all of its records.
        from agentview.facts.kept.indexed_log import IndexedLog

        with IndexedLog(self.ref, for_rows=True, keep=form.keep_first) as log:
            more = True
            while more:
                chunk = log.poll()
                if chunk.reset:
                    self._begin_again()
                    yield from self._form.reset(self.ref, ResetReason.REWRITTEN.value)
                form.take_facts([*map(self._with_number, chunk.records)])
                more = chunk.more
            form.take_facts([*map(self._with_number, (*log.finish(), *log.finish_torn()))])

    def _with_number(self, record: RecordFacts) -> NumberedFacts:
        return record, self._numbers.number(record)

    def move(self, ref: SessionRef) -> None:
        """Continue where the log is now."""
        self.ref, self.path = ref, Path(ref.path)
        self._reader.move(self.path)
        self._growing = SessionRefresher(self._provider, ref)
        self._form.move(ref)

    def finish(self) -> Iterator[Fields]:
        yield from self._take([*self._reader.finish_torn()])

    def _open(self) -> None:
        self._reader = log_reader(self._provider, self.path)
        self._has_lines = isinstance(self._reader, LineReader)
        self._numbers = self._count_again()

    def _read_again(self, reason: str) -> Iterator[Fields]:
        self._open()
        self._end = 0
        yield from self._form.reset(self.ref, reason)

    def _take(self, items: Sequence[Item]) -> Iterator[Fields]:
        records: list[Numbered] = []
        for item in items:
            if isinstance(item, Line):
                records.append(self._numbered(item))
                continue
            yield from self._form.take(records)
            records = []
            self._begin_again()
            yield from self._form.reset(self.ref, item.reason.value)
        yield from self._form.take(records)

    def _take_rewritten(self, chunk: Chunk) -> Iterator[Fields]:
        """Take all records of a log that was written again, of which `chunk` has the first ones."""
        records: list[Numbered] = []
        reason = ResetReason.REWRITTEN
        more = True
        while more:
            for item in chunk.items:
                if isinstance(item, Reset):
                    reason = item.reason
                    records.clear()
                    self._begin_again()
                else:
                    records.append(self._numbered(item))
            more = chunk.more
            chunk = self._reader.poll() if more else chunk
        yield from self._form.rewrite(self.ref, records, reason.value)

    def _numbered(self, line: Line) -> Numbered:
        self._end = line.offset + line.length
        return line, self._numbers.number(line) if self._has_lines else None

    def _begin_again(self) -> None:
        self._end = 0
        self._numbers = self._count_again()

    def _count_again(self) -> LineNumbers:
        return LineNumbers(lambda offset, length: read_at(self.path, offset, length))


class SessionFeed:
    """A session: its own log and, by default, those of the agents that it started."""

    def __init__(
        self,
        provider: Provider,
        ref: SessionRef,
        form: SessionForm,
        *,
        subagents: bool = True,
        moved: Callable[[SessionRef], None] = lambda _: None,
    ) -> None:
        """`moved` is called when the session's own log was found in another place."""
        self._provider = provider
        self._subagents = subagents
        self._form = form
        self._moved = moved
        self._main = LogFeed(provider, ref, form)
        self._feeds: dict[str, LogFeed] = {ref.path: self._main}

    def read(self) -> Iterator[Fields]:
        """Lines of all that the logs hold now, log after log, the session's own first."""
        with reading(self._main.ref):
            yield from self._main.read()
            for feed in self._find_agents():
                yield from feed.read()
            yield from self._form.release()

    def skip(self, positions: Mapping[str, int]) -> None:
        """Read the records before these bytes, by the path of each log; give no lines of them."""
        self._find_agents()
        for path, feed in self._feeds.items():
            feed.skip(positions.get(path, 0))
        for _ in self._form.release():
            pass

    def advance(self) -> Iterator[Fields]:
        """Lines of all that was written since the last time, of new agents too."""
        known = [*self._feeds.values()]
        yield from self._poll([*known, *self._find_agents()])

    @property
    def logs(self) -> Sequence[LogFeed]:
        return tuple(self._feeds.values())

    async def follow(self) -> AsyncIterator[Iterable[Fields]]:
        """Lines as records are written, in the batches they come in; never ends by itself.

        Take all lines of a batch before the next one is asked for.
        """
        # Imported here: what reads a session once does not wait for what follows it.
        from agentview.sessions.following.moved_log import changes
        from agentview.sources.watch.watcher import Watcher

        with Watcher() as watcher:
            watcher.add_files([self._main.path])
            if self._subagents:
                for place in self._provider.discovery.child_places(self._main.ref):
                    watcher.add_tree(place)
            yield self._poll([self._main, *self._find_agents(watcher.add_files)])
            async for changed in changes(watcher, self._provider, self):
                feeds = [feed for feed in self._feeds.values() if feed.path in changed]
                others = changed - {feed.path for feed in feeds}
                # Agents of a session in a database are in that: nothing else changes.
                if others or (self._main.path in changed and is_member(self._main.path)):
                    feeds += self._find_agents(watcher.add_files)
                yield self._poll(feeds)

    @property
    def ref(self) -> SessionRef:
        return self._main.ref

    def move(self, ref: SessionRef) -> None:
        """Go on where the session's own log is now, and those of its agents that moved with it."""
        from agentview.sessions.following.moved_log import take_moved

        del self._feeds[self._main.ref.path]
        self._main.move(ref)
        self._feeds[ref.path] = self._main
        for agent in self._agent_logs():
            feed = take_moved(self._feeds, agent)
            if feed is not None:
                self._feeds[agent.path] = feed
        self._moved(ref)

    def _agent_logs(self) -> list[SessionRef]:
        if not self._subagents:
            return []
        return session_logs(self._provider.discovery, self._main.ref)[1:]

    def _poll(self, feeds: list[LogFeed]) -> Iterator[Fields]:
        for feed in feeds:
            yield from feed.poll()
        yield from self._form.release()

    def _find_agents(self, watch: Callable[[Iterable[Path]], None] | None = None) -> list[LogFeed]:
        """Logs of agents that are there now and were not before; `watch` takes their members."""
        found: list[LogFeed] = []
        for ref in self._agent_logs():
            if ref.path not in self._feeds:
                self._feeds[ref.path] = feed = LogFeed(self._provider, ref, self._form)
                found.append(feed)
        if watch is not None:
            watch(feed.path for feed in found if is_member(feed.path))
        return found
