"""A session that is played: what it has at its end, how it waits, and how it goes back."""

import asyncio
import itertools
import json
import re
import time
from datetime import datetime
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.replay import (
    LONGEST_PAUSE,
    Replay,
    evened,
    open_replay,
    shortened,
)
from agentview.sessions.following.whole_session import load_session
from agentview.sessions.targets.session_query import refs_in
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE, until

CLAUDE = load_provider("claude_code")


def opened(ref: SessionRef, replay: Replay) -> LiveSession:
    session = LiveSession(load_provider(ref.provider), ref, live=True, replay=replay)
    session.open()
    return session


def shown(store: SessionStore) -> list[tuple[str, str]]:
    """What the rows of a session are: kinds and events, in order."""
    rows = [row for row in range(store.first, store.end) if store.shown(row)]
    return [(str(store.kind(row)), str(store.event(row).id)) for row in rows]


def samples() -> list[SessionRef]:
    """A session of each form in which logs are kept."""
    folder = sample_sessions_dir()
    names = {
        "claude_code": "demo.jsonl",
        "codex": "demo.jsonl",
        "gemini_cli": "document.json",
        "amp": "demo.json",
    }
    found = [
        load_provider(name).discovery.ref(folder / name / file) for name, file in names.items()
    ]
    databases = [ref for ref in refs_in(folder / "opencode") if ".db/" in ref.path]
    return [*found, *databases[:1]]


@pytest.mark.parametrize("ref", samples(), ids=lambda ref: ref.provider)
async def test_at_the_end_all_is_there(ref: SessionRef):
    replay = Replay(ref, pace=lambda _: 0.0)
    session = opened(ref, replay)
    session.start()
    whole = load_session(ref)
    await until(lambda: replay.ended and session.store.end == whole.end)
    assert shown(session.store) == shown(whole)
    assert session.trouble is None
    assert session.store.children.keys() == whole.children.keys()
    session.close()


async def stepped(replay: Replay, store: SessionStore, steps: int) -> list[tuple[str, str]]:
    before = shown(store)
    replay.step(steps)
    await until(lambda: shown(store) != before)
    return shown(store)


async def test_steps_go_forward_and_back(tmp_path: Path):
    path = write(tmp_path / "session.jsonl", conversation(ClaudeLog(), 3))
    ref = CLAUDE.discovery.ref(path)
    replay = Replay(ref)
    replay.toggle()
    session = opened(ref, replay)
    session.start()
    states = [shown(session.store)]
    whole = shown(load_session(ref))
    while not replay.ended:
        states.append(await stepped(replay, session.store, 1))
        assert replay.paused
    assert states[-1] == whole
    # Each step shows one activity more; nothing that is shown changes its place.
    assert [len(state) for state in states] == [*range(len(states[0]), len(whole) + 1)]
    assert all(later[: len(state)] == state for state, later in itertools.pairwise(states))
    for state in reversed(states[1:-1]):
        assert await stepped(replay, session.store, -1) == state
    session.close()


async def test_it_waits_as_the_session_did_and_not_through_idle_times(tmp_path: Path):
    *early, last, end = conversation(ClaudeLog(), 3)
    late = [record.replace(b"T10:", b"T12:") for record in (last, end)]
    ref = CLAUDE.discovery.ref(write(tmp_path / "session.jsonl", [*early, *late]))
    asked: list[float] = []

    def pace(passed: float) -> float:
        asked.append(passed)
        return shortened(passed) / 100

    replay = Replay(ref, pace=pace)
    session = opened(ref, replay)
    began = time.monotonic()
    session.start()
    await until(lambda: replay.ended)
    assert max(asked) > 7000
    assert shortened(max(asked)) == LONGEST_PAUSE
    assert time.monotonic() - began >= LONGEST_PAUSE / 100
    last = load_session(ref).summary.times.last
    assert replay.clock() == last
    session.close()


async def test_nothing_comes_while_it_is_paused(tmp_path: Path):
    ref = CLAUDE.discovery.ref(write(tmp_path / "session.jsonl", conversation(ClaudeLog(), 3)))
    replay = Replay(ref, pace=lambda _: 0.0)
    replay.toggle()
    session = opened(ref, replay)
    session.start()
    told: list[str] = []
    replay.subscribe(lambda: told.append(replay.state))
    moment, count = replay.clock(), session.store.end
    await asyncio.sleep(0.1)
    assert (replay.clock(), session.store.end) == (moment, count)
    replay.toggle()
    await until(lambda: replay.ended)
    assert "replay 1×" in told
    assert told[-1] == "replay ended"
    session.close()


async def test_it_begins_at_a_time(tmp_path: Path):
    records = conversation(ClaudeLog(), 3)
    ref = CLAUDE.discovery.ref(write(tmp_path / "session.jsonl", records))
    whole = load_session(ref)
    middle = whole.event(whole.end - 2).time
    assert middle is not None
    replay = Replay(ref, start=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(middle)))
    replay.toggle()
    session = opened(ref, replay)
    session.start()
    await until(lambda: replay.clock() > middle - 2)
    await until(lambda: session.store.end > 3)
    assert replay.clock() < middle
    assert session.store.end < whole.end
    session.close()


def test_speeds_have_two_ends(tmp_path: Path):
    ref = CLAUDE.discovery.ref(write(tmp_path / "s.jsonl", conversation(ClaudeLog(), 1)))
    replay = Replay(ref, speed=3.0)
    seen: list[float] = []
    for step in (1, 1, 1, 1, 1, 1, 1, -1, -1):
        replay.change_speed(step)
        seen.append(replay.speed)
    assert seen == [5.0, 10.0, 20.0, 50.0, 100.0, 100.0, 100.0, 50.0, 20.0]


def test_an_even_pace_takes_the_time_that_was_asked_for(tmp_path: Path):
    records = conversation(ClaudeLog(), 3)
    pace = evened(CLAUDE.discovery.ref(write(tmp_path / "s.jsonl", records)), 40.0)
    stamps = [json.loads(record)["timestamp"] for record in records]
    times = [datetime.fromisoformat(stamp).timestamp() for stamp in stamps]
    waits = [pace(later - before) for before, later in itertools.pairwise(times)]
    assert abs(sum(waits) - 40.0) < 1e-6
    assert pace(0.0) > 0


async def test_all_of_it_takes_as_long_as_it_is_told(tmp_path: Path):
    minutes = [
        re.sub(rb"T\d\d:\d\d:\d\d", b"T10:%02d:00" % number, record)
        for number, record in enumerate(conversation(ClaudeLog(), 12))
    ]
    ref = CLAUDE.discovery.ref(write(tmp_path / "session.jsonl", minutes))
    # At its own pace it would not end in time.
    assert (len(minutes) - 1) * LONGEST_PAUSE > PATIENCE
    session = open_replay(ref, seconds=0.5, word="demo")
    replay = session.replay
    assert isinstance(replay, Replay)
    assert replay.state == "demo 1×"
    session.start()
    await until(lambda: replay.ended)
    session.close()
