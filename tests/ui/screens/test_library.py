import asyncio
import inspect
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.app import App
from textual.pilot import Pilot

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.sessions.library.search_roots import ScanBatch
from agentview.sessions.library.session_list import Listing
from agentview.sessions.library.session_record import SessionFacts
from agentview.settings import LaunchOptions, Screen
from agentview.settings.values import Settings
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from agentview.ui.messages import SessionChosen
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.screens.home.feed import LibraryFeed, LibrarySources
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.lists.session_list import SessionList
from agentview.ui.widgets.prompt_line import InputLine
from tests.sessions.library.listed import totals
from tests.ui.app_under_test import NOW, bar_text, screen_text, typed, until

SIZE = (120, 24)


def _info(number: int, *, parent: int | None = None, silence: float | None = None) -> SessionInfo:
    activity = NOW - (number * 60 if silence is None else silence)
    ref = SessionRef(
        "acme",
        f"s{number}",
        f"/logs/{number}.jsonl",
        parent_id=None if parent is None else f"s{parent}",
        modified=activity,
    )
    return SessionInfo(
        ref,
        f"session {number}",
        f"/ws/p{number % 3}/repo",
        "main",
        last_activity=activity,
        status=SessionStatus(SessionState.YOUR_TURN, activity, StateEvidence.LOG),
    )


LOOKS = LibraryViewOptions(
    Settings(),
    lambda: RenderContext(1, PLAIN),
    lambda: False,
    lambda: NOW,
    str.title,
    lambda provider: (provider.title(), provider[:2].title(), 0),
    lambda _ref, _cwd: None,
)


class _LibraryApp(App[None]):
    """The library alone, over batches that a test gives."""

    CSS_PATH = Path(inspect.getfile(LibraryScreen)).with_name("library.tcss")

    def __init__(
        self, scan: Callable[[Callable[[], bool]], Iterator[ScanBatch]], line: str = ""
    ) -> None:
        super().__init__()
        feed = LibraryFeed(LibrarySources(scan, places=lambda: ["/logs"]), Listing())
        self.library = LibraryScreen(feed, LOOKS, line)
        self.chosen: list[SessionRef] = []

    def get_default_screen(self) -> LibraryScreen:
        return self.library

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return {f"client-{number}": "red" for number in range(6)}

    def on_session_chosen(self, event: SessionChosen) -> None:
        self.chosen.append(event.ref)


def _found(*infos: SessionInfo, total: int, done: bool = False) -> ScanBatch:
    facts = tuple(SessionFacts(info) for info in infos)
    return ScanBatch(facts, total, len(infos), done=done)


def _app(*infos: SessionInfo, line: str = "") -> _LibraryApp:
    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((), len(infos))
        for info in infos:
            yield _found(info, total=len(infos))
        yield ScanBatch((), len(infos), len(infos), done=True)

    return _LibraryApp(scan, line)


def _titles(pilot: Pilot[None]) -> list[str]:
    lines = screen_text(pilot).splitlines()
    words = [
        line.partition("session ")[2].partition(" ")[0] for line in lines if "session " in line
    ]
    return [word for word in words if word.isdigit()]


def _header(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(HomeHeader))


def _current(pilot: Pilot[None]) -> str | None:
    entry = pilot.app.screen.query_one(SessionList).current
    return entry.info.title if entry else None


async def _all_found(pilot: Pilot[None]) -> None:
    def at_rest() -> bool:
        screen = pilot.app.screen
        assert isinstance(screen, LibraryScreen)
        listing = screen._work.busy  # pyright: ignore[reportPrivateUsage]
        return _current(pilot) is not None and "reading" not in _header(pilot) and not listing

    await until(pilot, at_rest)


async def test_lists_newest_first_with_what_is_known() -> None:
    async with _app(_info(3), _info(1), _info(2)).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _titles(pilot) == ["1", "2", "3"])
        line = next(x for x in screen_text(pilot).splitlines() if "session 2" in x)
        found = ["○", "your-turn", "Ac", "session", "2", "p2/repo", "2m", "ago"]
        assert line.split()[:8] == found
        assert set(line.split()[8:]) == {"–"}
        assert "3 sessions" in _header(pilot)
        assert "● 3 live" in _header(pilot)


async def test_fills_in_while_it_scans_and_leaves_the_cursor_on_its_session() -> None:
    gates = [asyncio.Event() for _ in range(2)]
    loop = asyncio.get_running_loop()

    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((), 3)
        yield _found(_info(5), _info(6), total=3)
        asyncio.run_coroutine_threadsafe(gates[0].wait(), loop).result()
        yield _found(_info(1), total=3, done=True)

    async with _LibraryApp(scan).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "reading 2 of 3" in _header(pilot))
        await until(pilot, lambda: _titles(pilot) == ["5", "6"])
        await pilot.press("j")
        await until(pilot, lambda: _current(pilot) == "session 6")
        gates[0].set()
        await until(pilot, lambda: _titles(pilot) == ["1", "5", "6"])
        assert _current(pilot) == "session 6"


@pytest.mark.parametrize(
    ("keys", "current"),
    [
        ("", 0),
        ("j", 1),
        ("down down up", 1),
        ("k", 0),
        ("G", 99),
        ("G g", 0),
        ("end", 99),
        ("end home", 0),
        ("pagedown pageup", 0),
        ("ctrl+d ctrl+u", 0),
    ],
)
async def test_keys_move(keys: str, current: int) -> None:
    async with _app(*(_info(n) for n in range(100))).run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press(*keys.split())
        assert _current(pilot) == f"session {current}"
        assert f"session {current} " in screen_text(pilot)


@pytest.mark.parametrize("key", ["enter", "space"])
async def test_opens_the_session_under_the_cursor(key: str) -> None:
    app = _app(_info(1), _info(2))
    async with app.run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press("j", key)
        await until(pilot, lambda: [ref.session_id for ref in app.chosen] == ["s2"])


async def test_a_double_click_opens() -> None:
    app = _app(_info(1), _info(2))
    async with app.run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        # Below the heading of the day, each session has two lines.
        await pilot.click(SessionList, offset=(20, 3), times=2)
        await until(pilot, lambda: [ref.session_id for ref in app.chosen] == ["s2"])


async def test_filters_as_it_is_typed() -> None:
    async with _app(*(_info(n) for n in range(1, 10))).run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press("slash")
        await typed(pilot, "project:p1")
        await until(pilot, lambda: _titles(pilot) == ["1", "4", "7"])
        assert "3 match" in _header(pilot)
        await pilot.press("down")
        assert _current(pilot) == "session 4"
        await pilot.press("enter")
        await until(pilot, lambda: not pilot.app.screen.query(InputLine))
        assert _titles(pilot) == ["1", "4", "7"]
        await pilot.press("escape")
        await until(pilot, lambda: len(_titles(pilot)) == 9)


async def test_a_filter_is_given_up_with_escape() -> None:
    async with _app(_info(1), _info(2)).run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press("f")
        await typed(pilot, "unicorn")
        await until(pilot, lambda: "no matches" in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: _titles(pilot) == ["1", "2"])
        await pilot.press("j")
        assert _current(pilot) == "session 2"


async def test_a_line_that_is_not_a_filter_can_be_mended() -> None:
    async with _app(*(_info(n) for n in range(1, 10))).run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press("slash")
        await typed(pilot, "kind:p1")
        await pilot.press("enter")
        await until(pilot, lambda: "unknown" in screen_text(pilot))
        assert pilot.app.screen.query(InputLine)
        await pilot.press("home", *["delete"] * 4, *"project", "enter")
        await until(pilot, lambda: _titles(pilot) == ["1", "4", "7"])
        assert not pilot.app.screen.query(InputLine)


async def test_begins_with_a_filter() -> None:
    async with _app(_info(1), _info(2), line="project:p1").run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _titles(pilot) == ["1"])


async def test_agents_stand_below_their_session_when_asked_for() -> None:
    app = _app(_info(1), _info(2), _info(7, parent=2))
    async with app.run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        assert _titles(pilot) == ["1", "2"]
        assert "session 2  +1" in screen_text(pilot)
        await pilot.press("a")
        await pilot.pause()
        assert _titles(pilot) == ["1", "2", "7"]
        assert "└ session 7" in screen_text(pilot)
        assert "2 sessions" in _header(pilot)
        await pilot.press("a")
        await pilot.pause()
        assert _titles(pilot) == ["1", "2"]


async def test_says_where_it_looked_when_there_is_nothing() -> None:
    async with _app().run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "no sessions found" in screen_text(pilot))
        await until(pilot, lambda: "/logs" in screen_text(pilot))


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_names_some_of_many_places_where_there_is_nothing(size: tuple[int, int]) -> None:
    roots = [("claude_code", Path(f"/nowhere/shelf{number}")) for number in range(40)]
    app = AgentViewApp(LaunchOptions(Screen.LIBRARY), roots=roots)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: "/nowhere/shelf" in screen_text(pilot))
        text = screen_text(pilot)
        assert text.count("/nowhere/shelf") == 8
        assert "… and 32 more; agentview doctor lists them" in text
        assert "⏎ plays a sample" in text


@pytest.mark.parametrize("key", ["r", "f5"])
async def test_looks_again(key: str) -> None:
    infos, gone = [_info(1)], list[str]()

    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield _found(*infos, total=len(infos))
        yield ScanBatch((), len(infos), len(infos), tuple(gone), done=True)

    async with _LibraryApp(scan).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: _titles(pilot) == ["1"])
        infos[:], gone[:] = [_info(2)], [_info(1).ref.path]
        await pilot.press(key)
        await until(pilot, lambda: _titles(pilot) == ["2"])


async def test_ten_thousand_sessions_are_listed_without_holding_the_loop() -> None:
    infos = [_info(n) for n in range(10_000)]

    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((), len(infos))
        for start in range(0, len(infos), 1_000):
            yield _found(*infos[start : start + 1_000], total=len(infos))

    async with _LibraryApp(scan).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "10,000 sessions" in _header(pilot))
        await pilot.press("G")
        assert _current(pilot) == "session 9999"
        assert len(pilot.app.screen.query("*")) < 20


@pytest.mark.parametrize("size", [(20, 5), (60, 15), (1, 1)])
async def test_every_key_works_at_any_size(size: tuple[int, int]) -> None:
    async with _app(*(_info(n) for n in range(30))).run_test(size=size) as pilot:
        await pilot.press(
            *[
                "j",
                "k",
                "G",
                "g",
                "s",
                "r",
                "pagedown",
                "pageup",
                "ctrl+d",
                "ctrl+u",
                "slash",
                "a",
                "escape",
            ]
        )
        assert pilot.app.is_running


async def test_hostile_titles_do_not_reach_the_terminal() -> None:
    info = replace(_info(1), title="\x1b]0;x\x07 [red]evil[/] \u202e", branch="a\nb")
    async with _app(info).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "[red]evil[/]" in screen_text(pilot))
        assert "\x1b" not in screen_text(pilot)
        assert "\u202e" not in screen_text(pilot)


@pytest.mark.slow
async def test_opens_and_leaves_sessions_of_this_machine(tmp_path: Path) -> None:
    name = "claude_code"
    root = tmp_path / "root"
    shutil.copytree(sample_sessions_dir() / name, root)
    for path in root.rglob("*"):
        os.utime(path)
    app = AgentViewApp(LaunchOptions(Screen.LIBRARY), clock=lambda: NOW, roots=[(name, root)])
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: pilot.app.screen.query_one(SessionList).current is not None)
        await _all_found(pilot)
        assert " CC  " in screen_text(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        await pilot.press("q")
        await until(pilot, lambda: not pilot.app.is_running)


async def test_the_list_takes_keys_again_after_there_was_nothing_to_list() -> None:
    async with _app(_info(1), _info(2)).run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press("slash")
        await typed(pilot, "unicorn")
        await until(pilot, lambda: "no matches" in screen_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: not pilot.app.screen.query(InputLine))
        await pilot.pause(0.2)
        await pilot.press("escape")
        await until(pilot, lambda: _titles(pilot) == ["1", "2"])
        await pilot.pause()
        await pilot.press("j")
        assert _current(pilot) == "session 2"


async def test_says_of_how_many_a_filter_cannot_tell_yet() -> None:
    async with _app(_info(1), _info(2)).run_test(size=SIZE) as pilot:
        await _all_found(pilot)
        await pilot.press("slash")
        await typed(pilot, "problems:>3")
        await until(pilot, lambda: "0 match, 2 not indexed yet" in _header(pilot))
        assert "2 of them are not indexed yet" in screen_text(pilot)


async def test_says_how_far_indexing_has_come() -> None:
    gate = asyncio.Event()
    loop = asyncio.get_running_loop()

    def scan(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield _found(_info(1), _info(2), total=2, done=True)

    def index(_stopped: Callable[[], bool]) -> Iterator[ScanBatch]:
        yield ScanBatch((SessionFacts(_info(1), totals(problems=7)),), 2, 1)
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()
        yield ScanBatch((SessionFacts(_info(2), totals(problems=0)),), 2, 2, done=True)

    app = _LibraryApp(scan)
    feed = LibraryFeed(LibrarySources(scan, index), Listing())
    app.library = LibraryScreen(feed, LOOKS, "problems:")
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "indexed 1 of 2  1 match, 1 not indexed yet" in _header(pilot))
        await until(pilot, lambda: _titles(pilot) == ["1"])
        gate.set()
        await until(pilot, lambda: _header(pilot).endswith("1 match"))
