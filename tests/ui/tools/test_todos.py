"""Todo lists: what a call changed is marked, and comes first where there is little room."""

import pytest
from msgspec.structs import replace

from agentview.domain.activity import Activity, TodoLists
from agentview.domain.tool_inputs import TodoItem, TodosAction, TodosPayload, TodoStatus
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from tests.ui.activities import activity, call, failed
from tests.ui.hostile import CONTROL, HOSTILE, poisoned
from tests.ui.render.looks import PALETTE

PENDING, STARTED = TodoStatus.PENDING, TodoStatus.IN_PROGRESS
DONE, GONE = TodoStatus.COMPLETED, TodoStatus.CANCELLED


def item(text: str, status: TodoStatus = PENDING, **more: str) -> TodoItem:
    return TodoItem(text, status, **more)


def shown(
    before: tuple[TodoItem, ...],
    after: tuple[TodoItem, ...],
    level: DetailLevel = DetailLevel.FULL,
    action: TodosAction = TodosAction.REPLACE,
) -> list[str]:
    of = activity(call(ToolKind.TODOS, TodosPayload(action, after[:1])))
    return rows(replace(of, todos=TodoLists(before, after)), level)


def rows(of: Activity, level: DetailLevel = DetailLevel.FULL) -> list[str]:
    view = RowLayout(of, level, RenderContext(80, PALETTE))
    gutter = view.strips(1, 2)[0].text.index("│") + 2 if view.height > 1 else 0
    return [strip.text[gutter:].rstrip() for strip in view.strips(1, view.height)]


def test_every_change_is_said_behind_its_item() -> None:
    before = (
        item("find the test"),
        item("cap the delay"),
        item("run the suite", STARTED),
        item("tell of it"),
        item("rewrite the client"),
        item("as it was"),
    )
    after = (
        item("find the test", DONE),
        item("cap the delay", STARTED, active="capping the delay"),
        item("run the suite", GONE),
        item("tell of it in the notes"),
        item("as it was"),
        item("one more"),
    )
    assert shown(before, after) == [
        "✓ find the test  done",
        "● capping the delay  started",
        "⊘ run the suite  cancelled",
        "○ tell of it in the notes  reworded",
        "  was: tell of it",
        "○ as it was",
        "○ one more  new",
        "✗ rewrite the client  removed",
    ]


def test_an_item_with_an_id_is_known_by_it_whatever_its_text() -> None:
    before = (item("old words", id="1"), item("same", id="2"))
    after = (item("quite another text", STARTED, id="1"), item("same", id="2"))
    assert shown(before, after, DetailLevel.SUMMARY, TodosAction.UPDATE) == [
        "● #1 quite another text  started, reworded",
        "○ #2 same",
    ]


def test_the_first_list_is_not_said_to_be_new() -> None:
    assert shown((), (item("a"), item("b", STARTED))) == ["○ a", "● b"]


def test_an_item_begun_again_is_said_to_be_put_back() -> None:
    assert shown((item("a", DONE),), (item("a"),)) == ["○ a  put back"]


def test_summary_shows_what_changed_and_how_much_more_there_is() -> None:
    before = tuple(item(f"step {number}") for number in range(30))
    changed = {12: DONE, 13: STARTED, 27: GONE}
    after = tuple(
        replace(each, status=changed.get(number, PENDING)) for number, each in enumerate(before)
    )
    lines = shown(before, after, DetailLevel.SUMMARY)
    assert lines == [
        "○ step 0",
        "○ step 1",
        "○ step 2",
        "○ step 3",
        "✓ step 12  done",
        "● step 13  started",
        "⊘ step 27  cancelled",
        "… 23 more items",
    ]
    assert len(shown(before, after)) == 30


def test_a_step_on_one_item_tells_the_notes_of_that_item_alone() -> None:
    first, second = item("a", id="1", note="about a"), item("b", id="2", note="about b")
    assert shown((first,), (first, second), action=TodosAction.CREATE) == [
        "○ #1 a",
        "○ #2 b  new",
        "     about b",
    ]


def test_what_failed_shows_the_error_and_what_was_asked_for() -> None:
    of = failed(call(ToolKind.TODOS, TodosPayload(TodosAction.REPLACE, (item("a"),))), "no list")
    assert rows(of) == ["no list", "○ a"]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_in_a_list_is_text(text: str) -> None:
    before = (item("a", id="1"), item("b", STARTED, active="x", note="n", priority="high"))
    of = activity(call(ToolKind.TODOS, TodosPayload(TodosAction.REPLACE, before)))
    bad = poisoned(replace(of, todos=TodoLists(before[:1], before)), text)
    for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
        for width in (27, 80):
            view = RowLayout(bad, level, RenderContext(width, PALETTE))
            for strip in view.strips(0, view.height):
                assert strip.cell_length == width
                assert not CONTROL.search(strip.text)


def test_nothing_is_told_by_colour_alone() -> None:
    of = activity(call(ToolKind.TODOS, TodosPayload(TodosAction.REPLACE, ())))
    lists = TodoLists((item("a"), item("b")), (item("a", DONE),))
    view = RowLayout(replace(of, todos=lists), DetailLevel.FULL, RenderContext(80, PLAIN))
    text = "\n".join(strip.text for strip in view.strips(0, view.height))
    assert "✓ a  done" in text
    assert "✗ b  removed" in text
    assert all(not segment.style for strip in view.strips(0, view.height) for segment in strip)
