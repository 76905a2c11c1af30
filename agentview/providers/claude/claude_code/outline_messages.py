"""Outlines of messages: the parts of a response, the results of calls, prompts."""

from functools import lru_cache

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts, TokenUsage
from agentview.domain.index_entry import (
    KIND_CODES,
    NO_ROW,
    PROMPT_CHARS,
    EventFact,
    Flag,
    Role,
    Signal,
    make,
)
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.normalize.json_values import real_of, time_of
from agentview.normalize.session_state import SAID
from agentview.normalize.tools import mcp
from agentview.providers._kit.prompt_context import parted
from agentview.providers.claude.claude_code.outline_models import (
    Block,
    Header,
    Structured,
    UsageHeader,
)
from agentview.providers.claude.shared.assistant_records import SYNTHETIC, cost_of, ends_turn
from agentview.providers.claude.shared.event_builder import agent_stream, queued_key
from agentview.providers.claude.shared.prompt_tags import unwrap
from agentview.providers.claude.shared.tools import SPECS
from agentview.providers.claude.shared.user_records import (
    CHANNEL,
    CONTINUATION,
    NOTIFICATION,
    PEER,
    is_warm_up,
)

# What the outlines of all records have in common: the envelope, and records of one event.

Outline = tuple[EventFact, ...]

HIDDEN = KIND_CODES[RowKind.HIDDEN]


@lru_cache(maxsize=256)
def facts_of(
    cwd: str | None, branch: str | None, model: str | None, version: str | None, mode: str | None
) -> Facts | None:
    """Return what an envelope says about the session; None when it says nothing."""
    known = (cwd or None, branch or None, model or None, version or None, mode or None)
    return Facts(*known) if any(known) else None


def envelope_facts(header: Header) -> Facts | None:
    """Return what the envelope of a record that no model wrote says about the session."""
    return facts_of(header.cwd, header.git_branch, None, header.version, header.permission_mode)


def record_of(header: Header) -> str | None:
    """The id of a record. An id has no blanks: a text that stands for a removed one is none."""
    uuid = header.uuid
    return uuid if uuid and " " not in uuid else None


def twin(uuid: str | None, suffix: str) -> str | None:
    """The key by which copies of an event are found."""
    # An id has no blanks; a text that stands for a removed id must not make twins.
    return f"{uuid}:{suffix}" if uuid and " " not in uuid else None


def event(
    header: Header, side: Stream | None, flags: int, kind: int, suffix: str,
    key: str | None = None, role: int = Role.NONE, signal: int = Signal.NONE,
) -> Outline:  # fmt: skip
    """A record that is one event."""
    uuid = record_of(header)
    twin_key = f"{uuid}:{suffix}" if uuid is not None else None
    return (
        make(EventFact, (
            0, kind, flags, role, key, twin_key, None, False, None, side, None, signal,
            time_of(header.timestamp), None, None, envelope_facts(header), None, None, uuid,
            header.parent_uuid or None, None, None, "", None,
        )),
    )  # fmt: skip


def hidden(header: Header, side: Stream | None, flags: int) -> Outline:
    """A record that is bookkeeping of the client."""
    return event(header, side, flags | Flag.BOOKKEEPING, HIDDEN, "hidden")


_MESSAGE = KIND_CODES[RowKind.MESSAGE]
_REASONING = KIND_CODES[RowKind.REASONING]
_RESULT = KIND_CODES[RowKind.RESULT]
_USER = KIND_CODES[RowKind.USER]
# As names of the module, since a million records ask for them.
_NONE, _ANSWER, _CALL, _AGENT = Role.NONE, Role.RESULT, Role.CALL, Signal.AGENT
_OTHERS = frozenset({PEER, CHANNEL, CONTINUATION, NOTIFICATION})
"""Origins of what nobody typed here."""
_SPECIAL = frozenset({ToolKind.SUBAGENT_TASK, ToolKind.PLAN, ToolKind.UNKNOWN})
"""Kinds whose arguments or names matter for more than showing them."""


def outline_response(
    header: Header, side: Stream | None, flags: int, _stream: Stream
) -> Outline | None:
    """Facts of a part of a response."""
    message = header.message
    if message is None or header.is_api_error_message or message.model == SYNTHETIC:
        return None
    uuid, parent = record_of(header), header.parent_uuid or None
    response = message.id or header.request_id or uuid
    content = message.content
    if not response or not content:
        return None
    if isinstance(content, str):
        content = [Block("text", content)]
    time = time_of(header.timestamp)
    facts = facts_of(
        header.cwd, header.git_branch, message.model, header.version, header.permission_mode
    )
    found: list[EventFact] = []
    for index, block in enumerate(content):
        part = _part(block, message.stop_reason)
        if part is None:
            return None
        kind, marks, role, key, signal = part
        found.append(
            make(EventFact, (
                index, kind, flags | marks, role, key, f"{uuid}:{index}" if uuid else None, None,
                False, response, side, None, signal, time, None, None, facts, None, None,
                uuid, parent, None, None, "", None,
            ))
        )  # fmt: skip
    if message.usage is not None:
        counts = _usage(message.usage)
        cost = cost_of(real_of(header.cost_usd), counts)
        usage = TokenUsage(response, counts, message.model or None, cost=cost)
        found.append(
            make(EventFact, (
                len(found), NO_ROW, flags, _NONE, None, None, f"usage:{response}", False,
                response, side, None, _NONE, time, usage, None, facts, None, None, uuid, parent,
                None, None, "", None,
            ))
        )  # fmt: skip
    return tuple(found)


Part = tuple[int, int, int, str | None, int]
"""Kind, flags, role, key and signal of a block."""

_TEXTS: dict[bool | None, Part] = {
    ends: (_MESSAGE, 0, Role.NONE, None, signal) for ends, signal in SAID.items()
}
"""Texts by whether the turn ends with them."""
_EMPTY: Part = (HIDDEN, Flag.BOOKKEEPING, Role.NONE, None, Signal.NONE)
_THOUGHT: Part = (_REASONING, 0, Role.NONE, None, Signal.AGENT)


def _part(block: Block, stop_reason: str | None) -> Part | None:
    kind = block.type
    if kind == "tool_use":
        given = block.input
        if not block.id or block.name is None or given is None or given.unparsed:
            return None
        call = _call(block.name)
        return None if call is None else (call[0], 0, _CALL, block.id, call[1])
    if kind == "text":
        text = block.text
        return _EMPTY if not text or text.isspace() else _TEXTS[ends_turn(stop_reason)]
    return _THOUGHT if kind in ("thinking", "redacted_thinking") else None


@lru_cache(maxsize=256)
def _call(name: str) -> tuple[int, int] | None:
    """Kind and signal of a call, None when its arguments have a say."""
    spec = SPECS.get(name) or mcp.named(name)
    if spec is None or spec.kind in _SPECIAL:
        return None
    return KIND_CODES[spec.kind], Signal.QUESTION if spec.kind is ToolKind.ASK else Signal.AGENT


def _usage(usage: UsageHeader) -> Usage:
    written = usage.cache_creation_input_tokens
    if usage.cache_creation:
        written = max(written or 0, sum(usage.cache_creation.values()))
    details = usage.output_tokens_details
    return Usage(
        usage.input_tokens,
        usage.cache_read_input_tokens,
        written,
        usage.output_tokens,
        None if details is None else details.thinking_tokens,
        usage.cache_creation.get("ephemeral_1h_input_tokens") if usage.cache_creation else None,
    )


def outline_user(header: Header, side: Stream | None, flags: int, stream: Stream) -> Outline | None:
    """Facts of the results of calls, or of a prompt."""
    message = header.message
    if message is None or not message.content or header.is_compact_summary:
        return None
    content = message.content
    if isinstance(content, str):
        return _prompt(header, side, flags, stream, [content])
    if len(content) == 1 and content[0].type == "tool_result":
        return _result(header, side, flags, stream, content[0])
    kinds = {block.type for block in content}
    if kinds == {"tool_result"}:
        return _results(header, side, flags, content)
    if kinds == {"text"}:
        texts = [block.text for block in content if block.text is not None]
        return _prompt(header, side, flags, stream, texts) if len(texts) == len(content) else None
    return None


def _result(
    header: Header, side: Stream | None, flags: int, stream: Stream, block: Block
) -> Outline | None:
    """The result of a call, with its structured form."""
    structured = header.tool_use_result
    failed = _failed(block.is_error, structured)
    call_id = block.tool_use_id
    if failed is None or not call_id:
        return None
    # A launch says so in its structured form, and where it has none in its words.
    if structured is None or (isinstance(structured, Structured) and structured.may_be_launch):
        return None
    child = None
    if isinstance(structured, Structured) and structured.agent_id:
        # A result may name the very agent whose log it is in.
        child = agent_stream(structured.agent_id)
        child = None if child == stream else child
    return (
        make(EventFact, (
            0, _RESULT, flags | Flag.PROBLEM if failed else flags, _ANSWER, call_id,
            twin(header.uuid, "0"), None, False, None, side, child, _AGENT,
            time_of(header.timestamp), None, None, envelope_facts(header), None, None,
            record_of(header), header.parent_uuid or None, None, None, "", None,
        )),
    )  # fmt: skip


def _results(
    header: Header, side: Stream | None, flags: int, blocks: list[Block]
) -> Outline | None:
    """Results of several calls."""
    found: list[EventFact] = []
    for index, block in enumerate(blocks):
        if not block.tool_use_id:
            return None
        found.append(
            EventFact(
                index, _RESULT, flags | Flag.PROBLEM if block.is_error else flags, Role.RESULT,
                block.tool_use_id, twin(header.uuid, str(index)), stream=side,
                signal=Signal.AGENT, time=time_of(header.timestamp), facts=envelope_facts(header),
                record=record_of(header), parent=header.parent_uuid or None,
            )
        )  # fmt: skip
    return tuple(found)


def _failed(flag: bool | None, structured: object) -> bool | None:
    """Return True if a call failed; None when only the text of its result shows it."""
    if flag is not None:
        return flag
    if isinstance(structured, Structured):
        return structured.is_error is True
    return None if isinstance(structured, str) else False


def _prompt(
    header: Header, side: Stream | None, flags: int, stream: Stream, texts: list[str]
) -> Outline | None:
    """A prompt that has nothing wrapped around it."""
    if header.is_meta or (header.origin is not None and header.origin.kind in _OTHERS):
        return None
    is_main = side is None and stream.kind is StreamKind.MAIN
    if not is_main and is_warm_up(texts):
        return None
    prompts: list[str] = []
    for text in texts:
        found = unwrap(text)
        if found.parts:
            return None
        if found.prompt.strip():
            prompts.append(found.prompt)
    if not prompts:
        return None
    prompt = "\n\n".join(prompts)
    words = parted(prompt)[1] if is_main else prompt
    time, facts = time_of(header.timestamp), envelope_facts(header)
    turn = flags if side is not None else flags | Flag.TURN
    said = EventFact(
        0, _USER, turn, Role.NONE, None, twin(header.uuid, "prompt"), None, False, None, side,
        None, Signal.AGENT, time, None, None, facts, words[:PROMPT_CHARS], None,
        record_of(header), header.parent_uuid or None,
    )  # fmt: skip
    if stream.kind is not StreamKind.MAIN:
        return (said,)
    settled = EventFact(
        1, HIDDEN, flags | Flag.BOOKKEEPING, replaces=queued_key(prompt), stream=side, time=time,
        facts=facts, record=said.record, parent=said.parent,
    )  # fmt: skip
    return (said, settled)
