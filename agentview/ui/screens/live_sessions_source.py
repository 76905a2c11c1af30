"""Follows all live sessions at once: of each log the end is read, then what is appended."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from agentview.ingest.tail import TailSession, open_tail
from agentview.library.live_status import BoardLine, board_line, board_order
from agentview.library.liveness import is_live
from agentview.library.session_record import SessionFacts
from agentview.library.sort_group import finished
from agentview.ui.screens.library.source import LibraryFeed
from agentview.watch.watcher import Watcher


class BoardFeed:
    """The lines of the board; `changed` is called when one of them says something else.

    Sessions come from the library, which hears of new ones. Nothing is done while nothing is
    written.
    """

    def __init__(
        self, feed: LibraryFeed, clock: Callable[[], float], changed: Callable[[], None]
    ) -> None:
        self._feed = feed
        self._clock = clock
        self._changed = changed
        self._sessions: dict[str, TailSession] = {}
        self._watcher: Watcher | None = None
        self._wanted = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Follow what is live, and what will be."""
        self._unsubscribe = self._feed.subscribe(self._wanted.set)
        self._wanted.set()
        self._watcher = Watcher()
        self._tasks = [
            asyncio.create_task(self._open_live(self._watcher)),
            asyncio.create_task(self._follow(self._watcher)),
        ]

    def close(self) -> None:
        """Follow nothing any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()
        for task in self._tasks:
            task.cancel()
        if self._watcher is not None:
            self._watcher.close()

    def lines(self) -> list[BoardLine]:
        """What each live session does now."""
        now = self._clock()
        found: list[BoardLine] = []
        for path, session in self._sessions.items():
            facts = self._feed.listing.get(path)
            line = None if facts is None else board_line(facts, session, now)
            if line is not None:
                found.append(line)
        return sorted(found, key=board_order)

    async def _open_live(self, watcher: Watcher) -> None:
        """Open sessions as they become live, and close those that are no longer."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            live = self._live()
            for path in [path for path in self._sessions if path not in live]:
                self._sessions.pop(path).close()
                watcher.remove([Path(path)])
            for path, facts in live.items():
                if path not in self._sessions:
                    session = await asyncio.to_thread(open_tail, facts.info.ref, live=True)
                    self._sessions[path] = session
                    watcher.add_files([Path(path)])
            self._changed()

    def _live(self) -> dict[str, SessionFacts]:
        """Sessions that are live by what the library knows, or by their logs as they are."""
        now = self._clock()
        entries = finished(self._feed.listing.entries())
        shown = {line.path for line in self.lines()}
        return {
            entry.path: entry.facts
            for entry in entries
            if is_live(entry.info, now) or entry.path in shown
        }

    async def _follow(self, watcher: Watcher) -> None:
        async for paths in watcher:
            for path in paths:
                session = self._sessions.get(str(path))
                if session is not None:
                    await session.read_on()
            self._changed()
