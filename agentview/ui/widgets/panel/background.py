"""Goals of a session, and its work in the background: running, planned and ended."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import join
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.timer import Timer

from agentview.domain.activity import Activity
from agentview.domain.background import BackgroundSession, WorkflowPhase
from agentview.domain.record_ref import FileLocation
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import Goal
from agentview.domain.value import Value
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.activity.clipboard_text import copied_subject
from agentview.timeline.view.format_numbers import clock_time, counted, moment, span, tokens
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.overview.background import (
    LogTasks,
    Task,
    TaskFacts,
    done_of,
    task_facts,
    tasks_of,
)
from agentview.timeline.view.overview.plans import Plan, Plans, next_time, plan_rows, plans_of
from agentview.timeline.view.overview.subagents import Known
from agentview.timeline.view.sanitize import first_line, one_line
from agentview.timeline.view.titles.standing import goal_tokens, timing_words
from agentview.timeline.view.titles.title import StatusIcon
from agentview.ui.messages import AgentChosen, CopyRequested, EditRequested, SessionChosen
from agentview.ui.render.style.glyphs import icon_style
from agentview.ui.render.text_lines import Piece
from agentview.ui.widgets.panel.tab import PANEL, PanelTab, PanelView, TabLine

_TITLE = 200
_WORD = 40
_ROOM_FOR_TIME = 44
"""Cells from which a line shows when a task began."""


class _Line(Value, gc=True):
    """A line above the ended tasks: a heading, a task, its last output, a plan, or nothing.

    A workflow has a line for each of its phases. `session` is one that the client runs.
    """

    heading: str = ""
    task: Task | None = None
    second: bool = False
    phase: WorkflowPhase | None = None
    session: BackgroundSession | None = None
    plan: Plan | None = None
    goal: tuple[int, Goal] | None = None


class BackgroundTab(PanelTab):
    """The goal, running tasks, jobs that run later, ended tasks; `⏎` goes to the call of each."""

    NAME: ClassVar[str] = "Background"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "copy", show=False, id="background.copy", group=PANEL,
                tooltip="Copy the command, task or goal of the line"),
        Binding("v", "output", "output", show=False, id="background.output", group=PANEL,
                tooltip="Open the output in $VISUAL or $EDITOR"),
    ]  # fmt: skip

    def __init__(self, session: OpenSession, view: PanelView) -> None:
        super().__init__(session, view)
        self._store = session.store if isinstance(session.store, SessionStore) else None
        self._agents = Known()
        self._lines: Sequence[_Line] = ()
        self._over: Sequence[LogTasks] = ()
        """The logs with ended tasks; a line a task is below the others, the last one of each log
        first."""
        self._facts: dict[tuple[str, int], TaskFacts] = {}
        """Facts of tasks that were drawn, by the log and the row."""
        self._revisions: dict[str, int] = {}
        """The revision of each agent's log at which these facts were found."""
        self._plans = Plans()
        self._planned: tuple[Sequence[int], Sequence[int]] = ((), ())
        """The rows of calls on schedules and goals that `_plans` are by."""
        self._times: dict[Plan, float | None] = {}
        """When each job runs next."""
        self._live = True
        """False for a session that has ended or is not followed: nothing runs there, and whether
        its jobs still will is not known."""
        self._sessions: Sequence[BackgroundSession] = ()
        self._looked = False
        self._ticking: Timer | None = None

    # What there is

    def begin(self) -> None:
        """Look for all tasks again."""
        self._agents = Known()
        self._facts.clear()
        self._planned = (), ()
        self.work_through(self._look())
        if self._ticking is None:
            self._ticking = self.set_interval(1.0, self._tick)
        self._ticking.resume()

    def take(self, change: RowsChanged) -> None:
        """Look again, and find out again what is known of calls that changed."""
        path = self.session.ref.path
        self._agents.forget(path, change.updated)
        for row in change.updated:
            self._facts.pop((path, row), None)
        if not frozenset(change.updated).isdisjoint((*self._planned[0], *self._planned[1])):
            self._planned = (), ()
        self.work_through(self._look())

    def ended(self) -> None:
        """Let no time pass: nobody sees how long a task has run."""
        super().ended()
        if self._ticking is not None:
            self._ticking.pause()

    def _tick(self) -> None:
        running = [line.task for line in self._lines if line.task and not line.second]
        workflows = [task for task in running if self._facts_of(task).phases]
        sessions = self._background_sessions()
        if workflows or sessions != self._sessions:
            for task in workflows:
                self._facts.pop((task.of.log.session.path, task.row), None)
            self.work_through(self._look())
        self._refresh_changed()

    def _background_sessions(self) -> Sequence[BackgroundSession]:
        """Those in the directory of the session that have not ended, or ended since it began."""
        store = self._store
        if store is None:
            return ()
        began, folder = store.summary.times.first or 0.0, store.summary.text("cwd")
        found = store.provider.background_sessions(store.session)
        return [
            each
            for each in found
            if each.cwd == folder and (not each.over or (each.updated or 0.0) >= began)
        ]

    def _look(self) -> Iterator[None]:
        store, header = self._store, self.session.header()
        running: list[Task] = []
        over: list[LogTasks] = []
        if store is not None:
            self._live = store.live and header.state is not SessionState.ENDED
            for tasks in tasks_of(store, self._agents, live=self._live):
                if tasks is not None:
                    self._forget_older(tasks.log)
                    running += (Task(tasks, row, runs=True) for row in tasks.running)
                    over += [tasks] if tasks.over else []
                yield
            if (rows := plan_rows(store)) != self._planned:
                self._plans = yield from plans_of(store, *rows)
                self._planned = rows
        for task in running:
            self._facts_of(task)
            yield
        self._sessions = self._background_sessions()
        yield
        self._times = {plan: self._times[plan] for plan in self._plans.jobs if plan in self._times}
        for plan in self._plans.jobs:
            self._next(plan)
            yield
        held = self._task_at(self._cursor) if self.moved else None
        self._looked = header.all_read
        self._over = over
        self._lines = list(self._laid_out(running))
        if not over and self._lines:
            # The line between two lists has nothing below it.
            self._lines.pop()
        at = None if held is None else self._line_of(held)
        self.show_lines(
            max(1, len(self._lines) + sum(len(each.over) for each in over)),
            moved=0 if at is None else at - self._cursor,
        )

    def _forget_older(self, log: SessionStore) -> None:
        """Find out again what is known of the calls of an agent whose log has changed."""
        path = log.session.path
        if log is self._store or self._revisions.get(path) == log.revision:
            return
        self._revisions[path] = log.revision
        for key in [key for key in self._facts if key[0] == path]:
            del self._facts[key]

    def _laid_out(self, running: Sequence[Task]) -> Iterator[_Line]:
        if self._plans.goal is not None:
            yield _Line("goal")
            yield _Line(goal=self._plans.goal)
            yield _Line(goal=self._plans.goal, second=True)
            yield _Line()
        yield from self._running_lines(running)
        if jobs := self._plans.jobs:
            yield _Line(f"{len(jobs):,} scheduled{'' if self._live else ' at the end of the log'}")
            yield from (_Line(plan=plan) for plan in jobs)
            yield _Line()
        yield from self._session_lines()
        if self._over:
            yield _Line(f"{sum(len(each.over) for each in self._over):,} ended")

    def _running_lines(self, running: Sequence[Task]) -> Iterator[_Line]:
        if running:
            yield _Line(f"{len(running):,} running")
        for task in running:
            facts = self._facts_of(task)
            yield _Line(task=task)
            if facts.last:
                yield _Line(task=task, second=True)
            yield from (_Line(task=task, second=True, phase=phase) for phase in facts.phases)
        if running:
            yield _Line()

    def _session_lines(self) -> Iterator[_Line]:
        if sessions := self._sessions:
            yield _Line(counted(len(sessions), "background session"))
            for session in sessions:
                yield _Line(session=session)
                if session.needs or session.detail:
                    yield _Line(session=session, second=True)
            yield _Line()

    def _line_of(self, task: Task) -> int | None:
        """Where a task stands now."""
        at = len(self._lines)
        for tasks in self._over:
            rows = tasks.over
            place = bisect_left(rows, task.row)
            if tasks.log is task.of.log and rows[place : place + 1] == [task.row]:
                return at + len(rows) - 1 - place
            at += len(rows)
        lines = (at for at, line in enumerate(self._lines) if _same(line, task))
        return next(lines, None)

    def _facts_of(self, task: Task) -> TaskFacts:
        key = task.of.log.session.path, task.row
        if key not in self._facts:
            self._facts[key] = task_facts(task, self._call(task))
        return self._facts[key]

    def _call(self, task: Task) -> Activity:
        return self.view.seen(task.of.log.activity(task.row))

    def _next(self, plan: Plan) -> float | None:
        known = self._times.get(plan)
        if plan not in self._times or (known is not None and known <= self.view.clock()):
            self._times[plan] = known = next_time(plan, self.view.clock())
        return known

    # Where lines lead

    def _task_at(self, index: int) -> Task | None:
        if 0 <= index < len(self._lines):
            line = self._lines[index]
            return None if line.second else line.task
        at = index - len(self._lines)
        for tasks in self._over:
            if 0 <= at < len(tasks.over):
                return Task(tasks, tasks.over[-1 - at], runs=False)
            at -= len(tasks.over)
        return None

    def stops_at(self, index: int) -> bool:
        """At the first line of each task and session, at jobs and the goal."""
        known = self._task_at(index), self._planned_at(index), self._session_at(index)
        return any(each is not None for each in known)

    def _session_at(self, index: int) -> BackgroundSession | None:
        line = self._lines[index] if 0 <= index < len(self._lines) else _Line()
        return None if line.second else line.session

    def _planned_at(self, index: int) -> int | None:
        """The row of the call on the job or the goal of a line."""
        line = self._lines[index] if 0 <= index < len(self._lines) else _Line()
        if line.plan is not None:
            return line.plan.row
        return None if line.goal is None or line.second else line.goal[0]

    def row_of_line(self, index: int) -> int | None:
        """The call that is behind a line, where it is in the log of the session itself."""
        task = self._task_at(index)
        if task is None:
            return self._planned_at(index)
        return None if task.of.way else task.row

    def choose(self, index: int) -> None:
        """Go to the call, in the timeline of its agent where it has one, or open the session."""
        task, session = self._task_at(index), self._session_at(index)
        if session is not None:
            self._open(session)
        elif task is not None and task.of.way:
            self.post_message(AgentChosen(task.of.way, task.row))
        else:
            super().choose(index)

    def _open(self, session: BackgroundSession) -> None:
        log = None if session.log is None else Path(session.log)
        if self._store is None or log is None or not log.is_file():
            self.say("its log is not there yet")
        else:
            self.post_message(SessionChosen(self._store.provider.discovery.ref(log)))

    def action_copy(self) -> None:
        """Copy what the call of the line is about, or the command that opens the session."""
        task, row = self._task_at(self._cursor), self._planned_at(self._cursor)
        session = self._session_at(self._cursor)
        if session is not None:
            name, text = "command", join(session.open_command)
        elif task is not None:
            name, text = copied_subject(self._call(task))
        elif row is not None and self._store is not None:
            name, text = copied_subject(self.view.seen(self._store.activity(row)))
        else:
            name, text = "", ""
        if text:
            self.post_message(CopyRequested(text, name, self.say))
        else:
            self.say("nothing to copy")

    def action_output(self) -> None:
        """Open the file with the output of the task of the line."""
        task = self._task_at(self._cursor)
        file = None if task is None else task.of.log.output_file(task.row)
        if file is None:
            self.say("no file with its output is known")
        else:
            self.post_message(EditRequested(FileLocation(str(file)), self.say))

    # What lines show

    def line(self, index: int, width: int) -> TabLine:
        """A heading, a task, the last line of its output."""
        palette = self.view.space.palette
        task = self._task_at(index)
        if task is not None:
            return self._task_line(task, self._facts_of(task), width)
        if index >= len(self._lines):
            word = "nothing has run in the background" if self._looked else "reading"
            return TabLine([(word, palette.dim)])
        line = self._lines[index]
        if line.plan is not None:
            return self._plan_line(line.plan)
        if line.session is not None:
            return self._session_line(line.session, second=line.second)
        if line.goal is not None:
            return self._goal_line(line.goal[1], second=line.second)
        if line.task is None:
            return TabLine([(line.heading, palette.heading)])
        if line.phase is not None:
            return self._phase_line(line.phase)
        facts = self._facts_of(line.task)
        polls = f"  {counted(facts.polls, 'poll')}" if facts.polls else ""
        return TabLine([(f"    {facts.last}", palette.dim)], [(polls, palette.dim)])

    def _phase_line(self, phase: WorkflowPhase) -> TabLine:
        palette = self.view.space.palette
        works = phase.done < phase.begun
        color = palette.text if works else palette.dim
        title = one_line(phase.title, _TITLE) or "no phase"
        return TabLine([(f"    {title}", color)], [(f"  {done_of([phase])}", color)])

    def _session_line(self, session: BackgroundSession, *, second: bool) -> TabLine:
        """A session of the client, then what it needs or does."""
        space = self.view.space
        palette = space.palette
        if second:
            said = one_line(session.needs or session.detail or "", _TITLE)
            return TabLine([(f"    {said}", palette.warning if session.needs else palette.dim)])
        state = "needs you" if session.blocked else one_line(session.state, _WORD)
        facts = [
            "" if session.children is None else counted(session.children, "child session"),
            "" if session.tokens is None else f"{tokens(session.tokens)} tokens",
            state,
        ]
        passed = None if session.began is None else self.view.clock() - session.began
        color = palette.warning if session.blocked else palette.dim
        return TabLine(
            [(f"{space.glyphs.bullet} ", palette.dim),
             (one_line(session.name, _TITLE), palette.strong)],
            [(f"  {' · '.join(filter(None, facts))}", color),
             ("" if passed is None or session.over else f" {span(passed):>4}", palette.dim)],
        )  # fmt: skip

    def _plan_line(self, plan: Plan) -> TabLine:
        """When a job runs and what is asked then; how long until its next run."""
        palette, job, now = self.view.space.palette, plan.job, self.view.clock()
        when = timing_words(job.timing) if job.timing is not None else job.id or "job"
        said = first_line(job.prompt or job.name or "")
        left: list[Piece] = [
            (f"{self.view.space.glyphs.bullet} ", palette.dim),
            (when, palette.strong),
            (f"  {said}" if said else "", palette.text),
        ]
        following = self._next(plan)
        if plan.paused:
            return TabLine(left, [("  paused", palette.dim)])
        if following is None or not self._live:
            return TabLine(left)
        until = f"in {span(following - now)}" if following > now else "was due"
        return TabLine(left, [(f"  {until}  {moment(following, now)}", palette.dim)])

    def _goal_line(self, goal: Goal, *, second: bool) -> TabLine:
        palette = self.view.space.palette
        if not second:
            said = first_line(goal.objective or goal.criterion or "")
            return TabLine([(said or "its objective is not recorded", palette.strong)])
        status = one_line((goal.status or "").replace("_", " "), 40)
        budget = one_line(goal.budget or "", 40)
        facts = [fact for fact in (status, budget, goal_tokens(goal)) if fact]
        return TabLine([(f"    {' · '.join(facts) or 'its status is not recorded'}", palette.dim)])

    def _task_line(self, task: Task, facts: TaskFacts, width: int) -> TabLine:
        space = self.view.space
        palette = space.palette
        left: list[Piece] = [
            (f"{space.glyphs.marks[facts.mark]} ", icon_style(facts.mark, palette)),
            (facts.name, palette.text if facts.what else palette.strong),
        ]
        if facts.what:
            left.append((f"  {facts.what}", palette.text))
        if facts.owner:
            left.append((f"  by {facts.owner}", palette.dim))
        right: list[Piece] = []
        if not task.runs:
            right.append((f"  {_outcome(facts)}", icon_style(facts.mark, palette)))
        until = self.view.clock() if task.runs else facts.ended
        if facts.started is not None and until is not None:
            right.append((f" {span(until - facts.started):>4}", palette.dim))
        if width >= _ROOM_FOR_TIME:
            right.append((f" {clock_time(facts.started)}", palette.dim))
        return TabLine(left, right)


def _outcome(facts: TaskFacts) -> str:
    """Return how a task ended, in few words."""
    if facts.phases:
        return " · ".join(filter(None, (counted(len(facts.phases), "phase"), facts.agents)))
    if facts.exit_code is not None:
        return f"exit {facts.exit_code}"
    if facts.mark is StatusIcon.ABANDONED:
        return "no end recorded"
    return "failed" if facts.mark is StatusIcon.FAILED else ""


def _same(line: _Line, task: Task) -> bool:
    other = None if line.second else line.task
    return other is not None and other.of.log is task.of.log and other.row == task.row
