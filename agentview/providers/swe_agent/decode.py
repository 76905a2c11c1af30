"""What happened: the events of a message, or of what is around the list of messages."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Message,
    Notification,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, to_json
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import EventBuilder
from agentview.providers._kit.images import image_at
from agentview.providers._kit.json_documents import document_events
from agentview.providers._kit.json_line import RecordDecoder
from agentview.providers.swe_agent.tools import SPECS, find_tool

_BEGIN = re.compile(r'\{\s*"(?:role|content|message_type|action|object)"\s*:')
_FENCED = re.compile(r"```(?:bash|sh|mswea_bash_command)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_XML = re.compile(r"<command>\n?(.*?)\n?</command>", re.DOTALL)
_FOLDER = re.compile(r"\(Current directory: (/[^\n)]+)\)")
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")
_NOT_DONE = "action was not executed"
"""What is written in place of an output where the command was never run, as for a submission."""


def decode(record: bytes, source: SourceRef, session: SessionRef) -> list[Event]:
    """Events of one record: pure, never raises, never gives an empty list."""
    events = document_events(record, source, session, FORM, _around, _group)
    submitted = _submitted(events)
    # The end of the run comes last.
    return [*events[:-1], *submitted, events[-1]] if submitted else events


def _submitted(events: list[Event]) -> list[Event]:
    """What came of a last action, which a history without ids does not have: the submission."""
    notes = [each.body.detail for each in events if isinstance(each.body, Notification)]
    answered = {each.body.call_id for each in events if isinstance(each.body, ToolResult)}
    if not notes or notes[-1] is None:
        return []
    blocks = (TextBlock(notes[-1]),)
    return [
        replace(each, suffix=f"{each.suffix}/submitted", body=ToolResult(call_id, None, blocks))
        for each in events
        if isinstance(each.body, ToolCall) and (call_id := each.body.call_id) not in answered
    ]


def _record_events(record: EventBuilder) -> list[Event]:
    """A message, or a step where the document has no history; a whole document has neither."""
    fields = record.fields
    if "role" in fields:
        return _message(record)
    if "action" in fields and "observation" in fields:
        return _step(record)
    if "info" in fields or "trajectory" in fields:
        return _around(record)
    return [record.unknown("(none)")]


def _message(record: EventBuilder) -> list[Event]:
    fields = record.fields
    role = text_of(fields.get("role"))
    extra = fields_of(fields.get("extra"))
    record.time = time_of(extra.get("timestamp"))
    if role == "assistant":
        return _assistant(record, extra, [])
    if role == "tool":
        return _tool(record)
    said = _text(fields.get("content"))
    if role == "system":
        return [record.event("system", Attachment("system prompt", "instructions", said))]
    if role == "exit":
        status = text_of(extra.get("exit_status"))
        return [_ended(record, status, text_of(extra.get("submission")) or said)]
    if role != "user":
        return [record.unknown(role or "(none)")]
    if fields.get("is_demo") is True:
        return [record.event("demo", Attachment("demonstration", "instructions", said))]
    interrupt = text_of(extra.get("interrupt_type"))
    if interrupt is None:
        return [record.event("prompt", User(said, _others(fields.get("content"))))]
    return _interrupted(record, extra, interrupt, said)


def _interrupted(record: EventBuilder, extra: Fields, interrupt: str, said: str) -> list[Event]:
    """A response that could not be used, with its calls, or a word of the person in between."""
    response = fields_of(extra.get("response"))
    choice = fields_of(next(iter(items_of(response.get("choices"))), None))
    refused = fields_of(choice.get("message"))
    events: list[Event] = []
    if refused:
        inner = record.copy()
        inner.fields = refused
        events = _assistant(inner, extra, [])
    for call in [event.body for event in events if isinstance(event.body, ToolCall)]:
        result = ToolResult(call.call_id, False, (), error=said)
        events.append(record.event(f"refused/{call.call_id}", result))
    topic = Topic.SYSTEM if "Format" in interrupt else Topic.INTERRUPT
    note = Notification(topic, interrupt, Level.WARNING, said)
    return [*events, record.event("interrupt", note)]


def _group(records: list[EventBuilder]) -> list[Event]:
    """An action without an id, and what came of it."""
    first, *rest = records
    first.time = time_of(fields_of(first.fields.get("extra")).get("timestamp"))
    return _assistant(first, fields_of(first.fields.get("extra")), rest)


def _assistant(record: EventBuilder, extra: Fields, answers: list[EventBuilder]) -> list[Event]:
    fields = record.fields
    response = fields_of(extra.get("response"))
    record.response_id = text_of(response.get("id"))
    said = _text(fields.get("content")) or ""
    calls = _recorded_calls(record) or _written_calls(record, extra, said)
    thought = text_of(fields.get("thought"))
    text = said if thought is None else thought
    if thought is None and calls and not items_of(fields.get("tool_calls")):
        text = _FENCED.sub("", said) if _FENCED.search(said) else said
    events = [record.event("text", Message(text.strip()))] if text.strip() else []
    events += [record.event(f"call/{at}", call) for at, call in enumerate(calls)]
    events += _usage(record, response, extra.get("cost"))
    if not answers:
        return events or [record.hidden("a message without words", "assistant")]
    for at, answer in enumerate(answers):
        if at < len(calls):
            events.append(_outcome(answer, calls[at].call_id))
        else:
            # The client says what was wrong with a message that has no action.
            events.append(answer.event("prompt", User(_text(answer.fields.get("content")))))
    return events


def _recorded_calls(record: EventBuilder) -> list[ToolCall]:
    found: list[ToolCall] = []
    for at, each in enumerate(items_of(record.fields.get("tool_calls"))):
        function = fields_of(fields_of(each).get("function"))
        name = text_of(function.get("name"))
        if name is None:
            continue
        given = function.get("arguments")
        arguments = given if isinstance(given, str) or given is None else fields_of(given)
        call_id = text_of(fields_of(each).get("id")) or ""
        # With what came of it in the same record its place names it, and an id may come again.
        if not call_id or record.suffix_end:
            call_id = f"{call_id}{record.name}/{at}"
        spec = find_tool(name, None)
        found.append(tool_call(call_id=call_id, name=name, arguments=arguments, spec=spec))
    return found


def _written_calls(record: EventBuilder, extra: Fields, said: str) -> list[ToolCall]:
    """Commands that are text: as the client noted them, else as the model wrote them."""
    action = text_of(record.fields.get("action"))
    noted = [text_of(fields_of(each).get("command")) for each in items_of(extra.get("actions"))]
    commands = [action.rstrip("\n")] if action else [each for each in noted if each]
    if not commands and "thought" not in record.fields and record.suffix_end:
        written = [*_FENCED.findall(said), *_XML.findall(said)]
        commands = written if len(written) == 1 else []
    return [
        tool_call(
            call_id=f"{record.name}/{at}",
            name="bash",
            arguments={"command": command},
            spec=SPECS["bash"],
        )
        for at, command in enumerate(commands)
    ]


def _tool(record: EventBuilder) -> list[Event]:
    fields = record.fields
    ids = [text_of(each) for each in items_of(fields.get("tool_call_ids"))]
    found = [each for each in (text_of(fields.get("tool_call_id")), *ids) if each]
    if not found:
        return [record.unknown("tool without an id")]
    return [_outcome(record, call_id) for call_id in found]


def _outcome(record: EventBuilder, call_id: str) -> Event:
    fields = record.fields
    extra = fields_of(fields.get("extra"))
    said = _text(fields.get("content"))
    record.time = time_of(extra.get("timestamp")) or record.time
    written = mapping(said) if "raw_output" not in extra else extra
    output = written.get("raw_output", written.get("output"))
    shown = output if isinstance(output, str) else said
    code = whole_of(extra.get("returncode", written.get("returncode")))
    if code is None and (found := _CODE.search(said)) is not None:
        code = int(found[1])
    error = text_of(extra.get("exception_info")) or text_of(written.get("exception_info"))
    ok = None if code is None or error == _NOT_DONE else code == 0 and not error
    folder = _FOLDER.search(said)
    result = ToolResult(
        call_id,
        ok,
        (TextBlock(shown), *_others(fields.get("content"))) if shown else (),
        structured={"output": shown, "exit_code": None if error == _NOT_DONE else code},
        error=error,
    )
    facts = Facts(cwd=folder[1]) if folder is not None else None
    return record.event(f"result/{call_id}", result, facts=facts)


def _step(record: EventBuilder) -> list[Event]:
    fields = record.fields
    thought = text_of(fields.get("thought")) or text_of(fields.get("response")) or ""
    events = [record.event("text", Message(thought.strip()))] if thought.strip() else []
    state = mapping(fields.get("state"))
    facts = Facts(cwd=text_of(state.get("working_dir")))
    for call in _written_calls(record, {}, ""):
        events.append(record.event("call", call, facts=facts))
        said = _text(fields.get("observation"))
        blocks = (TextBlock(said),) if said else ()
        events.append(record.event("result", ToolResult(call.call_id, None, blocks)))
    return events or [record.hidden("a step without an action", "step")]


def _around(record: EventBuilder) -> list[Event]:
    """Return what is in front of the list of messages, or behind it."""
    fields = record.fields
    info = fields_of(fields.get("info"))
    stats = fields_of(info.get("model_stats"))
    config = fields_of(info.get("config"))
    replay = mapping(fields.get("replay_config"))
    model = text_of(fields_of(config.get("model")).get("model_name"))
    agent = fields_of(replay.get("agent"))
    cost = real_of(stats.get("instance_cost"))
    facts = Facts(
        cwd=text_of(fields_of(config.get("environment")).get("cwd")),
        model=model or text_of(fields_of(agent.get("model")).get("name")),
        client_version=text_of(info.get("mini_version")),
        # Nothing is written where nothing is known of prices.
        cost=cost or None,
    )
    _ = fields.get("trajectory_format"), fields.get("environment")
    said = "the steps, which the history has too" if "trajectory" in fields else "the document"
    events = [record.hidden(said, "document", facts=facts)]
    sent, received = (whole_of(stats.get(key)) for key in ("tokens_sent", "tokens_received"))
    if sent or received:
        usage = TokenUsage("session", Usage(input_uncached=sent, output=received), total=True)
        events.append(record.event("usage", usage))
    # mini-swe-agent has a message of its own for the end.
    if "exit_status" in info and "mini_version" not in info:
        events.append(_ended(record, text_of(info.get("exit_status")), info.get("submission")))
    return events


def _ended(record: EventBuilder, status: str | None, submission: object) -> Event:
    """The end of the run, by the name that the client gave it."""
    name = status or "ended"
    given_up = "limit" in name.lower() or "exit_" in name
    fine = name.lower().startswith("submitted")
    level = Level.INFO if fine else Level.WARNING if given_up or status is None else Level.ERROR
    detail = submission if isinstance(submission, str) and submission.strip() else None
    note = Notification(Topic.TURN_END, f"Run ended: {name}", level, detail)
    return record.event("ended", note, facts=Facts(ended=True))


def _usage(record: EventBuilder, response: Fields, cost: object) -> list[Event]:
    counts = fields_of(response.get("usage"))
    given, written = (whole_of(counts.get(k)) for k in ("prompt_tokens", "completion_tokens"))
    if given is None and written is None:
        return []
    cached = whole_of(fields_of(counts.get("prompt_tokens_details")).get("cached_tokens"))
    details = fields_of(counts.get("completion_tokens_details"))
    usage = Usage(
        input_uncached=None if given is None else max(0, given - (cached or 0)),
        input_cached=cached,
        output=written,
        reasoning=whole_of(details.get("reasoning_tokens")),
    )
    name = record.response_id or f"{record.name}{record.suffix_end}"
    # Nothing is written where nothing is known of prices.
    paid = real_of(cost) or None
    body = TokenUsage(name, usage, text_of(response.get("model")), cost=paid)
    event = record.event("usage", body)
    return [replace(event, facts=Facts(model=body.model))] if body.model else [event]


def _text(content: object) -> str:
    """The words of a message, whose content may be a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = items_of(content)
    said = [text_of(fields_of(part).get("text")) for part in parts]
    return "\n".join(each for each in said if each) if parts else to_json(content)


def _others(content: object) -> tuple[Block, ...]:
    """Return what is not text in the content of a message: pictures."""
    return tuple(_images(content))


def _images(content: object) -> Iterator[Block]:
    for part in items_of(content):
        link = fields_of(part).get("image_url")
        uri = text_of(fields_of(link).get("url")) or text_of(link)
        if uri is not None:
            yield image_at(uri)


FORM = RecordDecoder(EventBuilder, _record_events, _BEGIN)
