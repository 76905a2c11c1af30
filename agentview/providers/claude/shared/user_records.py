"""Events of `user` records: prompts, tool results, and what replaces a prompt."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.content import Block
from agentview.domain.events import (
    Attachment,
    Body,
    Facts,
    Hidden,
    SlashCommand,
    ToolResult,
    User,
    runs,
)
from agentview.domain.session import Stream, StreamKind
from agentview.normalize.json_values import call_id_of, fields_of, text_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden, value_of
from agentview.providers.claude.shared.content import block_of, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, agent_stream, queued_key
from agentview.providers.claude.shared.prompt_tags import (
    Part,
    injected_part,
    summary_part,
    unwrap,
)
from agentview.providers.claude.shared.schema import Block as ContentBlock
from agentview.providers.claude.shared.schema import Message, Origin, Record, Structured
from agentview.providers.claude.shared.tool_outcome import has_failed, may_be_launch, result_of

_AGENTS = frozenset({"peer", "coordinator", "observer", "observer-activity"})
"""Origins of a prompt that are other agents or sessions."""
_CHANNELS = frozenset({"channel", "slack-ping"})
"""Origins that are channels through which people write."""
_PERSONS = frozenset({"human", "unclassified", "plugin", *_CHANNELS, *_AGENTS})
"""Origins of texts that are not the client's own, as its reports and what lets the agent continue
are (2.1.2xx). Those of a plug-in are its own, unless they say that it speaks for the person."""
_WARM_UP = "Warmup"
"""The client's message to its agents before there is work, to fill the cache (2.0.x)."""


def user_events(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Events of a `user` record: each result, each wrapper, and what is left as the prompt."""
    said = record.record.message
    content = said.content if isinstance(said, Message) else said
    if content is None:
        return [record.unknown("user without content")]
    if record.record.is_compact_summary:
        message = record.fields.get("message")
        whole = fields_of(message).get("content") if fields_of(message) else message
        return _parts(record, (summary_part(text_in(whole)),))
    if isinstance(content, str):
        return _texts(record, [content], ())
    results = sum(map(_is_result, content))
    events: list[LightEvent] = []
    texts: list[str] = []
    media: list[Block] = []
    for index, block in enumerate(content):
        if isinstance(block, str):
            texts.append(block)
        elif block is not None and _is_result(block):
            events.append(_result(record, index, block, alone=results == 1))
        elif block is not None and block.type == "text" and block.text is not None:
            texts.append(block.text)
        elif block is not None and block.type in ("image", "document"):
            media.append(block_of(record.block_fields(index)))
        else:
            kind = None if block is None else block.type
            events.append(record.unknown(f"user/{kind}", str(index)))
    if texts or media:
        events.extend(_texts(record, texts, tuple(media)))
    return events or [hidden(record, "a message without content", "user")]


def prompt_events(
    record: ClaudeRecord, texts: list[str], media: tuple[Block, ...], via: str | None
) -> Sequence[LightEvent]:
    """The prompt in these texts with what was wrapped around it; a queued copy of it gives way."""
    parts: list[Part] = []
    prompts: list[str] = []
    for text in texts:
        found = unwrap(text)
        parts.extend(found.parts)
        if found.prompt.strip():
            prompts.append(found.prompt)
    events = _parts(record, parts)
    commands = [part.body for part in parts if isinstance(part.body, SlashCommand)]
    said = [f"{command.name} {command.args}" for command in commands if command.name]
    if prompts or media:
        prompt = "\n\n".join(prompts)
        is_main = record.stream.kind is StreamKind.MAIN
        body = spoken(prompt, media, via) if is_main else User(prompt, media, via)
        events.append(record.event("prompt", body))
        said.append(prompt)
    events.extend(_settled(record, said))
    return events or [record.event("hidden", Hidden("an empty message", "user"))]


def _settled(record: ClaudeRecord, prompts: list[str]) -> Sequence[LightEvent]:
    """Take the place of the copies of prompts that waited in the queue.

    The queue's own records name no id; only the text says which prompt was sent. The prompt itself
    carries no such key, so that saying the same twice stays two prompts.
    """
    if record.stream.kind is not StreamKind.MAIN:
        return []
    reason = "this prompt no longer waits in the queue"
    return [
        hidden(record, reason, "user", suffix=f"settled{number}", replaces=queued_key(prompt))
        for number, prompt in enumerate(prompts)
        if prompt.strip()
    ]


def _texts(
    record: ClaudeRecord, texts: list[str], media: tuple[Block, ...]
) -> Sequence[LightEvent]:
    own = record.record
    origin = own.origin.kind if own.origin is not None else None
    if is_note(own):
        return _injected(record, texts, media)
    if origin in _AGENTS:
        return _from_another(record, texts)
    if origin in _CHANNELS:
        return _from_channel(record, texts, media)
    if record.stream.kind is not StreamKind.MAIN and is_warm_up(texts):
        return [record.event("prompt", injected_part(_WARM_UP).body)]
    via = own.prompt_source or (origin if origin != "human" else None)
    if _is_scheduled(own):
        via = "scheduled"
    if via is None and record.stream.kind is not StreamKind.MAIN:
        via = "agent"
    return prompt_events(record, texts, media, via)


def is_note(record: Record) -> bool:
    """True if a record is the client's own note; what it sends when its time has come is none."""
    if is_of_client(record.origin):
        return True
    origin = record.origin.kind if record.origin is not None else None
    sent = _is_scheduled(record) or record.prompt_source == "system"
    return record.is_meta is True and not sent and origin not in _CHANNELS


def is_of_client(origin: Origin | None) -> bool:
    """True if a text is of the client itself, or of a program in it, by its origin."""
    if origin is None or origin.kind is None:
        return False
    if origin.kind == "plugin":
        return origin.as_user is not True
    return origin.kind not in _PERSONS


def _is_scheduled(record: Record) -> bool:
    return record.scheduled_task_id is not None


def is_warm_up(texts: Sequence[str]) -> bool:
    """True if the prompt of an agent only fills its cache."""
    return [each.strip() for each in texts] == [_WARM_UP]


def _from_another(record: ClaudeRecord, texts: list[str]) -> Sequence[LightEvent]:
    origin = record.record.origin
    sender = sender_of(origin) or "another agent"
    parts: list[Part] = []
    for text in texts:
        found = unwrap(text)
        parts.extend(found.parts)
        if found.prompt.strip():
            parts.append(Part(Attachment(sender, "agent-message", found.prompt)))
    return _parts(record, parts) or [hidden(record, "an empty message of another agent", "user")]


def sender_of(origin: Origin | None) -> str | None:
    """The name of who wrote a text, by its origin; of an agent without a name, what it is."""
    if origin is None:
        return None
    return origin.sender or origin.name or origin.kind


def _from_channel(
    record: ClaudeRecord, texts: list[str], media: tuple[Block, ...]
) -> Sequence[LightEvent]:
    """A prompt that came through a channel, such as a phone (2.1.284)."""
    said: list[str] = []
    for text in texts:
        found = unwrap(text)
        wrapped = [part.body for part in found.parts if isinstance(part.body, Attachment)]
        said += [body.text for body in wrapped if body.text]
        said += [found.prompt] if found.prompt.strip() else []
    via = record.record.origin.kind if record.record.origin is not None else None
    return [record.event("prompt", spoken("\n\n".join(said), media, via))]


def _injected(
    record: ClaudeRecord, texts: list[str], media: tuple[Block, ...]
) -> Sequence[LightEvent]:
    """Texts that the record itself says nobody typed: a skill, the body of a command, a note."""
    parts: list[Part] = []
    for text in texts:
        found = unwrap(text)
        parts.extend(found.parts)
        if found.prompt.strip():
            parts.append(injected_part(found.prompt))
    events = _parts(record, parts)
    if media:
        body = Attachment("image", "image")
        events.append(record.event("media", body))
    return events or [hidden(record, "an empty note of the client", "user")]


def _parts(record: ClaudeRecord, parts: Sequence[Part]) -> list[LightEvent]:
    return [
        record.event(
            f"part{number}",
            part.body,
            dedupe_key=part.dedupe_key,
            child=part.child,
            path=part.path,
            facts=_ended(record) if _is_exit(part.body) else None,
        )
        for number, part in enumerate(parts)
    ]


def _is_exit(body: Body) -> bool:
    return isinstance(body, SlashCommand) and body.name in ("/exit", "/quit")


def _ended(record: ClaudeRecord) -> Facts:
    return replace(record.facts or Facts(), ended=True)


def _is_result(block: ContentBlock | str | None) -> bool:
    kind = block.type if isinstance(block, ContentBlock) else None
    return kind is not None and kind.endswith("tool_result")


def _result(record: ClaudeRecord, index: int, block: ContentBlock, *, alone: bool) -> LightEvent:
    """The result of a call, with the structured form of the record where it is the only one."""
    says = record.record.tool_use_result if alone else None
    call_id = call_id_of(block.tool_use_id, f"{record.name}:{index}")
    args = (record, block, call_id, alone)
    child = _child(says) if isinstance(says, Structured) else None
    # A result may name the very agent whose log it is in.
    child = child if child != record.stream else None
    failed = has_failed(block, says)
    if not failed and may_be_launch(block, says):
        body = _result_body(*args)
        task = _task(says) if body.ok is None and isinstance(says, Structured) else None
        return record.event(str(index), body, child=child, path=runs(task))
    return record.result_part(str(index), call_id, _result_body, args, failed=failed, child=child)


def _result_body(
    record: ClaudeRecord, block: ContentBlock, call_id: str, alone: bool
) -> ToolResult:
    structured = record.structured() if alone else None
    return result_of(record, block, structured, call_id)


def _child(says: Structured) -> Stream | None:
    """The agent or the run that a result is about."""
    if bytes(says.agent_id):
        agent = agent_stream(value_of(says.agent_id))
        if agent is not None:
            return agent
    run = text_of(value_of(says.run_id)) if bytes(says.run_id) else None
    return Stream(StreamKind.RUN, run) if run is not None else None


def _task(says: Structured) -> str | None:
    """The id by which a later record names what a call began."""
    tasks = (says.background_task_id, says.agent_id, says.task_id)
    return next(filter(None, (text_of(value_of(each)) for each in tasks)), None)
