"""Events of the stream of a run: parts that grow, calls that begin and end.

A part is told from the one before it by its beginning, never by its index, which starts anew with
each response. Up to 1.0 nothing says that a part is whole; from 1.1 on `part_end` repeats it.
"""

from collections.abc import Callable

from agentview.domain.events import Event, Message, Reasoning, ToolInput
from agentview.domain.tools import ToolCall
from agentview.normalize.json_values import Fields, fields_of, text_of, text_time_of
from agentview.providers.pydantic_ai.arguments import begun_call, call_of
from agentview.providers.pydantic_ai.content import block_of
from agentview.providers.pydantic_ai.event_builder import Frame
from agentview.providers.pydantic_ai.tool_outcome import result_of

_CALLS = frozenset({"tool-call", "builtin-tool-call"})


def stream_events(frame: Frame, event_kind: str) -> list[Event]:
    """Events of a record that has an `event_kind`."""
    maker = _MAKERS.get(event_kind)
    return maker(frame) if maker is not None else [frame.unknown(event_kind)]


def _run(frame: Frame) -> str:
    return f"part/{frame.fields.get('index')}"


def _start(frame: Frame) -> list[Event]:
    """A part begins, with as much of it as there is."""
    part = fields_of(frame.fields.get("part"))
    kind = text_of(part.get("part_kind")) or "(none)"
    begins = frame.hidden("a part begins", "part_start", run="")
    if kind in _CALLS:
        return [begins, *_started_call(frame, part)]
    if kind == "builtin-tool-return":
        return [begins, *_result(frame)]
    body = _body(part, kind)
    if body is None:
        return [begins, frame.unknown(f"part_start/{kind}")]
    return [begins, frame.event("part", body, run=_run(frame))]


def _started_call(frame: Frame, part: Fields) -> list[Event]:
    """A call: its arguments are an object that is whole, or the beginning of a text."""
    call = call_of(frame, part, ("part",))
    if call is None:
        return [frame.unknown("part_start/tool-call without a name")]
    given = part.get("args")
    if isinstance(given, dict):
        return [frame.event("call", call, amends=True)]
    begun = begun_call(call.call_id, call.provider_name)
    events = [frame.event("call", begun, run=_run(frame), amends=True)]
    if isinstance(given, str) and given:
        events.append(frame.event("input", ToolInput(given), run=_run(frame)))
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


def _delta(frame: Frame) -> list[Event]:
    """A piece of the part that began last."""
    delta = fields_of(frame.fields.get("delta"))
    kind = text_of(delta.get("part_delta_kind")) or "(none)"
    said = text_of(delta.get("content_delta")) or ""
    run = _run(frame)
    if kind == "text":
        return [frame.event("part", Message(said), run=run)]
    if kind == "thinking":
        if not said:
            return [frame.hidden("the signature of a thought", "part_delta")]
        return [frame.event("part", Reasoning(said), run=run)]
    if kind != "tool_call":
        return [frame.unknown(f"part_delta/{kind}")]
    added = delta.get("args_delta")
    if isinstance(added, str) and added:
        return [frame.event("input", ToolInput(added), run=run)]
    if added:
        # Services that give objects give them whole; the call itself tells of them again.
        return [frame.hidden("arguments as an object", "part_delta")]
    return [frame.hidden("a piece without content", "part_delta")]


def _end(frame: Frame) -> list[Event]:
    """A part as a whole."""
    part = fields_of(frame.fields.get("part"))
    kind = text_of(part.get("part_kind")) or "(none)"
    if kind in _CALLS:
        return _call(frame)
    if kind == "builtin-tool-return":
        return [frame.hidden("the end of a result", "part_end")]
    body = _body(part, kind)
    if body is None:
        return [frame.unknown(f"part_end/{kind}")]
    return [frame.event("part", body, run=_run(frame), whole=True)]


def _call(frame: Frame) -> list[Event]:
    """A call with all its arguments."""
    call: ToolCall | None = call_of(frame, fields_of(frame.fields.get("part")), ("part",))
    if call is None:
        return [frame.unknown("a call without a name")]
    return [frame.event("call", call, amends=True)]


def _result(frame: Frame) -> list[Event]:
    """An outcome: under `result` up to 1.x, under `part` since."""
    fields = frame.fields
    part = fields_of(fields.get("part")) or fields_of(fields.get("result"))
    call_id = text_of(part.get("tool_call_id"))
    if call_id is None:
        return [frame.unknown("a result without a call")]
    body = result_of(call_id, part, fields.get("content"))
    at = text_time_of(part.get("timestamp"))
    return [frame.event("result", body, time=at, dedupe_key=f"result/{call_id}")]


def _final(frame: Frame) -> list[Event]:
    return [frame.hidden("the answer begins", "final_result")]


def _run_end(frame: Frame) -> list[Event]:
    return [frame.hidden("the end of the run", "agent_run_result", run="")]


_MAKERS: dict[str, Callable[[Frame], list[Event]]] = {
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
