"""What is new since a session was read last: the line above it, the key to it, the counts of it."""

import json
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.unread import SeenPlace
from agentview.facts.usage.pricing import PriceList
from agentview.providers import load_provider
from agentview.sessions.annotations.all_sessions import AllAnnotations
from agentview.sessions.annotations.seen import seen_in, set_seen
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.following.live_session import open_tail
from agentview.sessions.library.log_totals import totals_of_log
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.library.unread import unread_of
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.view.rows_protocol import LogRows
from agentview.ui.app import AgentViewApp
from tests.claude_log import SESSION, ClaudeLog, conversation
from tests.ui.app_under_test import screen_text, session_screen, until

SIZE = (100, 30)
PROVIDER = load_provider("claude_code")


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state" / "sessions"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "project" / f"{SESSION}.jsonl"
    path.parent.mkdir()
    return path


def _app(path: Path, *, live: bool = False) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path), live=live))


def _kept() -> SeenPlace | None:
    kept = AllAnnotations()
    kept.load()
    return kept.seen(SessionRef("claude_code", SESSION, ""))


def _line(pilot: Pilot[None]) -> int | None:
    lines = screen_text(pilot).splitlines()
    return next((at for at, line in enumerate(lines) if "new since" in line), None)


async def _read_to_the_end(path: Path) -> None:
    app = _app(path)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: session_screen(pilot).session.header().indexed == 1.0)
        await pilot.pause(0.1)
        # It is kept when the program ends, by a thread.
        session_screen(pilot)._progress.keep()  # pyright: ignore[reportPrivateUsage]
        await until(pilot, lambda: _kept() is not None)


@pytest.mark.slow
@pytest.mark.parametrize("change", ["grown", "moved", "rewritten"])
async def test_new_activities_stand_below_a_line_and_a_key_goes_there(
    log: Path, change: str
) -> None:
    writer = ClaudeLog()
    records = conversation(writer, 60)
    log.write_bytes(b"".join(records))
    await _read_to_the_end(log)
    size = log.stat().st_size
    new = conversation(writer, 30, begin=60)
    if change == "moved":
        log = log.rename(log.parent.parent / log.name)
    if change == "rewritten":
        size -= sum(map(len, records[8:16]))
        del records[8:16]
    log.write_bytes(b"".join([*records, *new]))
    app = _app(log)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: session_screen(pilot).session.header().indexed == 1.0)
        assert _line(pilot) is None
        await pilot.press("u")
        await until(pilot, lambda: _line(pilot) is not None)
        timeline = session_screen(pilot).timeline
        rows = session_screen(pilot).session.store
        assert timeline.selected is not None
        assert isinstance(rows, LogRows)
        assert rows.source(timeline.selected).offset == size
        at = _line(pilot)
        assert at is not None
        top = screen_text(pilot).splitlines()[at]
        assert top.startswith("── new since ")
        assert top.rstrip(" ▐").endswith("──")
    # All of it was seen: nothing is new the next time.
    app = _app(log)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: session_screen(pilot).session.header().indexed == 1.0)
        await pilot.press("u")
        await until(pilot, lambda: "nothing is new here" in screen_text(pilot))


async def test_what_comes_while_the_terminal_has_no_focus_is_new(log: Path) -> None:
    writer = ClaudeLog()
    log.write_bytes(b"".join(conversation(writer, 3)))
    size = log.stat().st_size
    app = _app(log, live=True)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: session_screen(pilot).session.header().indexed == 1.0)
        app.post_message(events.AppBlur())
        await until(pilot, lambda: (_kept() or SeenPlace("", 0)).offset > 0)
        kept = _kept()
        rows = session_screen(pilot).session.store.end
        with log.open("ab") as file:
            file.write(b"".join(conversation(writer, 1, begin=3)))
        await until(pilot, lambda: session_screen(pilot).session.store.end > rows)
        await pilot.pause(0.2)
        session_screen(pilot)._progress.keep()  # pyright: ignore[reportPrivateUsage]
        assert _kept() == kept
        assert _line(pilot) is None
        app.post_message(events.AppFocus())
        await until(pilot, lambda: _line(pilot) is not None)
        session_screen(pilot)._progress.keep()  # pyright: ignore[reportPrivateUsage]
        await until(pilot, lambda: (_kept() or SeenPlace("", 0)).offset > size)


def test_the_further_place_of_two_instances_stays(tmp_path: Path) -> None:
    file = SessionFile("claude_code", "s", tmp_path)
    near, far = SeenPlace("a", 100, 0, 1.0), SeenPlace("b", 900, 2, 2.0)
    set_seen(file, "", far)()
    set_seen(SessionFile("claude_code", "s", tmp_path), "", near)()
    set_seen(file, "agent", near)()
    fields = file.read()
    assert (seen_in(fields), seen_in(fields, "agent")) == (far, near)
    # It lies beyond the end: the log is another one now.
    set_seen(file, "", near, size=500)()
    assert seen_in(file.read()) == near
    assert file.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("entry", [[], {"": 3}, {"": {"event": 1}}, {"": {"event": "a"}}])
def test_what_is_no_place_counts_as_none(entry: object, tmp_path: Path) -> None:
    assert seen_in({"seen": entry}) is None
    (tmp_path / "x.json").write_text(json.dumps({"provider": "p", "session": "s", "seen": entry}))
    (tmp_path / "y.json").write_text("{")
    kept = AllAnnotations(tmp_path)
    assert kept.load()
    assert kept.seen(SessionRef("p", "s", "")) is None
    assert not kept.load()


def test_unread_is_counted_by_the_index_and_by_the_end_of_a_followed_log(log: Path) -> None:
    writer = ClaudeLog()
    records = conversation(writer, 20)
    log.write_bytes(b"".join(records))
    ref = PROVIDER.discovery.ref(log)
    info = SessionInfo(ref)
    totals = totals_of_log(info, PriceList())
    facts = SessionFacts(info, totals)
    tail = open_tail(ref, live=False)
    last, first = totals.newest[-1], totals.newest[0]
    assert unread_of(facts, None) is None
    assert unread_of(SessionFacts(info), SeenPlace("", 0)) is None
    for session in (None, tail):
        assert str(unread_of(facts, SeenPlace("", last), session)) == "0"
        assert str(unread_of(facts, SeenPlace("", totals.newest[-4]), session)) == "3"
        assert str(unread_of(facts, SeenPlace("", first - 1), session)) == "50+"
    # The log has grown since it was indexed.
    with log.open("ab") as file:
        file.write(b"".join(conversation(writer, 1, begin=20)))
    grown = SessionFacts(SessionInfo(PROVIDER.discovery.ref(log)), totals)
    assert unread_of(grown, SeenPlace("", last)) is None
    assert str(unread_of(grown, SeenPlace("", totals.newest[-4]))) == "3+"
    tail.close()
