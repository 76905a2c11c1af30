"""Other agents: arguments to a SubagentPayload, plain results to a SubagentResult."""

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import SubagentPayload
from agentview.domain.tool_results import SubagentResult
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    as_text,
    first,
    flag,
    mapping,
    number,
    real,
    text,
)
from agentview.normalize.output_text import text_of


def start(fields: Fields) -> SubagentPayload:
    return SubagentPayload(
        description=text(fields, "description", "title", "task_name", "summary"),
        prompt=text(fields, "prompt", "message", "instructions", "query", "objective", "task"),
        agent_type=text(fields, "subagent_type", "agent_type", "subagentType", "agentType"),
        agent_name=text(fields, "name", "agent_name", "agentName", "nickname"),
        model=text(fields, "model"),
        background=flag(fields, "run_in_background", "background", "is_background"),
    )


def message(fields: Fields) -> SubagentPayload:
    return SubagentPayload(
        description=text(fields, "summary", "description", "type"),
        prompt=as_text(first(fields, "message", "content", "prompt", "text")),
        recipient=text(fields, "to", "recipient", "target", "agent_id", "agentId", "id"),
    )


def result(_call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """Return the last message of the agent."""
    fields = mapping(outcome.structured)
    said = text_of(outcome.output)
    status = text(fields, "status")
    if said is None and status is None:
        return None
    return SubagentResult(
        status=status,
        agent_id=text(fields, "agentId", "agent_id", "task_id"),
        text=said,
        call_count=number(fields, "totalToolUseCount", "totalToolCalls"),
        total_tokens=number(fields, "totalTokens"),
        duration=_seconds(real(fields, "totalDurationMs", "durationMs")),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return milliseconds / 1000 if milliseconds is not None else None
