"""Results of Claude Code's agents, todo lists, plans and questions."""

import re

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    PlanAction,
    PlanPayload,
    TodoItem,
    TodosPayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    PlanResult,
    SubagentResult,
    TodosResult,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import Fields, flag, mapping, number, real, text
from agentview.normalize.json_values import changed
from agentview.normalize.output_text import text_of
from agentview.normalize.tools import plan, todo
from agentview.providers.claude.shared.content import text_in

_LAUNCHED = "Async agent launched"
_AGENT_ID = re.compile(r"^agentId: ([\w@.-]+)", re.MULTILINE)
_FIGURE = re.compile(
    r"^(total_tokens|subagent_tokens|tool_uses|duration_ms): (\d{1,15})(?=</|$)", re.MULTILINE
)
_WORKFLOW = re.compile(r"Workflow launched in background\. Task ID: ([\w-]+)")
_CREATED = re.compile(r"Task #([\w-]+) created successfully: (.*)", re.DOTALL)
_TASK = re.compile(r"Task #([\w-]+): ([^\n]*)\nStatus: (\w+)(?:\nDescription: (.*))?", re.DOTALL)
_LISTED = re.compile(r"#([\w-]+) \[(\w+)\] ([^\n]*)")
_NO_TASKS = "No tasks found"
_APPROVED = "User has approved"
_ANSWERED = re.compile(r'"([^"]*)"="([^"]*)"')
_ANSWERED_HEAD = "User has answered your question"


def agent(_call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """Result of Task and Agent.

    1.0 recorded no status and no id, and only ever when the agent was done. `text` is what the
    agent said last; a launch has none.
    """
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    if not fields:
        return _agent_text(outcome)
    words = text_in(fields.get("content"))
    status = text(fields, "status") or ("completed" if "content" in fields else None)
    found = SubagentResult(
        status=status,
        agent_id=text(fields, "agentId", "agent_id", "taskId"),
        text=words or None,
        call_count=number(fields, "totalToolUseCount"),
        total_tokens=number(fields, "totalTokens"),
        duration=_seconds(real(fields, "totalDurationMs")),
        model=text(fields, "resolvedModel", "model"),
        launched=outcome.ok is None,
    )
    # A form of something else says nothing of an agent, and hides nothing that the text says.
    return _agent_text(outcome) if found == SubagentResult() else found


def _agent_text(outcome: ToolResult) -> SubagentResult | None:
    """The blocks alone: the agent's words, then one with its id and figures."""
    texts = [block.text for block in outcome.output if isinstance(block, TextBlock)]
    if not texts:
        return None
    last = texts[-1]
    named = _AGENT_ID.search(last)
    agent_id = named[1] if named is not None else None
    if texts[0].startswith(_LAUNCHED):
        return SubagentResult(
            status="async_launched", agent_id=agent_id, launched=outcome.ok is None
        )
    if len(texts) == 1 or not last.startswith("agentId: "):
        return SubagentResult(text="\n".join(texts))
    figures: Fields = dict(_FIGURE.findall(last.replace("<usage>", "\n")))
    return SubagentResult(
        status="completed",
        agent_id=agent_id,
        text="\n".join(texts[:-1]),
        call_count=number(figures, "tool_uses"),
        total_tokens=number(figures, "total_tokens", "subagent_tokens"),
        duration=_seconds(real(figures, "duration_ms")),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return milliseconds / 1000 if milliseconds is not None else None


def workflow(_call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """Result of Workflow: only ever that it was launched."""
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    if fields:
        status = text(fields, "status")
        return SubagentResult(
            status=status,
            agent_id=text(fields, "runId", "taskId"),
            text=text(fields, "error", "warning", "summary"),
            launched=outcome.ok is None,
        )
    launch = _WORKFLOW.match(text_of(outcome.output) or "")
    return (
        SubagentResult("async_launched", launch[1], launched=outcome.ok is None)
        if launch is not None
        else None
    )


def message(_call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """Result of SendMessage, TeamCreate and TeamDelete: what the client said to it."""
    fields = mapping(outcome.structured) or mapping(text_of(outcome.output))
    said = text(fields, "message", "error")
    if said is None:
        said = text_of(outcome.output)
    if said is None or outcome.ok is False:
        return None
    return SubagentResult(
        status="failed" if fields.get("success") is False else None,
        agent_id=text(fields, "agent_id", "agentId"),
        text=said,
    )


def task_created(_call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """Result of TaskCreate. A task is pending when it is made."""
    task = mapping(mapping(outcome.structured).get("task"))
    if task:
        return _one(task if "status" in task else changed(task, {"status": "pending"}))
    match = _CREATED.match(text_of(outcome.output) or "")
    if match is None or outcome.ok is False:
        return None
    return _one({"id": match[1], "subject": match[2].strip(), "status": "pending"})


def task_updated(call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """Result of TaskUpdate: the item as asked for, with its status before and after."""
    fields = mapping(outcome.structured)
    if outcome.ok is False or fields.get("success") is False:
        return None
    payload = call.payload
    if not isinstance(payload, TodosPayload) or not payload.items:
        return None
    asked = payload.items[0]
    change = mapping(fields.get("statusChange"))
    before = _with_status(asked, change.get("from")) if "from" in change else None
    after = _with_status(asked, change.get("to")) if "to" in change else asked
    return TodosResult((before,) if before is not None else None, (after,))


def _with_status(item: TodoItem, word: object) -> TodoItem:
    return TodoItem(text=item.text, status=todo.status(word), id=item.id, active=item.active)


def task_got(_call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """Result of TaskGet."""
    task = mapping(mapping(outcome.structured).get("task"))
    if task:
        return _one(task)
    match = _TASK.match(text_of(outcome.output) or "")
    if match is None:
        return None
    return _one({"id": match[1], "subject": match[2], "status": match[3], "description": match[4]})


def _one(task: Fields) -> TodosResult:
    return TodosResult(after=(todo.item(task),))


def task_list(_call: ToolCall, outcome: ToolResult) -> TodosResult | None:
    """Result of TaskList."""
    listed = todo.listed(mapping(outcome.structured).get("tasks"))
    if listed is not None:
        return TodosResult(after=listed)
    said = text_of(outcome.output) or ""
    if outcome.ok is False:
        return None
    if said.startswith(_NO_TASKS):
        return TodosResult(after=())
    lines = [_LISTED.fullmatch(line.strip()) for line in said.split("\n") if line.strip()]
    items = [line for line in lines if line is not None]
    if not items or len(items) != len(lines):
        return None
    return TodosResult(
        after=tuple(TodoItem(line[3], todo.status(line[2]), id=line[1]) for line in items)
    )


def plan_decided(call: ToolCall, outcome: ToolResult) -> PlanResult | None:
    """Result of EnterPlanMode and ExitPlanMode: approved, refused with words, or unknown."""
    if outcome.denial is not None:
        return PlanResult(approved=False, text=outcome.denial.words)
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    payload = call.payload
    if not isinstance(payload, PlanPayload) or payload.action is PlanAction.ENTER:
        return PlanResult()
    said = text_of(outcome.output) or ""
    waiting = flag(fields, "awaitingLeaderApproval")
    approved = said.startswith(_APPROVED) or ("plan" in fields and not flag(fields, "isAgent"))
    return PlanResult(
        approved=True if approved and not waiting else None,
        text=text(fields, "plan"),
        path=text(fields, "filePath"),
    )


def answered(_call: ToolCall, outcome: ToolResult) -> AskResult | None:
    """Result of AskUserQuestion: answers by question, or one reply to all of them."""
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    answers = plan.answers(fields.get("answers"))
    reply = text(fields, "response")
    if reply and not answers:
        answers = (AskAnswer("", reply),)
    said = text_of(outcome.output) or ""
    if not answers and said.startswith(_ANSWERED_HEAD):
        answers = tuple(AskAnswer(*pair) for pair in _ANSWERED.findall(said))
    return AskResult(answers) if answers else None
