"""Searches all sessions in a worker: answers one query after the other, the newest alone."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.search.all_sessions import Search
from agentview.facts.search.fts_index import SearchIndex, index_path
from agentview.facts.search.index_query import index_query
from agentview.facts.search.index_worker import Answer, Ask, Logs, Message, Titles, numbered
from agentview.facts.search.indexer import discard_index
from agentview.providers import load_provider
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.system.workers.connection import Connection


class _Server:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._refs: list[SessionRef] = []
        self._titles: dict[str, Sequence[str]] = {}
        self._asked: deque[Ask | None] = deque()
        self._unprepared: dict[str, None] = {}
        """Providers of logs whose decoders were not imported yet, that of the newest log first."""
        self._index: SearchIndex | None = None
        self._inode = 0

    def serve(self) -> None:
        while True:
            if not self._asked:
                if self._unprepared and not self._connection.waiting():
                    self._prepare()
                else:
                    self._take(self._connection.receive())
                continue
            # Of several that wait only the last one counts.
            ask = self._asked.pop()
            if ask is None or None in self._asked:
                return
            self._asked.clear()
            self._answer(ask)

    def _prepare(self) -> None:
        """Import what hits are read with, as long as nothing is asked: it takes 0.1 s."""
        provider = next(iter(self._unprepared))
        del self._unprepared[provider]
        with suppress(AgentViewError):
            load_provider(provider).reading  # noqa: B018  (made on first use)

    def _answer(self, ask: Ask) -> None:
        query = index_query(parse_query(ask.line, Surface.EVERYWHERE))
        refs = [self._refs[number] for number in numbered(ask.logs)]
        options = replace(ask.options, titles=self._titles)
        search = Search(query, refs, self._opened(), options, self._superseded)
        for update in search.run():
            self._connection.send(Answer(ask.number, update))
        if search.damaged and self._index is not None:
            self._index.close()
            discard_index(self._index.path)
            self._index = None

    def _opened(self) -> SearchIndex | None:
        """Return the index as it is now: it may have been made or rebuilt since the last time."""
        path = index_path()
        try:
            inode = path.stat().st_ino
        except OSError:
            inode = 0
        if self._index is not None and inode != self._inode:
            self._index.close()
            self._index = None
        if self._index is None and inode:
            self._index, self._inode = SearchIndex.open(path), inode
        return self._index

    def _superseded(self) -> bool:
        while self._connection.waiting():
            self._take(self._connection.receive())
            if self._asked and self._asked[-1] is None:
                break
        return bool(self._asked)

    def _take(self, message: Message | None) -> None:
        if isinstance(message, Logs):
            self._refs.extend(message.refs)
            self._unprepared.update(dict.fromkeys(ref.provider for ref in message.refs))
        elif isinstance(message, Titles):
            found = message.titles.items()
            self._titles.update((self._refs[number].path, titles) for number, titles in found)
        elif message is None or isinstance(message, Ask):
            self._asked.append(message)


def serve(connection: Connection) -> None:
    _Server(connection).serve()
