"""Traces of whole sessions, of the agents that they started too, and also while they grow."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from agentview.coverage.session_files import session_files
from agentview.domain.session import SessionRef
from agentview.drift.call_records import Fields
from agentview.drift.trace import Tracer
from agentview.providers.base import Provider
from agentview.redaction.redactor import Redactor
from agentview.sources.line_splitter import Line
from agentview.store.reading import log_reader
from agentview.watch.watcher import Watcher


class _LogTrace:
    """The entries of one log, each given once; all anew when the log is written anew."""

    def __init__(self, provider: Provider, ref: SessionRef, redactor: Redactor) -> None:
        self.path = Path(ref.path)
        self._reader = log_reader(provider, self.path)
        version = provider.discovery.info(ref).client_version
        self._tracer = Tracer(provider, ref, redactor, version)

    def poll(self) -> Iterator[Fields]:
        more = True
        while more:
            chunk = self._reader.poll()
            for item in chunk.items:
                if isinstance(item, Line):
                    yield from self._tracer.entries(item)
            more = chunk.more

    def finish(self) -> Iterator[Fields]:
        yield from self.poll()
        for line in (*self._reader.finish(), *self._reader.finish_torn()):
            yield from self._tracer.entries(line)


class SessionTrace:
    """The entries of a session. Raises what reading its log raises; agents' logs may be missing."""

    def __init__(self, provider: Provider, ref: SessionRef, redactor: Redactor) -> None:
        self._provider = provider
        self._redactor = redactor
        self._ref = ref
        self._logs = {ref.path: _LogTrace(provider, ref, redactor)}

    def poll(self) -> Iterator[Fields]:
        """Entries of what the session has been given since it was last asked for."""
        return self._logs[self._ref.path].poll()

    def read(self) -> Iterator[Fields]:
        """All entries that the logs have now, but for those that were given before."""
        self._find_agents()
        for log in self._logs.values():
            yield from log.finish()

    def read_alone(self) -> Iterator[Fields]:
        """The same without the logs of agents, for a caller who comes upon these by itself."""
        yield from self._logs[self._ref.path].finish()

    async def follow(self) -> AsyncIterator[list[Fields]]:
        """Entries as their records are written; never ends by itself."""
        with Watcher() as watcher:
            watcher.add_files([Path(self._ref.path)])
            for place in self._provider.discovery.child_places(self._ref):
                watcher.add_tree(place)
            self._find_agents()
            yield [entry for log in self._logs.values() for entry in log.poll()]
            async for changed in watcher:
                if changed - {log.path for log in self._logs.values()}:
                    self._find_agents()
                yield [entry for log in self._logs.values() for entry in log.poll()]

    def _find_agents(self) -> None:
        for ref in session_files(self._ref):
            if ref.path not in self._logs:
                self._logs[ref.path] = _LogTrace(self._provider, ref, self._redactor)
