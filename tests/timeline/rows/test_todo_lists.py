"""The running todo list: found from any side, kept right while a log grows, quick in a long one."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.activity import Activity, TodoLists
from agentview.domain.session import SessionRef
from agentview.domain.tool_inputs import TodoItem, TodoStatus
from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.sources.line_splitter import Line, cut_lines
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.todo_lists import MAX_STEPS
from agentview.timeline.view.overview.current_todos import CurrentTodoList, newest_lists
from agentview.timeline.view.titles.title import title_of
from tests.claude_log import SESSION, ClaudeLog, write

PROVIDER = load_provider("claude_code")


def create(log: ClaudeLog, number: int, subject: str) -> list[bytes]:
    call = f"create{number}"
    return [
        log.call(call, "TaskCreate", subject=subject, description=f"about {subject}"),
        log.result(
            call, f"Task #{number} created successfully: {subject}",
            {"task": {"id": str(number), "subject": subject}},
        ),
    ]  # fmt: skip


def update(log: ClaudeLog, number: int, at: int, **fields: Any) -> list[bytes]:
    call = f"update{at}"
    return [
        log.call(call, "TaskUpdate", taskId=str(number), **fields),
        log.result(call, f"Updated task #{number}", {"success": True, "taskId": str(number)}),
    ]


def whole(log: ClaudeLog, at: int, *todos: tuple[str, str]) -> list[bytes]:
    items = [{"content": text, "status": status, "activeForm": text} for text, status in todos]
    call = f"whole{at}"
    return [
        log.call(call, "TodoWrite", todos=items),
        log.result(call, "Todos have been modified", {"newTodos": items}),
    ]


def tasks() -> list[bytes]:
    """A list that is made and worked on one task at a time."""
    log = ClaudeLog()
    return [
        log.prompt("go on"),
        *create(log, 1, "find it"),
        *create(log, 2, "mend it"),
        *create(log, 3, "tell of it"),
        *update(log, 1, 4, status="in_progress", activeForm="Finding it"),
        log.text("between"),
        *update(log, 1, 5, status="completed"),
        *update(log, 2, 6, status="in_progress", subject="mend it well"),
        *update(log, 3, 7, status="deleted"),
    ]


class Log:
    """A log on disk, and stores that are given parts of it."""

    def __init__(self, tmp_path: Path, records: Sequence[bytes]) -> None:
        path = tmp_path / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl"
        write(path, list(records))
        self.ref: SessionRef = PROVIDER.discovery.ref(path)
        self.lines: list[Line] = cut_lines(path.read_bytes(), 0, 0)

    def store(self, *, live: bool = False) -> SessionStore:
        return SessionStore(PROVIDER, self.ref, live=live)

    def append(self, store: SessionStore, start: int, stop: int | None = None) -> None:
        store.append(reduce_lines(self.ref, self.lines[start:stop]))

    def prepend(self, store: SessionStore, start: int, stop: int) -> None:
        store.prepend(reduce_lines(self.ref, self.lines[start:stop]))


def lists(store: SessionStore) -> list[TodoLists | None]:
    return [activity.todos for activity in todos(store)]


def todos(store: SessionStore) -> list[Activity]:
    return [store.activity(row) for row in store.of_kinds([ToolKind.TODOS])]


def short(items: Sequence[TodoItem]) -> list[tuple[str, str]]:
    return [(item.text, item.status.value) for item in items]


def test_each_step_on_a_task_shows_the_list_as_it_stood_after_it(tmp_path: Path) -> None:
    log = Log(tmp_path, tasks())
    store = log.store()
    log.append(store, 0)
    found = [short(pair.after) for pair in lists(store) if pair is not None]
    assert found == [
        [("find it", "pending")],
        [("find it", "pending"), ("mend it", "pending")],
        [("find it", "pending"), ("mend it", "pending"), ("tell of it", "pending")],
        [("find it", "in_progress"), ("mend it", "pending"), ("tell of it", "pending")],
        [("find it", "completed"), ("mend it", "pending"), ("tell of it", "pending")],
        [("find it", "completed"), ("mend it well", "in_progress"), ("tell of it", "pending")],
        [("find it", "completed"), ("mend it well", "in_progress")],
    ]
    pairs = [pair for pair in lists(store) if pair is not None]
    assert [pair.before for pair in pairs[1:]] == [pair.after for pair in pairs[:-1]]
    assert pairs[-1].after[0].active == "Finding it"
    assert pairs[0].after[0].note == "about find it"


def test_titles_tell_what_was_done_and_how_far_the_list_is(tmp_path: Path) -> None:
    log = Log(tmp_path, tasks())
    store = log.store()
    log.append(store, 0)
    titles = [title_of(activity) for activity in todos(store)]
    assert [(title.label, title.subject, title.detail) for title in titles] == [
        ("New todo", "#1  find it", "0/1 done"),
        ("New todo", "#2  mend it", "0/2 done"),
        ("New todo", "#3  tell of it", "0/3 done"),
        ("Todo", "#1  find it", "in progress · 0/3 done"),
        ("Todo", "#1  find it", "completed · 1/3 done"),
        ("Todo", "#2  mend it well", "in progress · 1/3 done"),
        ("Todo", "#3  tell of it", "deleted · 1/2 done"),
    ]


def test_it_does_not_matter_from_which_side_the_log_becomes_known(tmp_path: Path) -> None:
    log = Log(tmp_path, tasks())
    whole_store = log.store()
    log.append(whole_store, 0)
    expected = lists(whole_store)
    for cut in range(1, len(log.lines)):
        store = log.store()
        told: list[RowsChanged] = []
        store.subscribe(told.append)
        log.append(store, cut)
        early = {row: store.activity(row).todos for row in store.of_kinds([ToolKind.TODOS])}
        log.prepend(store, 0, cut)
        assert lists(store) == expected
        changed = {row for change in told for row in change.updated}
        for row, before in early.items():
            assert row in changed or store.activity(row).todos == before


def test_rows_asked_for_in_any_order_show_the_same(tmp_path: Path) -> None:
    log = Log(tmp_path, tasks())
    store, other = log.store(), log.store()
    log.append(store, 0)
    log.append(other, 0)
    rows = store.of_kinds([ToolKind.TODOS])
    backwards = {row: other.activity(row).todos for row in reversed(rows)}
    assert {row: store.activity(row).todos for row in rows} == backwards


def test_a_result_that_comes_later_changes_the_lists_behind_its_call(tmp_path: Path) -> None:
    log = ClaudeLog()
    calls = [log.call(f"c{n}", "TaskCreate", subject=f"task {n}") for n in range(3)]
    results = [
        log.result(f"c{n}", "ok", {"task": {"id": str(n + 7), "subject": f"task {n}"}})
        for n in range(3)
    ]
    at = Log(tmp_path, [log.prompt("go"), *calls, *results])
    store = at.store(live=True)
    told: list[RowsChanged] = []
    at.append(store, 0, 4)
    store.subscribe(told.append)
    assert [len(pair.after) for pair in lists(store) if pair] == [1, 2, 3]
    assert [item.id for item in lists(store)[2].after] == [None] * 3  # type: ignore[union-attr]
    rows = store.of_kinds([ToolKind.TODOS])
    at.append(store, 4, 5)
    assert set(told[-1].updated) >= set(rows)
    assert [item.id for item in lists(store)[2].after] == ["7", None, None]  # type: ignore[union-attr]
    at.append(store, 5)
    assert [item.id for item in lists(store)[2].after] == ["7", "8", "9"]  # type: ignore[union-attr]


def test_calls_that_ran_at_once_count_in_the_order_in_which_they_ended(tmp_path: Path) -> None:
    log = ClaudeLog()
    made = create(log, 1, "find it")
    done, told = update(log, 1, 2, status="completed")
    asked = log.call("get", "TaskGet", taskId="1")
    task = {"id": "1", "subject": "find it", "status": "pending"}
    seen = log.result("get", "#1 find it", {"task": task})
    at = Log(tmp_path, [log.prompt("go"), *made, done, asked, seen, told])
    store = at.store()
    at.append(store, 0)
    assert [[item.status.value for item in pair.after] for pair in lists(store) if pair] == [
        ["pending"], ["completed"], ["pending"]
    ]  # fmt: skip
    found: list[CurrentTodoList] = []
    list(newest_lists(store, lambda activity: activity, found))
    assert [each.item.status.value for each in found[0].items] == ["completed"]


def test_a_whole_list_is_compared_with_the_list_before_it(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [
        *whole(log, 1, ("a", "pending"), ("b", "pending")),
        log.prompt("go on"),
        *whole(log, 2, ("a", "completed"), ("b", "in_progress"), ("c", "pending")),
    ]
    at = Log(tmp_path, records)
    store = at.store()
    at.append(store, 0)
    first, second = (pair for pair in lists(store) if pair is not None)
    assert first.before == ()
    assert second.before == first.after
    assert [item.status for item in second.after] == [
        TodoStatus.COMPLETED, TodoStatus.IN_PROGRESS, TodoStatus.PENDING,
    ]  # fmt: skip


@pytest.mark.parametrize("refusal", ["denied", "failed"])
def test_what_was_refused_or_failed_did_nothing(tmp_path: Path, refusal: str) -> None:
    log = ClaudeLog()
    said = {
        "denied": "The user doesn't want to proceed with this tool use. The tool use was rejected",
        "failed": "<tool_use_error>Task not found</tool_use_error>",
    }[refusal]
    records = [
        *whole(log, 1, ("a", "pending")),
        log.call("no", "TodoWrite", todos=[{"content": "z", "status": "pending"}]),
        log.result("no", said, f"Error: {said}", is_error=True),
        *whole(log, 2, ("a", "completed")),
    ]
    at = Log(tmp_path, records)
    store = at.store()
    at.append(store, 0)
    first, refused, last = lists(store)
    assert first is not None
    assert last is not None
    assert refused is None
    assert last.before == first.after


def test_another_agent_in_the_same_log_has_a_list_of_its_own(tmp_path: Path) -> None:
    log, other = ClaudeLog(), ClaudeLog(agent="a1b2c3d")
    records = [
        log.prompt("go"),
        *whole(log, 1, ("a", "pending")),
        *whole(other, 2, ("x", "pending"), ("y", "pending")),
        *whole(log, 3, ("a", "completed")),
        *whole(other, 4, ("x", "completed"), ("y", "pending")),
    ]
    at = Log(tmp_path, records)
    store = at.store()
    at.append(store, 0)
    pairs = [pair for pair in lists(store) if pair is not None]
    assert [short(pair.before) for pair in pairs] == [
        [],
        [],
        [("a", "pending")],
        [("x", "pending"), ("y", "pending")],
    ]


@pytest.mark.slow
def test_a_long_session_is_not_read_through_for_a_list(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [*whole(log, 0, ("old", "pending"))]
    records += [log.text(f"answer {n}") for n in range(20_000)]
    for number in range(1, MAX_STEPS):
        records += update(log, 1, number, status="in_progress")
    records += whole(log, 1, ("new", "pending"))
    records += update(log, 1, 0, status="completed")
    at = Log(tmp_path, records)
    store = at.store()
    at.append(store, 0)
    *_, middle, newest, last = store.of_kinds([ToolKind.TODOS])
    assert store.activity(last).todos is not None
    assert store.decoded <= 4
    assert short(store.activity(newest).todos.before)[0] == ("old", "pending")  # type: ignore[union-attr]
    assert store.decoded < 2 * MAX_STEPS + 8
    began = time.process_time()
    for _ in range(20):
        store.activity(middle)
    assert time.process_time() - began < 0.05
