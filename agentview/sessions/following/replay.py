"""A past session, played as if it were live: its records come when their time has come."""

import asyncio
import time
from array import array
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from agentview.domain.index_entry import NO_ROW, Flag, RecordFacts, Role
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.providers.session_logs import session_logs
from agentview.sessions.following.live_session import LiveSession
from agentview.sources.line_splitter import Line
from agentview.sources.lines import READ_SIZE, Chunk, Item, LogReader, Reset
from agentview.sources.resume_point import ResetReason
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.view.goto import Target, parse_jump

LONGEST_PAUSE = 10.0
"""Seconds of the session that a longer time without records is shortened to."""
SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
"""Those that a key leads to."""
_EVEN_SHORTEST, _EVEN_LONGEST = 0.4, 20.0
_AT_FIRST = 3
"""Records that are there when the screen comes up, so that it does not begin empty."""
_AT_ONCE = 64
"""Records that come at the same moment and are shown together at most."""

Pace = Callable[[float], float]
"""Seconds to wait at speed 1 where so many passed between two records of the session."""


def shortened(passed: float) -> float:
    """Wait as long as the session did, but not through its idle times."""
    return min(passed, LONGEST_PAUSE)


def evened(ref: SessionRef, seconds: float) -> Pace:
    """Return the pace at which a short session takes so many seconds, none of it without a change.

    All of it is read.
    """
    track = _Track(load_provider(ref.provider), ref)
    total, last = 0.0, 0.0
    while (moment := track.next_time()) is not None:
        total += _even(moment - last) if last else 0.0
        last = moment
        track.due += 1
    return lambda passed: _even(passed) * seconds / total if total else 0.0


def _even(passed: float) -> float:
    return min(_EVEN_LONGEST, max(_EVEN_SHORTEST, passed))


class _Records:
    """The records of a log, from its first one on, each once."""

    def __init__(self, provider: Provider, path: Path) -> None:
        self._reader = log_reader(provider, path)
        self._waiting: deque[Line] = deque()
        self._ended = False

    def take(self) -> Line | None:
        """Return the next record; None behind the last one, or where the log cannot be read."""
        while not self._waiting and not self._ended:
            try:
                chunk = self._reader.poll()
            except AgentViewError:
                chunk = Chunk([])
            self._add(chunk.items)
            if not chunk.more:
                self._add([*self._reader.finish(), *self._reader.finish_torn()])
                self._ended = True
        return self._waiting.popleft() if self._waiting else None

    def _add(self, items: Iterable[Item]) -> None:
        self._waiting.extend(item for item in items if isinstance(item, Line))


class _Track:
    """A log, how many of its records have come, and when the next one does."""

    def __init__(self, provider: Provider, ref: SessionRef) -> None:
        self.ref = ref
        self.due = 0
        self._records = _Records(provider, Path(ref.path))
        self._times = array("d")
        self._shown = bytearray()
        self._known: set[str] = set()

    def next_time(self) -> float | None:
        """Return the time of the next record, 0 while none had one; None behind the last one."""
        if self.due == len(self._times) and not self._read():
            return None
        return self._times[self.due]

    def _read(self) -> bool:
        line = self._records.take()
        if line is None:
            return False
        last = self._times[-1] if self._times else 0.0
        (facts,) = reduce_lines(self.ref, [line]) or (RecordFacts(line.offset, line.length, ()),)
        moment = next((fact.time for fact in facts.events if fact.time is not None), last)
        self._times.append(max(moment, last))
        self._shown.append(self._shows(facts))
        return True

    def _shows(self, facts: RecordFacts) -> bool:
        """Return True if a record begins an activity, as results and repetitions do not."""
        shows = False
        for fact in facts.events:
            if fact.dedupe is not None and fact.dedupe in self._known:
                continue
            if fact.dedupe is not None:
                self._known.add(fact.dedupe)
            own = fact.kind != NO_ROW and fact.role in (Role.NONE, Role.CALL)
            shows = shows or (own and not fact.flags & Flag.ABSENT)
        return shows

    def shows(self, record: int) -> bool:
        return bool(self._shown[record])

    def last_time(self) -> float:
        return self._times[self.due - 1]


class PacedReader:
    """Gives the records of a log as far as they have come; all again where some have gone."""

    def __init__(self, provider: Provider, path: Path, due: Callable[[], int]) -> None:
        self._provider = provider
        self._path = path
        self._due = due
        self._given = 0
        self._records = _Records(provider, path)

    def move(self, path: Path) -> None:
        """Stay with the log as it was."""

    def poll(self, max_bytes: int = READ_SIZE) -> Chunk:
        """Give what has come since."""
        due, items, size = self._due(), list[Item](), 0
        if due < self._given:
            items.append(Reset(ResetReason.TRUNCATED))
            self._records, self._given = _Records(self._provider, self._path), 0
        while self._given < due and size < max_bytes:
            line = self._records.take()
            if line is None:
                return Chunk(items)
            items.append(line)
            self._given += 1
            size += line.length
        return Chunk(items, more=self._given < due)

    def finish(self) -> list[Line]:
        """Nothing: `poll` gives the last record too."""
        return []

    def finish_torn(self) -> list[Line]:
        """Nothing: `poll` gives the last record too."""
        return []


class Replay:
    """Which records of a session have come, and when the next ones do.

    Its `clock` shows the time of the session.
    """

    def __init__(
        self,
        ref: SessionRef,
        *,
        speed: float = 1.0,
        start: str | None = None,
        pace: Pace = shortened,
        word: str = "replay",
    ) -> None:
        """`start` is a time, as the line of a jump has it; `word` is what it is called."""
        self._provider = load_provider(ref.provider)
        self._ref = ref
        self._pace = pace
        self._start = start
        self._word = word
        self._tracks = {ref.path: _Track(self._provider, ref)}
        self._came: list[_Track] = []
        """Whose record came, in order."""
        self.speed = speed
        self.paused = False
        self._listeners: list[Callable[[], None]] = []
        self._steps = 0
        """Activities that are to come at once, or to go where it is negative."""
        self._woken = asyncio.Event()
        self._gone = 0.0
        """Seconds at speed 1 that have passed since the last record, up to `_since`."""
        self._since = time.monotonic()
        for _ in range(_AT_FIRST):
            self._advance()

    @property
    def ended(self) -> bool:
        return self._next() is None

    @property
    def state(self) -> str:
        """Its state, in a word or two."""
        if self.ended:
            return f"{self._word} ended"
        return f"{self._word} paused" if self.paused else f"{self._word} {self.speed:g}×"

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Have a function called after each change; return what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def clock(self) -> float:
        """Return the moment of the session that is shown, in epoch seconds."""
        if not self._came:
            return time.time()
        last, following = self._came[-1].last_time(), self._next()
        until = last if following is None else following[0]
        return max(last, min(last + self._passed(), until))

    def reader(self, provider: Provider, path: Path) -> LogReader:
        """Return the reader of one of its logs, which gives records as they come."""

        def due() -> int:
            track = self._tracks.get(str(path))
            return 0 if track is None else track.due

        return PacedReader(provider, path, due)

    def toggle(self) -> None:
        """Pause, or continue."""
        self._settle()
        self.paused = not self.paused
        self._changed()

    def step(self, steps: int) -> None:
        """Pause, with the next activity shown (1) or without the last one (-1)."""
        self._settle()
        self.paused = True
        self._steps += steps
        self._changed()

    def change_speed(self, step: int) -> None:
        """Play faster (1) or slower (-1)."""
        self._settle()
        faster = [speed for speed in SPEEDS if (speed - self.speed) * step > 0]
        self.speed = (min if step > 0 else max)(faster, default=self.speed)
        self._changed()

    def _changed(self) -> None:
        self._woken.set()
        self._announce()

    def _announce(self) -> None:
        for listener in self._listeners:
            listener()

    def _passed(self) -> float:
        """Return the seconds at speed 1 since the last record came."""
        running = 0.0 if self.paused else (time.monotonic() - self._since) * self.speed
        return self._gone + running

    def _settle(self, gone: float | None = None) -> None:
        self._gone = self._passed() if gone is None else gone
        self._since = time.monotonic()

    async def play(self, session: LiveSession) -> None:
        """Let the records come, until the session is closed."""
        logs = await asyncio.to_thread(session_logs, self._provider.discovery, self._ref)
        self._tracks |= {log.path: _Track(self._provider, log) for log in logs[1:]}
        if self._start is not None:
            await self._seek(self._start)
        await self._show(session)
        while True:
            self._woken.clear()
            if self._steps:
                self._carry_out()
            elif self.paused or (wait := self._wait()) is None:
                await self._woken.wait()
                continue
            elif wait > 0:
                await self._sleep(wait)
                continue
            else:
                self._take_due()
            await self._show(session)

    async def _sleep(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return

    async def _show(self, session: LiveSession) -> None:
        agents = [track.ref for track in self._tracks.values() if track.due]
        await session.catch_up(ref for ref in agents if ref.path != self._ref.path)
        self._announce()

    def _next(self) -> tuple[float, _Track] | None:
        """Return the log whose record comes next, and when that was."""
        times = ((track.next_time(), track) for track in self._tracks.values())
        waiting = [(moment, track) for moment, track in times if moment is not None]
        return min(waiting, key=lambda pair: pair[0], default=None)

    def _wait(self) -> float | None:
        """Return the seconds until the next record comes; None at the end."""
        following = self._next()
        if following is None:
            return None
        last = self._came[-1].last_time() if self._came else 0.0
        # What has no time comes with what follows it.
        passed = following[0] - last if last else 0.0
        return (self._pace(passed) - self._passed()) / self.speed

    def _take_due(self) -> None:
        self._advance()
        for _ in range(_AT_ONCE):
            if (wait := self._wait()) is None or wait > 0:
                return
            self._advance()

    def _advance(self) -> bool:
        """Let the next record come; return True if it begins an activity, or is the last one."""
        following = self._next()
        if following is None:
            return True
        _, track = following
        track.due += 1
        self._came.append(track)
        self._settle(0.0)
        return track.shows(track.due - 1)

    def _carry_out(self) -> None:
        while self._steps > 0:
            self._steps -= 1
            while not self._advance():
                pass
        while self._steps < 0:
            self._steps += 1
            while len(self._came) > 1 and not self._go_back():
                pass

    def _go_back(self) -> bool:
        """Let the last record go; return True if it began an activity."""
        track = self._came.pop()
        track.due -= 1
        self._settle(0.0)
        return track.shows(track.due)

    async def _seek(self, start: str) -> None:
        """Let all records come that are older than a moment."""
        jump = parse_jump(start, self.clock())
        if jump is None or jump.target is not Target.TIME:
            return
        number = 0
        while (following := self._next()) is not None and following[0] < jump.number:
            self._advance()
            number += 1
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)


def open_replay(
    ref: SessionRef,
    *,
    speed: float = 1.0,
    start: str | None = None,
    seconds: float | None = None,
    word: str = "replay",
) -> LiveSession:
    """Return a past session that is played, with its first records; see `ReplayRequest`."""
    pace = shortened if seconds is None else evened(ref, seconds)
    replay = Replay(ref, speed=speed, start=start, pace=pace, word=word)
    session = LiveSession(load_provider(ref.provider), ref, live=True, replay=replay)
    session.open()
    return session
