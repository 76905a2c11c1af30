"""Events of `user` records: prompts, tool results, and what replaces a prompt."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.content import Block
from agentview.domain.events import Attachment, Body, Event, Facts, Hidden, SlashCommand, User, runs
from agentview.domain.session import Stream, StreamKind
from agentview.normalize.json_values import Fields, call_id_of, fields_of, items_of, text_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers.claude.shared.content import block_of, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, agent_stream, queued_key
from agentview.providers.claude.shared.prompt_tags import (
    Part,
    injected_part,
    summary_part,
    unwrap,
)
from agentview.providers.claude.shared.tool_outcome import result_of

PEER = "peer"
CHANNEL = "channel"
"""Origins of a prompt: another agent or session, and a channel through which people write."""
CONTINUATION = "auto-continuation"
"""The client itself, which lets the agent continue: to its goal, or since a limit is over."""
NOTIFICATION = "task-notification"
"""The client itself, which reports of work in the background (2.1.2xx)."""
_TASKS = ("backgroundTaskId", "agentId", "taskId")
"""Keys of the id by which a later record names what a call began."""
_WARM_UP = "Warmup"
"""What the client sends to its agents before there is work, to fill the cache (2.0.x)."""


def user_events(record: ClaudeRecord) -> list[Event]:
    """Events of a `user` record: each result, each wrapper, and what is left as the prompt."""
    fields = record.fields
    message = fields.get("message")
    content = fields_of(message).get("content") if fields_of(message) else message
    if content is None:
        return [record.unknown("user without content")]
    if fields.get("isCompactSummary") is True:
        return _parts(record, (summary_part(text_in(content)),))
    if isinstance(content, str):
        return _texts(record, [content], ())
    blocks = items_of(content)
    results = [index for index, item in enumerate(blocks) if _is_result(item)]
    structured = fields.get("toolUseResult") if len(results) == 1 else None
    events: list[Event] = []
    texts: list[str] = []
    media: list[Block] = []
    for index, item in enumerate(blocks):
        block = fields_of(item)
        kind = block.get("type")
        if index in results:
            events.append(_result(record, index, block, structured))
        elif isinstance(item, str):
            texts.append(item)
        elif kind == "text" and isinstance(block.get("text"), str):
            texts.append(str(block["text"]))
        elif kind in ("image", "document"):
            media.append(block_of(block))
        else:
            events.append(record.unknown(f"user/{kind}", str(index)))
    if texts or media:
        events.extend(_texts(record, texts, tuple(media)))
    return events or [record.hidden("a message without content", "user")]


def prompt_events(
    record: ClaudeRecord, texts: list[str], media: tuple[Block, ...], via: str | None
) -> list[Event]:
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


def _settled(record: ClaudeRecord, prompts: list[str]) -> list[Event]:
    """Take the place of the copies of prompts that waited in the queue.

    The queue's own records name no id; only the text says which prompt was sent. The prompt itself
    carries no such key, so that saying the same twice stays two prompts.
    """
    if record.stream.kind is not StreamKind.MAIN:
        return []
    body = Hidden("this prompt no longer waits in the queue", "user")
    return [
        record.event(f"settled{number}", body, replaces=queued_key(prompt))
        for number, prompt in enumerate(prompts)
        if prompt.strip()
    ]


def _texts(record: ClaudeRecord, texts: list[str], media: tuple[Block, ...]) -> list[Event]:
    fields = record.fields
    if is_note(fields):
        return _injected(record, texts, media)
    if origin_of(fields) == PEER:
        return _from_another(record, texts)
    if origin_of(fields) == CHANNEL:
        return _from_channel(record, texts, media)
    if record.stream.kind is not StreamKind.MAIN and is_warm_up(texts):
        return [record.event("prompt", injected_part(_WARM_UP).body)]
    via = text_of(fields.get("promptSource"))
    if fields.get("scheduledTaskId") is not None:
        via = "scheduled"
    if via is None and record.stream.kind is not StreamKind.MAIN:
        via = "agent"
    return prompt_events(record, texts, media, via)


def is_note(record: Fields) -> bool:
    """True if a record is the client's own note; what it sends when its time has come is none."""
    if origin_of(record) in (CONTINUATION, NOTIFICATION):
        return True
    sent = record.get("scheduledTaskId") is not None or record.get("promptSource") == "system"
    return record.get("isMeta") is True and not sent and origin_of(record) != CHANNEL


def is_warm_up(texts: Sequence[str]) -> bool:
    """True if the prompt of an agent only fills its cache."""
    return [each.strip() for each in texts] == [_WARM_UP]


def origin_of(record: Fields) -> str | None:
    """Who has written the text of a record; those named above are not who sits before it."""
    return text_of(fields_of(record.get("origin")).get("kind"))


def _from_another(record: ClaudeRecord, texts: list[str]) -> list[Event]:
    sender = text_of(fields_of(record.fields.get("origin")).get("from")) or "another agent"
    parts: list[Part] = []
    for text in texts:
        found = unwrap(text)
        parts.extend(found.parts)
        if found.prompt.strip():
            parts.append(Part(Attachment(sender, "agent-message", found.prompt)))
    return _parts(record, parts) or [record.hidden("an empty message of another agent", "user")]


def _from_channel(record: ClaudeRecord, texts: list[str], media: tuple[Block, ...]) -> list[Event]:
    """A prompt that came through a channel, such as a phone (2.1.284)."""
    said: list[str] = []
    for text in texts:
        found = unwrap(text)
        wrapped = [part.body for part in found.parts if isinstance(part.body, Attachment)]
        said += [body.text for body in wrapped if body.text]
        said += [found.prompt] if found.prompt.strip() else []
    return [record.event("prompt", spoken("\n\n".join(said), media, "channel"))]


def _injected(record: ClaudeRecord, texts: list[str], media: tuple[Block, ...]) -> list[Event]:
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
    return events or [record.hidden("an empty note of the client", "user")]


def _parts(record: ClaudeRecord, parts: Sequence[Part]) -> list[Event]:
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


def _is_result(item: object) -> bool:
    kind = fields_of(item).get("type")
    return isinstance(kind, str) and kind.endswith("tool_result")


def _result(record: ClaudeRecord, index: int, block: Fields, structured: object) -> Event:
    call_id = call_id_of(block.get("tool_use_id"), f"{record.name}:{index}")
    body = result_of(block, record.fields, structured, call_id)
    fields = fields_of(structured)
    run = text_of(fields.get("runId"))
    child = agent_stream(fields.get("agentId"))
    if child is None and run is not None:
        child = Stream(StreamKind.RUN, run)
    tasks = map(text_of, map(fields.get, _TASKS)) if body.ok is None else ()
    # A result may name the very agent whose log it is in.
    child = child if child != record.stream else None
    return record.event(str(index), body, child=child, path=runs(next(filter(None, tasks), None)))
