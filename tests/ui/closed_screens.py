"""Opens and closes screens of every sort, over and over; as a program, prints the memory used.

`python -m tests.ui.closed_screens DIR COUNT PARTS` opens COUNT sessions of logs in DIR, which it
writes. After each of so many parts of the run, it prints the bytes of memory, threads, descriptors
and tasks.
"""

import asyncio
import gc
import os
import sys
import threading
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from weakref import ref

from textual.pilot import Pilot
from textual.screen import Screen

from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.log_ingest import give_back
from agentview.ui.messages import SessionChosen
from agentview.ui.screens.detail import DetailScreen
from agentview.ui.screens.help import HelpScreen
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.search.screen import SearchScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.settings import SettingsScreen
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.nested_agents import nested_logs
from tests.ui.app_under_test import until
from tests.ui.screens.homes import all_indexed, library_over

_S = TypeVar("_S", bound=Screen[Any])

_PROVIDER = load_provider("claude_code")
_TURNS = 30
_UNDER_WAY = 60.0
"""Seconds that a look at all logs may take on a busy machine."""
_THREADS = 6
"""Threads for work beside the event loop."""
_OTHERS_EVERY = 25
"""Sessions of which one is opened with everything that is reached from it."""


class Opener:
    """A person in the library, who opens screens and closes them again."""

    def __init__(self, pilot: Pilot[None], root: Path) -> None:
        self.pilot = pilot
        self._app = pilot.app
        self._root = root
        self.closed: list[ref[object]] = []
        """Closed screens, and what they showed."""

    async def session(self, path: Path) -> SessionScreen:
        """Open a log in the library and read it to its start."""
        self._app.screen.post_message(SessionChosen(_PROVIDER.discovery.ref(path)))
        screen = await self._shown(SessionScreen)
        session = screen.session
        assert isinstance(session, LiveSession)
        await until(self.pilot, lambda: session.store.indexed and session.header().indexed == 1.0)
        self.closed.extend((ref(session), ref(screen.timeline)))
        return screen

    async def session_with_all(self, path: Path) -> None:
        """Open a session, the help, a single activity, and the agents below it; close them."""
        screen = await self.session(path)
        session = screen.session
        assert isinstance(session, LiveSession)
        await until(self.pilot, lambda: len(session.store.children) == 2)
        await self._there_and_back("question_mark", HelpScreen)
        await self._there_and_back("comma", SettingsScreen)
        await self.pilot.press("g", "j")
        await self._there_and_back("o", DetailScreen)
        (stream,) = (s for s in session.store.children if session.store.child_call(s) is not None)
        row = session.store.child_call(stream)
        assert row is not None
        await until(self.pilot, lambda: screen.timeline.select(row))
        await self.pilot.press("enter")
        await until(self.pilot, lambda: len(self._app.screen_stack) == 3)
        await self.pilot.press("question_mark")
        await self._shown(HelpScreen)
        await self.back_to(LibraryScreen)

    async def search(self) -> None:
        """Show the search in all sessions, which stays as it is, and go back."""
        await self.pilot.press("ctrl+f")
        await self._shown(SearchScreen)
        await self.pilot.press("escape")
        await self._shown(LibraryScreen)

    async def back_to(self, kind: type[Screen[Any]]) -> None:
        """Close what is on top, until a screen of this sort is."""
        while not isinstance(self._app.screen, kind):
            depth = len(self._app.screen_stack)
            self.closed.append(ref(self._app.screen))
            await self.pilot.press("escape")
            await until(self.pilot, lambda depth=depth: len(self._app.screen_stack) < depth)

    async def all_freed(self) -> None:
        """Wait until nothing is left of what was closed."""

        def freed() -> bool:
            gc.collect()
            return not [left for left in self.closed if left() is not None]

        await until(self.pilot, freed)

    async def _there_and_back(self, key: str, kind: type[Screen[Any]]) -> None:
        behind = type(self._app.screen)
        await self.pilot.press(key)
        await self._shown(kind)
        await self.back_to(behind)

    async def _shown(self, kind: type[_S]) -> _S:
        await until(self.pilot, lambda: isinstance(self._app.screen, kind))
        screen = self._app.screen
        assert isinstance(screen, kind)
        return screen


@asynccontextmanager
async def opener_over(root: Path) -> AsyncGenerator[tuple[Opener, Path, Path]]:
    """A person in a library of two logs: a long one, and one with agents."""
    place = root / "claude_code" / "-p"
    long = ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002")
    plain = write(place / f"{long.session}.jsonl", conversation(long, _TURNS, size=200))
    agents = nested_logs(place, 2)
    assert agents.stem == SESSION
    app = library_over(root, "claude_code")
    async with app.run_test(size=(80, 16)) as pilot:
        await all_indexed(pilot)
        yield Opener(pilot, root), plain, agents


def _memory() -> int:
    gc.collect()
    give_back()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _counts() -> tuple[int, int, int]:
    """Threads, descriptors and tasks."""
    descriptors = sum(1 for _ in Path("/proc/self/fd").iterdir())
    return threading.active_count(), descriptors, len(asyncio.all_tasks())


async def _held(before: tuple[int, int, int] | None) -> tuple[int, int, int]:
    """What is held when nothing is under way: the library reads logs again now and then."""
    end = time.monotonic() + _UNDER_WAY
    while before is not None and time.monotonic() < end:
        if all(now <= then for now, then in zip(_counts(), before, strict=True)):
            break
        await asyncio.sleep(0.1)
    return _counts()


def _start_threads() -> None:
    """Start all threads of the loop's pool, which otherwise adds one whenever none is idle."""
    pool = ThreadPoolExecutor(_THREADS)
    together = threading.Barrier(_THREADS)
    for _ in range(_THREADS):
        pool.submit(together.wait)
    asyncio.get_running_loop().set_default_executor(pool)


async def _main(root: Path, count: int, parts: int) -> None:
    _start_threads()
    ends = {count * part // parts for part in range(1, parts + 1)}
    held: tuple[int, int, int] | None = None
    async with opener_over(root) as (opener, plain, agents):
        for number in range(1, count + 1):
            if number % _OTHERS_EVERY == 1:
                await opener.search()
                await opener.session_with_all(agents)
            else:
                await opener.session(plain)
                await opener.back_to(LibraryScreen)
            if number in ends:
                await opener.all_freed()
                held = await _held(held)
                sys.stdout.write(" ".join(map(str, (_memory(), *held))) + "\n")


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), *map(int, sys.argv[2:])))
