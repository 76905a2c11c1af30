"""The newest todo list and plan of each agent at work in a session, and where items changed."""

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import PlanPayload, TodoItem, TodosPayload
from agentview.domain.tool_results import PlanResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.rows.todo_lists import TOGETHER
from agentview.timeline.view.rows_protocol import LogRows, Rows

LOOKED_AT = 64
"""Calls on one list, newest first, among which the last change of an item is looked for."""

MOST = 256
"""Calls that are looked at in one log."""


class ListItem(Value):
    """An item and the row of the call that last changed it, where that was found."""

    item: TodoItem
    row: int | None = None
    time: float | None = None


class CurrentTodoList(Value):
    """A list as it stands after its newest call, at `row`; `text` is a plan that has no steps."""

    kind: ToolKind
    stream: Stream | None
    """None for the one that the log is of."""
    row: int
    time: float | None
    items: tuple[ListItem, ...] = ()
    text: str = ""
    approved: bool | None = None
    """The person's answer to a plan, where that is known."""


class _Making:
    """A list in the making: its calls are read newest first."""

    def __init__(self, kind: ToolKind, stream: Stream | None, row: int, activity: Activity) -> None:
        self.row = row
        self.looked = 0
        self._list = CurrentTodoList(kind, stream, row, activity.started, (), *_plan_of(activity))
        self._items = _after(activity) or ()
        self._changed: dict[str, tuple[int, float | None]] = {}
        self._later: tuple[int, float | None, Sequence[TodoItem]] | None = None
        """Row, time and items of a call that has the whole list but not the previous one."""

    @property
    def done(self) -> bool:
        """True if it is known of each item where it changed, or too much was looked at."""
        return len(self._changed) >= len(self._items) or self.looked >= LOOKED_AT

    def take(self, row: int, activity: Activity) -> None:
        """Take the newest call, and then each before it."""
        self.looked += 1
        after = _after(activity)
        if after is None:
            return
        if self._later is not None:
            self._note(*self._later, before=after)
            self._later = None
        if activity.todos is None:
            self._later = row, activity.started, after
        else:
            self._note(row, activity.started, after, before=activity.todos.before)

    def _note(
        self,
        row: int,
        time: float | None,
        after: Sequence[TodoItem],
        *,
        before: Sequence[TodoItem],
    ) -> None:
        known = {_key(item): item.status for item in before}
        for item in after:
            if known.get(_key(item)) is not item.status:
                self._changed.setdefault(_key(item), (row, time))

    def made(self) -> CurrentTodoList:
        """The list with what was found."""
        if self._later is not None and self.looked < LOOKED_AT:
            # Nothing was before it. Behind what was looked at, that is not known.
            self._note(*self._later, before=())
        unknown = (None, None)
        items = tuple(
            ListItem(item, *self._changed.get(_key(item), unknown)) for item in self._items
        )
        return replace(self._list, items=items)


def newest_lists(
    rows: Rows, seen: Callable[[Activity], Activity], found: list[CurrentTodoList]
) -> Iterator[None]:
    """Put the newest todo list and plan of each stream into `found`, the newest of all first.

    Pauses behind each call that is decoded. `seen` gives an activity as it may be shown.
    """
    making: dict[tuple[Stream | None, ToolKind], _Making] = {}
    looked = 0
    for row in _calls(rows):
        kind, side = rows.kind(row), rows.nested(row)
        main = None if side or not isinstance(kind, ToolKind) else making.get((None, kind))
        if main is not None and main.done:
            continue
        if looked == MOST:
            break
        looked += 1
        activity = rows.activity(row)
        if isinstance(rows, SessionStore) and rows.lists_wait:
            yield from rows.finish_lists()
            activity = rows.activity(row)
        activity = seen(activity)
        if isinstance(kind, ToolKind):
            _take(making, row, kind, activity.first.stream if side else None, activity)
        yield
    found[:] = sorted((each.made() for each in making.values()), key=lambda made: -made.row)


def _take(
    making: dict[tuple[Stream | None, ToolKind], _Making],
    row: int,
    kind: ToolKind,
    stream: Stream | None,
    activity: Activity,
) -> None:
    known = making.get((stream, kind))
    if known is None:
        if _after(activity) is None and not _plan_of(activity)[0]:
            return
        known = making[stream, kind] = _Making(kind, stream, row, activity)
    if not known.done or known.looked == 0:
        known.take(row, activity)


def list_calls(rows: Rows) -> Sequence[int]:
    """Rows of the calls that work on todo lists and plans, in order; hidden ones too."""
    if isinstance(rows, LogRows):
        return rows.of_kinds(_KINDS)
    return [row for row in range(rows.first, rows.end) if rows.kind(row) in _KINDS]


def _calls(rows: Rows) -> Iterator[int]:
    """Calls in the order in which they ended, the last one first."""
    held: list[tuple[int, int]] = []
    for row in reversed(list_calls(rows)):
        if rows.shown(row):
            joined = rows.joined(row) if isinstance(rows, LogRows) else ()
            heappush(held, (-max((row, *joined)), row))
        if len(held) > TOGETHER:
            yield heappop(held)[1]
    while held:
        yield heappop(held)[1]


def _after(activity: Activity) -> Sequence[TodoItem] | None:
    """The items after a call; None for one that says nothing of them."""
    call = activity.body
    if activity.todos is not None:
        return activity.todos.after
    payload = call.payload if isinstance(call, ToolCall) else None
    if isinstance(payload, TodosPayload):
        return payload.items or None
    return payload.steps or None if isinstance(payload, PlanPayload) else None


def _plan_of(activity: Activity) -> tuple[str, bool | None]:
    """The text of a plan without steps, and whether it was approved."""
    call = activity.body
    if not isinstance(call, ToolCall) or not isinstance(call.payload, PlanPayload):
        return "", None
    result = call.result if isinstance(call.result, PlanResult) else PlanResult()
    text = "" if call.payload.steps else call.payload.text or result.text or ""
    return text, result.approved


def _key(item: TodoItem) -> str:
    return f"#{item.id}" if item.id else item.text


_KINDS = frozenset({ToolKind.TODOS, ToolKind.PLAN})
