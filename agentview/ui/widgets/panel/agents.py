"""The agents of a session, each below the one that started it, and what they did."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.style import Style

from agentview.domain.activity import Activity
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.facts.usage.estimate import Estimate
from agentview.sessions.following.embedded_subagents import open_side_logs
from agentview.sessions.following.live_session import LiveSession
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.format_numbers import counted, span, tokens
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.overview.subagents import (
    Agent,
    AgentTotals,
    Known,
    agent_name,
    agent_task,
    agent_totals,
    agent_tree,
)
from agentview.timeline.view.titles.title import StatusIcon, mark_of
from agentview.ui.messages import AgentChosen
from agentview.ui.render.style.glyphs import icon_style
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import Piece
from agentview.ui.widgets.panel.tab import PanelTab, PanelView, TabLine
from agentview.ui.widgets.price_cache import cost_of, estimate
from agentview.ui.widgets.state_marks import Role, mark_of_status

_INDENT = 2
_DEEP = 8
"""Levels that are set in; what is nested deeper stands below these."""

_ROOM_FOR_COST = 54
"""Cells from which a line shows what an agent cost."""


class AgentsTab(PanelTab):
    """One line an agent; `⏎` enters its timeline."""

    NAME: ClassVar[str] = "Agents"

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._store = session.store if isinstance(session.store, SessionStore) else None
        self._agents: Sequence[Agent] = ()
        self._known = Known()
        self._prices: dict[str, Estimate] = {}
        """Estimate of the price of the log at a path."""
        self._pricing: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Make the tree again."""
        self._known = Known()
        self.work_through(self._gather())

    def take(self, change: RowsChanged) -> None:
        """Make the tree again, but decode no call again that is the same."""
        self._known.forget(self.session.ref.path, change.updated)
        self.work_through(self._gather())

    def _gather(self) -> Iterator[None]:
        agents: list[Agent] = []
        if isinstance(self.session, LiveSession) and self.session.store.indexed:
            yield from open_side_logs(self.session)
        if self._store is not None:
            for agent in agent_tree(self._store, self._known):
                if agent is not None:
                    agents.append(agent)
                yield
        self._agents = agents
        self.show_lines(1 + len(agents))
        unpriced = [log for log in self._logs() if self._unpriced(log)]
        if unpriced and (self._pricing is None or self._pricing.done()):
            self._pricing = asyncio.create_task(self._look_up_prices(unpriced))

    def _unpriced(self, log: SessionStore) -> bool:
        known = self._prices.get(log.session.path)
        return known is None or bool(known.missing((log.summary.spent,)))

    async def _look_up_prices(self, logs: Sequence[SessionStore]) -> None:
        for log in logs:
            self._prices[log.session.path] = await estimate((log.summary.spent,))
        self.refresh()

    def on_unmount(self) -> None:
        if self._pricing is not None:
            self._pricing.cancel()

    def _logs(self) -> list[SessionStore]:
        return [agent.log for agent in self._agents if agent.log is not None]

    def _cost(self, log: SessionStore | None) -> str:
        """Return the cost of an agent; empty where that is not known."""
        if log is None:
            return ""
        price_of = self._prices.get(log.session.path)
        price = None if price_of is None else price_of((log.summary.spent,))
        cost = cost_of(log.summary.cost, price)
        return "" if cost.shown is None else cost.text()

    def stops_at(self, index: int) -> bool:
        return 0 < index <= len(self._agents)

    def row_of_line(self, index: int) -> int | None:
        """The call that started the agent, where it is in the log of the session itself."""
        if not self.stops_at(index):
            return None
        agent = self._agents[index - 1]
        return agent.row if agent.parent is self._store else None

    def choose(self, index: int) -> None:
        """Enter the agent's timeline; go to its call where it has none."""
        if not self.stops_at(index):
            return
        agent = self._agents[index - 1]
        row = agent.row
        stream = None if row is None else agent.parent.activity(row).child
        if agent.log is not None:
            self.post_message(AgentChosen(agent.way))
        elif stream is not None and stream.kind is not StreamKind.RUN:
            self.post_message(AgentChosen((*agent.way, stream)))
        elif agent.way:
            self.post_message(AgentChosen(agent.way, agent.row))
        else:
            super().choose(index)

    def line(self, index: int, width: int) -> TabLine:
        """How many there are, or one of them."""
        if index == 0:
            return self._heading()
        agent = self._agents[index - 1]
        space = self.view.space
        palette = space.palette
        call = None if agent.row is None else self.view.seen(agent.parent.activity(agent.row))
        log = agent.log
        name, task = agent_name(call), agent_task(call)
        if log is not None:
            name = agent_name(call, log.session, log.summary.first_prompt)
            task = task if log.session.run is None else ""
        entered = agent.log is not None or (call is not None and call.child is not None)
        left: list[Piece] = [
            (" " * (_INDENT * min(agent.depth, _DEEP)), palette.dim),
            self._mark(agent, call),
            (name, palette.accent if entered else palette.text),
        ]
        if task:
            left.append((f"  {task}", palette.text))
        right = self._totals_pieces(agent_totals(agent.log, call))
        cost = self._cost(agent.log) if width >= _ROOM_FOR_COST else ""
        return TabLine(left, [*right, (f" {cost}", palette.dim)] if cost else right)

    def _heading(self) -> TabLine:
        palette = self.view.space.palette
        if not self._agents:
            return TabLine([("no agent was started here", palette.dim)])
        logs = self._logs()
        working = sum(self._state(log) is SessionState.WORKING for log in logs)
        left: list[Piece] = [(counted(len(self._agents), "agent"), palette.heading)]
        if working:
            left.append((f"  {working:,} at work", palette.running))
        totals = [agent_totals(log, None) for log in logs]
        used = [each.tokens for each in totals if each.tokens is not None]
        summed = AgentTotals(
            sum(each.calls or 0 for each in totals) if totals else None,
            sum(each.problems or 0 for each in totals),
            sum(used) if used else None,
        )
        right = self._totals_pieces(summed)
        if right and len(logs) < len(self._agents):
            # Of the others it is not known what they did, or only what their calls brought back.
            right = [(" at least", palette.dim), *right]
        return TabLine(left, right)

    def _totals_pieces(self, totals: AgentTotals) -> Sequence[Piece]:
        space = self.view.space
        palette = space.palette
        pieces: list[Piece] = []
        if totals.calls is not None:
            pieces.append((f" {counted(totals.calls, 'call')}", palette.dim))
        if totals.problems:
            pieces.append(
                (f" {totals.problems:,}{space.glyphs.marks[StatusIcon.FAILED]}", palette.error)
            )
        if totals.tokens is not None:
            pieces.append((f" {tokens(totals.tokens):>4}", palette.dim))
        if totals.seconds is not None:
            pieces.append((f" {span(totals.seconds):>3}", palette.dim))
        return pieces

    def _mark(self, agent: Agent, call: Activity | None) -> Piece:
        """The mark of the state of an agent, else of the call that started it."""
        log, space = agent.log, self.view.space
        if log is not None:
            status = log.status(self.view.clock())
            # A call that only started an agent is over while the agent is at work.
            at_work = log.live and status.state is SessionState.WORKING
            if call is None or at_work or status.state is SessionState.INTERRUPTED:
                mark = mark_of_status(status)
                sign = mark.ascii if space.glyphs.rule.isascii() else mark.sign
                return f"{sign} ", _role_style(mark.role, space.palette)
        shown = StatusIcon.NONE if call is None else mark_of(call)
        return f"{space.glyphs.marks[shown]} ", icon_style(shown, space.palette)

    def _state(self, log: SessionStore) -> SessionState:
        return log.status(self.view.clock()).state


def _role_style(role: Role, palette: Palette) -> Style:
    return {
        Role.WORKING: palette.running,
        Role.ATTENTION: palette.warning,
        Role.FAILED: palette.error,
        Role.QUIET: palette.dim,
    }[role]
