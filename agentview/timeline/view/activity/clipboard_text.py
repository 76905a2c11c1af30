"""Copied texts of an activity, and their names."""

from agentview.domain.activity import Activity
from agentview.domain.events import Message, Reasoning, SlashCommand, User
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    AskPayload,
    GlobPayload,
    GoalPayload,
    GrepPayload,
    MemoryPayload,
    PlanPayload,
    ReviewPayload,
    SchedulePayload,
    SemSearchPayload,
    SendMessagePayload,
    ShellPayload,
    SkillPayload,
    SubagentPayload,
    TodosPayload,
    ToolSearchPayload,
    TopicPayload,
    WebFetchPayload,
    WebSearchPayload,
)
from agentview.domain.tools import ToolCall
from agentview.timeline.view.activity.activity_text import file_paths, output_text, subject_text

_NAMES: dict[type, str] = {
    ShellPayload: "command",
    GrepPayload: "pattern",
    GlobPayload: "pattern",
    SemSearchPayload: "query",
    ToolSearchPayload: "query",
    SkillPayload: "skill",
    MemoryPayload: "memory",
    SendMessagePayload: "message",
    GoalPayload: "goal",
    ReviewPayload: "findings",
    SchedulePayload: "schedule",
    WebSearchPayload: "query",
    WebFetchPayload: "address",
    SubagentPayload: "prompt",
    PlanPayload: "plan",
    TodosPayload: "todos",
    TopicPayload: "topic",
    AskPayload: "question",
    ApprovalPayload: "question",
    User: "prompt",
    Message: "message",
    Reasoning: "thought",
    SlashCommand: "command",
}


def copied_subject(activity: Activity) -> tuple[str, str]:
    """Return the subject of the activity as (name, text): the command, the path, the message."""
    body = activity.body
    text = subject_text(activity)
    known = _NAMES.get(type(body.payload if isinstance(body, ToolCall) else body))
    if known is None:
        known = "path" if text and text in file_paths(activity) else "text"
        if isinstance(body, ToolCall) and text == body.args_json:
            known = "arguments"
    return known, text


def copied_output(activity: Activity) -> tuple[str, str]:
    """Return the output as (name, text); the text is empty without one, or before it comes."""
    return "output", output_text(activity)
