"""Normalized events as JSON lines: what each line says, and how calls and results are joined.

A line is an object with these keys, whose JSON Schema `agentview events --schema` prints:

- always: `v` (the version of this form), `id` (a UUID, the same on each run), `session`,
  `provider`, `stream` {`kind`, `id`}, `time` (ISO 8601, UTC, or null), `type`, and `source`
  {`file`, `line`, `offset`, `length`}, the bytes it was made of;
- where it applies: `record_id`, `parent_id`, `response_id`, `parent_call` (the call that started
  the agent whose log this is), `child` (the stream that this event started), `facts` (what became
  known about the session), `twin_of` (the event that said the same before), `takes_place_of` (the
  event that this one makes void), and `resets`;
- the fields of the event's type. For tools: `call_id`, `kind`, `state`, `canonical_name`,
  `provider_name`, `args`, `args_json`, `payload`, `ok`, `result`, `output`, `error`, `denial`.

A `tool_call` line is given when the call is read and a `tool_result` line when its result is. A
result that stands before its call is held back until the call is read, for `HELD_EVENTS` events at
most; one whose call is not in the log has no `kind`. A record that the log has twice gives two
lines with the same id, the second with `twin_of`. So every record of a log is in at least one line.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from agentview.domain.events import (
    Attachment,
    Compaction,
    Event,
    Hidden,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Title,
    TokenUsage,
    ToolInput,
    ToolProgress,
    ToolResult,
    Unparsed,
    User,
    event_id,
)
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolState
from agentview.export.encoding import field_names, getter
from agentview.providers.base import Provider

VERSION = 1
"""Version of the form; it grows when a key changes its meaning or goes."""

HELD_EVENTS = 256
"""Events for which a result waits for its call."""

TYPES: Mapping[type, str] = {
    User: "user",
    Reasoning: "reasoning",
    Message: "message",
    ToolCall: "tool_call",
    ToolResult: "tool_result",
    ToolProgress: "tool_progress",
    ToolInput: "tool_input",
    TokenUsage: "token_usage",
    Notification: "notification",
    SlashCommand: "slash_command",
    Title: "title",
    Compaction: "compaction",
    Attachment: "attachment",
    Hidden: "hidden",
    Unparsed: "unparsed",
}
"""`type` of a line by the class of the event's body."""

RESET = "reset"
"""`type` of a line that makes all earlier lines of its `source.file` void."""

OUTCOME = ("ok", "result", "output", "error", "denial", "interrupted")
TOOL = ("call_id", "kind", "origin", "canonical_name", "provider_name", "state")
"""What a result's line says of its tool; null where the call is not in the log."""

ANSWERED = (*TOOL, *OUTCOME)

ENVELOPE = (
    "record_id", "parent_id", "response_id", "child", "resets", "facts", "run", "whole", "amends",
)  # fmt: skip
"""Fields of an event that its line has only where they are set."""

Fields = dict[str, object]

_envelope = getter(ENVELOPE)
_answered = getter(ANSWERED)


@dataclass(slots=True)
class _Held:
    event: Event
    ref: SessionRef
    until: int


class EventLines:
    """Turns the events of one session, in file order, into lines; remembers calls by their ids."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider
        self._calls: dict[str, ToolCall] = {}
        self._held: dict[str, list[_Held]] = {}
        # Of each key the id and the file of the event that had it first, and last.
        self._firsts: dict[str, tuple[str, str]] = {}
        self._lasts: dict[str, tuple[str, str]] = {}
        self._count = 0
        self._resets = 0

    def feed(self, event: Event, ref: SessionRef) -> Iterator[Fields]:
        """Lines that the next event of the log `ref` gives rise to; often one, sometimes none."""
        self._count += 1
        if self._held:
            yield from self._overdue()
        body = event.body
        if isinstance(body, ToolResult) and body.call_id not in self._calls:
            held = _Held(event, ref, self._count + HELD_EVENTS)
            self._held.setdefault(body.call_id, []).append(held)
            return
        yield self._line(event, ref)
        if isinstance(body, ToolCall):
            self._calls[body.call_id] = self._amended(event, body)
            for held in self._held.pop(body.call_id, ()):
                yield self._line(held.event, held.ref)

    def _amended(self, event: Event, call: ToolCall) -> ToolCall:
        known = self._calls.get(call.call_id, call)
        return self._provider.amend(known, call) if event.amends and known is not call else known

    def release(self) -> Iterator[Fields]:
        """Lines of all results that still wait for their call: nothing more is to come now."""
        waiting = [held for results in self._held.values() for held in results]
        self._held.clear()
        for held in sorted(waiting, key=lambda held: held.until):
            yield self._line(held.event, held.ref)

    def reset(self, ref: SessionRef, reason: str) -> Fields:
        """The line that says that the log `ref` is read anew from its start."""
        self._resets += 1
        for known in (self._firsts, self._lasts):
            for key in [key for key, (_, path) in known.items() if path == ref.path]:
                del known[key]
        return {
            "v": VERSION,
            "id": event_id(ref.session_id, ref.path, f"{RESET}:{self._resets}"),
            "session": ref.session_id,
            "provider": ref.provider,
            "stream": ref.stream,
            "time": None,
            "type": RESET,
            "source": {"file": ref.path, "line": None, "offset": 0, "length": 0},
            "reason": reason,
        }

    def _overdue(self) -> Iterator[Fields]:
        first = next(iter(self._held.values()))[0]
        while first.until <= self._count:
            for held in self._held.pop(_call_id(first.event)):
                yield self._line(held.event, held.ref)
            if not self._held:
                return
            first = next(iter(self._held.values()))[0]

    def _line(self, event: Event, ref: SessionRef) -> Fields:
        source = event.source
        own = event.id
        line: Fields = {
            "v": VERSION,
            "id": own,
            "session": event.session_id,
            "provider": ref.provider,
            "stream": event.stream,
            "time": iso_time(event.time),
            "type": TYPES[type(event.body)],
            "source": {
                "file": source.path,
                "line": source.line,
                "offset": source.offset,
                "length": source.length,
                **({"pointer": source.pointer} if source.pointer else {}),
            },
        }
        if ref.parent_call is not None:
            line["parent_call"] = ref.parent_call
        for name, value in zip(ENVELOPE, _envelope(event), strict=True):
            if value is not None and value is not False:
                line[name] = value
        self._relate(event, (own, ref.path), line)
        line.update(self._body(event))
        return line

    def _relate(self, event: Event, own: tuple[str, str], line: Fields) -> None:
        if event.dedupe_key is not None:
            if event.dedupe_key in self._firsts:
                line["twin_of"] = self._firsts[event.dedupe_key][0]
                return
            self._firsts[event.dedupe_key] = own
        if event.replaces is not None:
            last = self._lasts.get(event.replaces)
            if last is not None and last != own:
                line["takes_place_of"] = last[0]
            self._lasts[event.replaces] = own

    def _body(self, event: Event) -> Fields:
        body = event.body
        if isinstance(body, ToolResult):
            return self._result(body)
        keys, values = _fields_of(type(body))
        return dict(zip(keys, values(body), strict=True))

    def _result(self, result: ToolResult) -> Fields:
        call = self._calls.get(result.call_id)
        if call is not None:
            joined = self._provider.answer(call, result)
            return dict(zip(ANSWERED, _answered(joined), strict=True))
        return {
            **dict.fromkeys(TOOL),
            **{name: getattr(result, name, None) for name in OUTCOME},
            "call_id": result.call_id,
            "state": _state(result),
        }


@cache
def _fields_of(cls: type) -> tuple[tuple[str, ...], Callable[[object], tuple[object, ...]]]:
    """The keys of a body's fields, and what takes their values."""
    names = field_names(cls)
    return tuple(renamed(cls, name) for name in names), getter(names)


def renamed(cls: type, name: str) -> str:
    """The key of a field: its name, unless the envelope has that already."""
    return "title_source" if cls is Title and name == "source" else name


def iso_time(moment: float | None) -> str | None:
    """Epoch seconds as ISO 8601 in UTC, to the millisecond; None where no calendar has it."""
    if moment is None:
        return None
    try:
        text = datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError, OSError):
        return None
    return text.replace("+00:00", "Z")


def _call_id(event: Event) -> str:
    return event.body.call_id if isinstance(event.body, ToolResult) else ""


def _state(result: ToolResult) -> ToolState:
    if result.denial is not None:
        return ToolState.OUTPUT_DENIED
    return ToolState.OUTPUT_ERROR if result.ok is False else ToolState.OUTPUT_AVAILABLE
