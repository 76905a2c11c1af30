"""What an agent reports: messages, the goal that it pursues, the findings of a review."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    Finding,
    Goal,
    GoalAction,
    GoalPayload,
    ReviewPayload,
    SendMessagePayload,
    TopicPayload,
)
from agentview.domain.tool_results import GoalResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    collect,
    first,
    items,
    mapping,
    number,
    path,
    real,
    text,
    texts,
)
from agentview.normalize.output_text import value_of
from agentview.normalize.tools.specs import PayloadMaker
from agentview.normalize.tools.verbs import by_verb

GOAL_WORDS: Mapping[GoalAction, str] = {
    GoalAction.SET: "add create new propose set start",
    GoalAction.UPDATE: "block complete edit finish pause report resume update",
    GoalAction.GET: "get read show status view",
    GoalAction.CLEAR: "cancel clear delete remove stop",
}
"""Verbs of names of tools and of arguments, separated by spaces."""

_goal_action_of = by_verb(GOAL_WORDS)


def pursuing(action: GoalAction | None = None) -> PayloadMaker:
    """Build the maker for a tool of goals; `action` holds unless the arguments name another."""
    return lambda fields: _goal_payload(fields, action)


def _goal_payload(fields: Fields, named: GoalAction | None) -> GoalPayload:
    goal = _goal(fields)
    action = _goal_action_of(fields, named)
    if action is None and goal.objective is not None:
        action = GoalAction.SET
    return GoalPayload(
        action, goal, text(fields, "summary", "reason", "explanation", "message", "blocker", "note")
    )


def _goal(fields: Fields) -> Goal:
    unit, amount = text(fields, "unit"), text(fields, "value")
    return Goal(
        objective=text(fields, "objective", "goal", "aim", "description", "condition"),
        status=text(fields, "status", "state"),
        criterion=text(
            fields, "completionCriterion", "completion_criterion", "criterion", "success_criteria"
        ),
        budget=f"{amount} {unit}" if unit is not None and amount is not None else None,
        token_budget=number(fields, "token_budget", "tokenBudget", "budget_tokens"),
        tokens_used=number(fields, "tokensUsed", "tokens_used"),
        time_used=real(fields, "timeUsedSeconds", "time_used_seconds"),
    )


def goal_result(_call: ToolCall, outcome: ToolResult) -> GoalResult | None:
    """The goal that a structured result or one in JSON has."""
    whole = value_of(outcome)
    fields = mapping(whole)
    if outcome.ok is False or not fields:
        return None
    said = fields.get("goal")
    if ("goal" in fields and said is None) or fields.get("active") is False:
        return GoalResult()
    goal = _goal(mapping(said) or fields)
    return GoalResult(goal) if goal.objective is not None else None


_SENDS = frozenset({"send", "post", "notify", "reply", "publish", "speak", "push"})
_TO = (
    "to", "target", "targets", "recipient", "recipients", "user", "user_id", "userId", "chat_id",
    "chatId", "thread_id", "threadId", "session", "session_id", "sessionKey", "email", "phone",
)  # fmt: skip


def send_message(fields: Fields) -> SendMessagePayload:
    """Read the text and the receiver of a message."""
    action = text(fields, "action", "operation", "command")
    sent = first(fields, "attachments", "media", "files", "filePath", "file_path", "mediaUrl")
    return SendMessagePayload(
        text=text(
            fields, "message", "text", "body", "content", "prompt", "caption", "input", "emoji"
        ),
        to=text(fields, *_TO),
        channel=text(fields, "channel", "channel_id", "channelId", "platform", "service", "room"),
        subject=text(fields, "subject", "title", "summary"),
        attachments=texts(sent),
        action=None if action is None or action.lower() in _SENDS else action,
    )


def speak(fields: Fields) -> SendMessagePayload:
    return replace(send_message(fields), spoken=True)


def review(fields: Fields) -> ReviewPayload:
    """Findings as a list, or one whose fields stand alone."""
    listed = first(fields, "findings", "issues", "comments")
    several = collect(items(listed), _finding)
    single = _finding(fields) if listed is None else None
    return ReviewPayload(
        findings=several or ((single,) if single is not None else ()),
        summary=None if single else text(fields, "summary", "overall_explanation", "body"),
        effort=text(fields, "level", "effort"),
    )


def _finding(fields: Fields) -> Finding | None:
    place = mapping(first(fields, "code_location", "location"))
    message = text(fields, "summary", "title", "message", "short_summary", "description", "body")
    if message is None:
        return None
    detail = text(fields, "failure_scenario", "body", "detail", "details", "description", "fix")
    said = (text(fields, "verdict"), text(fields, "outcome"))
    return Finding(
        message=message,
        path=path(fields) or path(place, "absolute_file_path"),
        line=number(fields, "line", "start_line", "startLine", "line_number")
        or number(mapping(place.get("line_range")) or place, "start", "line", "start_line"),
        severity=text(fields, "severity", "priority"),
        category=text(fields, "category", "rule", "type"),
        detail=detail if detail != message else None,
        verdict=", ".join(word.replace("_", " ").lower() for word in said if word) or None,
    )


def topic(fields: Fields) -> TopicPayload:
    return TopicPayload(
        text(fields, "title", "topic", "intent", "currentStep"),
        text(fields, "summary", "strategic_intent", "description"),
    )
