"""What happened: the events of a request with its response, or of what is around the requests."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    Reasoning,
    Rewind,
    Title,
    TitleSource,
    ToolResult,
    Topic,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, number, text, texts
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.output_text import text_of as blocks_text
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.vscode_copilot.archive import CHANGE, CUT, ROW
from agentview.providers.vscode_copilot.tools import find_tool

_BEGIN = re.compile(r'\{\s*"(?:requestId|version|message)"\s*:')
_DEPTH = 60
_TEXT_NODE = 2
_INVOCATION = "toolInvocationSerialized"
_RENAMED = "__vscode"
"""Begins what the client adds to the ids of calls in the rounds."""
_REFUSED, _SKIPPED = 0, 5
"""How a call was not confirmed, as the client counts the ways (`ToolConfirmKind`)."""
_COMPLETE, _CANCELED, _FAILED = 1, 2, 3
"""States of a request, as the client counts them."""
_SHOWN_ELSEWHERE = frozenset({
    "codeblockUri", "mcpServersStarting", "notebookEditGroup", "prepareToolInvocation",
    "progressTaskSerialized", "textEditGroup", "undoStop",
})  # fmt: skip
"""Parts of a response that an editor draws, and that its words and calls have too."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    return document_events(record, source, session, FORM, _around)


def _record_events(record: EventBuilder) -> list[Event]:
    fields = record.fields
    own = text_of(fields.get("requestId"))
    row = fields.get(ROW) if own is None else None
    if row == CUT:
        return [_cut(record)]
    if row == CHANGE:
        return [record.unknown("a change that cannot be made")]
    if own is None:
        return _around(record)
    record.record_id, record.rewritten_id, record.keeps_place = own, own, True
    record.time = time_of(fields.get("timestamp"))
    model = text_of(fields.get("modelId"))
    record.facts = Facts(model=model) if model is not None else None
    events = _prompt(record)
    record.response_id = text_of(fields.get("responseId")) or own
    metadata = mapping(mapping(fields.get("result")).get("metadata"))
    rounds = [fields_of(each) for each in items_of(metadata.get("toolCallRounds"))]
    if any(items_of(each.get("toolCalls")) for each in rounds):
        # They have the arguments and the results, which the parts of the response lack.
        events += _rounds(record, rounds, mapping(metadata.get("toolCallResults")))
    else:
        events += _response(record)
    return [*events, *_end(record)]


FORM = RecordDecoder(EventBuilder, _record_events, _BEGIN)


def _around(record: EventBuilder) -> list[Event]:
    """Return what is in front of the requests, or behind them."""
    events = [record.hidden("what is around the requests", "document")]
    title = text_of(record.fields.get("customTitle"))
    if title is not None:
        events.append(record.event("title", Title(title, TitleSource.AI)))
    return events


def _cut(record: EventBuilder) -> Event:
    """The person wrote a prompt again or took it back: its request and later ones are gone."""
    count = max(1, whole_of(record.fields.get("requests")) or 1)
    body = Notification(Topic.REWIND, f"Went back by {count}" if count > 1 else "Went back")
    return record.event("cut", body, rewinds=Rewind(turns=count))


def _prompt(record: EventBuilder) -> list[Event]:
    message = record.fields.get("message")
    words = text_of(message) or text_of(fields_of(message).get("text")) or ""
    events = [record.event("prompt", spoken(words))]
    variables = items_of(mapping(record.fields.get("variableData")).get("variables"))
    for at, each in enumerate(map(fields_of, variables)):
        name, kind = text(each, "name", "id") or "attachment", text(each, "kind") or "file"
        path = text(mapping(each.get("value")), "path", "fsPath")
        events.append(record.event(f"attached/{at}", Attachment(name, kind, path=path)))
    return events


def _rounds(record: EventBuilder, rounds: Sequence[Fields], results: Fields) -> list[Event]:
    """Return what the model said and called, each time that it was asked."""
    events: list[Event] = []
    parts = map(fields_of, items_of(record.fields.get("response")))
    invoked = [each for each in parts if each.get("kind") == _INVOCATION]
    shown = {own: each for each in invoked if (own := text_of(each.get("toolCallId"))) is not None}
    for at, each in enumerate(rounds):
        thought = _thought(fields_of(each.get("thinking")).get("text"))
        if thought:
            events.append(record.event(f"round{at}/thought", Reasoning(thought)))
        said = text_of(each.get("response"))
        if said is not None and said.strip():
            events.append(record.event(f"round{at}/text", Message(said)))
        for number_of, call in enumerate(map(fields_of, items_of(each.get("toolCalls")))):
            events += _called(record, f"round{at}/{number_of}", call, results, shown)
    return events


def _called(
    record: EventBuilder, suffix: str, call: Fields, results: Fields, shown: Mapping[str, Fields]
) -> list[Event]:
    own = call_id_of(call.get("id"), f"{record.name}/{suffix}")
    name = text_of(call.get("name")) or "(none)"
    given = call.get("arguments")
    body = tool_call(
        call_id=own,
        name=name,
        arguments=given if isinstance(given, str) else fields_of(given),
        spec=find_tool(name, mapping(given)),
    )
    events = [record.event(f"{suffix}/call", body)]
    if own in results:
        output = tuple(_output(fields_of(results[own])))
        # Only the part that the editor shows says whether the call failed.
        outcome = _outcome(own, output, shown.get(own.partition(_RENAMED)[0], {}))
        events.append(record.event(f"{suffix}/result", outcome))
    return events


def _outcome(own: str, output: tuple[Block, ...], part: Fields) -> ToolResult:
    """The outcome of a call as far as what the editor shows of it says; None where it does not."""
    said = blocks_text(output)
    confirmed = part.get("isConfirmed")
    kind = fields_of(confirmed).get("type")
    if confirmed is False or kind in (_REFUSED, _SKIPPED):
        reason = text_of(fields_of(confirmed).get("reason"))
        return ToolResult(own, False, output, denial=Denial(DeniedBy.PERSON, reason))
    failed = fields_of(part.get("resultDetails")).get("isError")
    terminal = fields_of(fields_of(part.get("toolSpecificData")).get("terminalCommandState"))
    code = whole_of(terminal.get("exitCode"))
    ok = not failed if isinstance(failed, bool) else None
    if code is not None and ok is not False:
        ok = code == 0
    return ToolResult(own, ok, output, error=said if failed is True else None)


def _output(result: Fields) -> Iterator[Block]:
    for part in map(fields_of, items_of(result.get("content"))):
        value = part.get("value")
        node = fields_of(value).get("node")
        media = text_of(part.get("mimeType"))
        if node is not None:
            yield TextBlock("".join(_texts(node, 0)).lstrip("\n"))
        elif isinstance(value, str):
            yield TextBlock(value)
        elif media is not None and media.startswith("image/"):
            yield ImageBlock(media, text_of(part.get("data")))
        else:
            yield JsonBlock(part)


def _texts(node: object, depth: int) -> Iterator[str]:
    """The texts of a tree, which is how the editor keeps what it gave to the model."""
    fields = fields_of(node)
    if fields.get("type") == _TEXT_NODE:
        before = "\n" if fields.get("lineBreakBefore") is True else ""
        yield f"{before}{text_of(fields.get('text')) or ''}"
    elif depth < _DEPTH:
        for child in items_of(fields.get("children")):
            yield from _texts(child, depth + 1)


def _response(record: EventBuilder) -> list[Event]:
    """The parts of a response, where nothing else has the calls."""
    events: list[Event] = []
    words: list[str] = []

    def say() -> None:
        if "".join(words).strip():
            events.append(record.event(f"text/{len(events)}", Message("".join(words))))
        words.clear()

    for at, part in enumerate(map(fields_of, items_of(record.fields.get("response")))):
        kind = text_of(part.get("kind"))
        if kind in (None, "markdownContent"):
            content = part if kind is None else fields_of(part.get("content"))
            words.append(text_of(content.get("value")) or "")
        elif kind == "inlineReference":
            words.append(_reference(part))
        elif kind == "thinking":
            say()
            events.append(record.event(f"thought/{at}", Reasoning(_thought(part.get("value")))))
        elif kind == _INVOCATION:
            say()
            events += _invoked(record, at, part)
        elif kind not in _SHOWN_ELSEWHERE:
            events.append(record.unknown(f"response/{kind}", f"unknown/{at}"))
    say()
    return events


def _reference(part: Fields) -> str:
    """The name of what a response links to."""
    target = fields_of(part.get("inlineReference"))
    place = target if "path" in target else fields_of(target.get("uri"))
    named = text_of(part.get("name")) or text_of(target.get("name"))
    return f"`{named or (text_of(place.get('path')) or '').rpartition('/')[2]}`"


def _thought(value: object) -> str:
    return text_of(value) or "\n".join(texts(items_of(value)))


def _invoked(record: EventBuilder, at: int, part: Fields) -> list[Event]:
    """A call of which only what the editor shows is recorded."""
    own = call_id_of(part.get("toolCallId"), f"{record.name}/invoked{at}")
    name = (text_of(part.get("toolId")) or "(none)").removeprefix("copilot_")
    shown = part.get("pastTenseMessage") or part.get("invocationMessage")
    title = text_of(shown) or text_of(fields_of(shown).get("value"))
    details = fields_of(part.get("resultDetails"))
    given = text_of(details.get("input"))
    body = tool_call(call_id=own, name=name, arguments=given, spec=find_tool(name, {}), title=title)
    events = [record.event(f"invoked/{at}", body)]
    if part.get("isComplete") is True:
        output = tuple(map(_embedded, map(fields_of, items_of(details.get("output")))))
        events.append(record.event(f"invoked/{at}/result", _outcome(own, output, part)))
    return events


def _embedded(part: Fields) -> Block:
    """A block of what came back, as the editor shows it."""
    value, media = text_of(part.get("value")), text_of(part.get("mimeType"))
    if part.get("isText") is True and value is not None:
        return TextBlock(value)
    if media is not None and media.startswith("image/"):
        return ImageBlock(media, value)
    return JsonBlock(part)


def _end(record: EventBuilder) -> list[Event]:
    """How the request ended; nothing while it is worked on."""
    fields = record.fields
    result = mapping(fields.get("result"))
    taken = seconds_of(number(mapping(result.get("timings")), "totalElapsed"))
    time = record.time + taken if record.time is not None and taken is not None else None
    error = text_of(mapping(result.get("errorDetails")).get("message"))
    state = fields_of(fields.get("modelState"))
    done = time_of(state.get("completedAt"))
    time = done if done is not None else time
    if fields.get("isCanceled") is True or state.get("value") == _CANCELED:
        body = Notification(Topic.INTERRUPT, "Canceled by the person")
    elif error is not None:
        body = Notification(error_topic(error), error, Level.ERROR)
    elif state.get("value") == _FAILED:
        body = Notification(Topic.API_ERROR, "The request failed", Level.ERROR)
    elif result or state.get("value") == _COMPLETE:
        body = Notification(Topic.TURN_END, "The turn ended", duration=taken)
    else:
        return []
    return [record.event("end", body, time=time)]
