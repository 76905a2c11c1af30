"""Events of one message of a session: what was said, thought and called, and what came back."""

import re
from collections import Counter
from zlib import crc32

from msgspec.structs import replace

from agentview.domain.content import Block
from agentview.domain.events import (
    REPEATED,
    Attachment,
    Body,
    Compaction,
    Event,
    Facts,
    Hidden,
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
    User,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import (
    Fields,
    call_id_of,
    changed,
    fields_of,
    items_of,
    text_of,
    time_of,
)
from agentview.normalize.raw_span import element_spans, value_span
from agentview.normalize.session_state import about
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.gemini.gemini_cli.tools import SPECS
from agentview.providers.gemini.shared.content import (
    Part,
    injected,
    parts_of,
    prompt_of,
    shell_command,
    snapshot_in,
)
from agentview.providers.gemini.shared.event_builder import GeminiRecord
from agentview.providers.gemini.shared.tool_outcome import agent_stream, result_of
from agentview.providers.gemini.shared.tools import kind_of, make_call, server_spec
from agentview.providers.gemini.shared.usage import recorded_usage

_LEVELS = {"info": Level.INFO, "warning": Level.WARNING, "error": Level.ERROR}
_FROM_MODEL = frozenset({"gemini", "model", "assistant"})
TYPES = frozenset({"user", *_FROM_MODEL, *_LEVELS})
"""Types of messages; `model` is what some tools that convert sessions write."""

_OF_RESPONSE = frozenset({"thoughts", "tokens", "toolCalls"})
"""Keys that only a response has: clients that grew out of this one write their own name as type."""

_ASKS = "awaiting_approval"
"""Status of a call that waits for its person."""
_ENDED = frozenset({"success", "error", "cancelled"})
_CWD = re.compile(r"(?:Workspace Directories:\*{0,2}\s*\n\s*- |working in the directory: )([^\n]+)")
_COMMAND = re.compile(r"\s*(/[A-Za-z][\w:.-]*)(\s.*|)", re.DOTALL)
_SENTENCE = re.compile(r"\s*[A-Z]\w*(?: .*)?\.\s*", re.DOTALL)
_API_ERROR = re.compile(r"\[API Error: (.+)\]", re.DOTALL)
_CANCELLED = "Request cancelled."
_THANKS = re.compile(r"Got it\. Thanks for the (?:additional )?context!")
"""What the client puts behind a context and behind a summary, in the model's place."""
_THINKING = re.compile(r"\s*<(thinking|thought)>\s*(.+?)\s*</\1>\s*", re.DOTALL)

Thought = tuple[str, float | None]
"""What was thought, and when."""


def is_message(fields: Fields) -> bool:
    """Return True if an object is a message of a session."""
    return _kind(fields) in TYPES


def _kind(fields: Fields) -> str:
    kind = text_of(fields.get("type")) or text_of(fields.get("role")) or ""
    return "gemini" if kind not in TYPES and _OF_RESPONSE & set(fields) else kind


def message_events(record: GeminiRecord, fields: Fields, history: str = "") -> list[Event]:
    """Events of a message; the first has the key by which a rewind names the message.

    A later record of the same message has more in it and replaces this one, event by event; a mere
    repetition does not. `history` names the history that repeats a message, which hardly ever says
    more than the line that the message once was.
    """
    kind = _kind(fields)
    own = text_of(fields.get("id"))
    record.record_id = own or record.name
    record.suffix_end = f"~{crc32(record.raw):08x}{history}"
    record.time = time_of(fields.get("timestamp"))
    record.response_id = record.record_id if kind in _FROM_MODEL else None
    content = fields.get("content", fields.get("parts"))
    if kind == "user":
        events = _from_user(record, content, fields.get("displayContent"))
    elif kind in _FROM_MODEL:
        events = _from_model(record, content, fields)
    else:
        events = [_notice(record, kind, content)]
    if history:
        # A call stays where it was made.
        events = [
            replace(event, replaces=None, path=REPEATED)
            if isinstance(event.body, ToolCall)
            else replace(event, dedupe_key=None, path=REPEATED)
            if isinstance(event.body, ToolResult)
            else event
            for event in events
        ]
    return _keyed(events, record.name) if own is not None else events


def amending_events(record: GeminiRecord, fields: Fields) -> list[Event]:
    """Events of what is said later of a response: what the record has not stays as it was said."""
    if fields.get("content") or fields.get("thoughts"):
        answers = any(part.response is not None for part in parts_of(fields.get("content")))
        return message_events(record, changed(fields, {"type": "user" if answers else "gemini"}))
    own = call_id_of(fields.get("id"), record.name)
    record.record_id = record.response_id = own
    record.suffix_end = f"~{crc32(record.raw):08x}"
    record.time = time_of(fields.get("timestamp"))
    events = [record.hidden("more of a response", "message_update"), *_calls(record, fields, [])]
    usage = recorded_usage(fields_of(fields.get("tokens")))
    if usage is not None:
        body = TokenUsage(own, usage, text_of(fields.get("model")))
        events.append(record.event("usage", body))
    return events


def _keyed(events: list[Event], own: str) -> list[Event]:
    """The events with the keys by which a later record of the same message replaces them.

    What a later record says in the same words stays where it was said first.
    """
    keyed: list[Event] = []
    for index, event in enumerate(events):
        free = event.replaces is None and event.dedupe_key is None
        free = free and not isinstance(event.body, TokenUsage | ToolCall | ToolResult)
        key = own if index == 0 else f"{own}#{index}"
        said = _said(event.body)
        same = f"{key}={crc32(said.encode()):08x}" if said is not None else None
        keyed.append(replace(event, replaces=key, dedupe_key=same) if free else event)
    return keyed


def _said(body: Body) -> str | None:
    """All that two events have to say alike to say the same; None where none does."""
    if isinstance(body, User | Message):
        return f"{len(body.blocks)} {body.text}"
    if isinstance(body, Reasoning | Notification):
        return body.text
    if isinstance(body, SlashCommand):
        return f"{body.name} {body.args} {body.output}"
    return body.reason if isinstance(body, Hidden) else None


def _notice(record: GeminiRecord, kind: str, content: object) -> Event:
    text = "".join(part.text for part in parts_of(content) if part.text is not None)
    if not text.strip():
        # As that of a summary, which the screen of the client makes of what is not recorded.
        return record.hidden("a notice without text", kind)
    topic = Topic.INTERRUPT if text.strip() == _CANCELLED else Topic.SYSTEM
    head, _, rest = text.strip().partition("\n")
    level = _LEVELS.get(kind, Level.INFO)
    failed = _API_ERROR.fullmatch(text.strip())
    if failed is not None:
        error = fields_of(mapping(failed[1]).get("error"))
        words = text_of(error.get("message"))
        body = Notification(error_topic(failed[1]), words or failed[1], level)
        return record.event("notice", replace(body, detail=failed[1]) if words else body)
    return record.event("notice", Notification(topic, head, level, detail=rest.strip() or None))


def _from_user(record: GeminiRecord, content: object, shown: object) -> list[Event]:
    """Events of a prompt, of what the client put in its place, or of answers of tools."""
    summary = snapshot_in(content)
    if summary is not None:
        hidden = record.hidden("context that the client put in: state_snapshot", "user")
        # A history that is written again begins with the same summary.
        key = f"snapshot:{crc32(summary.encode()):08x}"
        made = record.event("compaction", Compaction(summary=summary), dedupe_key=key)
        return [hidden, replace(made, resets=Reset.COMPACTED)]
    parts = parts_of(content)
    prompt = prompt_of(content, shown)
    responses = [part for part in parts if part.response is not None]
    if not responses:
        record.facts = _place_in(parts)
    if prompt.injected is not None and not responses:
        reason = f"context that the client put in: {prompt.injected}"
        return [record.event("context", Hidden(reason, "user"))]
    events: list[Event] = []
    if prompt.text.strip() or (prompt.blocks and not responses):
        events.append(record.event("prompt", typed(prompt.text, prompt.blocks)))
    elif responses:
        events.append(record.hidden("answers of tools", "user"))
    else:
        events.append(record.hidden("an empty message", "user"))
    events += [
        record.event(f"file{index}", Attachment(name, "file", text, path=name or None))
        for index, (name, text) in enumerate(prompt.files)
    ]
    blocks = prompt.blocks if len(responses) == 1 else ()
    events += [_response(record, part, blocks) for part in responses]
    return events


def _place_in(parts: list[Part]) -> Facts | None:
    """Where the session works, as the context among the parts of a prompt says it."""
    contexts = (part.text for part in parts if part.text and injected(part.text) is not None)
    found = next(filter(None, map(_CWD.search, contexts)), None)
    return Facts(cwd=found[1].strip()) if found is not None else None


def typed(text: str, blocks: tuple[Block, ...] = ()) -> User | SlashCommand:
    """Return what a person typed: a prompt, or a command to the client itself."""
    if blocks:
        return spoken(text, blocks)
    ran = shell_command(text)
    if ran is not None:
        return ran
    match = _COMMAND.fullmatch(text)
    return SlashCommand(match[1], match[2].strip()) if match is not None else spoken(text, blocks)


def _response(record: GeminiRecord, part: Part, blocks: tuple[Block, ...]) -> Event:
    """The answer to a call; where the call itself has it too, that one is first and counts."""
    response = part.response or {}
    name = text_of(response.get("name")) or ""
    call_id = call_id_of(response.get("id"), f"{record.name}#{part.index}")
    result = result_of(call_id, response, kind=kind_of(name, SPECS))
    result = replace(result, output=(*result.output, *blocks))
    return record.event(f"answer{part.index}", result, path=REPEATED)


def _from_model(record: GeminiRecord, content: object, fields: Fields) -> list[Event]:
    """Events of a response: thoughts, text, calls with their results, tokens."""
    model = text_of(fields.get("model"))
    record.facts = Facts(model=model) if model is not None else None
    parts = parts_of(content)
    first = next((at for at, part in enumerate(parts) if part.call is not None), len(parts))
    said = "".join(part.text for part in parts[:first] if part.text and not part.thought)
    thoughts, said = _split_thoughts(_thoughts(fields, parts), said)
    events = [
        record.event(f"thought{index}", Reasoning(text, withheld=not text), time=time)
        for index, (text, time) in enumerate(thoughts)
    ]
    blocks = tuple(part.block for part in parts if part.block is not None)
    if not events and _THANKS.fullmatch(said) is not None:
        events.append(record.hidden("the answer to context that the client put in", "gemini"))
    elif said.strip() or blocks:
        events.append(record.event("text", Message(said, blocks)))
    elif not events:
        events.append(record.hidden("a response without text", "gemini"))
    calls = _calls(record, fields, parts)
    usage = recorded_usage(fields_of(fields.get("tokens")))
    has_content = content is not None or calls or usage is not None
    if not has_content and isinstance(events[0].body, Hidden):
        events = [record.unreadable("a response without content")]
    events += calls
    if usage is not None:
        events.append(record.event("usage", TokenUsage(record.name, usage, model)))
    return events


def _thoughts(fields: Fields, parts: list[Part]) -> list[Thought]:
    """The thoughts as the client summed them up, else those among the parts.

    A thought that the next one begins with is a draft of it.
    """
    recorded = items_of(fields.get("thoughts"))
    listed = recorded or [{"description": part.text} for part in parts if part.thought]
    thoughts: list[Thought] = []
    for item in listed:
        made = _thought(item)
        if thoughts and made[0].startswith(thoughts[-1][0]):
            thoughts.pop()
        thoughts.append(made)
    return thoughts


def _thought(thought: object) -> Thought:
    fields = fields_of(thought)
    subject, description = text_of(fields.get("subject")), text_of(fields.get("description"))
    whole = thought if isinstance(thought, str) else None
    text = "\n\n".join(
        each for each in (f"**{subject}**" if subject else None, description, whole) if each
    )
    return text, time_of(fields.get("timestamp"))


def _split_thoughts(thoughts: list[Thought], said: str) -> tuple[list[Thought], str]:
    """Thoughts and text, where the model began its text with what it thought, in a tag."""
    match = _THINKING.match(said)
    if match is None:
        return thoughts, said
    known = thoughts and thoughts[-1][0].split() == match[2].split()
    return (thoughts if known else [*thoughts, (match[2], None)]), said[match.end() :]


def _calls(record: GeminiRecord, fields: Fields, parts: list[Part]) -> list[Event]:
    """Calls with their results, and what is said behind the first of them."""
    recorded = items_of(fields.get("toolCalls"))
    span = value_span(record.raw, ("toolCalls",)) if recorded else None
    spans = element_spans(record.raw, span[0]) if span is not None else []
    events: list[Event] = []
    known: Counter[str] = Counter()
    asking, words = False, ""
    for index, item in enumerate(recorded):
        raw = record.raw[slice(*spans[index])] if len(spans) == len(recorded) else None
        call = fields_of(item)
        call_id = call_id_of(call.get("id"), f"{record.name}#{index}")
        known[call_id] += 1
        own = call_id if known[call_id] == 1 else f"{call_id}#{known[call_id]}"
        events += _call(record, call_id, own, call, raw)
    for part in parts:
        if part.call is None:
            words += part.text if part.text and not part.thought else ""
            continue
        asked = part.call
        call_id = call_id_of(asked.get("id"), f"{record.name}#{part.index}")
        if words.strip() and asking:
            events.append(record.event(f"text{part.index}", Message(words)))
        asking, words = True, ""
        if call_id not in known and not (recorded and "id" not in asked):
            name = text_of(asked.get("name")) or ""
            body = make_call(call_id, name, asked.get("args"), SPECS.get(name))
            events.append(record.event(f"call:{call_id}", body))
    if words.strip() and asking:
        events.append(record.event("text_end", Message(words)))
    return events


def _call(
    record: GeminiRecord, call_id: str, name_in_record: str, call: Fields, raw: bytes | None
) -> list[Event]:
    """A call, and its result once it has one: both are one object, which is written again."""
    name = text_of(call.get("name")) or ""
    if not name and "args" not in call:
        return _late(record, call_id, name_in_record, call)
    span = value_span(raw, ("args",)) if raw is not None else None
    body = make_call(
        call_id,
        name,
        call.get("args"),
        SPECS.get(name) or server_spec(text_of(call.get("displayName"))),
        raw=raw[slice(*span)] if raw is not None and span is not None else None,
        title=_title(call),
    )
    child = agent_stream(call.get("agentId"))
    began = record.event(
        f"call:{name_in_record}", body, replaces=f"call:{record.name}/{name_in_record}", child=child
    )
    status, display = text_of(call.get("status")), call.get("resultDisplay")
    result, ended = call.get("result"), time_of(call.get("timestamp"))
    if status not in _ENDED and not items_of(result):
        if status == _ASKS:
            question = about(body) or name
            asks = permission_request(f"{call_id}#permission", question, call_id, {})
            key = f"ask:{record.name}/{name_in_record}"
            return [began, record.event(f"ask:{name_in_record}", asks, replaces=key)]
        if isinstance(display, str) and display:
            progress = ToolProgress(call_id, display)
            return [began, record.event(f"progress:{name_in_record}", progress, time=ended)]
        return [began]
    outcome = result_of(call_id, result, kind=body.kind, status=status, display=display)
    key = f"result:{record.name}/{name_in_record}"
    own = f"result:{name_in_record}"
    return [began, record.event(own, outcome, time=ended, dedupe_key=key, child=child)]


def _late(record: GeminiRecord, call_id: str, name_in_record: str, call: Fields) -> list[Event]:
    """The result of a call that is known already; one that the model had before stays."""
    result = items_of(call.get("result"))
    if not result:
        return []
    named = text_of(fields_of(fields_of(result[0]).get("functionResponse")).get("name"))
    outcome = result_of(call_id, result, kind=kind_of(named or "", SPECS))
    return [record.event(f"result:{name_in_record}", outcome, path=REPEATED)]


def _title(call: Fields) -> str | None:
    """What the client says of this very call; what a tool does in general is said in sentences."""
    described = text_of(call.get("description"))
    if described is None or len(described) >= 200 or _SENTENCE.fullmatch(described) is not None:
        return None
    return described
