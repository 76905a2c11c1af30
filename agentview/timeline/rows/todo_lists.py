"""The running todo list of a session: each call on it shows the list as it stood after it.

A list is found by walking back from a call over those that ended before it, to one that has the
whole list; so the order in which rows became known does not matter.
"""

from collections.abc import Callable, Generator, Iterator
from heapq import heappop, heappush

from msgspec.structs import replace

from agentview.domain.activity import Activity, TodoLists
from agentview.domain.index_entry import KIND_CODES
from agentview.domain.session import Stream
from agentview.domain.tool_inputs import TodoItem, TodosAction, TodosPayload, TodoStatus
from agentview.domain.tool_results import TodosResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.normalize.tools.todo import noted
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.tables.row_table import PackedRows

MAX_STEPS = 512
"""Most calls that a list is assembled from when none of them has the whole list."""

TOGETHER = 16
"""Calls that may run at once: what they do to a list counts in the order in which they ended."""

_UNENDED = 64
"""Rows behind a call without a result at which it counts."""

_KIND = KIND_CODES[ToolKind.TODOS]
MAX_KEPT = 4_096
"""Calls whose part in the list is remembered."""

_REFUSED = frozenset({ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED})

Items = tuple[TodoItem, ...]


class Step(Value):
    """Step of a call on the list of its stream: `whole` means that it has the whole list."""

    stream: Stream
    items: Items = ()
    whole: bool = False
    read_only: bool = False
    """It asks for the list and changes nothing."""
    before: Items | None = None
    """The list before it, where the log has it."""


def step_of(call: ToolCall, stream: Stream) -> Step:
    """Return the step of a call on the list; a call that was refused or failed has none."""
    payload = call.payload
    if not isinstance(payload, TodosPayload) or call.state in _REFUSED or call.ok is False:
        return Step(stream)
    result = call.result if isinstance(call.result, TodosResult) else TodosResult()
    after, action = result.after, payload.action
    if action is TodosAction.REPLACE:
        items = payload.items if after is None else after
        return Step(stream, items, whole=True, before=result.before)
    if action is TodosAction.LIST:
        return Step(stream, after or (), whole=after is not None, read_only=after is None)
    if action is TodosAction.GET:
        return Step(stream, after or (), read_only=True)
    return Step(stream, _named(payload.items, after))


def _named(asked: Items, after: Items | None) -> Items:
    """The items that a call names, with what its result says of them."""
    if after is None or len(after) != len(asked):
        return after or asked
    return tuple(_changed(old, new) for old, new in zip(asked, after, strict=True))


def _changed(old: TodoItem, new: TodoItem) -> TodoItem:
    """An item with all that a later word on it says."""
    known = new.status is not TodoStatus.UNKNOWN
    return TodoItem(
        new.text or old.text,
        new.status if known else old.status,
        new.id or old.id,
        new.active or old.active,
        new.priority or old.priority,
        noted(old.note, new.note),
    )


def after_step(before: Items, step: Step) -> Items:
    """The list after a step: items keep their places, new ones come last, deleted ones go."""
    if step.whole:
        return step.items
    items = {_key(item): item for item in before}
    for item in step.items:
        old = items.get(_key(item))
        items[_key(item)] = item if old is None else _changed(old, item)
    return tuple(item for item in items.values() if item.status is not TodoStatus.DELETED)


def _key(item: TodoItem) -> str:
    return f"#{item.id}" if item.id else item.text


class RunningTodos:
    """The lists of one session, put together when they are asked for.

    `activity` gives the activity of a row, `absent` whether a row stands nowhere. A list that takes
    more than `at_once` steps of work is left out and waits until `finishing` has been gone through.
    """

    def __init__(
        self,
        rows: PackedRows,
        activity: Callable[[int], Activity],
        absent: Callable[[int], bool],
        at_once: int,
    ) -> None:
        self._rows = rows
        self._activity = activity
        self._absent = absent
        self._steps: dict[int, Step] = {}
        self._after: dict[int, Items] = {}
        self._asked: set[int] = set()
        self._at_once = at_once
        self.waiting: set[int] = set()
        """Rows whose lists were left out."""

    def with_lists(self, row: int, activity: Activity) -> Activity:
        """The activity of a row with the lists around it, where it is a call that works on one."""
        call = activity.body
        if not isinstance(call, ToolCall) or call.kind is not ToolKind.TODOS:
            return activity
        self._asked.add(row)
        step = self._steps[row] = step_of(call, activity.first.stream)
        if not step.items and not step.whole:
            return activity
        before = self._found_at_once(row, step) if step.before is None else step.before
        if before is None:
            self.waiting.add(row)
            return activity
        if step.read_only:
            before = after_step(before, step)
        return replace(activity, todos=TodoLists(before, after_step(before, step)))

    def widen(self, change: RowsChanged) -> RowsChanged:
        """The change with all rows that were asked for and whose lists it may have changed.

        Call it for each change.
        """
        for row in change.updated:
            self._steps.pop(row, None)
        first = self._first_changed(change)
        if first is None:
            return change
        for row in [row for row in self._after if self._end(row) >= first]:
            del self._after[row]
        later = {row for row in self._asked if self._end(row) > first}
        return replace(change, updated=sorted({*change.updated, *later})) if later else change

    def _first_changed(self, change: RowsChanged) -> int | None:
        """The first row of the kind that is new in front, or changed."""
        rows = self._rows
        if change.prepended:
            fresh = list(rows.before(rows.first + change.prepended, _KIND))
            if fresh:
                return fresh[-1]
        known = range(rows.first, rows.end)
        changed = (row for row in change.updated if row in known and rows.kind(row) == _KIND)
        return min(changed, default=None)

    def finishing(self) -> Iterator[None]:
        """Put the lists together that wait, a little at each step; they wait no more at the end."""
        for row in sorted(self.waiting):
            step = self._steps.get(row)
            if step is not None:
                yield from self._before(row, step.stream)
            self.waiting.discard(row)

    def _found_at_once(self, row: int, step: Step) -> Items | None:
        """The list before a row; None when that takes too long, or others wait already."""
        work = self._before(row, step.stream)
        try:
            for _ in range(1 if self.waiting else self._at_once):
                next(work)
        except StopIteration as done:
            return done.value
        return None

    def _before(self, row: int, stream: Stream) -> Generator[None, None, Items]:
        """The list before a row: walks back to a list that is known, then forward again.

        Pauses behind each call that is decoded and each change that is carried out.
        """
        if len(self._steps) > MAX_KEPT:
            self._steps.clear()
            self._after.clear()
        steps: list[tuple[int, Step]] = []
        items: Items = ()
        for earlier in self._ended_before(row):
            step = self._steps.get(earlier)
            if step is None and not self._absent(earlier):
                step = self._decoded(earlier)
                yield
            if step is None or step.stream != stream:
                continue
            if earlier in self._after:
                items = self._after[earlier]
                break
            steps.append((earlier, step))
            if step.whole or len(steps) == MAX_STEPS:
                break
        for earlier, step in reversed(steps):
            items = self._after[earlier] = after_step(items, step)
            yield
        return items

    def _ended_before(self, row: int) -> Iterator[int]:
        """Calls that ended before that of a row, the last one first."""
        end = self._end(row)
        held: list[tuple[int, int]] = []
        for other in self._rows.before(end, _KIND):
            ended = self._end(other)
            if other != row and ended < end:
                heappush(held, (-ended, other))
            if len(held) > TOGETHER:
                yield heappop(held)[1]
        while held:
            yield heappop(held)[1]

    def _end(self, row: int) -> int:
        """The row of the result of a call; one without a result comes behind those around it."""
        if not self._rows.first <= row < self._rows.end:
            return row
        result = self._rows.link(row)
        return row + _UNENDED if result is None else max(row, result)

    def _decoded(self, row: int) -> Step | None:
        other = self._activity(row)
        if not isinstance(other.body, ToolCall):
            return None
        step = self._steps[row] = step_of(other.body, other.first.stream)
        return step
