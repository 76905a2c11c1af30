"""Events of a message, or of what is around the list of messages."""

import re
from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import (
    Attachment,
    Event,
    Facts,
    Level,
    Notification,
    TokenUsage,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.index_entry import Role
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import mapping, to_json
from agentview.normalize.json_values import (
    fields_of,
    items_of,
    real_of,
    text_of,
    time_of,
    whole_of,
)
from agentview.providers._kit.event_builder import model_facts
from agentview.providers._kit.images import image_at
from agentview.providers._kit.json_documents import TypedDocuments
from agentview.providers._kit.typed_records import (
    EventFact,
    LightEvent,
    TypedBuilder,
    event_of,
    hidden,
)
from agentview.providers.swe_agent.schema import (
    Config,
    Counts,
    Extra,
    Function,
    Info,
    InputDetails,
    ModelStats,
    OutputDetails,
    Record,
    Response,
    Settings,
)
from agentview.providers.swe_agent.tools import SPECS, find_tool, known

_BEGIN = re.compile(r'\{\s*"(?:role|content|message_type|action|object)"\s*:')
_FENCED = re.compile(r"```(?:bash|sh|mswea_bash_command)?[ \t]*\n(.*?)\n?```", re.DOTALL)
_XML = re.compile(r"<command>\n?(.*?)\n?</command>", re.DOTALL)
_FOLDER = re.compile(r"\(Current directory: (/[^\n)]+)\)")
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")
_NOT_DONE = "action was not executed"
"""The output of a command that was never run, as for a submission."""
_NO_EXTRA = Extra()


class TrajectoryRecord(TypedBuilder[Record], gc=False):
    """A message, or what is around the messages."""

    @property
    def extra(self) -> Extra:
        return self.record.extra or _NO_EXTRA

    @property
    def said(self) -> str:
        return _text(self.value_of(self.record.content))


def _record(record: Record, raw: bytes, source: SourceRef, session: SessionRef) -> TrajectoryRecord:
    time = time_of(record.extra.timestamp) if record.extra is not None else None
    return TrajectoryRecord.of(record, raw, source, session, time=time)


class _Trajectories(TypedDocuments[TrajectoryRecord]):
    """Documents whose last record may have an action, which a submission answers."""

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        events = super()._damaged(line, source, session)
        submitted = _submitted(events)
        # The end of the run comes last.
        return [*events[:-1], *submitted, events[-1]] if submitted else events


def _submitted(events: Sequence[LightEvent]) -> list[Event]:
    """Results for a last action: the submission. A history without ids has none of its own."""
    last = events[-1]
    note = last.body if isinstance(last, Event) else None
    if not isinstance(note, Notification) or note.detail is None:
        return []
    blocks = (TextBlock(note.detail),)
    bodies = [each.body for each in events if isinstance(each, Event)]
    answered = {body.call_id for body in bodies if isinstance(body, ToolResult)}
    calls = [each for each in map(event_of, events) if isinstance(each.body, ToolCall)]
    return [
        replace(each, suffix=f"{each.suffix}/submitted", body=ToolResult(call_id, None, blocks))
        for each in calls
        if isinstance(each.body, ToolCall) and (call_id := each.body.call_id) not in answered
    ]


def _record_events(record: TrajectoryRecord) -> Sequence[LightEvent]:
    """A message, or a step where the document has no history; a whole document has neither."""
    own = record.record
    if own.role is not UNSET:
        return _message(record, own.role or "(none)")
    if not (own.action is UNSET or own.observation is UNSET):
        return _step(record)
    if not (own.info is UNSET and own.trajectory is UNSET):
        return _around(record)
    return [record.unknown("(none)")]


def _message(record: TrajectoryRecord, role: str) -> Sequence[LightEvent]:
    if role == "assistant":
        return _assistant(record, [])
    if role == "tool":
        return _tool(record)
    extra, said = record.extra, record.said
    if role == "system":
        return [record.event("system", Attachment("system prompt", "instructions", said))]
    if role == "exit":
        return [_ended(record, extra.exit_status or None, extra.submission or said)]
    if role != "user":
        return [record.unknown(role)]
    if record.record.is_demo is True:
        return [record.event("demo", Attachment("demonstration", "instructions", said))]
    if extra.interrupt_type is UNSET or not extra.interrupt_type:
        return [record.event("prompt", User(said, _images(record)))]
    return _interrupted(record, extra.interrupt_type, said)


def _interrupted(record: TrajectoryRecord, interrupt: str, said: str) -> Sequence[LightEvent]:
    """A response that could not be used, with its calls, or a word of the person in between."""
    choices = (record.extra.response or Response()).choices or (None,)
    refused = choices[0].message if choices[0] is not None else None
    events: list[LightEvent] = []
    if refused is not None:
        inner = record.copy()
        inner.record = replace(refused, extra=record.record.extra)
        events += _assistant(inner, [])
    for call_id in [each for each in map(_called, events) if each is not None]:
        result = ToolResult(call_id, False, (), error=said)
        events.append(record.event(f"refused/{call_id}", result))
    topic = Topic.SYSTEM if "Format" in interrupt else Topic.INTERRUPT
    note = Notification(topic, interrupt, Level.WARNING, said)
    return [*events, record.event("interrupt", note)]


def _called(event: LightEvent) -> str | None:
    """The id of the call that an event is."""
    if isinstance(event, EventFact):
        return event.key if event.role == Role.CALL else None
    return event.body.call_id if isinstance(event.body, ToolCall) else None


def _group(records: Sequence[TrajectoryRecord]) -> Sequence[LightEvent]:
    return _assistant(records[0], records[1:])


def _assistant(
    record: TrajectoryRecord, answers: Sequence[TrajectoryRecord]
) -> Sequence[LightEvent]:
    own, response, said = record.record, record.extra.response or Response(), record.said
    record.response_id = response.id or None
    calls = _recorded_calls(record) or _written_calls(record, said)
    text = said if not own.thought else own.thought
    if not own.thought and calls and not own.tool_calls:
        text = _FENCED.sub("", said) if _FENCED.search(said) else said
    events: list[LightEvent] = [record.text_part("text", text.strip())] if text.strip() else []
    events += calls
    events += _usage(record, response)
    if not answers:
        return events or [hidden(record, "a message without words", "assistant")]
    ids = [_called(call) or "" for call in calls]
    for at, answer in enumerate(answers):
        if at < len(ids):
            events.append(_outcome(answer, ids[at]))
        else:
            words = "what was wrong with a message that has no action"
            events.append(answer.event("prompt", Attachment(words, "instructions", answer.said)))
    return events


def _recorded_calls(record: TrajectoryRecord) -> list[LightEvent]:
    found: list[LightEvent] = []
    for each in record.record.tool_calls or ():
        function = (each.function if each is not None else None) or Function()
        if each is None or not function.name:
            continue
        at, call_id = len(found), each.id or ""
        # With what came of it in the same record its place names it, and an id may come again.
        if not call_id or record.suffix_end:
            call_id = f"{call_id}{record.name}/{at}"
        made = (record, call_id, function)
        found.append(record.call_event(f"call/{at}", call_id, known(function.name), _call, made))
    return found


def _call(record: TrajectoryRecord, call_id: str, function: Function) -> ToolCall:
    name, given = function.name or "", record.value_of(function.arguments)
    arguments = given if isinstance(given, str) or given is None else fields_of(given)
    return tool_call(call_id=call_id, name=name, arguments=arguments, spec=find_tool(name, None))


def _written_calls(record: TrajectoryRecord, said: str) -> list[LightEvent]:
    """Commands that are text: as the client noted them, else as the model wrote them."""
    own, action = record.record, record.record.action or None
    noted = [each.command for each in record.extra.actions or () if each and each.command]
    commands = [action.rstrip("\n")] if action else noted
    if not commands and own.thought is UNSET and record.suffix_end:
        written = [*_FENCED.findall(said), *_XML.findall(said)]
        commands = written if len(written) == 1 else []
    return [
        _command(record, f"call/{at}", f"{record.name}/{at}", command)
        for at, command in enumerate(commands)
    ]


def _command(record: TrajectoryRecord, suffix: str, call_id: str, command: str) -> LightEvent:
    made = (call_id, command)
    return record.call_event(suffix, call_id, known("bash"), _whole_command, made)


def _whole_command(call_id: str, command: str) -> ToolCall:
    arguments = {"command": command}
    return tool_call(call_id=call_id, name="bash", arguments=arguments, spec=SPECS["bash"])


def _tool(record: TrajectoryRecord) -> Sequence[LightEvent]:
    own = record.record
    found = [each for each in (own.tool_call_id, *(own.tool_call_ids or ())) if each]
    if not found:
        return [record.unknown("tool without an id")]
    return [_outcome(record, call_id) for call_id in found]


def _outcome(record: TrajectoryRecord, call_id: str) -> Event:
    extra, said = record.extra, record.said
    noted = extra.raw_output is not UNSET
    written = mapping(None if noted else said)
    output = extra.raw_output if noted else written.get("raw_output", written.get("output"))
    shown = output if isinstance(output, str) else said
    stated = written.get("returncode") if extra.returncode is UNSET else extra.returncode
    code = whole_of(stated)
    if code is None and (found := _CODE.search(said)) is not None:
        code = int(found[1])
    error = extra.exception_info or text_of(written.get("exception_info"))
    ok = None if code is None or error == _NOT_DONE else code == 0 and not error
    folder = _FOLDER.search(said)
    result = ToolResult(
        call_id,
        ok,
        (TextBlock(shown), *_images(record)) if shown else (),
        structured={"output": shown, "exit_code": None if error == _NOT_DONE else code},
        error=error,
    )
    facts = Facts(cwd=folder[1]) if folder is not None else None
    return record.event(f"result/{call_id}", result, facts=facts)


def _step(record: TrajectoryRecord) -> Sequence[LightEvent]:
    own = record.record
    thought = own.thought or text_of(record.value_of(own.response)) or ""
    events: list[LightEvent] = []
    if thought.strip():
        events.append(record.text_part("text", thought.strip()))
    if own.action:
        seen = None if own.observation is UNSET else record.value_of(own.observation)
        words = _text(seen)
        result = ToolResult(f"{record.name}/0", None, (TextBlock(words),) if words else ())
        answer = record.event("result", result)
        state = mapping(record.value_of(own.state))
        record.facts = Facts(cwd=text_of(state.get("working_dir")))
        events += [_command(record, "call", f"{record.name}/0", own.action.rstrip("\n")), answer]
    return events or [hidden(record, "a step without an action", "step")]


def _around(record: TrajectoryRecord) -> Sequence[LightEvent]:
    """Events from the keys before and after the list of messages."""
    own = record.record
    info = (None if own.info is UNSET else own.info) or Info()
    stats, config = info.model_stats or ModelStats(), info.config or Config()
    agent = fields_of(mapping(record.value_of(own.replay_config)).get("agent"))
    model = (config.model or Settings()).model_name or None
    facts = Facts(
        cwd=(config.environment or Settings()).cwd or None,
        model=model or text_of(fields_of(agent.get("model")).get("name")),
        client_version=None if info.mini_version is UNSET else info.mini_version or None,
        # Nothing is written where nothing is known of prices.
        cost=real_of(stats.instance_cost) or None,
    )
    steps = own.trajectory is not UNSET
    said = "the steps, which the history has too" if steps else "the document"
    events: list[LightEvent] = [hidden(record, said, "document", facts=facts)]
    sent, received = whole_of(stats.tokens_sent), whole_of(stats.tokens_received)
    if sent or received:
        usage = Usage(input_uncached=sent, output=received)
        events.append(record.usage_part(TokenUsage("session", usage, total=True)))
    # mini-swe-agent has a message of its own for the end.
    if info.exit_status is not UNSET and info.mini_version is UNSET:
        events.append(_ended(record, info.exit_status or None, info.submission))
    return events


def _ended(record: TrajectoryRecord, status: str | None, submission: str | None) -> Event:
    """The end of the run, by the name that the client gave it."""
    name = status or "ended"
    given_up = "limit" in name.lower() or "exit_" in name
    fine = name.lower().startswith("submitted")
    level = Level.INFO if fine else Level.WARNING if given_up or status is None else Level.ERROR
    detail = submission if submission and submission.strip() else None
    note = Notification(Topic.TURN_END, f"Run ended: {name}", level, detail)
    return record.event("ended", note, facts=Facts(ended=True))


def _usage(record: TrajectoryRecord, response: Response) -> Sequence[LightEvent]:
    counts = response.usage or Counts()
    given, written = whole_of(counts.prompt_tokens), whole_of(counts.completion_tokens)
    if given is None and written is None:
        return []
    cached = whole_of((counts.prompt_tokens_details or InputDetails()).cached_tokens)
    details = counts.completion_tokens_details or OutputDetails()
    usage = Usage(
        input_uncached=None if given is None else max(0, given - (cached or 0)),
        input_cached=cached,
        output=written,
        reasoning=whole_of(details.reasoning_tokens),
    )
    name = record.response_id or f"{record.name}{record.suffix_end}"
    # Nothing is written where nothing is known of prices.
    paid, model = real_of(record.extra.cost) or None, response.model or None
    light = record.usage_part(TokenUsage(name, usage, model, cost=paid))
    light.facts = model_facts(model) if model is not None else light.facts
    return [light]


def _text(content: object) -> str:
    """The words of a message, whose content may be a list of parts."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = items_of(content)
    said = [text_of(fields_of(part).get("text")) for part in parts]
    return "\n".join(each for each in said if each) if parts else to_json(content)


def _images(record: TrajectoryRecord) -> tuple[Block, ...]:
    """The pictures of a message."""
    links = [
        fields_of(part).get("image_url")
        for part in items_of(record.value_of(record.record.content))
    ]
    places = (text_of(fields_of(link).get("url")) or text_of(link) for link in links)
    return tuple(image_at(uri) for uri in places if uri is not None)


FORM = _Trajectories(Record, _record, _record_events, _BEGIN, around=_around, group=_group)
