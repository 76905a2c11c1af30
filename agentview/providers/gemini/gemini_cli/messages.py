"""Events of one message of a session: what was said, thought and called, and what came back."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import cast
from zlib import crc32

from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.activity import Kind
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
    ToolProgress,
    ToolResult,
    Topic,
    User,
)
from agentview.domain.index_entry import KINDS, EventFact
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import Fields, call_id_of, items_of, text_of, time_of
from agentview.normalize.session_state import about
from agentview.normalize.tools.specs import KnownCall, ToolSpec, known_call
from agentview.providers._kit.limits import error_topic
from agentview.providers._kit.permission_request import permission_request
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden, read_as
from agentview.providers.gemini.gemini_cli.event_builder import GeminiRecord
from agentview.providers.gemini.gemini_cli.schema import ApiFailure, Call, Record, Thought
from agentview.providers.gemini.gemini_cli.tools import SPECS
from agentview.providers.gemini.shared.content import (
    Part,
    injected,
    parts_of,
    prompt_of,
    shell_command,
    snapshot_in,
)
from agentview.providers.gemini.shared.schema import FunctionResponse
from agentview.providers.gemini.shared.tool_outcome import (
    agent_stream,
    answer_in,
    result_of,
    went_well,
)
from agentview.providers.gemini.shared.tools import kind_of, make_call, server_spec
from agentview.providers.gemini.shared.usage import usage_of

_LEVELS = {"info": Level.INFO, "warning": Level.WARNING, "error": Level.ERROR}
FROM_MODEL = frozenset({"gemini", "model", "assistant"})
TYPES = frozenset({"user", *FROM_MODEL, *_LEVELS})
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
"""Words that the client puts behind a context and a summary, in the model's place."""
_THINKING = re.compile(r"\s*<(thinking|thought)>\s*(.+?)\s*</\1>\s*", re.DOTALL)


def is_message(fields: Fields) -> bool:
    return kind_in(fields) in TYPES


def kind_in(fields: Fields) -> str:
    """The type of a message, which clients that grew out of this one name after themselves."""
    kind = text_of(fields.get("type")) or text_of(fields.get("role")) or ""
    return "gemini" if kind not in TYPES and _OF_RESPONSE & set(fields) else kind


def message_events(record: GeminiRecord, kind: str, history: str = "") -> Sequence[LightEvent]:
    """Events of a message; the first has the key by which a rewind names the message.

    A later record of the same message has more in it and replaces this one, event by event; a mere
    repetition does not. `history` names the history that repeats a message, which hardly ever says
    more than the line that the message once was.
    """
    own = record.record
    record.history = history
    record.time = time_of(own.timestamp)
    record.record_id = own.id or record.record_id
    content = record.value_of(own.content if bytes(own.content) else own.parts)
    if kind == "user":
        events = _from_user(record, content, record.value_of(own.display_content))
    elif kind in FROM_MODEL:
        record.response_id = record.record_id
        events = _from_model(record, content)
    else:
        events = [_notice(record, kind, content)]
    if own.id:
        for index, event in enumerate(events):
            events[index] = _keyed(event, own.id if index == 0 else f"{own.id}#{index}")
    return events


def amending_events(record: GeminiRecord) -> Sequence[LightEvent]:
    """Events of what is said later of a response: what the record has not stays as it was said."""
    own = record.record
    content = record.value_of(own.content)
    if content or own.thoughts:
        answers = any(part.response is not None for part in parts_of(content))
        return message_events(record, "user" if answers else "gemini")
    record.history, record.time = "", time_of(own.timestamp)
    record.record_id = record.response_id = record.name if own.id is None else own.id
    hidden_part = hidden(record, "more of a response", "message_update")
    return [hidden_part, *_calls(record, []), *_usage(record)]


def _keyed(event: LightEvent, key: str) -> LightEvent:
    """The event with the key by which a later record of the same message replaces it.

    What a later record says in the same words stays where it was said first.
    """
    if isinstance(event, EventFact):
        joined = event.replaces or event.dedupe or event.role or event.usage
        if event.make is not None and not joined:
            event.replaces, event.dedupe = key, _same(key, _said(event.make(*event.args)))
        return event
    body = event.body
    if event.replaces or event.dedupe_key or isinstance(body, ToolCall | ToolResult):
        return event
    return replace(event, replaces=key, dedupe_key=_same(key, _said(body)))


def _same(key: str, said: str | None) -> str | None:
    return None if said is None else f"{key}={crc32(said.encode()):08x}"


def _said(body: Body) -> str | None:
    """All that two events have to say alike to say the same; None where none does."""
    if isinstance(body, User | Message):
        return f"{len(body.blocks)} {body.text}"
    if isinstance(body, Reasoning | Notification):
        return body.text
    if isinstance(body, SlashCommand):
        return f"{body.name} {body.args} {body.output}"
    return body.reason if isinstance(body, Hidden) else None


def _notice(record: GeminiRecord, kind: str, content: object) -> LightEvent:
    text = "".join(part.text for part in parts_of(content) if part.text is not None)
    if not text.strip():
        # As that of a summary, which the screen of the client makes of what is not recorded.
        return hidden(record, "a notice without text", kind)
    topic = Topic.INTERRUPT if text.strip() == _CANCELLED else Topic.SYSTEM
    head, _, rest = text.strip().partition("\n")
    level = _LEVELS.get(kind, Level.INFO)
    failed = _API_ERROR.fullmatch(text.strip())
    if failed is not None:
        error = read_as(mapping(failed[1]), ApiFailure).error
        words = error.message if error is not None else None
        body = Notification(error_topic(failed[1]), words or failed[1], level)
        return record.event("notice", replace(body, detail=failed[1]) if words else body)
    return record.event("notice", Notification(topic, head, level, detail=rest.strip() or None))


def _from_user(record: GeminiRecord, content: object, shown: object) -> list[LightEvent]:
    """Events of a prompt, of what the client put in its place, or of answers of tools."""
    summary = snapshot_in(content)
    if summary is not None:
        context = hidden(record, "context that the client put in: state_snapshot", "user")
        # A history that is written again begins with the same summary.
        key = f"snapshot:{crc32(summary.encode()):08x}"
        made = record.event("compaction", Compaction(summary=summary), dedupe_key=key)
        return [context, replace(made, resets=Reset.COMPACTED)]
    parts = parts_of(content)
    prompt = prompt_of(content, shown)
    responses = [part for part in parts if part.response is not None]
    if not responses:
        record.facts = _place_in(parts)
    if prompt.injected is not None and not responses:
        reason = f"context that the client put in: {prompt.injected}"
        return [hidden(record, reason, "user", suffix="context")]
    events: list[LightEvent] = []
    if prompt.text.strip() or (prompt.blocks and not responses):
        events.append(record.event("prompt", typed(prompt.text, prompt.blocks)))
    elif responses:
        events.append(hidden(record, "answers of tools", "user"))
    else:
        events.append(hidden(record, "an empty message", "user"))
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
    """Return the input of a person: a prompt, or a command to the client itself."""
    if blocks:
        return spoken(text, blocks)
    ran = shell_command(text)
    if ran is not None:
        return ran
    match = _COMMAND.fullmatch(text)
    return SlashCommand(match[1], match[2].strip()) if match is not None else spoken(text, blocks)


def _response(record: GeminiRecord, part: Part, blocks: tuple[Block, ...]) -> LightEvent:
    """The answer to a call; where the call itself has it too, that one is first and counts."""
    response = part.response or FunctionResponse()
    call_id = f"{record.name}#{part.index}" if response.id is None else response.id
    kind = _kind_of(response.name or "")
    ended = went_well(None, kind, response)
    made = (call_id, response, kind, blocks)
    return record.result(f"answer{part.index}", call_id, ended, _answer, made, path=REPEATED)


def _answer(
    call_id: str, response: FunctionResponse, kind: ToolKind, blocks: tuple[Block, ...]
) -> ToolResult:
    result = result_of(call_id, response, kind=kind)
    return replace(result, output=(*result.output, *blocks))


@lru_cache(maxsize=256)
def _kind_of(name: str) -> ToolKind:
    return kind_of(name, SPECS)


@lru_cache(maxsize=256)
def _facts(model: str | None) -> Facts | None:
    return Facts(model=model) if model else None


def _from_model(record: GeminiRecord, content: object) -> list[LightEvent]:
    """Events of a response: thoughts, text, calls with their results, tokens."""
    record.facts = _facts(record.record.model)
    parts = parts_of(content)
    first = next((at for at, part in enumerate(parts) if part.call is not None), len(parts))
    said = "".join(part.text for part in parts[:first] if part.text and not part.thought)
    thoughts, said = _split_thoughts(_thoughts(record.record, parts), said)
    events: list[LightEvent] = []
    for at, (text, time) in enumerate(thoughts):
        thought = record.thought_part(f"thought{at}", text, withheld=not text)
        thought.time = record.time if time is None else time
        events.append(thought)
    blocks = tuple(part.block for part in parts if part.block is not None)
    calls, usage = _calls(record, parts), _usage(record)
    if not events and _THANKS.fullmatch(said) is not None:
        events.append(hidden(record, "the answer to context that the client put in", "gemini"))
    elif said.strip() or blocks:
        events.append(record.text_part("text", said, blocks))
    elif not events and (content is not None or calls or usage):
        events.append(hidden(record, "a response without text", "gemini"))
    elif not events:
        events.append(record.unreadable("a response without content"))
    return [*events, *calls, *usage]


def _usage(record: GeminiRecord) -> list[LightEvent]:
    usage = usage_of(record.record.tokens)
    return [] if usage is None else [record.used(record.name, usage, record.record.model or None)]


def _thoughts(own: Record, parts: list[Part]) -> list[tuple[str, float | None]]:
    """The thoughts as the client summed them up and when, else those among the parts.

    A thought that the next one begins with is a draft of it.
    """
    listed = own.thoughts or [part.text for part in parts if part.thought]
    thoughts: list[tuple[str, float | None]] = []
    for item in listed:
        text, time = (item or "", None) if not isinstance(item, Thought) else _words(item)
        if thoughts and text.startswith(thoughts[-1][0]):
            thoughts.pop()
        thoughts.append((text, time))
    return thoughts


def _words(thought: Thought) -> tuple[str, float | None]:
    subject, description = thought.subject, thought.description
    text = "\n\n".join(filter(None, (f"**{subject}**" if subject else None, description)))
    return text, time_of(thought.timestamp)


def _split_thoughts(
    thoughts: list[tuple[str, float | None]], said: str
) -> tuple[list[tuple[str, float | None]], str]:
    """Thoughts and text, where the model began its text with what it thought, in a tag."""
    match = _THINKING.match(said)
    if match is None:
        return thoughts, said
    known = thoughts and thoughts[-1][0].split() == match[2].split()
    return (thoughts if known else [*thoughts, (match[2], None)]), said[match.end() :]


def _calls(record: GeminiRecord, parts: list[Part]) -> list[LightEvent]:
    """Calls with their results, and what is said behind the first of them."""
    recorded = record.record.tool_calls or ()
    events: list[LightEvent] = []
    known: Counter[str] = Counter()
    asking, words = False, ""
    for index, item in enumerate(recorded):
        call = item or Call()
        call_id = f"{record.name}#{index}" if call.id is None else call.id
        known[call_id] += 1
        own = call_id if known[call_id] == 1 else f"{call_id}#{known[call_id]}"
        events += _call(record, index, call, call_id, own)
    for part in parts:
        if part.call is None:
            words += part.text if part.text and not part.thought else ""
            continue
        asked = part.call
        call_id = call_id_of(asked.id, f"{record.name}#{part.index}")
        if words.strip() and asking:
            events.append(record.text_part(f"text{part.index}", words))
        asking, words = True, ""
        if call_id not in known and not (recorded and asked.id is UNSET):
            name = asked.name or ""
            body = make_call(call_id, name, asked.args, SPECS.get(name))
            events.append(record.event(f"call:{call_id}", body, path=record.path_again))
    if words.strip() and asking:
        events.append(record.text_part("text_end", words))
    return events


def _call(
    record: GeminiRecord, index: int, call: Call, call_id: str, name_in_record: str
) -> list[LightEvent]:
    """A call, and its result once it has one: both are one object, which is written again."""
    name = call.name or ""
    if not name and not bytes(call.args):
        return _late(record, call, call_id, name_in_record)
    child, owner = agent_stream(call.agent_id), f"{record.name}/{name_in_record}"
    # In a history that repeats it, a call stays where it was made.
    key = None if record.history else f"call:{owner}"
    began = record.call(
        f"call:{name_in_record}", call_id, _known(name, call.display_name), _call_body,
        (record, index, call, call_id), replaces=key, child=child, path=record.path_again,
    )  # fmt: skip
    kind = cast("ToolCall", began.body).kind if isinstance(began, Event) else KINDS[began.kind]
    status, result = call.status or None, record.value_of(call.result)
    if status not in _ENDED and not items_of(result):
        return [began, *_open(record, call, call_id, name_in_record)]
    key = None if record.history else f"result:{owner}"
    outcome = record.result(
        f"result:{name_in_record}", call_id, went_well(status, kind, answer_in(result)),
        _result, (record, call, call_id, kind), time=time_of(call.timestamp), key=key, child=child,
        path=record.path_again,
    )  # fmt: skip
    return [began, outcome]


def _call_body(record: GeminiRecord, index: int, call: Call, call_id: str) -> ToolCall:
    name = call.name or ""
    return make_call(
        call_id,
        name,
        record.value_of(call.args),
        _spec(name, call.display_name),
        raw=record.exact(call.args, "toolCalls", index, "args"),
        title=_title(call.description),
    )


@lru_cache(maxsize=256)
def _spec(name: str, display_name: str | None) -> ToolSpec | None:
    return SPECS.get(name) or server_spec(display_name)


@lru_cache(maxsize=256)
def _known(name: str, display_name: str | None) -> KnownCall | None:
    return known_call(name, _spec(name, display_name))


def _result(record: GeminiRecord, call: Call, call_id: str, kind: Kind) -> ToolResult:
    result, display = record.value_of(call.result), record.value_of(call.result_display)
    return result_of(call_id, result, kind=kind, status=call.status, display=display)


def _open(record: GeminiRecord, call: Call, call_id: str, name_in_record: str) -> list[LightEvent]:
    """The open state of a call: its wait for approval, or its output so far."""
    if call.status == _ASKS:
        question = about(_call_body(record, 0, call, call_id)) or call.name or ""
        asks = permission_request(f"{call_id}#permission", question, call_id, {})
        key = None if record.history else f"ask:{record.name}/{name_in_record}"
        path = record.path_again
        return [record.event(f"ask:{name_in_record}", asks, replaces=key, path=path)]
    display = record.value_of(call.result_display)
    if not isinstance(display, str) or not display:
        return []
    progress, ended = ToolProgress(call_id, display), time_of(call.timestamp)
    return [record.event(f"progress:{name_in_record}", progress, time=ended)]


def _late(record: GeminiRecord, call: Call, call_id: str, name_in_record: str) -> list[LightEvent]:
    """The result of a call that is known already; one that the model had before stays."""
    result = items_of(record.value_of(call.result))
    if not result:
        return []
    kind = kind_of(answer_in(result).name or "", SPECS)
    outcome = result_of(call_id, result, kind=kind)
    return [record.event(f"result:{name_in_record}", outcome, path=REPEATED)]


def _title(described: str | None) -> str | None:
    """Title of this very call by the client; descriptions of the tool in general are sentences."""
    if not described or len(described) >= 200 or _SENTENCE.fullmatch(described) is not None:
        return None
    return described
