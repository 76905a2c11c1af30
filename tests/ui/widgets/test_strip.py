"""The strip of a session: what it draws, what it marks, and where a click leads."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import RenderableType
from textual import on
from textual.app import App, ComposeResult
from textual.color import Color
from textual.screen import Screen

from agentview.ui.app import AgentViewApp
from agentview.ui.messages import RowRequested
from agentview.ui.render.style.glyphs import ASCII, UNICODE
from agentview.ui.render.style.palette import PLAIN, palette_of
from agentview.ui.textual_theme import textual_theme
from agentview.ui.themes import load_themes, theme_directories
from agentview.ui.timeline.minimap import Minimap
from tests.timeline.view.memory import MemorySession, answer, prompt, read, shell
from tests.ui.app_under_test import app_over, until

SPEC = load_themes(theme_directories()).loaded["agentview-dark"]


class StripApp(App[None]):
    def __init__(self, session: MemorySession) -> None:
        super().__init__()
        self.session = session
        self.asked: list[int] = []

    def compose(self) -> ComposeResult:
        strip = Minimap(self.session)
        self.session.subscribe(strip.rows_changed)
        yield strip

    def on_mount(self) -> None:
        self.register_theme(textual_theme(SPEC))
        self.theme = SPEC.name

    @on(RowRequested)
    def _asked(self, event: RowRequested) -> None:
        self.asked.append(event.row)


def drawn(app: StripApp) -> list[tuple[str, str | None, bool]]:
    """Sign, colour, and whether it is marked as in view, of each cell."""
    strip = app.query_one(Minimap)
    found: list[tuple[str, str | None, bool]] = []
    for segment in strip.render_line(0):
        assert segment.style is not None
        color = segment.style.color.name if segment.style.color else None
        found += [(sign, color, bool(segment.style.underline)) for sign in segment.text]
    return found


def near(color: str | None, wanted: str) -> bool:
    """Whether two colours are the same but for rounding."""
    pairs = zip(Color.parse(color or "black").rgb, Color.parse(wanted).rgb, strict=True)
    return all(abs(left - right) <= 1 for left, right in pairs)


def signs(app: StripApp) -> str:
    return "".join(sign for sign, _, _ in drawn(app))


def session() -> MemorySession:
    return MemorySession([prompt("do"), read("a.py"), shell("ls"), shell("x", exit_code=1)])


async def test_each_row_stands_as_high_as_what_it_did_and_in_its_colour() -> None:
    app = StripApp(session())
    async with app.run_test(size=(42, 3)) as pilot:
        await pilot.pause(0.3)
        assert signs(app) == "▁" * 10 + "▃" * 10 + "▅" * 20
        colors = [color for _, color, _ in drawn(app)]
        assert len({colors[0], colors[15], colors[35]}) == 3
        assert colors[15] == colors[25]
        assert near(colors[35], SPEC.colors.error)


async def test_the_rows_in_view_are_marked() -> None:
    app = StripApp(session())
    async with app.run_test(size=(42, 3)) as pilot:
        await pilot.pause(0.3)
        app.query_one(Minimap).set_viewport(1, 2)
        assert [marked for _, _, marked in drawn(app)] == [10 <= at < 30 for at in range(40)]
        app.query_one(Minimap).set_viewport(None, None)
        assert not any(marked for _, _, marked in drawn(app))


async def test_new_rows_come_in_a_while_and_none_in_between() -> None:
    memory = session()
    app = StripApp(memory)
    async with app.run_test(size=(42, 3)) as pilot:
        await until(pilot, lambda: bool(signs(app).strip()))
        await pilot.pause(0.3)
        memory.append(answer("0"))
        at_once = signs(app)
        assert at_once == "▁" * 8 + "▃" * 8 + "▅" * 16 + "▁" * 8
        for number in range(1, 4):
            memory.append(answer(str(number)))
        assert signs(app) == at_once
        await pilot.pause(0.6)
        assert signs(app) == "▁" * 5 + "▃" * 5 + "▅" * 10 + "▁" * 20
        memory.prepend(*[prompt("earlier")] * 8)
        await pilot.pause(0.6)
        assert signs(app).startswith("▁" * 20)


async def test_a_click_asks_for_the_row_under_it_and_a_drag_for_those_it_passes() -> None:
    app = StripApp(session())
    async with app.run_test(size=(42, 3)) as pilot:
        await pilot.pause(0.3)
        await pilot.click(Minimap, offset=(12, 0))
        await pilot.pause()
        assert app.asked == [1]
        await pilot.mouse_down(Minimap, offset=(2, 0))
        await pilot.hover(Minimap, offset=(14, 0))
        await pilot.hover(Minimap, offset=(15, 0))
        await pilot.hover(Minimap, offset=(41, 0))
        await pilot.mouse_up(Minimap, offset=(41, 0))
        await pilot.hover(Minimap, offset=(2, 0))
        await pilot.pause()
        assert app.asked == [1, 0, 1, 3]


async def test_without_colours_a_sign_tells_of_problems_and_ascii_is_drawn_where_asked_for() -> (
    None
):
    app = StripApp(session())
    async with app.run_test(size=(42, 3)) as pilot:
        await pilot.pause(0.3)
        strip = app.query_one(Minimap)
        strip.set_view(PLAIN, UNICODE)
        assert signs(app) == "▁" * 10 + "▃" * 10 + "▅" * 10 + "✗" * 10
        strip.set_view(PLAIN, ASCII)
        assert signs(app) == "_" * 10 + "-" * 10 + "+" * 10 + "x" * 10
        strip.set_view(palette_of(SPEC), ASCII)
        assert signs(app) == "_" * 10 + "-" * 10 + "+" * 20


async def test_no_rows_and_no_room_are_no_trouble(tmp_path: Path) -> None:
    app = StripApp(MemorySession(path=tmp_path / "none.jsonl"))
    async with app.run_test(size=(2, 1)) as pilot:
        await pilot.pause(0.3)
        await pilot.click(Minimap)
        await pilot.resize_terminal(42, 3)
        await pilot.pause(0.3)
        assert signs(app) == " " * 40
        assert app.asked == []


async def test_where_all_parts_have_problems_and_turns_only_the_worst_stand_out() -> None:
    bad, good = shell("x", exit_code=1), shell("ls")
    rows = [prompt("do"), bad, good, good] * 16 + [bad] * 16
    app = StripApp(MemorySession(rows))
    async with app.run_test(size=(22, 3)) as pilot:
        await pilot.pause(0.3)
        failed = [near(color, SPEC.colors.error) for _, color, _ in drawn(app)]
        assert failed == [False] * 16 + [True] * 4
        assert len({color for _, color, _ in drawn(app)[:16]}) == 1


async def test_it_moves_with_the_rows_in_one_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_over(MemorySession([shell(f"echo {n}", str(n)) for n in range(300)]))
    paint, frames = AgentViewApp._display, 0  # pyright: ignore[reportPrivateUsage, reportUnknownVariableType, reportUnknownMemberType]

    def counting(screen: Screen[object], update: RenderableType | None) -> None:
        nonlocal frames
        frames += update is not None
        paint(app, screen, update)

    monkeypatch.setattr(app, "_display", counting)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: bool(app.screen.query(Minimap)))
        strip = app.screen.query_one(Minimap)

        def marked() -> list[int]:
            parts = [(cells.text, cells.style) for cells in strip.render_line(0)]
            cells = enumerate(style for text, style in parts for _ in text)
            return [at for at, style in cells if style and style.underline]

        await until(pilot, lambda: bool(marked()))
        painted: dict[str, list[int]] = {}
        # Other parts of the screen paint a frame of their own now and then.
        for key in ("pageup", "g", "G") * 3:
            before, earlier = marked(), frames
            await pilot.press(key)
            await until(pilot, lambda before=before: marked() != before)
            await pilot.pause(0.1)
            painted.setdefault(key, []).append(frames - earlier)
        assert {key: min(counts) for key, counts in painted.items()} == dict.fromkeys(painted, 1)


async def test_times_of_its_ends_stand_beside_it_where_there_is_room() -> None:
    session = MemorySession([prompt("go"), *[shell("make", "", 0) for _ in range(130)]])
    app = StripApp(session)
    async with app.run_test(size=(100, 5)) as pilot:
        strip = app.query_one(Minimap)
        await until(pilot, lambda: "".join(sign for sign, *_ in drawn(app)).strip() != "")
        text = "".join(sign for sign, *_ in drawn(app))
        first, last = session.store.activity(0).started, session.store.activity(130).started
        assert first is not None
        assert last is not None
        assert text.startswith(f"{datetime.fromtimestamp(first, UTC):%H:%M} ")
        assert text.endswith(f" {datetime.fromtimestamp(last, UTC):%H:%M}")
        # A click beside a time, and on the first cell behind it, leads to the same row.
        for x in (2, 7):
            await pilot.click(strip, offset=(x, 0))
        await pilot.pause()
        assert app.asked == [0, 0]
        await pilot.resize_terminal(80, 5)
        await until(pilot, lambda: ":" not in "".join(sign for sign, *_ in drawn(app)))
        # Also where there was no room for anything in between.
        await pilot.resize_terminal(2, 5)
        await pilot.resize_terminal(100, 5)
        await until(pilot, lambda: ":" in "".join(sign for sign, *_ in drawn(app)))
