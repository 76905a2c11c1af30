"""The widget of an activity on a real screen: what it draws, its states."""

from collections.abc import Iterable

from textual.app import App, ComposeResult
from textual.geometry import Region

from agentview.domain.activity import row_kind
from agentview.domain.events import Message
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget, Paint, RowLayout, body_space, widget_for
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import palette_of
from agentview.ui.render.text_lines import Rows
from agentview.ui.textual_theme import textual_theme
from agentview.ui.themes import DEFAULT_THEME, load_theme, load_themes, theme_directories
from tests.ui.activities import CALLS, PROSE, START, activity, denied, failed, running

SPEC = load_theme(DEFAULT_THEME, theme_directories())
SPACE = RenderContext(80, palette_of(SPEC))
READ = activity(CALLS[ToolKind.READ])


def view(of: object = READ, level: DetailLevel = DetailLevel.SUMMARY) -> RowLayout:
    assert hasattr(of, "events")
    return RowLayout(of, level, SPACE, clock=lambda: START + 12)  # type: ignore[arg-type]


class Screenful(App[None]):
    """Widgets one below another."""

    def __init__(self, views: Iterable[RowLayout]) -> None:
        super().__init__()
        self.register_theme(textual_theme(SPEC))
        self.theme = SPEC.name
        self.views = list(views)

    def compose(self) -> ComposeResult:
        for row, shown in enumerate(self.views):
            widget = widget_for(row_kind(shown.activity.body))()
            widget.styles.height = shown.height
            widget.bind(row, shown)
            yield widget


async def test_the_widget_draws_the_rows_of_its_view() -> None:
    app = Screenful([view(), view(failed(CALLS[ToolKind.SHELL]))])
    async with app.run_test(size=(80, 24)):
        first = app.query(ActivityWidget).first()
        drawn = first.render_lines(Region(0, 0, 80, first.size.height))
        assert [strip.text for strip in drawn] == [strip.text for strip in view().strips(0, 99)]
        background = SPEC.colors.background
        for strip in drawn:
            for segment in strip:
                assert segment.style
                assert segment.style.bgcolor
                assert segment.style.bgcolor.get_truecolor().hex == background


async def test_a_crop_is_a_part_of_the_whole() -> None:
    app = Screenful([view()])
    async with app.run_test(size=(80, 24)):
        widget = app.query(ActivityWidget).first()
        whole = [strip.text for strip in widget.render_lines(Region(0, 0, 80, 6))]
        part = [strip.text for strip in widget.render_lines(Region(5, 2, 20, 3))]
        assert part == [text[5:25] for text in whole[2:5]]
        beyond = widget.render_lines(Region(0, 0, 90, 40))
        assert len(beyond) == 40
        assert all(strip.cell_length == 90 for strip in beyond)


async def test_the_selected_row_has_another_background() -> None:
    app = Screenful([view()])
    async with app.run_test(size=(80, 24)):
        widget = app.query(ActivityWidget).first()
        assert widget.select(True)
        assert not widget.select(True)
        style = next(iter(widget.render_lines(Region(0, 0, 80, 1))[0])).style
        assert style
        assert style.bgcolor
        assert style.bgcolor.get_truecolor().hex == SPEC.colors.raised


async def test_binding_again_changes_rows_and_state_classes_alone() -> None:
    app = Screenful([view(level=DetailLevel.TITLE)])
    async with app.run_test(size=(80, 24)):
        widget = app.query(ActivityWidget).first()
        widget.add_class("-selected")
        expected = {
            "-failed": view(failed(CALLS[ToolKind.READ]), DetailLevel.TITLE),
            "-running": view(running(CALLS[ToolKind.READ]), DetailLevel.TITLE),
            "-denied": view(denied(CALLS[ToolKind.READ]), DetailLevel.TITLE),
            "-expanded": view(),
        }
        for row, (name, shown) in enumerate(expected.items()):
            widget.bind(row, shown)
            assert widget.classes == {name, "-selected"}
            assert widget.row == row
            text = widget.render_lines(Region(0, 0, 80, 1))[0].text
            assert text == shown.strips(0, 1)[0].text
        assert len(widget.children) == 0


async def test_without_colour_no_colour_is_drawn(monkeypatch: object) -> None:
    assert hasattr(monkeypatch, "setenv")
    monkeypatch.setenv("NO_COLOR", "1")  # type: ignore[attr-defined]
    app = Screenful([view()])
    async with app.run_test(size=(80, 24)):
        widget = app.query(ActivityWidget).first()
        for strip in widget.render_lines(Region(0, 0, 80, 5)):
            for segment in strip:
                assert segment.style
                for color in (segment.style.color, segment.style.bgcolor):
                    if color is not None and color.triplet is not None:
                        assert len(set(color.triplet)) == 1


async def test_every_shipped_theme_can_be_put_on() -> None:
    app = Screenful([view()])
    async with app.run_test(size=(80, 24)) as pilot:
        for spec in load_themes(theme_directories()).loaded.values():
            app.register_theme(textual_theme(spec))
            app.theme = spec.name
            await pilot.pause()
            assert app.current_theme.dark == spec.dark
            widget = app.query(ActivityWidget).first()
            assert widget.render_lines(Region(0, 0, 80, 2))[0].cell_length == 80


def test_a_running_call_counts_whole_seconds_and_the_row_keeps_its_height() -> None:
    now = START + 3.7
    shown = RowLayout(running(CALLS[ToolKind.SHELL]), DetailLevel.TITLE, SPACE, clock=lambda: now)
    assert shown.strips(0, 1)[0].text.rstrip().endswith("3.0s")
    now += 62
    assert shown.strips(0, 1)[0].text.rstrip().endswith("1m05s")
    assert shown.height == 1


def test_a_message_that_fits_its_title_has_no_body() -> None:
    short = RowLayout(activity(Message("All is **well**.")), DetailLevel.FULL, SPACE)
    assert short.height == 1
    assert "All is well." in short.strips(0, 1)[0].text
    long = RowLayout(activity(Message("All is well. " * 20)), DetailLevel.FULL, SPACE)
    assert long.height > 2
    assert "All is well" not in long.strips(0, 1)[0].text
    assert "All is well" in long.strips(1, 2)[0].text


def test_a_body_can_be_given_in_place_of_the_kind_s_own() -> None:
    body = Rows([[("raw bytes", SPACE.palette.text)]], body_space(SPACE))
    shown = RowLayout(READ, DetailLevel.TITLE, SPACE, body=body)
    assert shown.height == 2
    assert shown.strips(1, 2)[0].text.strip() == "│ raw bytes"
    assert body_space(SPACE).width == 68


def test_rows_made_once_are_kept_but_not_without_end() -> None:
    of = activity(PROSE[0])
    lines = Rows([[(str(number), SPACE.palette.text)] for number in range(5_000)], SPACE)
    shown = RowLayout(of, DetailLevel.FULL, SPACE, body=lines)
    paint = Paint(SPACE.palette.text)
    first = shown.painted(1, 41, paint)
    assert shown.painted(1, 41, paint)[0] is first[0]
    for start in range(0, 5_000, 40):
        shown.painted(start, start + 40, paint)
    assert shown.painted(1, 41, paint)[0] is not first[0]
    assert shown.painted(4_999, 5_001, paint)[1].text.rstrip().endswith("4999")
