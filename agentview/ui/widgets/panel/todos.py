"""The newest todo list and plan of a session, and those of its agents."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from agentview.domain.session import SessionRef, Stream
from agentview.domain.tool_inputs import TodoItem, TodoStatus
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.format_numbers import clock_time
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.overview.current_todos import (
    CurrentTodoList,
    ListItem,
    list_calls,
    newest_lists,
)
from agentview.timeline.view.overview.subagents import Known, agent_name, agent_tree
from agentview.timeline.view.rows_protocol import LogRows, Rows
from agentview.timeline.view.sanitize import one_line
from agentview.ui.messages import AgentChosen
from agentview.ui.render.text_lines import Piece
from agentview.ui.render.todos import todo_mark_style, todo_text_style
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine

_PLAN_LINES = 24
"""Lines of a plan without steps that are shown, at most."""

_WORDS = {ToolKind.TODOS: "Todos", ToolKind.PLAN: "Plan"}


class _Whose(Value):
    """Lists of one log: `way` leads to it, empty for the session itself; `who` is its agent."""

    way: tuple[Stream, ...]
    who: str
    lists: list[CurrentTodoList]


class _Line(Value):
    """A line of the tab: a heading, an item, a line of a plan's text, or nothing."""

    way: tuple[Stream, ...] = ()
    row: int | None = None
    heading: CurrentTodoList | None = None
    who: str = ""
    item: ListItem | None = None
    text: str = ""


class TodosTab(PanelTab):
    """Each list under its heading; `⏎` goes to the call that changed an item last."""

    NAME: ClassVar[str] = "Todos"

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._lines: list[_Line] = []
        self._calls: dict[int, tuple[int, ...]] = {}
        """Revision of the calls of each log when its lists were made."""
        self._found: dict[int, _Whose] = {}
        self._agents = Known()
        self._looked = False

    def begin(self) -> None:
        """Look for all lists again."""
        self._calls.clear()
        self._found.clear()
        self._looked = False
        self._agents = Known()
        self.work_through(self._look(frozenset()))

    def take(self, change: RowsChanged) -> None:
        """Look again where a call on a list came or changed."""
        self._agents.forget(self.session.ref.path, change.updated)
        self.work_through(self._look(frozenset(change.updated)))

    def _look(self, updated: frozenset[int]) -> Iterator[None]:
        whose: list[tuple[Rows, _Whose]] = [(self.session.store, _Whose((), "", []))]
        if isinstance(self.session.store, SessionStore):
            for agent in agent_tree(self.session.store, self._agents):
                if agent is not None and agent.log is not None and not agent.log.session.shared:
                    name = self._called(agent.parent, agent.row, agent.log.session)
                    whose.append((agent.log, _Whose(agent.way, name, [])))
                yield
        for rows, lists in whose:
            calls = list_calls(rows)
            known = _known_of(rows, calls)
            touched = rows is self.session.store and not updated.isdisjoint(calls)
            if touched or self._calls.get(id(rows)) != known:
                yield from newest_lists(rows, self.view.seen, lists.lists)
                self._calls[id(rows)] = known
                self._found[id(rows)] = lists
            yield
        self._looked = True
        self._lay_out([id(rows) for rows, _ in whose])

    def _lay_out(self, order: list[int]) -> None:
        self._lines = []
        for key in order:
            whose = self._found.get(key)
            for each in whose.lists if whose is not None else ():
                if whose is not None:
                    self._lines += _lines_of(each, whose, self._who(each) or whose.who)
        self.show_lines(max(1, len(self._lines)))

    def _who(self, found: CurrentTodoList) -> str:
        """Return the agent of a list that is in the log of the session itself."""
        store = self.session.store
        if found.stream is None or not isinstance(store, SessionStore):
            return ""
        return self._called(store, store.child_call(found.stream))

    def _called(self, parent: SessionStore, row: int | None, ref: SessionRef | None = None) -> str:
        """Return the name of the agent that the call at a row of its parent's log started."""
        call = None if row is None else self.view.seen(parent.activity(row))
        return agent_name(call, ref)

    def stops_at(self, index: int) -> bool:
        return index < len(self._lines) and self._lines[index].row is not None

    def row_of_line(self, index: int) -> int | None:
        """The call that changed the item last, in the log of the session itself."""
        if index >= len(self._lines) or self._lines[index].way:
            return None
        return self._lines[index].row

    def choose(self, index: int) -> None:
        if self.stops_at(index) and self._lines[index].way:
            self.post_message(AgentChosen(self._lines[index].way, self._lines[index].row))
        else:
            super().choose(index)

    def line(self, index: int, width: int) -> TabLine:
        """A heading, an item, a line of a plan."""
        del width
        palette = self.view.space.palette
        if index >= len(self._lines):
            known = self._looked and self.session.header().all_read
            word = "no list and no plan yet" if known else "reading"
            return TabLine([(word, palette.dim)])
        line = self._lines[index]
        if line.heading is not None:
            return self._heading(line.heading, line.who)
        if line.item is not None:
            return self._item(line.item)
        return TabLine([(f"  {line.text}" if line.text else "", palette.text)])

    def _heading(self, found: CurrentTodoList, who: str) -> TabLine:
        palette = self.view.space.palette
        left: list[Piece] = [(_WORDS[found.kind], palette.heading)]
        if who:
            left.append((f" {who}", palette.accent))
        if found.items:
            done = sum(each.item.status is TodoStatus.COMPLETED for each in found.items)
            left.append((f"  {done}/{len(found.items)} done", palette.dim))
        if found.approved is not None:
            word, style = ("approved", palette.success) if found.approved else (
                "rejected", palette.warning)  # fmt: skip
            left.append((f"  {word}", style))
        return TabLine(left, [(clock_time(found.time), palette.dim)])

    def _item(self, listed: ListItem) -> TabLine:
        space, item = self.view.space, listed.item
        palette = space.palette
        mark = space.glyphs.todos[item.status]
        left = [
            (f"{mark} ", todo_mark_style(item.status, palette)),
            (_text(item), todo_text_style(item.status, palette)),
        ]
        if item.priority:
            left.append((f"  {one_line(item.priority, 20)}", palette.dim))
        time = clock_time(listed.time) if listed.time is not None else ""
        return TabLine(left, [(time, palette.dim)])


def _known_of(rows: Rows, calls: Sequence[int]) -> tuple[int, ...]:
    """Return a key that changes when a call on a list came, or the newest one was answered."""
    last = calls[-1:]
    answers = len(rows.joined(last[0])) if last and isinstance(rows, LogRows) else 0
    return len(calls), answers, *last


def _lines_of(found: CurrentTodoList, whose: _Whose, who: str) -> Iterator[_Line]:
    yield _Line(whose.way, found.row, heading=found, who=who)
    for item in found.items:
        yield _Line(whose.way, found.row if item.row is None else item.row, item=item)
    shown = found.text.strip().splitlines()
    for text in shown[:_PLAN_LINES]:
        yield _Line(whose.way, text=one_line(text, 300))
    if len(shown) > _PLAN_LINES:
        yield _Line(whose.way, found.row, text=f"{len(shown) - _PLAN_LINES:,} more lines")
    yield _Line()


def _text(item: TodoItem) -> str:
    working = item.status is TodoStatus.IN_PROGRESS and item.active
    return one_line(item.active if working and item.active else item.text) or f"#{item.id}"
