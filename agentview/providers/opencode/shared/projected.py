"""Events of rows of `session_message`, in which OpenCode 2 keeps each message as a whole.

Source: the client's public schema of these messages (`session-message.ts`), as of September 2026,
and the types in its SDK 1.19.3 for the form before. A response has its texts, thoughts and calls in
one list, and a call has its outcome.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.content import Block, ImageBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    SlashCommand,
    TokenUsage,
    ToolProgress,
    ToolResult,
    Topic,
)
from agentview.domain.index_entry import Flag, Role, Signal
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolState
from agentview.normalize import build
from agentview.normalize.json_fields import items, mapping, text
from agentview.normalize.json_values import (
    Fields,
    changed,
    fields_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.tools.specs import known_calls
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    HIDDEN,
    MESSAGE,
    REASONING,
    LightEvent,
    Records,
    hidden,
    read_as,
    same,
)
from agentview.providers.opencode.shared.row import FINE, ON, OpenCodeRow, placed, usage_of
from agentview.providers.opencode.shared.schema import (
    Cause,
    File,
    Item,
    ItemState,
    ItemTimes,
    Job,
    Moved,
    Outcome,
    Prompt,
    PutIn,
    Switched,
    ToolFacts,
)
from agentview.providers.opencode.shared.tools import find_tool, named, server_tool

_ENDS = {
    "interrupted": Notification(Topic.INTERRUPT, "Interrupted"),
    "failed": Notification(Topic.TURN_END, "The turn failed", Level.WARNING),
}
_NO_FACTS, _NO_STATE, _NO_TIMES = ToolFacts(), ItemState(), ItemTimes()
_FAILED_JOBS = frozenset({"error", "cancelled", "stopped"})
_known = known_calls(named)
projected = Records[OpenCodeRow](hidden={})
"""Functions that make the events of a row of `session_message`, by its type."""


@projected.on("user")
def _prompt(row: OpenCodeRow) -> Sequence[LightEvent]:
    said = spoken(row.message.text or "")
    files = read_as(row.values, Prompt).files or ()
    return [row.event("text", replace(said, blocks=tuple(_file(each or File()) for each in files)))]


def _file(given: File) -> Block:
    """A file of a prompt, or of the output of a call."""
    media, uri = given.mime, given.uri if given.uri is not None else given.url
    if media is not None and media.startswith("image/"):
        return ImageBlock(media, given.data, uri)
    return ResourceBlock(uri, given.name, media, given.text)


@projected.on("synthetic")
def _put_in(row: OpenCodeRow) -> Sequence[LightEvent]:
    """A text of the client: what became of work in the background, or a note for the model."""
    message, job = row.message, read_as(row.values, PutIn).metadata or Job()
    said, about, state = message.text or "", message.description, job.state
    if job.source in ("shell", "subagent") and state is not None:
        failed = state in _FAILED_JOBS or whole_of(job.exit) not in FINE
        words = f"{about}: {state}" if about else f"Background work: {state}"
        level = Level.WARNING if failed else Level.INFO
        return [row.event("note", Notification(Topic.BACKGROUND, words, level, said))]
    return [row.event("note", Attachment(about or "note", "note", said))]


@projected.on("system")
def _instructed(row: OpenCodeRow) -> Sequence[LightEvent]:
    message = row.message
    name = message.description or "instructions"
    return [row.event("note", Attachment(name, "instructions", message.text))]


@projected.on("skill")
def _skill(row: OpenCodeRow) -> Sequence[LightEvent]:
    name = text(row.values, "name", "skill") or "skill"
    return [row.event("skill", Attachment(name, "skill", row.message.text))]


@projected.on("shell")
def _own_command(row: OpenCodeRow) -> Sequence[LightEvent]:
    """A command that the person ran in the client, and what it printed by now."""
    values = row.values
    # It was a text, and is an object now.
    output = values.get("output")
    printed = text(mapping(output), "output") or text_of(output)
    code = whole_of(values.get("exit"))
    error = f"exit code {code}" if code not in FINE else None
    shell = True
    body = SlashCommand(text(values, "command") or "", "", printed, error, shell)
    return [row.event("shell", body)]


@projected.on("agent-switched")
def _agent(row: OpenCodeRow) -> Sequence[LightEvent]:
    new, old = row.message.agent, text(row.values, "previous")
    facts = placed(None, None, new)
    if not old or not new:
        return [hidden(row, "the agent of the session", "agent-switched", facts=facts)]
    return [row.event("mode", Notification(Topic.MODE, f"{old} → {new}"), facts=facts)]


@projected.on("model-switched")
def _model(row: OpenCodeRow) -> Sequence[LightEvent]:
    model = row.message.model
    new, old = model.id if model is not None else None, read_as(row.values, Switched).previous
    before, facts = old.id if old is not None else None, placed(None, new, None)
    if not before or not new:
        return [hidden(row, "the model of the session", "model-switched", facts=facts)]
    return [row.event("model", Notification(Topic.MODEL, f"{before} → {new}"), facts=facts)]


@projected.on("location-switched")
def _moved(row: OpenCodeRow) -> Sequence[LightEvent]:
    place = read_as(row.values, Moved).location
    facts = Facts(cwd=place.directory if place is not None else None)
    return [hidden(row, "another directory", "location-switched", facts=facts)]


@projected.on("compaction")
def _compaction(row: OpenCodeRow) -> Sequence[LightEvent]:
    """A compaction, which is written again when its summary is there."""
    message = row.message
    events = _tokens(row)
    if message.status == "failed":
        words = _words(message.error)
        note = Notification(Topic.SYSTEM, "Compaction failed", Level.WARNING, words)
        return [row.event("compaction", note), *events]
    body = Compaction(trigger=message.reason, summary=text(row.values, "summary") or None)
    return [row.event("compaction", body, resets=Reset.COMPACTED), *events]


@projected.on("idle")
def _idle(row: OpenCodeRow) -> Sequence[LightEvent]:
    """The session waits: the last response says that the turn ended, unless it did not."""
    ended = _ENDS.get(row.message.outcome or "")
    if ended is None:
        return [hidden(row, "the session waits", "idle")]
    return [row.event("end", ended)]


@projected.on("assistant")
def _response(row: OpenCodeRow) -> Sequence[LightEvent]:
    """A response of the model as far as it has come: its parts in order, its tokens, its end."""
    message = row.message
    row.response_id = row.name
    model = message.model.id if message.model is not None else None
    facts = placed(None, model, message.agent)
    events: list[LightEvent] = [
        hidden(row, "a response, whose parts are shown", "assistant", facts=facts)
    ]
    for number, item in enumerate(message.content or ()):
        if item is not None:
            events += _part(row, number, item)
    events += _tokens(row, model)
    if message.error is not None:
        events.append(row.event("error", _failure(message.error)))
    elif message.retry is not None and message.retry.error is not None:
        words = _words(message.retry.error)
        note = Notification(error_topic(words), words, Level.WARNING)
        events.append(row.event("retry", note))
    if message.error is None and message.finish and message.finish not in ON:
        events.append(row.event("end", Notification(Topic.TURN_END, "The turn ended")))
    return events


def _tokens(row: OpenCodeRow, model: str | None = None) -> list[LightEvent]:
    """The tokens of a response, or of the request for a summary."""
    message = row.message
    usage = usage_of(message.tokens) if message.tokens is not None else None
    if usage is None:
        return []
    if model is None and message.model is not None:
        model = message.model.id
    body = TokenUsage(row.name, usage, model, cost=real_of(message.cost) or None)
    light = row.usage_part(body)
    light.response = row.name
    return [light]


def _failure(error: Cause | str) -> Notification:
    words = _words(error)
    kind = error.type if isinstance(error, Cause) else None
    if kind == "aborted":
        return Notification(Topic.INTERRUPT, words)
    status = whole_of(error.status) if isinstance(error, Cause) else None
    return Notification(error_topic(words, kind, status=status), words, Level.ERROR, detail=kind)


def _words(error: Cause | str | None) -> str:
    if isinstance(error, Cause):
        return error.message or error.type or "error"
    return error or "error"


def _part(row: OpenCodeRow, number: int, item: Item) -> Sequence[LightEvent]:
    if item.type == "text":
        made = (item.text or "",)
        return [row.part(f"text{number}", MESSAGE, 0, Message, made, signal=Signal.PERSON)]
    if item.type == "reasoning":
        times = item.time or _NO_TIMES
        start, end = time_of(times.created), time_of(times.completed)
        duration = end - start if start is not None and end is not None else None
        thought = (item.text or "", not item.text, duration)
        name = f"reasoning{number}"
        return [row.part(name, REASONING, 0, Reasoning, thought, signal=Signal.AGENT)]
    if item.type == "tool":
        return _tool(row, number, item)
    return [row.unknown(f"assistant/{item.type}")]


def _tool(row: OpenCodeRow, number: int, item: Item) -> Sequence[LightEvent]:
    """The call, and its result or its progress, as they are by now."""
    state = item.state or _NO_STATE
    name, call_id = item.name or "", item.call_id or item.id or f"{row.name}:{number}"
    facts = state.metadata or state.structured or _NO_FACTS
    child = Stream(StreamKind.SUBAGENT, facts.session_id) if facts.session_id else None
    known, made, times = _known(name), (row, number, name, call_id), item.time or _NO_TIMES
    began = time_of(times.ran) or time_of(times.created) or row.time
    call: LightEvent
    if known is None:
        call = row.event(f"call{number}", _call(*made), time=began, child=child)
    else:
        call = row.call_part(f"call{number}", call_id, known, _call, made, child=child)
        call.time = began
    if state.status in ("completed", "error"):
        failed = state.status == "error" or whole_of(facts.exit) not in FINE
        result = row.result_part(
            f"result{number}", call_id, _result, (row, number, call_id), failed=failed, child=child
        )
        result.time = time_of(times.completed) or row.time
        return [call, result]
    printed = _text(items(_state(row, number).get("content")))
    if not printed:
        return [call]
    progress = (ToolProgress(call_id, printed),)
    flags, role = Flag.BOOKKEEPING, Role.PROGRESS
    return [call, row.part(f"progress{number}", HIDDEN, flags, same, progress, role, call_id)]


def _state(row: OpenCodeRow, number: int) -> Fields:
    return row.values_at("content", number, "state")


def _call(row: OpenCodeRow, number: int, name: str, call_id: str) -> ToolCall:
    state = _state(row, number)
    given, streamed = state.get("input"), state.get("status") in ("pending", "streaming")
    return build.tool_call(
        call_id=call_id,
        name=name,
        arguments=fields_of(given) or (given if isinstance(given, str) and given else {}),
        spec=find_tool(name, mapping(given)) or server_tool(name),
        state=ToolState.INPUT_STREAMING if streamed else ToolState.INPUT_AVAILABLE,
    )


def _text(content: Sequence[object]) -> str:
    parts = [text(mapping(each), "text") for each in content]
    return "\n".join(part for part in parts if part)


def _result(row: OpenCodeRow, number: int, call_id: str) -> ToolResult:
    state = read_as(_state(row, number), Outcome)
    facts = fields_of(state.metadata) or fields_of(state.structured)
    code = whole_of(facts.get("exit"))
    failed, error = state.status == "error", state.error or Cause()
    words = (error.message or error.type or "error") if failed else None
    kind = error.type or ""
    refused = failed and kind.startswith("permission.")
    return ToolResult(
        call_id,
        ok=not failed and code in FINE,
        output=tuple(
            TextBlock(each.text or "") if each.type == "text" else _file(each)
            for each in (each or File() for each in state.content or ())
        ),
        structured=changed(facts, {"exit_code": code}) if code is not None else facts,
        error=words,
        denial=Denial(DeniedBy.RULE, words) if refused else None,
        interrupted=kind == "aborted",
    )
