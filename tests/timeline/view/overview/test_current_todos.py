from collections.abc import Sequence

from agentview.domain.activity import Activity
from agentview.domain.tool_inputs import PlanAction, PlanPayload, TodoItem, TodoStatus
from agentview.domain.tool_results import PlanResult
from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.overview.current_todos import LOOKED_AT, CurrentTodoList, newest_lists
from tests.timeline.view.memory import MemorySession, answer
from tests.ui.activities import call

DONE, NOW, LATER = TodoStatus.COMPLETED, TodoStatus.IN_PROGRESS, TodoStatus.PENDING


def _same(activity: Activity) -> Activity:
    return activity


def _lists(rows: MemorySession | LiveSession) -> Sequence[CurrentTodoList]:
    found: list[CurrentTodoList] = []
    for _ in newest_lists(rows.store, _same, found):
        pass
    return found


def _plan(*steps: tuple[str, TodoStatus], text: str | None = None) -> object:
    items = tuple(TodoItem(name, status) for name, status in steps)
    return call(ToolKind.PLAN, PlanPayload(PlanAction.UPDATE, text, items), PlanResult())


def _session(*plans: object) -> MemorySession:
    bodies = [body for plan in plans for body in (answer("on it"), plan)]
    return MemorySession(bodies)  # pyright: ignore[reportArgumentType]


def test_each_step_leads_to_the_call_that_changed_it_last() -> None:
    (found,) = _lists(
        _session(
            _plan(("a", NOW), ("b", LATER)),
            _plan(("a", DONE), ("b", LATER)),
            _plan(("a", DONE), ("b", NOW), ("c", LATER)),
        )
    )
    assert found.row == 5
    assert [(each.item.text, each.item.status, each.row) for each in found.items] == [
        ("a", DONE, 3),
        ("b", NOW, 5),
        ("c", LATER, 5),
    ]


def test_what_never_changed_leads_to_where_it_began() -> None:
    (found,) = _lists(_session(*(_plan(("a", NOW), ("b", LATER)) for _ in range(5))))
    assert [each.row for each in found.items] == [1, 1]


def test_of_a_long_past_only_the_newest_part_is_looked_at() -> None:
    plans = [_plan(("a", NOW))] + [_plan(("a", DONE)) for _ in range(3 * LOOKED_AT)]
    session = _session(*plans)
    found: list[CurrentTodoList] = []
    looked = sum(1 for _ in newest_lists(session, _same, found))
    assert looked == LOOKED_AT
    assert found[0].row == session.end - 1
    assert found[0].items[0].row is None


def test_a_plan_in_words_and_no_list_at_all() -> None:
    (found,) = _lists(_session(_plan(text="# Do it\nwell")))
    assert (found.text, found.items, found.approved) == ("# Do it\nwell", (), None)
    assert _lists(MemorySession([answer("nothing to do")])) == []


def test_lists_of_agents_in_the_same_log_are_told_apart() -> None:
    folder = sample_sessions_dir()
    for provider, name in (("claude_code", "demo"), ("codex", "code_mode")):
        made = load_provider(provider)
        path = next(
            each for each in sorted(folder.joinpath(provider).rglob("*.jsonl")) if name in str(each)
        )
        session = LiveSession(made, made.discovery.ref(path))
        session.open()
        for found in _lists(session):
            assert session.store.shown(found.row)
            first = session.store.activity(found.row).first
            assert (found.stream is None) == (not session.store.nested(found.row))
            assert found.stream in (None, first.stream)
            assert all(each.row is None or each.row <= found.row for each in found.items)
