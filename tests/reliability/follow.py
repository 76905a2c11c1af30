"""A session that is followed while its log is torn, cut, replaced, moved, locked, lost and found.

After each step, what the followed session shows must be what a fresh read of the log shows. While
the log cannot be read, what was shown has to stay.
"""

import asyncio
import os
import random
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentview.errors import AgentViewError
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.piped import piped_session
from agentview.sources.pipe import PipeReader
from agentview.timeline.view.header import LogPresence
from tests.claude_log import ClaudeLog, conversation
from tests.providers.joined_log import joined
from tests.reliability.outcome import Outcome, Plan
from tests.reliability.written_logs import KINDS, Written
from tests.sessions.following.test_live_session import picture

PATIENCE = 60.0
"""Seconds in which a followed session must show what a fresh read shows."""
_LOOK = 0.3
"""Seconds that a session has to take a wrong look at a log that cannot be read."""

Picture = list[tuple[object, ...]]


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for each kind of source."""
    for kind in KINDS:
        for_ways = ", ".join(way.replace("_", " ") for way in kind.WAYS)
        outcome = Outcome("follow", f"{kind.kind}: {for_ways}, in any order", unit="steps")
        with outcome.timed():
            for seed in range(plan.of(6, 1)):
                home = root / f"{kind.__name__}-{seed}"
                home.mkdir()
                with _home(home):
                    asyncio.run(_follow(kind(home), seed, outcome))
        yield outcome
    outcome = Outcome("follow", "pipe: torn lines, writer killed", unit="steps")
    with outcome.timed():
        for seed in range(plan.of(20, 3)):
            asyncio.run(_follow_pipe(seed, root, outcome))
    yield outcome


@contextmanager
def _home(home: Path) -> Generator[None]:
    before = os.environ["HOME"]
    os.environ["HOME"] = str(home)
    try:
        yield
    finally:
        os.environ["HOME"] = before


async def _follow(log: Written, seed: int, outcome: Outcome) -> None:
    provider = load_provider(log.provider)
    session = LiveSession(provider, provider.discovery.ref(log.path))
    session.open()
    session.start()
    ways = list(log.WAYS)
    random.Random(seed).shuffle(ways)  # noqa: S311
    done = ["opened"]
    outcome.check(*await _same(session, log, done))
    try:
        for way in ways:
            for number, readable in enumerate(getattr(log, way)()):
                done.append(f"{way} {number}")
                if readable:
                    outcome.check(*await _same(session, log, done))
                else:
                    outcome.check(*await _stays(session, done))
    finally:
        session.close()


async def _same(session: LiveSession, log: Written, done: list[str]) -> tuple[bool, str]:
    """True once the session shows what a fresh read does; else False, and a sentence."""
    wanted = picture(joined(session.store.provider, log.path))
    shows = await _within(lambda: session.store.indexed and picture(session.store) == wanted)
    place = f"{log.kind}, after {', '.join(done[-6:])}"
    if session.trouble is not None:
        return False, f"{place}: reading stopped: {session.trouble}"
    if shows:
        return True, ""
    return False, f"{place}: {len(picture(session.store))} rows, {len(wanted)} by a fresh read"


async def _stays(session: LiveSession, done: list[str]) -> tuple[bool, str]:
    """True if what was shown stays, or the log is reported as removed."""
    before = _readable(session)
    await asyncio.sleep(_LOOK)
    after = _readable(session)
    if session.trouble is not None:
        return False, f"after {', '.join(done[-6:])}: reading stopped: {session.trouble}"
    kept = len(after) >= len(before) or session.log.presence is not LogPresence.PRESENT
    return kept, f"after {', '.join(done[-6:])}: {len(before)} rows became {len(after)}"


def _readable(session: LiveSession) -> list[int]:
    """Rows that are shown; a log that is gone need not have their texts."""
    store = session.store
    return [row for row in range(store.first, store.end) if store.shown(row)]


async def _within(true: Callable[[], bool]) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            while not _holds(true):
                await asyncio.sleep(0.02)
    except TimeoutError:
        return False
    return True


def _holds(true: Callable[[], bool]) -> bool:
    """Whether it is true now; a log that is being replaced has not all of its records."""
    try:
        return true()
    except AgentViewError:
        return False


_PIPING = """
import os, random, sys
data = open(sys.argv[1], "rb").read()
chance = random.Random(int(sys.argv[2]))
at = 0
while at < len(data):
    end = at + chance.randrange(1, 900)
    os.write(1, data[at:end])
    at = end
"""


async def _follow_pipe(seed: int, root: Path, outcome: Outcome) -> None:
    """A client that prints is killed at some moment, or comes to its end."""
    chance = random.Random(seed)  # noqa: S311
    source = root / f"pipe-{seed}.jsonl"
    source.write_bytes(b"".join(conversation(ClaudeLog(), 400, size=300)))
    read_end, write_end = os.pipe()
    client = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PIPING, str(source), str(seed), stdout=write_end
    )
    os.close(write_end)
    folder = root / f"piped-{seed}"
    folder.mkdir()
    with PipeReader(read_end, directory=folder) as reader:
        session = await piped_session(reader)
        assert session is not None
        session.start()
        if killed := bool(seed % 3):
            await asyncio.sleep(chance.random() * 0.2)
            with suppress(ProcessLookupError):
                client.kill()
        ended = await _within(lambda: session.store.indexed and not session.store.live)
        came = reader.path.read_bytes()
        copied = root / f"copied-{seed}.jsonl"
        copied.write_bytes(came + (b"" if came.endswith(b"\n") else b"\n"))
        fresh = joined(session.store.provider, copied)
        shown = [(entry[0], entry[1], entry[3]) for entry in picture(session.store)]
        wanted = [(entry[0], entry[1], entry[3]) for entry in picture(fresh)]
        place = f"pipe {seed}, killed: {killed}, {len(came)} bytes"
        outcome.check(
            ended and shown == wanted and session.trouble is None,
            f"{place}: {len(shown)} rows, {len(wanted)} by a fresh read",
        )
        session.close()
    await client.wait()
