"""The library over real logs: columns, groups, order, filters, what is copied."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.domain.sort_order import Column
from agentview.sessions.library.periods import Period
from agentview.sessions.library.session_list import Entry
from agentview.settings.reading import EffectiveSettings, read_settings
from agentview.timeline.view.format_numbers import tokens
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.saved_filters import SavedFiltersScreen
from agentview.ui.widgets.lists.session_list import Line, ListHeading, SessionList
from agentview.ui.widgets.prompt_line import InputLine
from tests.claude_log import ClaudeLog, conversation, write
from tests.ui.app_under_test import screen_text, typed, until
from tests.ui.screens.homes import all_indexed, header_text, library_over, samples

NAMES = ("claude_code", "codex")
WIDE = (160, 45)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    samples(root, *NAMES)
    return root


def listed(pilot: Pilot[None]) -> SessionList:
    return pilot.app.screen.query_one(SessionList)


def heading(pilot: Pilot[None]) -> str:
    lines = screen_text(pilot).splitlines()
    return next(line for line in lines if " title" in line and " active" in line)


def column(pilot: Pilot[None], name: Column) -> list[str]:
    """What a column says of the sessions on the screen, from the top."""
    start, width = listed(pilot).columns.places[name]
    region = listed(pilot).content_region
    lines = screen_text(pilot).splitlines()[region.y : region.bottom]
    left = region.x + start
    shown = rows(pilot)[round(listed(pilot).scroll_y) :]
    pairs = zip(lines, shown, strict=False)
    cells = [line[left : left + width].strip() for line, row in pairs if isinstance(row, Entry)]
    return [cell for cell in cells if cell]


def rows(pilot: Pilot[None]) -> Sequence[Line]:
    return listed(pilot)._rows  # pyright: ignore[reportPrivateUsage]


def sums(cells: list[str]) -> list[float]:
    sizes = {"k": 1e3, "M": 1e6}
    known = [cell.strip("~$<+").replace(",", "") for cell in cells if cell != "–"]
    return [float(cell.rstrip("kM")) * sizes.get(cell[-1], 1.0) for cell in known]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "names"),
    [
        ((60, 15), "state provider title project active"),
        ((80, 24), "state title project active▾ cost"),
        ((160, 45), "state title project branch active▾ turns prob tokens cost"),
        (
            (240, 45),
            "state client title project branch started active▾ length turns tools prob tokens cost",
        ),
    ],
)
async def test_columns_come_with_the_room_there_is(
    root: Path, size: tuple[int, int], names: str
) -> None:
    async with library_over(root, *NAMES).run_test(size=size) as pilot:
        if size[0] == 240:
            await pilot.press("p")
        await all_indexed(pilot)
        if size[1] > 15:
            assert heading(pilot).split() == names.split()
        else:
            shown = [name.value for name in listed(pilot).columns.places]
            assert shown == names.split()


@pytest.mark.slow
async def test_a_session_is_told_with_what_its_log_holds(root: Path) -> None:
    async with library_over(root, *NAMES).run_test(size=WIDE) as pilot:
        await all_indexed(pilot)
        await pilot.press("slash")
        await typed(pilot, "split bills")
        await until(pilot, lambda: "1 match" in header_text(pilot))
        assert column(pilot, Column.STATE)[0].split()[1] in ("your-turn?", "your-turn", "ended")
        assert column(pilot, Column.PROVIDER)[0] == "CC"
        assert column(pilot, Column.TITLE)[0].split("  ")[0] == "Fix rounding of split bills"
        assert column(pilot, Column.PROJECT)[0] == "ws/till"
        entry = listed(pilot).current
        assert entry is not None
        assert entry.facts.totals is not None
        assert column(pilot, Column.TURNS)[0] == str(entry.facts.totals.turns)
        assert column(pilot, Column.TOKENS)[0] == tokens(entry.figures.tokens)


@pytest.mark.slow
async def test_sorts_by_the_next_column_and_the_other_way_round(root: Path) -> None:
    async with library_over(root, *NAMES).run_test(size=WIDE) as pilot:
        await all_indexed(pilot)
        await pilot.press("s", "s", "s")
        await until(pilot, lambda: "tokens▾" in heading(pilot))
        assert not [row for row in rows(pilot) if isinstance(row, Period)]
        found = sums(column(pilot, Column.TOKENS))
        assert found == sorted(found, reverse=True)
        assert len(set(found)) > 3
        await pilot.press("S")
        await until(pilot, lambda: "tokens▴" in heading(pilot))
        found = sums(column(pilot, Column.TOKENS))
        assert found == sorted(found)


@pytest.mark.slow
async def test_a_click_on_a_heading_sorts_another_one_turns(root: Path) -> None:
    async with library_over(root, *NAMES).run_test(size=WIDE) as pilot:
        await all_indexed(pilot)
        offset = (heading(pilot).index("title"), 0)
        await pilot.click(ListHeading, offset=offset)
        await until(pilot, lambda: "title▴" in heading(pilot))
        titles = [title.casefold()[:12] for title in column(pilot, Column.TITLE)]
        known = [title for title in titles if not title.startswith("untitled")]
        assert known == sorted(known)
        await pilot.click(ListHeading, offset=offset)
        await until(pilot, lambda: "title▾" in heading(pilot))


@pytest.mark.slow
async def test_groups_by_project_then_by_day_with_counts_and_sums(root: Path) -> None:
    async with library_over(root, *NAMES).run_test(size=(160, 120)) as pilot:
        await all_indexed(pilot)
        await pilot.press("b")
        await until(pilot, lambda: "by project" in header_text(pilot))
        line = next(line for line in screen_text(pilot).splitlines() if "▪ ws/till" in line)
        assert "1 session" in line
        assert "$" in line
        first = listed(pilot).current
        await pilot.press("right_curly_bracket")
        second = listed(pilot).current
        assert first is not None
        assert second is not None
        assert first.info.project != second.info.project
        await pilot.press("left_curly_bracket")
        back = listed(pilot).current
        assert back is not None
        assert back.path == first.path
        await pilot.press("b")
        await until(pilot, lambda: "by day" in header_text(pilot))
        assert "▪ " in screen_text(pilot)
        await pilot.press("b")
        await until(pilot, lambda: "by " not in header_text(pilot))
        assert "▪ " not in screen_text(pilot)


@pytest.mark.slow
async def test_what_is_not_indexed_is_said_and_comes_with_the_index(root: Path) -> None:
    app = library_over(root, *NAMES)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("slash")
        await typed(pilot, "tool:bash problems:>0")
        await all_indexed(pilot)
        assert "match" in header_text(pilot)
        assert "not indexed" not in header_text(pilot)
        assert all(int(cell) > 0 for cell in column(pilot, Column.PROBLEMS))
        await pilot.press("escape")
        await pilot.press("slash")
        await typed(pilot, "cost:much")
        await until(pilot, lambda: "invalid filter: cost:much" in screen_text(pilot))


@pytest.mark.slow
async def test_agents_stand_below_their_sessions(root: Path) -> None:
    async with library_over(root, *NAMES).run_test(size=(160, 60)) as pilot:
        await all_indexed(pilot)
        await pilot.press("a")
        await until(pilot, lambda: "└ " in screen_text(pilot))


def settings(tmp_path: Path, text: str = "") -> EffectiveSettings:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return read_settings({"AGENTVIEW_CONFIG": str(path)})


@pytest.mark.slow
async def test_a_filter_is_saved_chosen_and_dropped(root: Path, tmp_path: Path) -> None:
    in_force = settings(tmp_path, "# mine\n")
    app = library_over(root, *NAMES, settings=in_force)
    async with app.run_test(size=WIDE) as pilot:
        await all_indexed(pilot)
        await pilot.press("m")
        await until(pilot, lambda: "no filter to save" in screen_text(pilot))
        await pilot.press("slash")
        await typed(pilot, "project:till")
        await until(pilot, lambda: "1 match" in header_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: not pilot.app.screen.query(InputLine))
        await pilot.press("m")
        await typed(pilot, "my till")
        await pilot.press("enter")
        path = in_force.path
        assert path is not None
        await until(pilot, lambda: '"my till" = "project:till"' in path.read_text())
        assert "# mine" in path.read_text()
        await pilot.press("escape")
        await until(pilot, lambda: "match" not in header_text(pilot))
        await pilot.press("apostrophe")
        await until(pilot, lambda: isinstance(pilot.app.screen, SavedFiltersScreen))
        assert "my till  project:till" in screen_text(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        await until(pilot, lambda: "1 match" in header_text(pilot))
        await pilot.press("apostrophe")
        await until(pilot, lambda: isinstance(pilot.app.screen, SavedFiltersScreen))
        await pilot.press("d")
        await until(pilot, lambda: "my till" not in path.read_text())
        await until(pilot, lambda: isinstance(pilot.app.screen, LibraryScreen))
        await pilot.press("apostrophe")
        await until(pilot, lambda: "no saved filters" in screen_text(pilot))


async def test_what_quits_does_so_from_the_saved_filters_too(root: Path, tmp_path: Path) -> None:
    saved = settings(tmp_path, '[library.filters]\nfirst = "project:x"\n')
    app = library_over(root, settings=saved)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.press("apostrophe")
        await until(pilot, lambda: isinstance(app.screen, SavedFiltersScreen))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not app.is_running)
    assert app.return_code == 0


@pytest.mark.slow
async def test_begins_as_the_settings_say(root: Path, tmp_path: Path) -> None:
    text = '[library]\nsort = "cost"\nreverse = true\ngroup = "day"\npreview = false\n'
    app = library_over(root, *NAMES, settings=settings(tmp_path, text))
    async with app.run_test(size=WIDE) as pilot:
        await all_indexed(pilot)
        assert "by day" in header_text(pilot)
        assert "cost▴" in heading(pilot)
        assert not pilot.app.screen.has_class("-below")


@pytest.mark.slow
async def test_ascii_signs_stand_where_they_are_asked_for(root: Path, tmp_path: Path) -> None:
    app = library_over(root, *NAMES, settings=settings(tmp_path, '[timeline]\nicons = "ascii"\n'))
    async with app.run_test(size=(100, 20)) as pilot:
        await all_indexed(pilot)
        await pilot.press("b", "a")
        await until(pilot, lambda: "# " in screen_text(pilot))
        assert "activev" in heading(pilot)
        text = "\n".join(screen_text(pilot).splitlines()[1:-1])
        assert not set(text) & set("▾▴▪└●◌○⊘…—–")
        assert "-" in text


@pytest.mark.slow
@pytest.mark.parametrize("key", ["y", "Y", "c"])
async def test_copies_id_path_and_the_line_that_resumes(root: Path, key: str) -> None:
    app = library_over(root, *NAMES)
    async with app.run_test(size=WIDE) as pilot:
        await all_indexed(pilot)
        await pilot.press("slash")
        await typed(pilot, "split bills")
        await until(pilot, lambda: "1 match" in header_text(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: not pilot.app.screen.query(InputLine))
        await pilot.press(key)
        entry = listed(pilot).current
        assert entry is not None
        name = entry.info.ref.session_id
        wanted = {
            "y": name,
            "Y": entry.path,
            "c": f"cd /home/dev/ws/till && claude --resume {name}",
        }
        await until(pilot, lambda: app.clipboard == wanted[key])
        assert "copied" in screen_text(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["agentview-light", "high-contrast", "agentview-dark"])
async def test_the_row_under_the_cursor_is_seen(root: Path, tmp_path: Path, theme: str) -> None:
    app = library_over(root, *NAMES, settings=settings(tmp_path, f'theme = "{theme}"\n'))
    async with app.run_test(size=(80, 24)) as pilot:
        await all_indexed(pilot)
        rows = listed(pilot)
        chosen, other = (rows.render_line(y) for y in (1, 0))
        assert rows.cursor == 1
        colors = [{s.style.bgcolor for s in strip if s.style} for strip in (chosen, other)]
        assert len(colors[0]) == 1
        assert colors[0].isdisjoint(colors[1])


@pytest.mark.slow
async def test_days_are_headings_in_the_order_of_time(tmp_path: Path) -> None:
    now = time.time()
    for number, days in enumerate((0.0, 1.0, 400.0)):
        log = ClaudeLog(f"0b5f3a52-0000-4000-8000-00000000000{number}", began=now - days * 86_400)
        path = tmp_path / "claude_code" / "-home-dev-ws-shop" / f"{log.session}.jsonl"
        write(path, [log.prompt(f"Prompt {number}")])
    year = time.localtime(now - 400 * 86_400).tm_year
    async with library_over(tmp_path, "claude_code").run_test(size=(100, 24)) as pilot:
        await all_indexed(pilot)

        def told() -> list[str]:
            names = [row.label if isinstance(row, Period) else "" for row in rows(pilot)]
            return [name for name in names if name]

        assert told()[:2] == ["Today", "Yesterday"]
        assert told()[2].endswith(f" {year}")
        assert "Today ─" in screen_text(pilot)
        # The cursor passes over headings; `}` goes to the next day.
        assert column(pilot, Column.TITLE) == ["Prompt 0", "Prompt 1", "Prompt 2"]
        await pilot.press("right_curly_bracket")
        current = listed(pilot).current
        assert current is not None
        assert current.info.title == "Prompt 1"
        await pilot.press("S")
        await until(pilot, lambda: told()[1:] == ["Yesterday", "Today"])


@pytest.mark.slow
async def test_the_most_expensive_sessions_stand_out(tmp_path: Path) -> None:
    for number in range(12):
        log = ClaudeLog(f"0b5f3a52-0000-4000-8000-0000000000{number:02}")
        path = tmp_path / "claude_code" / "-home-dev-ws-shop" / f"{log.session}.jsonl"
        write(path, conversation(log, 40 if number == 7 else 2))
    async with library_over(tmp_path, "claude_code").run_test(size=(100, 24)) as pilot:
        await all_indexed(pilot)
        await until(pilot, lambda: "–" not in column(pilot, Column.COST))
        styles = [
            [style for _, style in listed(pilot).cells_of(row, 97)][-1]
            for row in rows(pilot)
            if isinstance(row, Entry)
        ]
        assert styles.count("list--quiet") == 11
        assert styles.count("list--hot") == 1
