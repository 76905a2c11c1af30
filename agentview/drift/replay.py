"""What agentview makes today of the records of an example, as it would of those of a log."""

from collections.abc import Iterable, Mapping

from agentview.domain.events import ToolResult, Unparsed
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.drift.call_records import call_fields, decode_value, result_fields
from agentview.drift.trace import EntryKind
from agentview.normalize.json_values import text_of
from agentview.providers import load_provider, provider_names
from agentview.providers.base import Provider

Fields = dict[str, object]


def replay(example: Mapping[str, object]) -> tuple[ToolCall | None, Fields]:
    """Return the call, joined with its result, and what a trace has of it; else None and why not.

    Raises nothing: an example of an unknown provider returns None with the reason.
    """
    name = text_of(example.get("provider")) or ""
    if name not in provider_names():
        return None, {"reason": f"unknown provider {name}"}
    provider = load_provider(name)
    session = SessionRef(name, "fixture", "fixture")
    kind = example.get("kind")
    bodies = [event.body for event in decode_value(provider, session, example.get("raw"))]
    if kind == EntryKind.UNREAD:
        reason = next((body.reason for body in bodies if isinstance(body, Unparsed)), "it is read")
        return None, {"reason": reason}
    before: list[ToolCall] = []
    if example.get("call") is not None:
        events = decode_value(provider, session, example.get("call"))
        before = [event.body for event in events if isinstance(event.body, ToolCall)]
    calls = [*before, *(body for body in bodies if isinstance(body, ToolCall))]
    result = next((body for body in reversed(bodies) if isinstance(body, ToolResult)), None)
    if kind == EntryKind.RESULT and result is not None:
        own = [call for call in calls if call.call_id == result.call_id]
        call = _amended(provider, own)
        recorded_outcome = result_fields(result, call, provider.attach_result)
        return (
            provider.attach_result(call, result) if call is not None else None
        ), recorded_outcome
    if kind == EntryKind.PERMISSION:
        calls = [call for call in calls if call.kind is not ToolKind.ASK]
    call = _amended(provider, calls)
    return (call, call_fields(call)) if call is not None else (None, {"reason": "no call in it"})


def _amended(provider: Provider, calls: Iterable[ToolCall]) -> ToolCall | None:
    known: ToolCall | None = None
    for call in calls:
        if known is None:
            known = call
        elif call.call_id == known.call_id and call != known:
            known = provider.merge_call(known, call)
    return known
