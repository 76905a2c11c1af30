"""Events of the stream of a run: parts that grow, calls that begin and end.

The beginning of a part distinguishes it from the one before, not its index, which restarts with
each response. Up to 1.0 nothing says that a part is whole; from 1.1 on `part_end` repeats it.
"""

from collections.abc import Callable

from agentview.domain.events import Event, Message, Reasoning, ToolInput
from agentview.domain.tools import ToolCall
from agentview.normalize.json_values import Fields, call_id_of, fields_of, text_of, time_of
from agentview.providers.pydantic_ai.arguments import begun_call, call_of
from agentview.providers.pydantic_ai.content import block_of
from agentview.providers.pydantic_ai.event_builder import RunRecord
from agentview.providers.pydantic_ai.tool_outcome import result_of

_CALLS = frozenset({"tool-call", "builtin-tool-call"})


def stream_events(record: RunRecord, event_kind: str) -> list[Event]:
    """Events of a record that has an `event_kind`."""
    maker = _MAKERS.get(event_kind)
    return maker(record) if maker is not None else [record.unknown(event_kind)]


def _run(record: RunRecord) -> str:
    return f"part/{record.fields.get('index')}"


def _start(record: RunRecord) -> list[Event]:
    """A part begins, with as much of it as there is."""
    part = fields_of(record.fields.get("part"))
    kind = text_of(part.get("part_kind")) or "(none)"
    begins = record.hidden("a part begins", "part_start", run="")
    if kind in _CALLS:
        return [begins, *_started_call(record, part)]
    if kind == "builtin-tool-return":
        return [begins, *_result(record)]
    body = _body(part, kind)
    if body is None:
        return [begins, record.unknown(f"part_start/{kind}")]
    return [begins, record.event("part", body, run=_run(record))]


def _started_call(record: RunRecord, part: Fields) -> list[Event]:
    """A call: its arguments are an object that is whole, or the beginning of a text."""
    call = call_of(record, part, ("part",))
    if call is None:
        return [record.unknown("part_start/tool-call without a name")]
    given = part.get("args")
    if isinstance(given, dict):
        return [record.event("call", call, amends=True, path="begun")]
    begun = begun_call(call.call_id, call.provider_name)
    events = [record.event("call", begun, run=_run(record), amends=True, path="begun")]
    if isinstance(given, str) and given:
        events.append(record.event("input", ToolInput(given), run=_run(record)))
    return events


def _body(part: Fields, kind: str) -> Message | Reasoning | None:
    said = text_of(part.get("content")) or ""
    if kind == "text":
        return Message(said)
    if kind == "thinking":
        return Reasoning(said, withheld=not said and bool(part.get("signature")))
    if kind == "file":
        return Message("", (block_of(part.get("content")),))
    return None


def _delta(record: RunRecord) -> list[Event]:
    """A piece of the part that began last."""
    delta = fields_of(record.fields.get("delta"))
    kind = text_of(delta.get("part_delta_kind")) or "(none)"
    said = text_of(delta.get("content_delta")) or ""
    run = _run(record)
    if kind == "text":
        return [record.event("part", Message(said), run=run)]
    if kind == "thinking":
        if not said:
            return [record.hidden("the signature of a thought", "part_delta")]
        return [record.event("part", Reasoning(said), run=run)]
    if kind != "tool_call":
        return [record.unknown(f"part_delta/{kind}")]
    added = delta.get("args_delta")
    if isinstance(added, str) and added:
        return [record.event("input", ToolInput(added), run=run)]
    if added:
        # Services that give objects give them whole; the call itself repeats them.
        return [record.hidden("arguments as an object", "part_delta")]
    return [record.hidden("a piece without content", "part_delta")]


def _end(record: RunRecord) -> list[Event]:
    """A part as a whole."""
    part = fields_of(record.fields.get("part"))
    kind = text_of(part.get("part_kind")) or "(none)"
    if kind in _CALLS:
        return _call(record)
    if kind == "builtin-tool-return":
        return [record.hidden("the end of a result", "part_end")]
    body = _body(part, kind)
    if body is None:
        return [record.unknown(f"part_end/{kind}")]
    return [record.event("part", body, run=_run(record), whole=True)]


def _call(record: RunRecord) -> list[Event]:
    """A call with all its arguments."""
    call: ToolCall | None = call_of(record, fields_of(record.fields.get("part")), ("part",))
    if call is None:
        return [record.unknown("a call without a name")]
    kind = text_of(record.fields.get("event_kind")) or "called"
    return [record.event("call", call, amends=True, path=kind)]


def _result(record: RunRecord) -> list[Event]:
    """An outcome: under `result` up to 1.x, under `part` since."""
    fields = record.fields
    part = fields_of(fields.get("part")) or fields_of(fields.get("result"))
    call_id = call_id_of(part.get("tool_call_id"), None)
    if call_id is None:
        return [record.unknown("a result without a call")]
    body = result_of(call_id, part, fields.get("content"))
    at = time_of(part.get("timestamp"))
    return [record.event("result", body, time=at)]


def _final(record: RunRecord) -> list[Event]:
    return [record.hidden("the answer begins", "final_result")]


def _run_end(record: RunRecord) -> list[Event]:
    return [record.hidden("the end of the run", "agent_run_result", run="")]


_MAKERS: dict[str, Callable[[RunRecord], list[Event]]] = {
    "part_start": _start,
    "part_delta": _delta,
    "part_end": _end,
    "final_result": _final,
    "function_tool_call": _call,
    "function_tool_result": _result,
    "output_tool_call": _call,
    "output_tool_result": _result,
    "builtin_tool_call": _call,
    "builtin_tool_result": _result,
    "agent_run_result": _run_end,
}
"""Makers of events by `event_kind` (1.0 to 2.68)."""
