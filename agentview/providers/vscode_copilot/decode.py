"""Events of a request with its response, or of the document around the requests."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Raw, field, structs

from agentview.domain.content import Block, ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
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
from agentview.domain.index_entry import EventFact, Signal
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tool_inputs import AskOption, AskPayload, AskQuestion
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import as_text, mapping, texts
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.normalize.output_text import text_of as blocks_text
from agentview.normalize.tools.specs import ToolSpec, known_calls
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import decision, permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import (
    MESSAGE,
    REASONING,
    LightEvent,
    TypedBuilder,
    hidden,
    read_as,
)
from agentview.providers.vscode_copilot.archive import CHANGE, CUT
from agentview.providers.vscode_copilot.schema import (
    Asked,
    Attached,
    CommandLine,
    Confirmed,
    Node,
    Part,
    Place,
    Question,
    Record,
    Result,
    Returned,
    Round,
    Shown,
    Specific,
    State,
    Text,
    Tree,
    Variable,
    Words,
)
from agentview.providers.vscode_copilot.tools import find_tool

_BEGIN = re.compile(r'\{\s*"(?:requestId|version|message)"\s*:')
_DEPTH = 60
_TEXT_NODE = 2
_INVOCATION = "toolInvocationSerialized"
_RENAMED = "__vscode"
"""Begins what the client adds to the ids of calls in the rounds."""
_REFUSED, _SKIPPED = 0, 5
"""How a call was not confirmed, as the client counts the ways (`ToolConfirmKind`)."""
_COMPLETE, _CANCELED, _FAILED, _NEEDS_INPUT = 1, 2, 3, 4
"""States of a request, as the client counts them (`ResponseModelState`)."""
_SHOWN_ELSEWHERE = frozenset({
    "autoModeResolution", "clearToPreviousToolInvocation", "codeCitation", "codeblockUri",
    "command", "disabledClaudeHooks", "extensions", "externalEdit", "mcpServersStarting",
    "multiDiffData", "notebookEditGroup", "prepareToolInvocation", "progressMessage",
    "progressTask", "progressTaskSerialized", "textEditGroup", "treeData", "undoStop",
    "workspaceEdit",
})  # fmt: skip
"""Parts of a response that an editor draws, and that its words and calls have too."""
_AGENT = "runSubagent"
_NO_PART, _NO_RESULT, _NO_STATE = Part(), Result(), State()
_NOTICES = {
    "warning": (Topic.SYSTEM, Level.WARNING, "A warning"),
    "hook": (Topic.HOOK, Level.INFO, "A hook ran"),
    "pullRequest": (Topic.LINK, Level.INFO, "A pull request"),
    "systemNotification": (Topic.SYSTEM, Level.INFO, "A note of the editor"),
}
"""Topic and level of parts that are notes of the editor, and the words of those without any."""
_QUESTIONS = ("questionCarousel", "elicitationSerialized", "confirmation")
"""Parts by which the client asks the person."""


class ChatRequest(TypedBuilder[Record], gc=False):
    """A request with its response, which the client writes again while it is worked on."""

    result: Result = field(default_factory=Result)
    state: State = field(default_factory=State)

    @property
    def parts(self) -> Sequence[Part]:
        return [part or _NO_PART for part in self.record.response or ()]

    @property
    def results(self) -> Mapping[str, Raw]:
        return (self.result.metadata and self.result.metadata.tool_call_results) or {}


def _chat_request(
    record: Record, raw: bytes, source: SourceRef, session: SessionRef
) -> ChatRequest:
    return ChatRequest.of(
        record, raw, source, session, result=record.result or _NO_RESULT,
        state=record.model_state or _NO_STATE,
    )  # fmt: skip


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    return FORM.events(record, source, session)


def _record_events(record: ChatRequest) -> Sequence[LightEvent]:
    own = record.record
    if not own.request_id:
        if own.row == CUT:
            return [_cut(record)]
        return (
            [record.unknown("a change that cannot be made")]
            if own.row == CHANGE
            else _around(record)
        )
    record.record_id = record.rewritten_id = own.request_id
    record.keeps_place, record.time = True, time_of(own.timestamp)
    record.facts = model_facts(own.model_id) if own.model_id else None
    events = _prompt(record)
    record.response_id = own.response_id or own.request_id
    rounds = (record.result.metadata and record.result.metadata.tool_call_rounds) or ()
    if any(each is not None and each.tool_calls for each in rounds):
        # They have the arguments and the results, which the parts of the response lack.
        events += _rounds(record, rounds)
        events += [each for at, part in enumerate(record.parts) for each in _asks(record, at, part)]
    else:
        events += _response(record)
    return [*events, *_end(record)]


def _around(record: ChatRequest) -> Sequence[LightEvent]:
    """Members in front of the requests, or behind them."""
    events: list[LightEvent] = [hidden(record, "what is around the requests", "document")]
    if record.record.custom_title:
        title = Title(record.record.custom_title, TitleSource.AI)
        events.append(record.event("title", title))
    return events


FORM = TypedDocuments(Record, _chat_request, _record_events, _BEGIN, around=_around)


def _cut(record: ChatRequest) -> Event:
    """The person wrote a prompt again or took it back: its request and later ones are gone."""
    count = max(1, whole_of(record.record.requests) or 1)
    body = Notification(Topic.REWIND, f"Went back by {count}" if count > 1 else "Went back")
    return record.event("cut", body, rewinds=Rewind(turns=count))


def _prompt(record: ChatRequest) -> list[LightEvent]:
    message = record.record.message
    words = message.text if isinstance(message, Text) else message
    events: list[LightEvent] = [record.event("prompt", spoken(words or ""))]
    attached = read_as(mapping(record.value_of(record.record.variable_data)), Attached)
    for at, given in enumerate(attached.variables):
        each = given or Variable()
        name, kind = each.name or each.id or "attachment", each.kind or "file"
        place = read_as(mapping(each.value), Place)
        path = place.path if place.path is not None else place.fs_path
        events.append(record.event(f"attached/{at}", Attachment(name, kind, path=path)))
    return events


def _said(record: ChatRequest, suffix: str, words: str) -> EventFact:
    return record.part(suffix, MESSAGE, 0, Message, (words,), signal=Signal.PERSON)


def _thought(
    record: ChatRequest, suffix: str, words: str, duration: float | None = None
) -> EventFact:
    made = (words, False, duration)
    return record.part(suffix, REASONING, 0, Reasoning, made, signal=Signal.AGENT)


def _thoughts(value: object) -> str:
    return text_of(value) or "\n".join(texts(items_of(value)))


def _rounds(record: ChatRequest, rounds: Sequence[Round | None]) -> list[LightEvent]:
    """Return the words and calls of the model, each time that it was asked."""
    events: list[LightEvent] = []
    shown = {part.tool_call_id: part for part in record.parts if part.kind == _INVOCATION}
    for at, each in enumerate(rounds):
        if each is None:
            continue
        thought = _thoughts(each.thinking.text) if each.thinking is not None else ""
        if thought:
            events.append(_thought(record, f"round{at}/thought", thought))
        if each.response is not None and each.response.strip():
            events.append(_said(record, f"round{at}/text", each.response))
        for number, call in enumerate(each.tool_calls or ()):
            asked = call or Asked()
            events += _called(record, f"round{at}/{number}", asked, shown)
            events += _of_agent(record, (asked.id or "").partition(_RENAMED)[0])
    return events


def _of_agent(record: ChatRequest, started: str) -> Sequence[LightEvent]:
    """The calls of the agent that a call started, which only the parts of the response have."""
    made = [
        (at, part)
        for at, part in enumerate(record.parts)
        if started and part.sub_agent_invocation_id == started and part.kind == _INVOCATION
    ]
    events: list[LightEvent] = []
    for at, part in made:
        events += _invoked(record, at, part)
    return events


def _called(
    record: ChatRequest, suffix: str, asked: Asked, shown: Mapping[str | None, Part]
) -> Sequence[LightEvent]:
    own = f"{record.name}/{suffix}" if asked.id is None else asked.id
    name = asked.name or "(none)"
    call = _call(record, f"{suffix}/call", own, name, (record, own, name, asked.arguments, None))
    if name == _AGENT:
        call = _starting(call, own.partition(_RENAMED)[0])
    if own not in record.results:
        return [call]
    # Only the part that the editor shows says whether the call failed.
    part = shown.get(own.partition(_RENAMED)[0], _NO_PART)
    return [call, _result(record, f"{suffix}/result", own, part, record.results[own])]


def _call(
    record: ChatRequest, suffix: str, own: str, name: str,
    made: tuple[ChatRequest, str, str, Raw | Fields | str | None, str | None],
) -> LightEvent:  # fmt: skip
    return record.call_event(suffix, own, _known(name), _whole_call, made)


_known = known_calls(lambda name: find_tool(name, {}))


def _whole_call(
    record: ChatRequest, own: str, name: str, arguments: Raw | Fields | str | None,
    title: str | None,
) -> ToolCall:  # fmt: skip
    given = arguments
    if isinstance(given, Raw):
        value = record.value_of(given)
        given = value if isinstance(value, str) else fields_of(value)
    return tool_call(
        call_id=own,
        name=name,
        arguments=given,
        spec=find_tool(name, mapping(given)),
        title=title,
    )


def _result(
    record: ChatRequest, suffix: str, own: str, part: Part, output: Raw | None
) -> LightEvent:
    """The result of a call, of which the part that the editor shows says how it ended."""
    ok, denial = _ended(part)
    made = (record, own, ok, denial, part, output)
    failed = ok is False or denial is not None
    light = record.result_part(suffix, own, _whole_result, made, failed=failed)
    if ok is None and denial is None:
        light.signal |= Signal.OUTCOME_UNKNOWN
    return light


def _ended(part: Part) -> tuple[bool | None, Denial | None]:
    """The outcome of a call as far as what the editor shows of it says; None where it does not."""
    confirmed = part.is_confirmed
    kind = whole_of(confirmed.type) if isinstance(confirmed, Confirmed) else None
    if confirmed is False or kind in (_REFUSED, _SKIPPED):
        reason = text_of(confirmed.reason) if isinstance(confirmed, Confirmed) else None
        return False, Denial(DeniedBy.PERSON, reason)
    failed = part.details.is_error if part.details is not None else None
    terminal = part.tool_specific_data and part.tool_specific_data.terminal_command_state
    code = whole_of(terminal.exit_code) if terminal else None
    if failed is not True and code is not None:
        return code == 0, None
    return (None if failed is None else not failed), None


def _whole_result(
    record: ChatRequest, own: str, ok: bool | None, denial: Denial | None, part: Part,
    output: Raw | None,
) -> ToolResult:  # fmt: skip
    if output is not None:
        blocks = tuple(_output(fields_of(record.value_of(output))))
    else:
        shown = record.value_of(part.details.output) if part.details is not None else None
        blocks = tuple(map(_embedded, map(fields_of, items_of(shown))))
        said = _kept(part.tool_specific_data) if not blocks else None
        blocks = blocks if said is None else (TextBlock(said),)
    failed = denial is None and part.details is not None and part.details.is_error is True
    return ToolResult(own, ok, blocks, error=blocks_text(blocks) if failed else None, denial=denial)


def _output(result: Fields) -> Iterator[Block]:
    for given in map(fields_of, items_of(result.get("content"))):
        part = read_as(given, Returned)
        node = part.value.node if isinstance(part.value, Tree) else None
        if node is not None:
            yield TextBlock("".join(_texts(node, 0)).lstrip("\n"))
        elif isinstance(part.value, str):
            yield TextBlock(part.value)
        elif part.mime_type is not None and part.mime_type.startswith("image/"):
            yield ImageBlock(part.mime_type, part.data or None)
        else:
            yield JsonBlock(given)


def _texts(node: object, depth: int) -> Iterator[str]:
    """The texts of a tree, which is how the editor keeps what it gave to the model."""
    found = read_as(node, Node)
    if found.type == _TEXT_NODE:
        before = "\n" if found.line_break_before is True else ""
        yield f"{before}{found.text or ''}"
    elif depth < _DEPTH:
        for child in found.children:
            yield from _texts(child, depth + 1)


def _response(record: ChatRequest) -> list[LightEvent]:
    """The parts of a response, where nothing else has the calls."""
    events: list[LightEvent] = []
    words: list[str] = []

    def say() -> None:
        if "".join(words).strip():
            events.append(_said(record, f"text/{len(events)}", "".join(words)))
        words.clear()

    for at, part in enumerate(record.parts):
        if part.kind in (None, "markdownContent", "markdownVuln"):
            content = part.value if part.kind is None else part.content and part.content.value
            words.append(text_of(content) or "")
        elif part.kind == "inlineReference":
            words.append(_reference(record, part))
        elif part.kind == "thinking":
            say()
            duration = seconds_of(part.reasoning_duration_ms)
            events.append(_thought(record, f"thought/{at}", _thoughts(part.value), duration))
        elif part.kind == _INVOCATION:
            say()
            events += [*_invoked(record, at, part), *_asks(record, at, part)]
        elif part.kind not in _SHOWN_ELSEWHERE:
            say()
            events += _other(record, at, part)
    say()
    return events


def _other(record: ChatRequest, at: int, part: Part) -> Iterator[LightEvent]:
    if part.kind in _QUESTIONS:
        yield from _asks(record, at, part)
    elif part.kind in _NOTICES:
        yield _notice(record, at, part)
    else:
        yield record.unknown(f"response/{part.kind}", f"unknown/{at}")


def _notice(record: ChatRequest, at: int, part: Part) -> LightEvent:
    """A note of the editor."""
    topic, level, otherwise = _NOTICES[part.kind or ""]
    words = part.content.value if part.content is not None else None
    said = words or _words(part.title) or _words(part.message) or otherwise
    return record.event(f"notice/{at}", Notification(topic, said, level))


def _reference(record: ChatRequest, part: Part) -> str:
    """The name of what a response links to."""
    target = read_as(record.value_of(part.inline_reference), Place)
    path = target.path if target.path is not None else read_as(target.uri, Place).path
    named = part.name or target.name
    return f"`{named or (path or '').rpartition('/')[2]}`"


def _invoked(record: ChatRequest, at: int, part: Part) -> Sequence[LightEvent]:
    """A call of which only what the editor shows is recorded."""
    if part.sub_agent_invocation_id is not None:
        agent = Stream(StreamKind.SUBAGENT, part.sub_agent_invocation_id)
        record = structs.replace(record, stream=agent)
    own = f"{record.name}/invoked{at}" if part.tool_call_id is None else part.tool_call_id
    name = (part.tool_id or "(none)").removeprefix("copilot_")
    given = (part.details.input or None) if part.details is not None else None
    given = given or _given(record, part.tool_specific_data)
    made = (record, own, name, given, _words(part.past_tense_message or part.invocation_message))
    call = _call(record, f"invoked/{at}", own, name, made)
    if part.tool_id == _AGENT:
        call = _starting(call, own)
    if part.is_complete is not True:
        return [call]
    return [call, _result(record, f"invoked/{at}/result", own, part, None)]


def _starting(call: LightEvent, own: str) -> LightEvent:
    """The call with the agent that it starts, whose calls name it."""
    child = Stream(StreamKind.SUBAGENT, own)
    if isinstance(call, EventFact):
        call.child = child
        return call
    return structs.replace(call, child=child)


def _given(record: ChatRequest, specific: Specific | None) -> Fields | None:
    """The arguments of a call, from what the client keeps of it; None where it keeps none."""
    if specific is None:
        return None
    if specific.kind == "terminal":
        line = specific.command_line or CommandLine()
        command = line.user_edited or line.tool_edited or line.original
        return {"command": command} if command else None
    if specific.kind == "subagent":
        named = {
            "description": specific.description, "agentName": specific.agent_name,
            "prompt": specific.prompt, "model": specific.model_name,
        }  # fmt: skip
        return {key: value for key, value in named.items() if value} or None
    if specific.kind == "todoList":
        return {"todoList": record.value_of(specific.todo_list)}
    if specific.kind == "input":
        return fields_of(record.value_of(specific.raw_input)) or None
    return None


def _kept(specific: Specific | None) -> str | None:
    """Return the answer of an agent, or the output of a command, that the client keeps."""
    if specific is None:
        return None
    printed = specific.terminal_command_output
    return specific.result or (printed.text if printed is not None else None) or None


def _words(value: Words | str | None) -> str | None:
    return (value.value if isinstance(value, Words) else value) or None


def _embedded(part: Fields) -> Block:
    """A block of what came back, as the editor shows it."""
    shown = read_as(part, Shown)
    if shown.is_text is True and shown.value:
        return TextBlock(shown.value)
    if shown.mime_type is not None and shown.mime_type.startswith("image/"):
        return ImageBlock(shown.mime_type, shown.value or None)
    return JsonBlock(part)


def _asks(record: ChatRequest, at: int, part: Part) -> Iterator[LightEvent]:
    """Request of the client to the person in a part: whether a call that waits may be made."""
    if part.kind in _QUESTIONS:
        yield from _question(record, f"{record.name}/asked{at}", at, part)
        return
    waits = whole_of(record.state.value) == _NEEDS_INPUT
    if waits and part.kind == _INVOCATION and part.is_confirmed is None:
        own, asked = part.tool_call_id, _words(part.invocation_message) or "Allow it?"
        request = permission_request(f"{record.name}/leave{at}", asked, own, {})
        yield record.event(f"leave/{at}", request)


def _question(record: ChatRequest, own: str, at: int, part: Part) -> Iterator[LightEvent]:
    asked = [read_as(each, Question) for each in items_of(record.value_of(part.questions))]
    head = " ".join(filter(None, (_words(part.title), _words(part.message)))) or "A question"
    questions = tuple(map(_asked, asked)) or (AskQuestion(head),)
    spec = ToolSpec(ToolKind.ASK, "AskUserQuestion", lambda _: AskPayload(questions))
    kind = part.kind or ""
    call = tool_call(call_id=own, name=kind, arguments={"question": head}, spec=spec)
    yield record.event(f"asked/{at}", call)
    if part.is_used is True or part.state in ("accepted", "rejected"):
        refused = Denial(DeniedBy.PERSON) if part.state == "rejected" else None
        said = as_text(record.value_of(part.data)) or part.state or "answered"
        yield record.event(f"asked/{at}/answer", decision(own, said, refused=refused))


def _asked(question: Question) -> AskQuestion:
    words = question.title or question.question or _words(question.message)
    labels = (each.label or each.id for each in question.options if each is not None)
    return AskQuestion(words or "A question", options=tuple(map(AskOption, filter(None, labels))))


def _end(record: ChatRequest) -> Iterator[LightEvent]:
    """How the request ended; nothing while it is worked on."""
    result, state = record.result, whole_of(record.state.value)
    taken = seconds_of(result.timings.total_elapsed) if result.timings is not None else None
    time = record.time + taken if record.time is not None and taken is not None else None
    done = time_of(record.state.completed_at)
    error = result.error_details.message if result.error_details is not None else None
    if record.record.is_canceled is True or state == _CANCELED:
        body = Notification(Topic.INTERRUPT, "Canceled by the person")
    elif error:
        body = Notification(error_topic(error), error, Level.ERROR)
    elif state == _FAILED:
        body = Notification(Topic.API_ERROR, "The request failed", Level.ERROR)
    elif record.record.result is not None or state == _COMPLETE:
        body = Notification(Topic.TURN_END, "The turn ended", duration=taken)
    else:
        return
    yield record.event("end", body, time=done if done is not None else time)
