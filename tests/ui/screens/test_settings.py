"""Settings on the screen: they act at once, are kept in the file, and rebind keys."""

import tomllib
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.tools import ToolKind
from agentview.settings import LaunchOptions, Screen
from agentview.settings.reading import EffectiveSettings, read_settings
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.bindings import known_bindings
from agentview.ui.screens.detail import DetailScreen
from agentview.ui.screens.help import HelpScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.screens.settings import SettingsScreen
from agentview.ui.widgets.lists.setting_list import SettingList
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.status_line import StatusLine
from tests.timeline.view.memory import START, MemorySession, answer, prompt, read, shell
from tests.ui.app_under_test import bar_text, screen_text, session_screen, typed, until

SIZE = (160, 45)
LONG = "begin " + "x" * 300 + " end"


def _session() -> MemorySession:
    return MemorySession(
        [
            prompt("find the needle"),
            shell("ls", LONG),
            read("src/a.py", "needle = 1"),
            answer("found"),
            prompt("thanks"),
        ]
    )


def _app(in_force: EffectiveSettings, **start: object) -> AgentViewApp:
    session = _session()
    return AgentViewApp(
        LaunchOptions(Screen.SESSION, session.ref, settings=in_force, **start),  # pyright: ignore[reportArgumentType]
        clock=lambda: START + 7200.0,
        open_session=lambda _ref, _live: session,
    )


def _set(*flags: str) -> EffectiveSettings:
    return read_settings({"AGENTVIEW_CONFIG": "/nowhere/at/all.toml"}, flags)


def _file(tmp_path: Path, text: str = "") -> tuple[Path, EffectiveSettings]:
    path = tmp_path / "config.toml"
    if text:
        path.write_text(text)
    return path, read_settings({"AGENTVIEW_CONFIG": str(path)})


async def _open(pilot: Pilot[None]) -> SettingsScreen:
    await pilot.press("comma")
    await until(pilot, lambda: isinstance(pilot.app.screen, SettingsScreen))
    await pilot.pause()
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    return screen


async def _go(pilot: Pilot[None], key: str) -> None:
    """Put the cursor on the row of a setting."""
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    keys = [row.key for row in screen._rows]  # pyright: ignore[reportPrivateUsage]
    screen.query_one(SettingList).go_to(keys.index(key))
    await pilot.pause()
    assert str(screen.query_one("#about").render()).splitlines()[-1].startswith(f"{key} ")


def _said(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(StatusLine), 400)


async def _text(**settings: str) -> str:
    flags = [f"{key.replace('__', '.')}={value}" for key, value in settings.items()]
    async with _app(_set(*flags)).run_test(size=SIZE) as pilot:
        await pilot.pause()
        return screen_text(pilot)


# Each setting acts


@pytest.mark.slow
async def test_times_are_told_as_they_are_wanted() -> None:
    usual = await _text()
    assert usual.count(":") >= 4
    clock = await _text(timeline__time="clock")
    assert clock.count(":") < usual.count(":")
    assert "2h" in await _text(timeline__time="relative")
    assert "11-21 " in await _text(timeline__time="date")
    none = await _text(timeline__time="none")
    assert ":" not in "".join(line[:20] for line in none.splitlines())


async def test_compact_has_no_rule_and_no_room_around() -> None:
    usual, compact = await _text(), await _text(timeline__density="compact")
    assert "────" in usual
    assert "────" not in compact
    assert usual.splitlines()[1].strip() == ""
    assert "find the needle" in compact.splitlines()[1]


async def test_long_lines_are_folded_or_cut() -> None:
    flags = {"detail__by_tool": "shell=full"}
    assert " end" in await _text(**flags)
    cut = await _text(**flags, timeline__wrap="no")
    assert " end" not in cut
    assert "begin xxx" in cut


async def test_signs_are_ascii_where_that_is_wanted() -> None:
    rows = (await _text(timeline__icons="ascii")).splitlines()[2:-2]
    assert all(row.isascii() for row in rows)


async def test_levels_by_kind_and_for_all() -> None:
    async with _app(_set("detail.default=full", "detail.by_tool=read=title")).run_test() as pilot:
        timeline = session_screen(pilot).timeline
        assert [timeline.level(row) for row in (1, 2)] == [DetailLevel.FULL, DetailLevel.TITLE]
    live = _app(_set("detail.default=full", "detail.default_live=title"), live=True)
    async with live.run_test() as pilot:
        assert session_screen(pilot).timeline.level(1) is DetailLevel.TITLE
    past = _app(_set("detail.default=full", "detail.default_live=title"))
    async with past.run_test() as pilot:
        assert session_screen(pilot).timeline.level(1) is DetailLevel.FULL
    flag = _app(_set("detail.by_tool=shell=full"), detail=DetailLevel.TITLE)
    async with flag.run_test() as pilot:
        assert session_screen(pilot).timeline.level(1) is DetailLevel.TITLE


async def test_levels_by_name_of_a_tool_count_before_its_kind() -> None:
    flags = "detail.by_tool=shell=title;Bash=full;Read=full", "detail.expanded_by_tool=Bash=title"
    async with _app(_set(*flags)).run_test() as pilot:
        timeline = session_screen(pilot).timeline
        assert [timeline.level(row) for row in (1, 2)] == [DetailLevel.FULL, DetailLevel.FULL]
        timeline.select(1)
        await pilot.press("space")
        assert timeline.level(1) is DetailLevel.TITLE
        await pilot.press("comma")
        await _go(pilot, "detail.by_tool.Bash")


async def test_expanding_leads_to_the_level_that_is_set() -> None:
    in_force = _set("detail.expanded_default=full", "detail.expanded_by_tool=shell=title")
    async with _app(in_force).run_test() as pilot:
        timeline = session_screen(pilot).timeline
        timeline.select(2)
        await pilot.press("space")
        assert timeline.level(2) is DetailLevel.FULL
        await pilot.press("space")
        assert timeline.level(2) is DetailLevel.TITLE
        timeline.select(1)
        await pilot.press("space")
        assert timeline.level(1) is DetailLevel.TITLE


async def test_enter_opens_where_that_is_wanted_and_space_still_expands() -> None:
    async with _app(_set("detail.on_enter=open")).run_test(size=SIZE) as pilot:
        screen = session_screen(pilot)
        screen.timeline.select(1)
        await pilot.press("space")
        assert screen.timeline.level(1) is DetailLevel.FULL
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))


async def test_the_detail_screen_begins_with_the_raw_view_where_that_is_wanted() -> None:
    for flags, tab in (((), 0), (("debug.raw_by_default=yes",), 3)):
        async with _app(_set(*flags)).run_test(size=SIZE) as pilot:
            await pilot.press("o")
            await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))
            await pilot.pause()
            assert pilot.app.screen.query_one("TabBar").chosen == tab  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]


@pytest.mark.parametrize(("mode", "split"), [("auto", None), ("split", True), ("unified", False)])
async def test_the_mode_of_diffs_reaches_the_rows(mode: str, split: bool | None) -> None:
    async with _app(_set(f"diff.mode={mode}")).run_test() as pilot:
        assert session_screen(pilot).timeline._space.split is split  # pyright: ignore[reportPrivateUsage]


# Keys


async def test_a_binding_is_rebound_by_its_id_and_help_tells_it() -> None:
    async with _app(_set("keymap.timeline.up=w", "keymap.app.help=f1")).run_test(
        size=SIZE
    ) as pilot:
        screen = session_screen(pilot)
        await pilot.press("w")
        assert screen.timeline.selected == 3
        await pilot.press("k")
        assert screen.timeline.selected == 3
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
        await pilot.pause()
        line = next(x for x in screen_text(pilot).splitlines() if "Previous activity" in x)
        assert line.split()[0] == "w"


async def test_a_key_that_is_bound_twice_is_told() -> None:
    async with _app(_set("keymap.timeline.raw=f")).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "f is bound twice" in _said(pilot))
        assert "timeline.filter and timeline.raw" in _said(pilot)


def test_every_binding_has_an_id_of_its_own_and_a_sentence() -> None:
    known = known_bindings(AgentViewApp)
    assert len({binding.id for binding in known}) == len(known) > 70
    assert [binding.id for binding in known if not binding.sentence] == []
    declared = {binding.scope for binding in known}
    for scope in declared:
        for binding in scope.BINDINGS:
            assert getattr(binding, "id", None), (scope, binding)


# The screen


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
async def test_what_quits_does_so_from_the_settings_too(key: str) -> None:
    app = _app(_set())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("comma")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))
        await pilot.press(key)
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


async def test_a_change_acts_at_once_and_is_written_where_it_says(tmp_path: Path) -> None:
    path, in_force = _file(tmp_path, "# mine\n[timeline]\nwrap = true\n")
    async with _app(in_force).run_test(size=SIZE) as pilot:
        session = session_screen(pilot)
        screen = await _open(pilot)
        assert "from the file" not in str(screen.query_one("#about").render())
        await _go(pilot, "timeline.density")
        await pilot.press("l")
        await until(pilot, lambda: "timeline.density written to" in _said(pilot))
        assert str(path) in _said(pilot)
        assert session.has_class("-compact")
        assert "────" not in "\n".join(x[:70] for x in screen_text(pilot).splitlines())
        assert "from the file" in str(screen.query_one("#about").render())
        await _go(pilot, "detail.by_tool.shell")
        await pilot.press("l")
        await until(pilot, lambda: session.timeline.level(1) is DetailLevel.FULL)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
    assert path.read_text().startswith("# mine\n[timeline]\nwrap = true\n")
    assert tomllib.loads(path.read_text()) == {
        "timeline": {"wrap": True, "density": "compact"},
        "detail": {"by_tool": {"shell": "full"}},
    }


async def test_back_to_the_default_takes_it_out_of_the_file(tmp_path: Path) -> None:
    path, in_force = _file(tmp_path, '[timeline]\ntime = "none" # quiet\nwrap = true\n')
    async with _app(in_force).run_test(size=SIZE) as pilot:
        await _open(pilot)
        await _go(pilot, "timeline.time")
        await pilot.press("backspace")
        await until(pilot, lambda: "time =" not in path.read_text())
        assert tomllib.loads(path.read_text()) == {"timeline": {"wrap": True}}


async def test_the_theme_changes_behind_the_settings(tmp_path: Path) -> None:
    path, in_force = _file(tmp_path)
    async with _app(in_force).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(pilot.app.available_themes) > 3)
        before = session_screen(pilot).options.palette
        session = session_screen(pilot)
        await _open(pilot)
        assert not path.exists()
        await pilot.press("l")
        await until(pilot, lambda: session.options.palette != before)
        assert pilot.app.theme == tomllib.loads(path.read_text())["theme"]


@pytest.mark.slow
async def test_a_key_is_typed_and_a_wrong_one_refused(tmp_path: Path) -> None:
    path, in_force = _file(tmp_path)
    async with _app(in_force).run_test(size=SIZE) as pilot:
        session = session_screen(pilot)
        await _open(pilot)
        await _go(pilot, "keymap.timeline.up")
        await pilot.press("enter")
        await typed(pilot, "x")
        await pilot.press("enter")
        await until(pilot, lambda: "upx is not a key" in _said(pilot))
        assert not path.exists()
        await pilot.press("enter")
        await until(pilot, lambda: bool(pilot.app.screen.query(InputLine)))
        for _ in range(len("k,up")):
            await pilot.press("backspace")
        await typed(pilot, "w")
        await pilot.press("enter")
        await until(pilot, path.exists)
        assert tomllib.loads(path.read_text()) == {"keymap": {"timeline.up": "w"}}
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        await pilot.press("w")
        assert session.timeline.selected == 3


async def test_a_read_only_file_is_told_and_the_change_holds(tmp_path: Path) -> None:
    path, in_force = _file(tmp_path, "# mine\n")
    path.chmod(0o444)
    async with _app(in_force).run_test(size=SIZE) as pilot:
        session = session_screen(pilot)
        await _open(pilot)
        await _go(pilot, "timeline.density")
        await pilot.press("l")
        await until(pilot, lambda: "is read-only" in _said(pilot))
        assert session.has_class("-compact")
    assert path.read_text() == "# mine\n"


async def test_a_variable_that_counts_more_is_told(tmp_path: Path) -> None:
    env = {"AGENTVIEW_CONFIG": str(tmp_path / "c.toml"), "AGENTVIEW_TIMELINE_TIME": "date"}
    async with _app(read_settings(env)).run_test(size=SIZE) as pilot:
        screen = await _open(pilot)
        await _go(pilot, "timeline.time")
        about = str(screen.query_one("#about").render())
        assert "from AGENTVIEW_TIMELINE_TIME, which overrides the file" in about


@pytest.mark.slow
async def test_every_row_can_be_reached_and_changed_at_any_size(tmp_path: Path) -> None:
    for size in ((80, 24), (40, 10), (20, 5)):
        async with _app(_file(tmp_path)[1]).run_test(size=size) as pilot:
            screen = await _open(pilot)
            listed = screen.query_one(SettingList)
            last = -1
            while listed.cursor != last:
                last = listed.cursor
                await pilot.press("right_curly_bracket")
            await pilot.press("G", "g", "pagedown", "pageup", "left_curly_bracket")
            assert screen_text(pilot)


async def test_a_click_selects_and_a_second_one_changes(tmp_path: Path) -> None:
    path, in_force = _file(tmp_path)
    async with _app(in_force).run_test(size=(80, 24)) as pilot:
        screen = await _open(pilot)
        listed = screen.query_one(SettingList)
        rows = screen_text(pilot).splitlines()
        y = next(at for at, row in enumerate(rows) if "density" in row) - listed.region.y
        await pilot.click(SettingList, offset=(6, y))
        assert not path.exists()
        await pilot.pause(0.6)
        await pilot.click(SettingList, offset=(6, y))
        await until(pilot, path.exists)
        assert tomllib.loads(path.read_text()) == {"timeline": {"density": "compact"}}


async def test_changed_levels_take_the_place_of_what_was_chosen_for_all(tmp_path: Path) -> None:
    async with _app(_file(tmp_path)[1]).run_test(size=SIZE) as pilot:
        session = session_screen(pilot)
        await pilot.press("1")
        assert session.timeline.level(1) is DetailLevel.TITLE
        await _open(pilot)
        await _go(pilot, f"detail.by_tool.{ToolKind.SHELL}")
        await pilot.press("l")
        await until(pilot, lambda: session.timeline.level(1) is DetailLevel.FULL)
