"""Events of requests between client and host: whether a call may be made, and the answer."""

from msgspec.structs import astuple

from agentview.domain.content import TextBlock
from agentview.domain.events import Event, ToolResult
from agentview.domain.tools import Denial, DeniedBy, ToolKind
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers.claude.claude_stream.schema import (
    Decided,
    HostResponse,
    Report,
    Request,
    Subject,
)
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.tools import SPECS

_OTHER = "a request between client and host"


def request_events(record: ClaudeRecord, own: Report) -> list[Event]:
    """Events of a request: the client asks its host before it makes a call (`can_use_tool`).

    A question to the person, and a plan, ask by themselves.
    """
    request = own.request or Request()
    name = request.tool_name or ""
    spec = SPECS.get(name)
    asks = spec is not None and spec.kind in (ToolKind.ASK, ToolKind.PLAN)
    if request.subtype != "can_use_tool" or not own.request_id or asks:
        return [record.hidden(_OTHER, "control_request")]
    subjects: tuple[str | None, ...] = astuple(request.input or Subject())
    subject = next(filter(None, subjects), None)
    question = f"{name}: {subject}" if subject else name or "Permission"
    arguments, reason = record.fields.get("request"), request.decision_reason or None
    ask = permission_request(
        own.request_id, question, request.tool_use_id, arguments, detail=reason
    )
    return [record.event("ask", ask)]


def response_to_request(record: ClaudeRecord, own: Report) -> list[Event]:
    """Events of the answer of a host: what it says of a call, the call's own result says again."""
    response = own.response or HostResponse()
    given = response.response or Decided()
    if not response.request_id or not given.behavior:
        return [record.hidden(_OTHER, "control_response")]
    words = given.message or None
    # The host may be a person or a program.
    refused = Denial(DeniedBy.UNKNOWN, words) if given.behavior == "deny" else None
    answer = decision(response.request_id, given.behavior, words, refused=refused)
    return [record.event("answer", answer)]


def withdrawn_events(record: ClaudeRecord, own: Report) -> list[Event]:
    """Events of a request that its sender takes back; nobody waits for an answer any more."""
    if not own.request_id:
        return [record.hidden(_OTHER, "control_cancel_request")]
    return [record.event("answer", ToolResult(own.request_id, None, (TextBlock("withdrawn"),)))]
