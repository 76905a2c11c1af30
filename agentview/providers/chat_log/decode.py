"""Events of a message, or of all messages in a record."""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha1
from typing import cast

from msgspec.structs import replace

from agentview.domain.content import Block
from agentview.domain.events import (
    REPEATED,
    Attachment,
    Event,
    Facts,
    Title,
    TitleSource,
    TokenUsage,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.normalize.json_document import outer_members
from agentview.normalize.json_fields import mapping, text
from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.partial_json import load
from agentview.providers._kit.chat_messages import chat_call, chat_result
from agentview.providers._kit.chat_parts import Part, message_parts
from agentview.providers._kit.json_documents import name_surroundings
from agentview.providers._kit.message_parts import in_order
from agentview.providers._kit.typed_records import (
    LightEvent,
    TypedBuilder,
    TypedLines,
    hidden,
)
from agentview.providers._kit.written_calls import action_of, given_back
from agentview.providers.chat_log.conversation import Said, around_messages, messages_in
from agentview.providers.chat_log.schema import Record
from agentview.providers.chat_log.streamed import is_piece, pieces_of, together

_CONVERSATIONS = (
    "conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "threadId",
    "chat_id", "chatId", "trace_id", "traceId",
)  # fmt: skip
_NAMES = (
    ("name", "chat_messages"), ("name", "pinned"),
    ("character_name", "chat_metadata"),
)  # fmt: skip
"""Other keys of the title, each with a key that is next to it."""
_FOLDERS = ("cwd", "workspace", "working_directory", "workingDirectory", "project_path")
_LISTED = "messages"
"""Stands for the name of a list that has none."""


class ChatRecord(TypedBuilder[Record], gc=False):
    """A record, whose values are all that is known of it."""


class ChatLines(TypedLines[ChatRecord]):
    """A record may also be a list of messages, or what is around the list of a document."""

    def light(self, record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        """Events of one record: never raises, never gives an empty list."""
        try:
            value = load(record)
        except ValueError:
            whole = together(pieces_of(record))
            if not whole:
                return self._damaged(record, source, session)
            return self._without_faults(whole, record, source, session)
        if is_piece(fields_of(value)):
            value = together([fields_of(value)])
        if isinstance(value, list):
            value = {_LISTED: cast("list[object]", value)}
        return self._without_faults(value, record, source, session)

    def _fitted(
        self, value: Fields, raw: bytes, source: SourceRef, session: SessionRef
    ) -> ChatRecord:
        return ChatRecord.of(Record(), raw, source, session, _fields=value)

    def _damaged(self, line: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        """Members in front of the list of a document, or behind it; else the rest of a record."""
        members = outer_members(line)
        if members is None:
            return super()._damaged(line, source, session)
        made = name_surroundings(self._fitted(members, line, source, session))
        events = _about(made) + _said_events(made, around_messages(members))
        return events or [hidden(made, "what is around the messages", "document")]


def _record_events(record: ChatRecord) -> list[LightEvent]:
    said = _said_events(record, list(messages_in(record.fields)))
    if said:
        return [*_about(record), *said]
    return _about(record) or [record.unknown(text_of(record.fields.get("type")) or "(none)")]


def _about(record: ChatRecord) -> list[LightEvent]:
    """The events about the whole conversation, of a record that is not a message."""
    fields = record.fields
    title = text(fields, "title") or next(
        (text(fields, name) for name, near in _NAMES if near in fields), None
    )
    cwd = text_of(next((fields[key] for key in _FOLDERS if key in fields), None))
    if "role" in fields or (title is None and cwd is None):
        return []
    facts = Facts(cwd=cwd) if cwd is not None else None
    if title is None:
        return [hidden(record, "the conversation", "conversation", suffix="about", facts=facts)]
    return [record.event("title", Title(title, TitleSource.SUMMARY), facts=facts)]


def _said_events(record: ChatRecord, found: Sequence[Said]) -> list[LightEvent]:
    scope = _scope(record.fields, found) if any(each.listed for each in found) else None
    again = _Repeats()
    events: list[LightEvent] = []
    for at, said in enumerate(found):
        made = record.copy()
        made.suffix_end = f"/{at}" if scope is not None or len(found) > 1 else ""
        made.time = said.time
        made.facts = Facts(model=said.model) if said.model is not None else None
        parts = list(_parts(said))
        if scope is None or not parts:
            events += _message_events(made, said, parts)
            continue
        # Requests repeat what was said before, and are the same by words and count.
        digest = _digest(said.role, parts)
        key = f"{scope}:{digest}:{again.count(said, digest)}"
        own = _message_events(made, said, parts, key)
        events += [_keyed(each, f"{key}:{i}") for i, each in enumerate(own)]
    return events


class _Repeats:
    """Counts how often a record has said the same in a conversation."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._opening: str | None = None
        self._begins = False

    def count(self, said: Said, digest: str) -> int:
        """How often it was said with this. A list that begins as the first one is that again."""
        self._begins = said.listed == 1 or (self._begins and said.listed > 0)
        if self._begins and said.role != "system":
            self._begins = False
            if digest == self._opening:
                self._counts.clear()
        if said.role != "system":
            self._opening = self._opening or digest
        self._counts[digest] += 1
        return self._counts[digest]


def _keyed(event: LightEvent, key: str) -> LightEvent:
    if isinstance(event, Event):
        return replace(event, dedupe_key=key)
    event.dedupe = key
    return event


def _scope(fields: Fields, found: Sequence[Said]) -> str:
    """Name of a conversation: the id that it states, else a digest of its beginning."""
    own = text(fields, *_CONVERSATIONS)
    if own is not None:
        return f"chat:{own}"
    first = next((each for each in found if each.role == "user"), found[0])
    name = f"chat:{_digest(first.role, list(_parts(first)))}"
    answer = next((each for each in found if each.role == "assistant"), None)
    whole = found[-1].role == "assistant" and not any(each.model or each.usage for each in found)
    if answer is None or not whole:
        # Requests have the same beginning, whatever the model answered.
        return name
    return f"{name}:{_digest(answer.role, list(_parts(answer)))}"


def _digest(role: str, parts: Sequence[Part]) -> str:
    own = f"{role}{[*parts]!r}".encode("utf-8", "replace")
    return sha1(own, usedforsecurity=False).hexdigest()[:20]


def _parts(said: Said) -> Iterator[Part]:
    if said.role == "call":
        yield from _call_parts(said.fields)
        return
    recipient = text_of(said.fields.get("recipient"))
    role = said.role if said.role in ("tool", "system") else "assistant"
    for part in message_parts(
        said.fields, said.role if said.role == "user" else role, output=False
    ):
        results = given_back(part.text) if said.role == "user" else []
        if results:
            # A loop gives what a tool printed back in the person's place.
            yield from (Part("tool", "result", value=value) for value in results)
        elif recipient not in (None, "all") and part.kind in ("text", "block"):
            # Words to a tool are a call of it.
            yield Part(role, "call", name=recipient, value=part.text)
        else:
            yield from _of_action(part)


def _of_action(part: Part) -> Iterator[Part]:
    acts = part.kind == "text" and part.role == "assistant"
    if (found := action_of(part.text) if acts else None) is None:
        yield part
        return
    before, call = found
    if before:
        yield Part(part.role, "text", before)
    yield Part(part.role, "call", name=text_of(call["name"]), value=call["arguments"])


def _call_parts(fields: Fields) -> Iterator[Part]:
    """A call that is a message of its own, whose content is JSON of it, or the words for it."""
    parts = list(message_parts(fields, "assistant", output=False))
    for part in parts:
        written = mapping(part.text if part.kind == "text" else None)
        if written:
            calls: list[object] = [written]
            yield from message_parts({"tool_calls": calls}, "assistant", output=False)
        else:
            yield part


def _message_events(
    record: ChatRecord, said: Said, parts: Sequence[Part], key: str = ""
) -> Sequence[LightEvent]:
    """The events of a message; `key` is its own, whatever requests have it."""
    repeats = "tool_calls" in said.fields and "results" in said.fields
    if repeats:
        parts = [each for each in parts if each.kind == "call"]
    made: list[LightEvent | Block | str] = []
    for at, part in enumerate(parts):
        made.append(_part_event(record, said, part, at, REPEATED if repeats else ""))

    def say(suffix: str, words: list[str], blocks: tuple[Block, ...]) -> LightEvent:
        text = "\n".join(words)
        if said.role == "assistant":
            return record.text_part(suffix, text, blocks)
        return record.event(suffix, _words(said, text, blocks))

    events = in_order(made, say, merged=said.role in ("user", "system"))
    if said.usage is not None:
        name = said.id or key or f"{record.name}{record.suffix_end}"
        events.append(record.usage_part(TokenUsage(name, said.usage, said.model)))
    return events or [hidden(record, "a message without words", said.role or "message")]


def _part_event(
    record: ChatRecord, said: Said, part: Part, at: int, path: str
) -> LightEvent | Block | str:
    # Without ids results are in the order of the calls.
    call_id = part.id or ""
    if part.kind == "call":
        call = chat_call(call_id, part.name or "(none)", part.value)
        # Whose tool it is is not known, so its name is all that there is.
        call = replace(call, inferred=call.kind is not ToolKind.UNKNOWN)
        return record.event(f"call/{at}", call, path=path)
    if part.kind == "result":
        result = chat_result(call_id, part.value, failed=part.failed)
        return record.event(f"result/{at}", result)
    if part.kind == "reasoning" or said.role == "thought":
        return record.thought_part(f"thought/{at}", part.text, withheld=not part.text)
    return part.text if part.block is None else part.block


def _words(said: Said, words: str, blocks: tuple[Block, ...]) -> User | Attachment:
    if said.role == "user":
        return User(words, blocks)
    if said.role == "system":
        return Attachment("system message", "instructions", words)
    return Attachment(f"message of {said.role}", "agent-message", words)


LINES = ChatLines(Record, ChatRecord.of, _record_events)
