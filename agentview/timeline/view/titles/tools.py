"""Titles of calls that run something, ask someone, or plan."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from agentview.domain.activity import Activity, ChildSummary, TodoLists
from agentview.domain.tool_inputs import (
    AskPayload,
    McpPayload,
    PlanAction,
    PlanPayload,
    ShellAction,
    ShellPayload,
    SkillPayload,
    SubagentPayload,
    TodoItem,
    TodosAction,
    TodosPayload,
    TodoStatus,
    ToolSearchPayload,
)
from agentview.domain.tool_results import (
    AskResult,
    PlanResult,
    ShellResult,
    SubagentResult,
    TodosResult,
    ToolSearchResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.diff.from_call import FileDiff
from agentview.timeline.view.diff.printed import printed_diffs
from agentview.timeline.view.format_numbers import byte_size, counted, lines_changed, span, tokens
from agentview.timeline.view.sanitize import first_line, one_line
from agentview.timeline.view.titles.files import diffs_of
from agentview.timeline.view.titles.findings import findings_summed_up
from agentview.timeline.view.titles.test_results import results_of, summed_up
from agentview.timeline.view.titles.text import Parts, first_arguments, shown_path

_SHELL_LABELS = {
    ShellAction.RUN: "Shell",
    ShellAction.OUTPUT: "Output",
    ShellAction.INPUT: "Input",
    ShellAction.KILL: "Kill",
    ShellAction.WATCH: "Watch",
}

_OVER = frozenset({TodoStatus.COMPLETED, TodoStatus.CANCELLED, TodoStatus.DELETED})


_DOES = {
    ToolKind.READ: "reads",
    ToolKind.WRITE: "writes",
    ToolKind.EDIT: "edits",
    ToolKind.DELETE: "deletes",
    ToolKind.GREP: "searches",
    ToolKind.GLOB: "finds files",
    ToolKind.LS: "lists",
}
"""The apparent effect of a command, shown next to the command, which is the fact."""


def shell_parts(call: ToolCall, activity: Activity, cwd: str | None) -> Parts:
    """First line of the command, the directory if it is another; how it ended."""
    payload = call.payload
    if not isinstance(payload, ShellPayload):
        return Parts("Shell", "")
    subject = first_line(payload.command)
    if payload.command.strip().count("\n"):
        subject += " …"
    if payload.task_id and payload.action is not ShellAction.RUN:
        subject = f"{subject}  {payload.task_id}" if subject else payload.task_id
    if payload.cwd and shown_path(payload.cwd, cwd) != ".":
        subject += f"  in {shown_path(payload.cwd, cwd)}"
    return Parts(
        _SHELL_LABELS[payload.action], subject, _shell_detail(call, payload, activity, cwd)
    )


def mcp_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """Server and tool with the first arguments."""
    payload = call.payload
    if not isinstance(payload, McpPayload):
        return Parts("MCP", "")
    name = " › ".join(part for part in (payload.server, payload.tool or payload.uri) if part)
    named = (payload.server, payload.tool, payload.uri)
    rest = {key: value for key, value in (call.args or {}).items() if value not in named}
    arguments = first_arguments(rest)
    return Parts("MCP", "  ".join(part for part in (name, arguments) if part))


def subagent_parts(call: ToolCall, activity: Activity, _cwd: str | None) -> Parts:
    """Type of agent and task; its calls, tokens and state."""
    payload = call.payload
    if not isinstance(payload, SubagentPayload):
        return Parts("Agent", "")
    kind = payload.agent_type or payload.agent_name
    what = payload.description or first_line(payload.prompt or "")
    subject = "  ".join(part for part in (kind, what) if part)
    if payload.recipient and what:
        return Parts("Message", f"to {payload.recipient}  {what}")
    if payload.recipient:
        # A subagent that is waited for, or ended, gets no prompt.
        return Parts("Agent", f"{call.canonical_name}  {payload.recipient}")
    return Parts("Agent", subject, _agent_detail(call, activity, payload))


def plan_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """The plan's heading or its steps; what became of it."""
    payload = call.payload
    if not isinstance(payload, PlanPayload):
        return Parts("Plan", "")
    if payload.action is PlanAction.ENTER:
        return Parts("Plan", "planning begins")
    result = call.result if isinstance(call.result, PlanResult) else None
    text = payload.text or (result.text if result else None) or ""
    details: list[str] = []
    if payload.steps:
        done = _done(payload.steps)
        details.append(f"{done}/{len(payload.steps)} steps")
    if result and result.approved is not None:
        details.append("approved" if result.approved else "rejected")
    subject = first_line(text).lstrip("# ").strip() or _current(payload.steps)
    if not subject and payload.path:
        subject = shown_path(payload.path, cwd)
    return Parts("Plan", subject or "empty plan", " · ".join(details))


def todos_parts(call: ToolCall, activity: Activity, _cwd: str | None) -> Parts:
    """The item that the call is about, or the one in progress; how many are done."""
    payload = call.payload
    if not isinstance(payload, TodosPayload):
        return Parts("Todos", "")
    items = activity.todos.after if activity.todos is not None else todo_items(call)
    progress = f"{_done(items)}/{len(items)} done" if items else ""
    named = payload.action in (TodosAction.CREATE, TodosAction.UPDATE, TodosAction.GET)
    if named and len(payload.items) < 2:
        return _one_todo(payload, activity.todos, progress)
    if items is None:
        return Parts("Todos", _current(payload.items) or "list")
    if not items:
        return Parts("Todos", "empty list")
    subject = _current(items)
    if not subject:
        over = all(item.status in _OVER for item in items)
        ended = "all done" if _done(items) == len(items) else "none left"
        subject = ended if over else _next(items)
    return Parts("Todos", subject, progress)


def ask_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """The question; the answer."""
    payload = call.payload
    if not isinstance(payload, AskPayload) or not payload.questions:
        return Parts("Ask", "")
    subject = first_line(payload.questions[0].text)
    if len(payload.questions) > 1:
        subject += f"  and {len(payload.questions) - 1} more"
    if not isinstance(call.result, AskResult) or not call.result.answers:
        return Parts("Ask", subject)
    return Parts("Ask", subject, one_line(", ".join(a.answer for a in call.result.answers), 80))


def skill_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """The skill and what it was given; the tool's name where it is about all skills."""
    payload = call.payload
    if not isinstance(payload, SkillPayload):
        return Parts("Skill", "")
    named = payload.name or call.name
    return Parts("Skill", f"{named}  {first_line(payload.arguments or '')}".rstrip())


def tool_search_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """Query; how many tools were found."""
    payload, result = call.payload, call.result
    if not isinstance(payload, ToolSearchPayload):
        return Parts("Tools", "")
    if not isinstance(result, ToolSearchResult):
        return Parts("Tools", payload.query)
    found = counted(len(result.tools), "tool") if result.tools else "no tools"
    return Parts("Tools", payload.query, found)


def unknown_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """The tool's own name with its first arguments."""
    name = call.name or "unnamed tool"
    bare = "no arguments" if call.args is not None else ""
    return Parts(name, call.title or first_arguments(call.args) or bare)


def todo_items(call: ToolCall) -> tuple[TodoItem, ...] | None:
    """The list as it is after the call, None when the log does not have it."""
    if isinstance(call.result, TodosResult) and call.result.after is not None:
        return call.result.after
    if isinstance(call.payload, TodosPayload) and call.payload.action is TodosAction.REPLACE:
        return call.payload.items
    return None


def _one_todo(payload: TodosPayload, lists: TodoLists | None, progress: str) -> Parts:
    """The item, named as the list names it, and its new status."""
    label = "New todo" if payload.action is TodosAction.CREATE else "Todo"
    if not payload.items:
        return Parts(label, "no item", progress)
    item = payload.items[0]
    known = (*lists.after, *lists.before) if lists is not None else ()
    same = [each for each in known if each.id == item.id] if item.id else []
    if label == "New todo" and lists is not None and lists.after:
        same = [lists.after[-1]]
    number = item.id or (same[0].id if same else None)
    text = item.text or (same[0].text if same else "")
    subject = "  ".join(part for part in (f"#{number}" if number else "", text) if part)
    is_set = payload.action is TodosAction.UPDATE and item.status is not TodoStatus.UNKNOWN
    status = item.status.replace("_", " ") if is_set else ""
    return Parts(label, subject, " · ".join(part for part in (status, progress) if part))


def _shell_detail(
    call: ToolCall, payload: ShellPayload, activity: Activity, cwd: str | None
) -> str:
    result = call.result if isinstance(call.result, ShellResult) else None
    details: list[str] = []
    if call.reading is not None:
        kinds = dict.fromkeys(step.kind for step in call.reading.steps)
        details.append(", ".join(_DOES[kind] for kind in kinds if kind in _DOES))
    if (tests := results_of(call)) is not None:
        details.append(summed_up(tests))
    elif found := findings_summed_up(call, payload.cwd or cwd):
        details.append(found)
    if result is not None:
        details += _outcome(result, payload, failed=call.ok is False)
        details += _changes(call, result)
        if diffs := printed_diffs(result):
            details.append(f"diff of {_files_and_lines(diffs)}")
    if payload.background or (result is not None and result.launched):
        reported = activity.outcome
        # Calls that read its output later name the same task.
        task = f" as {result.task_id}" if result is not None and result.task_id else ""
        details.append(first_line(reported.text, 80) if reported else f"in the background{task}")
    return " · ".join(details)


def _changes(call: ToolCall, result: ShellResult) -> Iterator[str]:
    if result.changes:
        yield _files_and_lines(diffs_of(call), " changed")


def _files_and_lines(diffs: Sequence[FileDiff], what: str = "") -> str:
    lines = lines_changed(sum(diff.added for diff in diffs), sum(diff.removed for diff in diffs))
    return f"{counted(len(diffs), 'file')}{what}  {lines}".rstrip()


_DONE = ("completed", "success")
"""States that the sign of the call says already."""


def _outcome(result: ShellResult, payload: ShellPayload, *, failed: bool) -> list[str]:
    details: list[str] = []
    if result.timed_out:
        limit = "" if payload.timeout is None else f" after {span(payload.timeout)}"
        details.append(f"timed out{limit}")
    elif result.interrupted:
        details.append("interrupted")
    if result.exit_code is not None and (result.exit_code or failed):
        details.append(f"exit {result.exit_code}")
    if result.status and (failed or result.status not in _DONE):
        details.append(result.status)
    if result.spill_size is not None:
        details.append(byte_size(result.spill_size))
    return details


def _agent_detail(call: ToolCall, activity: Activity, payload: SubagentPayload) -> str:
    result = call.result if isinstance(call.result, SubagentResult) else SubagentResult()
    child = activity.child_summary
    details: list[str] = []
    if payload.background or result.launched:
        details.append("in the background")
    status = None if result.launched else result.status
    if status and status not in _DONE:
        details.append(status.replace("_", " "))
    if child and child.agent_count > 1:
        details.append(counted(child.agent_count, "agent"))
    calls = result.call_count if result.call_count is not None else child and child.call_count
    if calls is not None:
        details.append(counted(calls, "call"))
    if child and child.problem_count:
        details.append(counted(child.problem_count, "problem"))
    used = result.total_tokens if result.total_tokens is not None else child and child.total_tokens
    if used is not None:
        details.append(f"{tokens(used)} tokens")
    cost = child_cost(child) if child is not None else None
    if cost is not None:
        details.append(cost)
    if result.duration is not None and activity.duration is None:
        details.append(span(result.duration))
    return " · ".join(details)


def child_cost(child: ChildSummary) -> str | None:
    """Return the cost of an agent, None where that is not known."""
    cost = Cost(child.cost, child.estimate, child.estimate_whole)
    return None if cost.shown is None else cost.text()


def _done(items: tuple[TodoItem, ...]) -> int:
    return sum(item.status is TodoStatus.COMPLETED for item in items)


def _next(items: tuple[TodoItem, ...]) -> str:
    return next((item.text for item in items if item.status not in _OVER), items[0].text)


def _current(items: tuple[TodoItem, ...]) -> str:
    for item in items:
        if item.status is TodoStatus.IN_PROGRESS:
            return item.active or item.text
    return ""


WORK_TITLES: Mapping[ToolKind, Callable[[ToolCall, Activity, str | None], Parts]] = {
    ToolKind.SHELL: shell_parts,
    ToolKind.MCP: mcp_parts,
    ToolKind.SUBAGENT_TASK: subagent_parts,
    ToolKind.PLAN: plan_parts,
    ToolKind.TODOS: todos_parts,
    ToolKind.ASK: ask_parts,
    ToolKind.SKILL: skill_parts,
    ToolKind.TOOL_SEARCH: tool_search_parts,
    ToolKind.UNKNOWN: unknown_parts,
}
