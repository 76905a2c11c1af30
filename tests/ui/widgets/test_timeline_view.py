"""The timeline as its screen and its reader use it: what it tells, what it costs, where it ends."""

from collections.abc import Callable
from typing import ClassVar

import pytest
from textual.events import MouseScrollDown, MouseScrollUp
from textual.geometry import Size
from textual.screen import Screen

from agentview.domain.activity import Activity, RowKind
from agentview.domain.events import Message, Reasoning, User
from agentview.domain.session import Stream
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.ui.activity_widget import ActivityWidget, RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.timeline.scrollbar import TimelineScrollbar, thumb
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.timeline.view_cache import RowViewFactory
from tests.ui.widgets.painted import TimelineApp, shown
from tests.ui.widgets.timeline_rows import MemoryRows, PlainView, RawView, activity, one, session


def titles(count: int) -> list[Activity]:
    """One line each."""
    return [activity(Reasoning(f"#{number}")) for number in range(count)]


def told(app: TimelineApp, kind: type) -> list[tuple[object, ...]]:
    """What messages of a kind said, in order."""
    return [
        tuple(vars(message)[name] for name in FIELDS[kind])
        for message in app.told
        if isinstance(message, kind)
    ]


FIELDS: dict[type, tuple[str, ...]] = {
    TimelineView.SelectionChanged: ("row",),
    TimelineView.FollowChanged: ("following", "new_count"),
    TimelineView.ViewportChanged: ("first", "last"),
    TimelineView.ActivityOpened: ("row",),
}


async def test_the_first_frame_shows_the_end_of_the_session() -> None:
    async with shown(MemoryRows(titles(500))) as (app, view, _):
        assert app.first_frame == [f"#{number}" for number in range(480, 500)]
        assert (view.selected, view.follow) == (499, True)
        assert (view.first_visible, view.last_visible) == (480, 499)


SPLIT = RenderContext(1, PLAIN, split=True)
ACTIONS: list[tuple[str, Callable[[TimelineView, MemoryRows], object]]] = [
    ("up", lambda view, _: view.move(-1)),
    ("down", lambda view, _: view.move(1)),
    ("page up", lambda view, _: view.page(-1)),
    ("page down", lambda view, _: view.page(1)),
    ("scroll", lambda view, _: view.scroll_lines(-3)),
    ("home", lambda view, _: view.home()),
    ("end", lambda view, _: view.end()),
    ("level", lambda view, _: view.set_level_all(DetailLevel.SUMMARY)),
    ("full", lambda view, _: view.set_level_all(DetailLevel.FULL)),
    ("expand", lambda view, _: view.cycle_level(view.selected or 0)),
    ("raw", lambda view, _: view.toggle_raw(view.selected or 0)),
    ("view", lambda view, _: view.set_view(SPLIT, DetailPreferences(), ruled=True)),
    ("append", lambda _, rows: rows.append(one(rows.end))),
]


@pytest.mark.slow
async def test_every_key_and_every_append_is_one_frame() -> None:
    rows = MemoryRows(session(400))
    async with shown(rows) as (app, view, pilot):
        for _ in range(2):
            for name, action in ACTIONS:
                await app.quiet(pilot)
                children, frames = len(view.children), app.frames
                action(view, rows)
                await app.quiet(pilot)
                if len(view.children) == children:
                    assert app.frames - frames <= 1, name


async def test_a_key_decodes_at_most_what_is_in_view() -> None:
    rows = MemoryRows(session(3000))
    async with shown(rows) as (app, view, pilot):
        assert len(rows.decoded) <= 20
        for name, action in ACTIONS:
            rows.decoded.clear()
            action(view, rows)
            await app.quiet(pilot)
            assert len(rows.decoded) <= 2 * 20, name


async def test_a_key_builds_at_most_the_rows_in_view() -> None:
    built: list[int] = []

    def build(of: Activity, level: DetailLevel, space: RenderContext) -> RowLayout:
        built.append(id(of))
        return PlainView(of, level, space)

    CountingWidget.bound.clear()
    makers = RowViewFactory(RawView, build, lambda _: CountingWidget)
    async with shown(MemoryRows(session(3000)), makers=makers) as (app, view, pilot):
        await pilot.pause(0.8)
        for action in (lambda: view.move(-1), lambda: view.page(-1), view.home, view.end):
            for _ in range(3):
                await app.quiet(pilot)
                built.clear()
                CountingWidget.bound.clear()
                frames = app.frames
                action()
                await app.quiet(pilot)
                in_view = (view.last_visible or 0) - (view.first_visible or 0) + 1
                assert len(CountingWidget.bound) <= in_view
                # And one beyond, to know that nothing of it is in view.
                assert len(built) <= in_view + 1
                assert app.frames - frames <= 1


class CountingWidget(ActivityWidget):
    """Notes which rows it was bound to."""

    bound: ClassVar[list[int]] = []

    def bind(self, row: int, view: RowLayout) -> None:
        """Note the row."""
        self.bound.append(row)
        super().bind(row, view)


async def test_nothing_is_read_and_nothing_painted_while_nothing_happens() -> None:
    rows = MemoryRows(session(300))
    async with shown(rows) as (app, view, pilot):
        await app.quiet(pilot)
        frames, decoded = app.frames, list(rows.decoded)
        # Spare widgets are mounted meanwhile, which shows nothing.
        in_view = (view.last_visible or 0) - (view.first_visible or 0) + 1
        children = 0
        while children <= in_view + 1 or children != len(view.children):
            children = len(view.children)
            await pilot.pause(0.5)
        await pilot.pause(0.4)
        assert (app.frames, rows.decoded, len(view.children)) == (frames, decoded, children)


async def test_one_append_decodes_one_row_in_view_and_none_below() -> None:
    rows = MemoryRows(session(300))
    async with shown(rows) as (app, view, pilot):
        rows.decoded.clear()
        rows.append(one(300))
        await app.quiet(pilot)
        assert rows.decoded == [300]
        view.page(-1)
        await app.quiet(pilot)
        rows.decoded.clear()
        frames = app.frames
        rows.append(one(301))
        rows.prepend(*session(400, start=-400))
        await app.quiet(pilot)
        assert rows.decoded == []
        assert app.frames - frames <= 1


async def test_a_burst_is_painted_in_few_frames() -> None:
    rows = MemoryRows(titles(10))
    async with shown(rows) as (app, view, pilot):
        frames = app.frames
        rows.decoded.clear()
        for number in range(5000):
            rows.append(activity(Reasoning(f"#{10 + number}")))
        await app.quiet(pilot)
        assert app.painted[-1] == "#5009"
        assert app.frames - frames <= 3
        assert len(rows.decoded) <= 60
        assert view.selected == 5009


async def test_asking_what_is_in_view_takes_nothing_from_the_next_frame() -> None:
    rows = MemoryRows(titles(40))
    async with shown(rows) as (app, view, pilot):
        await app.quiet(pilot)
        for number in range(40, 60):
            rows.append(activity(Reasoning(f"#{number}")))
            assert (view.selected, view.last_visible) == (number, number)
        await app.quiet(pilot)
        assert app.painted[-1] == "#59"


async def test_whether_any_row_is_shown_is_known_without_laying_them_out() -> None:
    rows = MemoryRows(titles(40))
    async with shown(rows) as (_, view, _):
        rows.decoded.clear()
        rows.append(activity(Reasoning("#40")))
        assert not view.empty
        assert rows.decoded == []
        view.set_filter(lambda _: False)
        assert view.empty
        view.set_filter(lambda row: row == 3)
        assert not view.empty
        rows.reset()
        assert view.empty


async def test_the_screen_is_told_what_changed() -> None:
    rows = MemoryRows(titles(100))
    async with shown(rows) as (app, view, pilot):
        await app.quiet(pilot)
        assert told(app, TimelineView.SelectionChanged) == [(99,)]
        assert told(app, TimelineView.ViewportChanged)[-1] == (80, 99)
        app.told.clear()
        view.scroll_lines(-3)
        rows.append(*titles(4))
        await app.quiet(pilot)
        assert told(app, TimelineView.FollowChanged)[-1] == (False, 4)
        assert told(app, TimelineView.ViewportChanged) == [(77, 96)]
        assert told(app, TimelineView.SelectionChanged) == []
        app.told.clear()
        view.follow = True
        await app.quiet(pilot)
        assert told(app, TimelineView.FollowChanged) == [(True, 0)]
        assert told(app, TimelineView.SelectionChanged) == [(103,)]
        view.follow = False
        rows.append(*titles(1))
        await app.quiet(pilot)
        assert (view.follow, view.new_count, view.last_visible) == (False, 1, 103)


async def test_a_click_selects_and_a_second_one_opens() -> None:
    async with shown(MemoryRows(session(90))) as (app, view, pilot):
        view.home()
        await app.quiet(pilot)
        line = next(at for at, text in enumerate(app.painted) if text.startswith("#2."))
        await pilot.click(view, offset=(3, line))
        assert view.selected == 2
        await pilot.click(view, offset=(3, line), times=2)
        await app.quiet(pilot)
        assert told(app, TimelineView.ActivityOpened) == [(2,)]
        assert [child.row for child in selected(view)] == [2]


async def test_a_click_on_a_part_folds_it_and_nothing_above_moves() -> None:
    text = "\n".join([f"#3 line {at}" for at in range(30)] + ["part 1", "inside", "inside too"])
    rows = MemoryRows([*titles(3), activity(Message(text)), *titles(60)])
    async with shown(rows) as (app, view, pilot):
        view.set_level_all(DetailLevel.FULL)
        view.select(3)
        view.scroll_lines(20)
        await app.quiet(pilot)
        before, line = app.painted, app.painted.index("part 1")
        await pilot.click(view, offset=(3, line))
        await app.quiet(pilot)
        assert before[line + 1] == "inside"
        assert app.painted[: line + 2] == [*before[: line + 1], "#0"]
        view.fold(3, line=0)
        assert view.level(3) is DetailLevel.FULL
        await pilot.click(view, offset=(3, line))
        await app.quiet(pilot)
        assert app.painted == before
        view.fold(3)
        await app.quiet(pilot)
        assert "inside" not in app.painted
        assert told(app, TimelineView.ActivityOpened) == []


def selected(view: TimelineView) -> list[ActivityWidget]:
    """Widgets that are drawn as the selected one."""
    return [child for child in view.query(ActivityWidget) if child.has_class("-selected")]


async def test_the_wheel_scrolls_and_leaves_the_selection() -> None:
    async with shown(MemoryRows(titles(90))) as (app, view, pilot):
        await pilot._post_mouse_events(  # pyright: ignore[reportPrivateUsage]
            [MouseScrollUp], view, offset=(5, 5), button=0
        )
        await app.quiet(pilot)
        assert app.painted[0] == "#67"
        assert (view.selected, view.follow) == (89, False)
        for _ in range(2):
            await pilot._post_mouse_events(  # pyright: ignore[reportPrivateUsage]
                [MouseScrollDown], view, offset=(5, 5), button=0
            )
        await app.quiet(pilot)
        assert app.painted[0] == "#70"
        assert view.follow


async def test_the_scroll_bar_is_dragged_to_both_ends_and_between() -> None:
    async with shown(MemoryRows(titles(1000))) as (app, view, pilot):
        rail = view.query_one(TimelineScrollbar)
        await pilot.mouse_down(rail, offset=(0, rail.top))
        await pilot.hover(rail, offset=(0, 10))
        await app.quiet(pilot)
        assert 400 < (view.first_visible or 0) < 600
        assert abs(rail.top - 10) <= 1
        await pilot.hover(rail, offset=(0, 0))
        await app.quiet(pilot)
        assert view.first_visible == 0
        await pilot.hover(rail, offset=(0, 19))
        await pilot.mouse_up(rail, offset=(0, 19))
        await app.quiet(pilot)
        assert (view.last_visible, view.follow) == (999, True)
        assert not rail.grabbed
        await pilot.click(rail, offset=(0, 0))
        await app.quiet(pilot)
        assert view.first_visible == 0


@pytest.mark.parametrize(
    ("line", "total", "expected"),
    [(0, 1000, (1, 1)), (500, 1000, (10, 1)), (980, 1000, (18, 1)), (50, 100, (10, 4))],
)
def test_the_thumb_touches_an_end_only_where_that_is_in_view(
    line: int, total: int, expected: tuple[int, int]
) -> None:
    assert thumb(line, total, 20, at_start=False, at_end=False) == expected
    assert thumb(line, total, 20, at_start=True, at_end=False)[0] == 0
    assert sum(thumb(line, total, 20, at_start=False, at_end=True)) == 20
    assert thumb(line, total, 20, at_start=True, at_end=True) == (0, 0)


@pytest.mark.parametrize(("width", "height"), [(20, 5), (1, 2), (3, 40), (300, 3), (2, 1)])
async def test_a_terminal_of_any_size_is_usable(width: int, height: int) -> None:
    rows = MemoryRows(session(60))
    async with shown(rows) as (app, view, pilot):
        await pilot.resize_terminal(width, height)
        for _, action in ACTIONS:
            action(view, rows)
            await pilot.pause()
        await pilot.resize_terminal(60, 21)
        await app.quiet(pilot)
        assert view.size == Size(60, 20)
        assert any(line.startswith("#") for line in app.painted)


async def test_no_rows_then_some_then_others() -> None:
    rows = MemoryRows()
    async with shown(rows) as (app, view, pilot):
        assert (view.selected, view.first_visible, view.last_visible) == (None, None, None)
        for _, action in ACTIONS[:-4]:
            action(view, rows)
        assert not view.next_turn(1)
        assert not view.select(0)
        rows.append(*titles(3))
        await app.quiet(pilot)
        assert app.painted[:4] == ["#0", "#1", "#2", ""]
        assert view.selected == 2
        rows.reset(activity(Reasoning("another file")))
        await app.quiet(pilot)
        assert app.painted[:2] == ["another file", ""]
        assert len(rows.listeners) == 1
        await view.remove()
        assert rows.listeners == []


async def test_hidden_rows_are_shown_in_their_places_when_asked_for() -> None:
    async with shown(MemoryRows(session(60))) as (app, view, pilot):
        view.home()
        view.set_level_all(DetailLevel.TITLE)
        await app.quiet(pilot)
        numbers = [line.strip().split(".")[0] for line in app.painted if "#" in line]
        assert "#13" not in numbers
        assert not view.select(13)
        view.set_show_hidden(True)
        await app.quiet(pilot)
        shown_now = [line.strip().split(".")[0] for line in app.painted if "#" in line]
        assert shown_now[11:15] == ["#11", "#12", "#13", "#14"]
        assert view.select(13)


async def test_a_card_is_turned_over_and_all_of_them() -> None:
    async with shown(MemoryRows(titles(60))) as (app, view, pilot):
        view.select(50)
        view.toggle_raw(50)
        await app.quiet(pilot)
        at = app.painted.index("#50.raw {")
        assert app.painted[at - 1 : at + 4] == ["#49", "#50.raw {", "  ...", "}", "#51"]
        view.set_raw_all(True)
        await app.quiet(pilot)
        assert app.painted[at : at + 4] == ["#50.raw {", "  ...", "}", "#51.raw {"]
        view.set_raw_all(False)
        await app.quiet(pilot)
        assert app.painted[at : at + 2] == ["#50", "#51"]


async def test_levels_are_set_for_all_for_a_kind_and_for_a_row() -> None:
    rows = MemoryRows(
        [activity((Reasoning, Message)[number % 2](f"#{number}\nbody")) for number in range(20)]
    )
    async with shown(rows) as (app, view, pilot):
        view.set_level_all(DetailLevel.TITLE)
        view.set_level_kind(RowKind.MESSAGE, DetailLevel.FULL)
        view.set_level(4, DetailLevel.SUMMARY)
        view.home()
        await app.quiet(pilot)
        assert app.painted[:8] == ["#0", "#1", "body", "#2", "#3", "body", "#4", "body"]
        view.set_level_kind(RowKind.REASONING, DetailLevel.TITLE)
        assert view.level(4) is DetailLevel.TITLE
        view.cycle_level(0)
        await app.quiet(pilot)
        assert app.painted[:4] == ["#0", "body", "#1", "body"]
        for expected in (DetailLevel.FULL, DetailLevel.TITLE, DetailLevel.SUMMARY):
            view.cycle_level(0)
            assert view.level(0) is expected


async def test_the_filter_keeps_its_promise_for_rows_that_come_later() -> None:
    rows = MemoryRows(titles(100))
    wanted = set(range(0, 1000, 10))
    async with shown(rows) as (app, view, pilot):
        view.select(43)
        view.set_filter(lambda row: row in wanted)
        rows.append(*(activity(Reasoning(f"#{number}")) for number in range(100, 131)))
        await app.quiet(pilot)
        assert view.selected == 40
        assert [line for line in app.painted if line] == [f"#{n}" for n in range(0, 131, 10)]
        wanted.add(43)
        view.filter_again([43])
        await app.quiet(pilot)
        assert app.painted[4:6] == ["#40", "#43"]
        view.set_filter(lambda _: False)
        await app.quiet(pilot)
        assert not any(app.painted)
        view.set_filter(None)
        await app.quiet(pilot)
        assert "#43" in app.painted


async def test_search_turns_and_problems_are_gone_to() -> None:
    rows = MemoryRows(session(200))
    rows.problems = {20, 150}
    async with shown(rows) as (_, view, _):
        view.home()
        assert view.next_problem(1)
        assert view.selected == 20
        assert view.next_problem(1)
        assert not view.next_problem(1)
        assert view.selected == 150
        assert view.next_turn(-1)
        assert view.selected == 144
        assert view.next_match(lambda row: row % 100 == 1, -1)
        assert view.selected == 101
        assert not view.next_match(lambda _: False, 1)
        assert view.first_visible is not None
        assert view.first_visible <= 101 <= (view.last_visible or 0)


async def test_what_another_agent_did_stands_in() -> None:
    rows = MemoryRows(
        [activity(User("main")), activity(Message("#1 " + "y" * 70), stream=Stream(id="a"))]
    )
    async with shown(rows) as (app, _, _):
        assert app.painted[1:4] == ["main", "  #1 " + "y" * 54, "  " + "y" * 16]


async def test_a_running_call_is_drawn_once_a_second_while_in_view() -> None:
    running = activity(Reasoning("running"), live=True, started=0.0)
    rows = MemoryRows([running, *titles(60)])
    async with shown(rows) as (app, view, pilot):
        await app.quiet(pilot)
        frames = app.frames
        await pilot.pause(1.2)
        assert app.frames == frames
        view.home()
        await app.quiet(pilot)
        frames = app.frames
        await pilot.pause(2.2)
        assert 1 <= app.frames - frames <= 3
        view.end()
        await app.quiet(pilot)
        frames = app.frames
        await pilot.pause(1.2)
        assert app.frames == frames


async def test_nothing_is_decoded_while_another_screen_is_in_front() -> None:
    rows = MemoryRows(titles(100))
    async with shown(rows) as (app, _, pilot):
        await app.push_screen(Screen[None]())
        await app.quiet(pilot)
        rows.append(*titles(1))
        await app.quiet(pilot)
        rows.decoded.clear()
        for _ in range(50):
            rows.append(*titles(1))
            await pilot.pause(0)
        assert rows.decoded == []
        app.pop_screen()
        await app.quiet(pilot)
        assert app.timeline.last_visible == 150


@pytest.mark.slow
async def test_widgets_are_used_again_and_do_not_pile_up() -> None:
    rows = MemoryRows(session(2000))
    async with shown(rows) as (app, view, pilot):
        for _ in range(3):
            view.page(-1)
            await app.quiet(pilot)
        counts: set[int] = set()
        for _ in range(40):
            view.page(-1)
            await pilot.pause()
            counts.add(len(view.children))
            assert len(selected(view)) == 1
        assert max(counts) < 120
        await app.quiet(pilot)


@pytest.mark.slow
async def test_a_million_rows_open_and_move_like_a_hundred() -> None:
    some = session(1000)
    rows = MemoryRows(some * 1000)
    steps: list[Callable[[TimelineView], object]] = [
        lambda view: view.home(),
        lambda view: view.end(),
        lambda view: view.page(-1),
        lambda view: view.set_level_all(DetailLevel.TITLE),
        lambda view: view.set_level_all(DetailLevel.FULL),
        lambda view: view.show_fraction(0.5),
        lambda view: view.select(123_456),
    ]
    async with shown(rows) as (app, view, pilot):
        assert len(rows.decoded) <= 20
        for step in steps:
            rows.decoded.clear()
            step(view)
            await app.quiet(pilot)
            assert len(rows.decoded) <= 3 * 20
            assert any(line.strip() for line in app.painted)
        assert view.first_visible is not None
        assert 123_430 < view.first_visible <= 123_456


async def test_the_true_widgets_are_painted_as_their_views_say() -> None:
    texts = [Message(f"message **{n}**\n\n- one\n- two") for n in range(40)]
    bodies = [
        texts[n] if n % 3 else (User(f"prompt {n}"), Reasoning(f"thought {n}"))[n % 2]
        for n in range(40)
    ]
    rows = MemoryRows([activity(body) for body in bodies])
    async with shown(rows, makers=RowViewFactory(RawView)) as (app, view, pilot):
        view.set_level_all(DetailLevel.FULL)
        view.home()
        await app.quiet(pilot)
        expected: list[str] = []
        for row in range(10):
            if rows.starts_turn(row):
                turns = sum(rows.starts_turn(each) for each in range(row + 1))
                expected.append(f"── {turns} ".ljust(59, "─"))
            made = RowLayout(rows.items[row], DetailLevel.FULL, RenderContext(59, PLAIN))
            expected += [strip.text.rstrip() for strip in made.strips(0, made.height)]
        assert app.painted == expected[:20]
