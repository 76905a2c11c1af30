"""A client that asks whether a call may be made, as a call of its own that waits for an answer."""

from collections.abc import Mapping

from agentview.domain.tool_inputs import ApprovalPayload, AskQuestion
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.tools.specs import ToolSpec

NAME = "permission"


def permission_request(
    request_id: str,
    question: str,
    asked_for: str | None,
    arguments: Mapping[str, object],
    raw: bytes | None = None,
) -> ToolCall:
    """The request `request_id`: whether the call `asked_for`, where that is known, may be made."""
    payload = ApprovalPayload((AskQuestion(question),), asked_for)
    return tool_call(
        call_id=request_id,
        name=NAME,
        arguments=arguments,
        raw=raw,
        spec=ToolSpec(ToolKind.ASK, NAME, lambda _: payload),
    )
