"""Events of the stream of a run: parts that grow, calls that begin and end.

The beginning of a part distinguishes it from the one before, not its index, which restarts with
each response. Up to 1.0 nothing says that a part is whole; from 1.1 on `part_end` repeats it.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

from agentview.domain.events import ToolInput
from agentview.domain.index_entry import EventFact, EventLinks, Flag
from agentview.normalize.json_values import call_id_of, time_of
from agentview.providers._kit.typed_records import HIDDEN, LightEvent, hidden, in_run
from agentview.providers.pydantic_ai.arguments import begun_call, called
from agentview.providers.pydantic_ai.content import block_of
from agentview.providers.pydantic_ai.record import RunRecord
from agentview.providers.pydantic_ai.schema import Delta, Part
from agentview.providers.pydantic_ai.tool_outcome import result_of

_CALLS = frozenset({"tool-call", "builtin-tool-call"})
_NO_RUN = EventLinks("")


def stream_events(record: RunRecord, event_kind: str) -> Sequence[LightEvent]:
    """Events of a record that has an `event_kind`."""
    maker = _MAKERS.get(event_kind)
    return maker(record) if maker is not None else [record.unknown(event_kind)]


def _run(record: RunRecord) -> str:
    return f"part/{record.said.index}"


@lru_cache(maxsize=256)
def _links(run: str, *, whole: bool) -> EventLinks:
    return EventLinks(run, whole=whole)


def _piece(record: RunRecord, light: EventFact, *, whole: bool = False) -> EventFact:
    return in_run(light, _links(_run(record), whole=whole))


def _start(record: RunRecord) -> Sequence[LightEvent]:
    """A part begins, with as much of it as there is."""
    part = record.said.part or Part()
    kind = part.part_kind or "(none)"
    begins = in_run(hidden(record, "a part begins", "part_start"), _NO_RUN)
    if kind in _CALLS:
        return [begins, *_started_call(record, part)]
    if kind == "builtin-tool-return":
        return [begins, *_result(record)]
    body = _body(record, part, kind)
    if body is None:
        return [begins, record.unknown(f"part_start/{kind}")]
    return [begins, _piece(record, body)]


def _started_call(record: RunRecord, part: Part) -> Sequence[LightEvent]:
    """A call: its arguments are an object that is whole, or the beginning of a text."""
    call = called(record, part, ("part",))
    if call is None:
        return [record.unknown("part_start/tool-call without a name")]
    given = record.value_of(part.args)
    if isinstance(given, dict):
        return [record.event("call", call, amends=True, path="begun")]
    begun = begun_call(call.call_id, call.provider_name)
    events: list[LightEvent] = [
        record.event("call", begun, run=_run(record), amends=True, path="begun")
    ]
    if isinstance(given, str) and given:
        events.append(_input(record, given))
    return events


def _input(record: RunRecord, added: str) -> EventFact:
    return _piece(record, record.part("input", HIDDEN, Flag.BOOKKEEPING, ToolInput, (added,)))


def _body(record: RunRecord, part: Part, kind: str) -> EventFact | None:
    content = record.value_of(part.content)
    said = content if isinstance(content, str) else ""
    if kind == "text":
        return record.text_part("part", said)
    if kind == "thinking":
        return record.thought_part("part", said, withheld=not said and bool(part.signature))
    if kind == "file":
        return record.text_part("part", "", (block_of(content),))
    return None


def _delta(record: RunRecord) -> Sequence[LightEvent]:
    """A piece of the part that began last."""
    delta = record.said.delta or Delta()
    kind = delta.part_delta_kind or "(none)"
    said = delta.content_delta or ""
    if kind == "text":
        return [_piece(record, record.text_part("part", said))]
    if kind == "thinking":
        if not said:
            return [hidden(record, "the signature of a thought", "part_delta")]
        return [_piece(record, record.thought_part("part", said))]
    if kind != "tool_call":
        return [record.unknown(f"part_delta/{kind}")]
    added = record.value_of(delta.args_delta)
    if isinstance(added, str) and added:
        return [_input(record, added)]
    if added:
        # Services that give objects give them whole; the call itself repeats them.
        return [hidden(record, "arguments as an object", "part_delta")]
    return [hidden(record, "a piece without content", "part_delta")]


def _end(record: RunRecord) -> Sequence[LightEvent]:
    """A part as a whole."""
    part = record.said.part or Part()
    kind = part.part_kind or "(none)"
    if kind in _CALLS:
        return _call(record)
    if kind == "builtin-tool-return":
        return [hidden(record, "the end of a result", "part_end")]
    body = _body(record, part, kind)
    if body is None:
        return [record.unknown(f"part_end/{kind}")]
    return [_piece(record, body, whole=True)]


def _call(record: RunRecord) -> Sequence[LightEvent]:
    """A call with all its arguments."""
    call = called(record, record.said.part or Part(), ("part",))
    if call is None:
        return [record.unknown("a call without a name")]
    kind = record.said.event_kind or "called"
    return [record.event("call", call, amends=True, path=kind)]


def _result(record: RunRecord) -> Sequence[LightEvent]:
    """An outcome: under `result` up to 1.x, under `part` since."""
    said = record.said
    part = said.part or said.result or Part()
    call_id = call_id_of(part.tool_call_id, None)
    if call_id is None:
        return [record.unknown("a result without a call")]
    body = result_of(record, call_id, part, record.value_of(said.content))
    return [record.event("result", body, time=time_of(part.timestamp))]


def _final(record: RunRecord) -> Sequence[LightEvent]:
    return [hidden(record, "the answer begins", "final_result")]


def _run_end(record: RunRecord) -> Sequence[LightEvent]:
    return [in_run(hidden(record, "the end of the run", "agent_run_result"), _NO_RUN)]


_MAKERS: dict[str, Callable[[RunRecord], Sequence[LightEvent]]] = {
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
