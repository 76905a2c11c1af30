"""Events of requests between client and host: whether a call may be made, and the answer."""

from agentview.domain.content import TextBlock
from agentview.domain.events import Event, ToolResult
from agentview.domain.tools import Denial, DeniedBy, ToolKind
from agentview.normalize.json_values import Fields, call_id_of, fields_of, text_of
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.tools import SPECS

_OTHER = "a request between client and host"
_SUBJECTS = ("command", "file_path", "notebook_path", "path", "url", "pattern", "description")
"""Arguments that say what a call is about."""


def request_events(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """Events of a request: the client asks its host before it makes a call (`can_use_tool`).

    A question to the person, and a plan, ask by themselves.
    """
    request = fields_of(fields.get("request"))
    request_id, name = text_of(fields.get("request_id")), text_of(request.get("tool_name")) or ""
    spec = SPECS.get(name)
    asks = spec is not None and spec.kind in (ToolKind.ASK, ToolKind.PLAN)
    if request.get("subtype") != "can_use_tool" or request_id is None or asks:
        return [record.hidden(_OTHER, "control_request")]
    given = fields_of(request.get("input"))
    subject = next((said for key in _SUBJECTS if (said := text_of(given.get(key)))), None)
    question = f"{name}: {subject}" if subject else name or "Permission"
    asked_for = call_id_of(request.get("tool_use_id"), None)
    reason = text_of(request.get("decision_reason"))
    ask = permission_request(request_id, question, asked_for, request, detail=reason)
    return [record.event("ask", ask)]


def response_to_request(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """Events of the answer of a host: what it says of a call, the call's own result says again."""
    response = fields_of(fields.get("response"))
    request_id = text_of(response.get("request_id"))
    given = fields_of(response.get("response"))
    behavior = text_of(given.get("behavior"))
    if request_id is None or behavior is None:
        return [record.hidden(_OTHER, "control_response")]
    words = text_of(given.get("message"))
    # The host may be a person or a program.
    refused = Denial(DeniedBy.UNKNOWN, words) if behavior == "deny" else None
    return [record.event("answer", decision(request_id, behavior, words, refused=refused))]


def withdrawn_events(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """Events of a request that its sender takes back; nobody waits for an answer any more."""
    request_id = text_of(fields.get("request_id"))
    if request_id is None:
        return [record.hidden(_OTHER, "control_cancel_request")]
    return [record.event("answer", ToolResult(request_id, None, (TextBlock("withdrawn"),)))]
