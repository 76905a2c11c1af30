"""Runs a session line by line: prints what comes, and what keys ask for."""

import asyncio
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress

from agentview.cli.linear.keyboard import Keyboard
from agentview.cli.linear.reader import LinearReader
from agentview.cli.linear.spoken import spoken_header
from agentview.cli.waits import wait_for
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.sessions.following.live_session import FollowedClient, LiveSession
from agentview.sessions.following.piped import piped_session
from agentview.sessions.following.replay import open_replay
from agentview.sessions.targets.log_file import not_recognised
from agentview.settings import LaunchOptions
from agentview.sources.pipe import PipeReader
from agentview.timeline.view.header import PRESENCE_WORDS, continuation_words

_KEYS = (
    ("space", "the next page"),
    ("b", "the page before"),
    ("j, k", "the next activity, the one before; also the arrow keys"),
    ("enter", "all of the current activity"),
    ("g, G", "the first activity, the last one"),
    ("/", "search; n and N repeat it down and up"),
    ("s", "the state of the session"),
    ("C", "the session with which its client continued"),
    ("q", "leave"),
)
_STILL = 0.5
"""Seconds between two looks at a text that may grow."""
_ALL = 1 << 30


def run(start: LaunchOptions) -> int:
    """Show the session of `start` until the person leaves, or to its end without a keyboard."""
    if start.session is None:
        return wait_for(_piped(start))
    ref, asked = start.session, start.replay
    if asked is None:
        session = LiveSession(load_provider(ref.provider), ref, live=start.live)
        session.open()
    else:
        session = open_replay(
            ref, speed=asked.speed, start=asked.start, seconds=asked.seconds, word=asked.word
        )
    return wait_for(_LinearView(session, live=start.live).run())


async def _piped(start: LaunchOptions) -> int:
    with PipeReader(start.pipe or 0, tee=start.tee) as pipe:
        session = await piped_session(pipe)
        if session is None:
            raise not_recognised("Standard input")
        code = await _LinearView(session, live=True).run()
        if start.report is not None:
            start.report(session)
    return code


class _LinearView:
    """One session on a terminal, or on a pipe without keys."""

    def __init__(self, session: LiveSession, *, live: bool) -> None:
        self._live = live
        self._changed = asyncio.Event()
        self._take(session)

    def _take(self, session: LiveSession) -> None:
        self._session = session
        self._reader = LinearReader(session.store, live=self._live)
        self._client = FollowedClient()
        self._unsubscribe = session.store.subscribe(lambda _: self._changed.set())
        self._notes: dict[str, None] = {}
        """Notes already printed on the log, its reading and its client."""

    def _leave(self) -> None:
        self._unsubscribe()
        self._session.close()

    async def run(self) -> int:
        """Print and take keys until the person leaves."""
        self._session.start()
        try:
            with Keyboard() as keyboard:
                await self._begin()
                if not keyboard.available:
                    return await self._without_keys()
                _say(["Press h for the keys."])
                following = asyncio.create_task(self._follow())
                try:
                    await self._take_keys(keyboard)
                finally:
                    following.cancel()
                    with suppress(asyncio.CancelledError):
                        await following
        finally:
            self._leave()
        return 0

    async def _begin(self) -> None:
        while not self._live and not self._session.store.indexed and not self._session.trouble:
            self._changed.clear()
            await self._changed.wait()
        _say(spoken_header(self._session.header()))
        _say(self._reader.beginning())
        self._print_news()

    async def _without_keys(self) -> int:
        if self._live:
            await self._follow()
        _say(self._reader.page(_ALL, 1))
        return 0

    async def _follow(self) -> None:
        while self._session.store.live or not self._live:
            try:
                async with asyncio.timeout(_STILL if self._reader.waits else None):
                    await self._changed.wait()
            except TimeoutError:
                pass
            self._changed.clear()
            self._print_news()

    def _print_news(self) -> None:
        header = self._session.header()
        _say(self._reader.news(header.status))
        following = self._client.next_session(header, followed=not self._reader.behind)
        if following is not None and header.continued is not None:
            _say([_sentence(continuation_words(header.continued))])
            self._move(following)
            return
        continued = header.continued and f"{continuation_words(header.continued)}: C opens it"
        presence = PRESENCE_WORDS.get(header.presence)
        for note in (presence, continued, header.damage, header.trouble):
            if note is not None and note not in self._notes:
                _say([_sentence(note)])
                self._notes[note] = None

    def _move(self, ref: SessionRef) -> None:
        """Show another session from now on; its log need not exist yet."""
        self._leave()
        session = LiveSession(load_provider(ref.provider), ref, live=True)
        session.open()
        self._live = True
        self._take(session)
        session.start()
        _say(spoken_header(session.header()))
        _say(self._reader.beginning())
        self._changed.set()

    async def _take_keys(self, keyboard: Keyboard) -> None:
        while (key := await keyboard.key()) not in ("q", "\x04", ""):
            if key == "/":
                _say(["Search for:"])
                self._search(1, await keyboard.line())
            elif key in "nN":
                self._search(1 if key == "n" else -1)
            else:
                self._take_key(key)
            missed = self._reader.missed()
            if missed is not None and key in "sG":
                _say([missed])

    def _take_key(self, key: str) -> None:
        reader, size = self._reader, max(4, shutil.get_terminal_size().lines - 2)
        match key:
            case " ":
                _say(reader.page(size, 1))
            case "b":
                _say(reader.page(size, -1))
            case "j" | "k":
                _say(reader.step(1 if key == "j" else -1))
            case "\n" | "\r":
                _say(reader.whole())
            case "g" | "G":
                _say(reader.ends(1 if key == "G" else -1))
            case "s":
                _say(spoken_header(self._session.header()))
            case "C":
                self._open_continuation()
            case "h" | "?":
                _say(f"{keys}: {what}." for keys, what in _KEYS)
            case _:
                pass

    def _open_continuation(self) -> None:
        continued = self._session.header().continued
        if continued is None:
            _say(["It is not known to continue in another session."])
        else:
            self._move(continued.ref)

    def _search(self, direction: int, query: str = "") -> None:
        try:
            _say(self._reader.search(query, direction))
        except AgentViewError as error:
            _say([error.message])


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
