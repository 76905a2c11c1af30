"""Background tasks of a session and its agents: those that run, and those that ran."""

from collections.abc import Iterator, Sequence

from agentview.domain.activity import Activity
from agentview.domain.background import WorkflowPhase
from agentview.domain.session import Stream
from agentview.domain.tool_results import ShellResult, SubagentResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.subagents import Known, agent_name, agent_task, agent_tree
from agentview.timeline.view.sanitize import last_printed_line
from agentview.timeline.view.titles.title import StatusIcon, title_of


class LogTasks(Value, gc=True):
    """The commands and agents that calls of one log began, which run on without them.

    `way` leads to the log from that of the session; `owner` is the call that began its agent, None
    for the session itself.
    """

    log: SessionStore
    way: tuple[Stream, ...]
    owner: Activity | None
    running: Sequence[int]
    """Rows of the calls, in order."""
    over: Sequence[int]
    """Rows of the calls of which nothing runs any more, in order."""


class Task(Value, gc=True):
    """A background task that a call of a log began."""

    of: LogTasks
    row: int
    runs: bool


class TaskFacts(Value):
    """Facts of a task now, as plain text; times are epoch seconds."""

    mark: StatusIcon
    name: str
    """The command, or the name of the agent."""
    what: str
    """The task of an agent."""
    owner: str
    """The agent that began it; empty for the session itself."""
    started: float | None
    ended: float | None
    exit_code: int | None
    detail: str
    """Its outcome, in words of the title."""
    last: str
    """The last line of its output, or what an agent does now."""
    polls: int
    """How often it was read, written to or ended by a call."""
    phases: Sequence[WorkflowPhase] = ()
    """Of a workflow."""

    @property
    def agents(self) -> str:
        """How many agents of a workflow are done: `2 of 3`; more may begin in one that runs."""
        return done_of(self.phases)


def done_of(phases: Sequence[WorkflowPhase]) -> str:
    """How many agents of some phases are done, of those that have begun."""
    done, begun = sum(each.done for each in phases), sum(each.begun for each in phases)
    more = "" if all(each.over for each in phases) else "+"
    return f"{done:,} of {begun:,}{more}" if begun else ""


def tasks_of(session: SessionStore, known: Known, *, live: bool) -> Iterator[LogTasks | None]:
    """Tasks that began in the log of a session and in those of its agents, the session first.

    `live` is false where nothing can run any more. Gives None while it looks for agents.
    """
    yield _tasks(session, (), None, live=live)
    for agent in agent_tree(session, known):
        log = None if agent is None else agent.log
        if agent is None or log is None or log.session.shared:
            yield None
            continue
        owner = None if agent.row is None else agent.parent.activity(agent.row)
        yield _tasks(log, agent.way, owner, live=live)


def _tasks(
    log: SessionStore, way: tuple[Stream, ...], owner: Activity | None, *, live: bool
) -> LogTasks:
    began = log.began()
    running = log.running() if live and began else []
    left = frozenset(running)
    over = [row for row in began if row not in left] if running else began
    return LogTasks(log, way, owner, running, over)


def task_facts(task: Task, call: Activity) -> TaskFacts:
    """Return the facts of a task, by its call as it may be shown."""
    title = title_of(call)
    body, child = call.body, call.child_summary
    body = body if isinstance(body, ToolCall) else None
    agent = body is not None and body.kind is ToolKind.SUBAGENT_TASK
    result = body.result if body is not None else None
    result = result if isinstance(result, ShellResult) else ShellResult()
    printed = (call.progress, result.output, result.stderr, result.stdout)
    last = next((line for text in printed if (line := last_printed_line(text))), "")
    if child is not None and child.latest:
        newest = title_of(child.latest[-1])
        last = f"{newest.label} {newest.subject}"
    owner = "" if task.of.owner is None else agent_name(task.of.owner)
    return TaskFacts(
        title.mark if task.runs or title.mark is not StatusIcon.RUNNING else StatusIcon.ABANDONED,
        agent_name(call) if agent else title.subject,
        agent_task(call) if agent else "",
        owner,
        title.time,
        call.ended,
        result.exit_code,
        title.detail,
        last,
        0 if body is None else len(body.polls),
        _phases(task, body),
    )


def _phases(task: Task, call: ToolCall | None) -> Sequence[WorkflowPhase]:
    result = None if call is None else call.result
    run = result.agent_id if isinstance(result, SubagentResult) else None
    log = task.of.log
    return () if run is None else log.provider.workflow_phases(log.session, run)
