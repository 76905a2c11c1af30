"""What joins a record with others, straight from its header: the records that most of a log is of.

Made for indexing, where no event is looked at. A record of a form that is not told here goes
through its events, which say the same of the others too.
"""

from collections.abc import Callable
from functools import lru_cache

from msgspec import MsgspecError, Raw
from msgspec.json import decode as value_of

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts, Title, TitleSource, TokenUsage
from agentview.domain.outline import (
    KIND_CODES,
    NO_ROW,
    PROMPT_CHARS,
    EventFact,
    Flag,
    Role,
    Signal,
)
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.providers.claude_code import attachments, state, system, tools
from agentview.providers.claude_code.assistant import SYNTHETIC
from agentview.providers.claude_code.content import text_in
from agentview.providers.claude_code.frame import agent_stream, queued_key, sidechain, time_of
from agentview.providers.claude_code.header import (
    Attached,
    Block,
    Header,
    Structured,
    UsageHeader,
    read_header,
)
from agentview.providers.claude_code.wrappers import unwrap

Outline = tuple[EventFact, ...]

_MESSAGE = KIND_CODES[RowKind.MESSAGE]
_REASONING = KIND_CODES[RowKind.REASONING]
_RESULT = KIND_CODES[RowKind.RESULT]
_HIDDEN = KIND_CODES[RowKind.HIDDEN]
_USER = KIND_CODES[RowKind.USER]
_NOTICE = KIND_CODES[RowKind.NOTICE]
_ATTACHMENT = KIND_CODES[RowKind.ATTACHMENT]
_COMPACTION = KIND_CODES[RowKind.COMPACTION]
_SPECIAL = frozenset({ToolKind.SUBAGENT_TASK, ToolKind.PLAN})
"""Kinds whose arguments matter for more than showing them."""
_SHELL_PROGRESS = frozenset({"bash_progress", "powershell_progress"})
_OTHER_PROGRESS = frozenset(
    {"mcp_progress", "query_update", "search_results_received", "waiting_for_task"}
)
_FILES = frozenset(
    {
        "already_read_file",
        "compact_file_reference",
        "diagnostics",
        "directory",
        "edited_text_file",
        "file",
        "nested_memory",
        "pdf_reference",
        "plan_file_reference",
        "selected_lines_in_ide",
    }
)
_HOOKS = frozenset(
    {
        "async_hook_response",
        "hook_additional_context",
        "hook_blocking_error",
        "hook_cancelled",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_stopped_continuation",
        "hook_system_message",
    }
)
_NOTES = {
    "away_summary": Signal.NONE,
    "informational": Signal.NONE,
    "memory_saved": Signal.NONE,
    "permission_retry": Signal.NONE,
    "scheduled_task_fire": Signal.NONE,
    "turn_duration": Signal.PERSON,
}
_QUEUED = frozenset({"enqueue", "popAll", "remove"})


def outliner(session: SessionRef) -> Callable[[bytes], Outline | None]:
    """What gives the facts of a record of a session; None for one that is to be decoded."""
    own = session.stream
    in_main = own.kind is StreamKind.MAIN

    def outline(record: bytes) -> Outline | None:
        try:
            header = read_header(record)
            make = _MAKERS.get(header.type)
            if make is None:
                return None
            if in_main and header.is_sidechain:
                stream = sidechain(header.agent_id)
                return make(header, stream, Flag.SIDE, stream)
            return make(header, None, 0, own)
        except (MsgspecError, ValueError, RecursionError):
            return None

    return outline


@lru_cache(maxsize=256)
def _facts(
    cwd: str | None, branch: str | None, model: str | None, version: str | None, mode: str | None
) -> Facts | None:
    known = (cwd or None, branch or None, model or None, version or None, mode or None)
    return Facts(*known) if any(known) else None


def _told(header: Header) -> Facts | None:
    return _facts(header.cwd, header.git_branch, None, header.version, header.permission_mode)


def _twin(uuid: str | None, suffix: str) -> str | None:
    # An id has no blanks; a text that stands for a removed id must not make twins.
    return f"{uuid}:{suffix}" if uuid and " " not in uuid else None


def _event(
    header: Header, side: Stream | None, flags: int, kind: int, suffix: str,
    key: str | None = None, role: int = Role.NONE, signal: int = Signal.NONE,
) -> Outline:  # fmt: skip
    """A record that is one event."""
    return (
        EventFact(
            0, kind, flags, role, key, _twin(header.uuid, suffix), None, False, None, side, None,
            signal, time_of(header.timestamp), None, None, _told(header),
        ),
    )  # fmt: skip


def _hidden(header: Header, side: Stream | None, flags: int) -> Outline:
    return _event(header, side, flags | Flag.BOOKKEEPING, _HIDDEN, "hidden")


def _response(header: Header, side: Stream | None, flags: int, _stream: Stream) -> Outline | None:
    message = header.message
    if message is None or header.is_api_error_message or message.model == SYNTHETIC:
        return None
    uuid = header.uuid if header.uuid and " " not in header.uuid else None
    response = message.id or header.request_id or uuid
    content = message.content
    if not response or not content:
        return None
    if isinstance(content, str):
        content = [Block("text", content)]
    time = time_of(header.timestamp)
    facts = _facts(
        header.cwd, header.git_branch, message.model, header.version, header.permission_mode
    )
    found: list[EventFact] = []
    for index, block in enumerate(content):
        part = _part(block)
        if part is None:
            return None
        kind, marks, role, key, signal = part
        found.append(
            EventFact(
                index, kind, flags | marks, role, key, f"{uuid}:{index}" if uuid else None, None,
                False, response, side, None, signal, time, None, None, facts,
            )
        )  # fmt: skip
    if message.usage is not None:
        usage = TokenUsage(response, _usage(message.usage), message.model or None)
        found.append(
            EventFact(
                len(found), NO_ROW, flags, Role.NONE, None, None, f"usage:{response}", False,
                response, side, None, Signal.NONE, time, usage, None, facts,
            )
        )  # fmt: skip
    return tuple(found)


Part = tuple[int, int, int, str | None, int]
"""Kind, flags, role, key and signal of a block."""

_TEXT: Part = (_MESSAGE, 0, Role.NONE, None, Signal.PERSON)
_EMPTY: Part = (_HIDDEN, Flag.BOOKKEEPING, Role.NONE, None, Signal.NONE)
_THOUGHT: Part = (_REASONING, 0, Role.NONE, None, Signal.AGENT)


def _part(block: Block) -> Part | None:
    kind = block.type
    if kind == "tool_use":
        given = block.input
        if not block.id or block.name is None or given is None or given.unparsed:
            return None
        call = _call(block.name)
        return None if call is None else (call[0], 0, Role.CALL, block.id, call[1])
    if kind == "text":
        text = block.text
        return _EMPTY if not text or text.isspace() else _TEXT
    return _THOUGHT if kind in ("thinking", "redacted_thinking") else None


@lru_cache(maxsize=256)
def _call(name: str) -> tuple[int, int] | None:
    """Kind and signal of a call, None when its arguments have a say."""
    spec = tools.spec_for(name)
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
    )


def _user(header: Header, side: Stream | None, flags: int, stream: Stream) -> Outline | None:
    message = header.message
    if message is None or not message.content or header.is_compact_summary:
        return None
    content = message.content
    if isinstance(content, str):
        return _prompt(header, side, flags, stream, [content])
    kinds = {block.type for block in content}
    if kinds == {"tool_result"}:
        return _results(header, side, flags, stream, content)
    if kinds == {"text"}:
        texts = [block.text for block in content if block.text is not None]
        return _prompt(header, side, flags, stream, texts) if len(texts) == len(content) else None
    return None


def _results(
    header: Header, side: Stream | None, flags: int, stream: Stream, blocks: list[Block]
) -> Outline | None:
    time, facts = time_of(header.timestamp), _told(header)
    structured = header.tool_use_result if len(blocks) == 1 else None
    child = None
    if isinstance(structured, Structured):
        # A result may name the very agent whose log it stands in.
        child = agent_stream(structured.agent_id)
        child = None if child == stream else child
    found: list[EventFact] = []
    for index, block in enumerate(blocks):
        failed = _failed(block.is_error, structured)
        if failed is None or not block.tool_use_id:
            return None
        found.append(
            EventFact(
                index, _RESULT, flags | Flag.PROBLEM if failed else flags, Role.RESULT,
                block.tool_use_id, _twin(header.uuid, str(index)), None, False, None, side, child,
                Signal.AGENT, time, None, None, facts,
            )
        )  # fmt: skip
    return tuple(found)


def _failed(flag: bool | None, structured: object) -> bool | None:
    """Whether a call failed; None when only the text of its result tells."""
    if flag is not None:
        return flag
    if isinstance(structured, Structured):
        return structured.is_error is True
    return None if isinstance(structured, str) else False


def _prompt(
    header: Header, side: Stream | None, flags: int, stream: Stream, texts: list[str]
) -> Outline | None:
    """A prompt that has nothing wrapped around it."""
    if header.is_meta:
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
    time, facts = time_of(header.timestamp), _told(header)
    turn = flags if side is not None else flags | Flag.TURN
    said = EventFact(
        0, _USER, turn, Role.NONE, None, _twin(header.uuid, "prompt"), None, False, None, side,
        None, Signal.AGENT, time, None, None, facts, prompt[:PROMPT_CHARS],
    )  # fmt: skip
    if stream.kind is not StreamKind.MAIN:
        return (said,)
    settled = EventFact(
        1, _HIDDEN, flags | Flag.BOOKKEEPING, replaces=queued_key(prompt), stream=side, time=time,
        facts=facts,
    )  # fmt: skip
    return (said, settled)


def _progress(header: Header, side: Stream | None, flags: int, _stream: Stream) -> Outline | None:
    kind = header.data.type if header.data is not None else None
    if kind == "hook_progress":
        return _hidden(header, side, flags)
    call_id = header.parent_tool_use_id or header.tool_use_id
    if call_id and (kind in _SHELL_PROGRESS or kind in _OTHER_PROGRESS):
        flags |= Flag.BOOKKEEPING
        return _event(header, side, flags, _HIDDEN, "progress", call_id, Role.PROGRESS)
    return None


def _attachment(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    attached = header.attachment
    kind = attached.type if attached is not None else None
    if attached is None or not kind:
        return None
    if kind in attachments.BOOKKEEPING or (kind == "hook_success" and _quiet(attached)):
        return _hidden(header, side, flags)
    if kind == "hook_success" or kind in _HOOKS:
        key = attached.tool_use_id or None
        return _event(header, side, flags, _NOTICE, "attachment", key)
    return _event(header, side, flags, _ATTACHMENT, "attachment") if kind in _FILES else None


def _quiet(hook: Attached) -> bool:
    said = _text(hook.content) or _text(hook.stdout)
    return not said.strip("{} \n") and not _text(hook.stderr).strip()


def _text(raw: Raw) -> str:
    return text_in(value_of(raw)) if raw else ""


def _system(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    subtype = header.subtype or ""
    if subtype in system.BOOKKEEPING:
        return _hidden(header, side, flags)
    if subtype == "compact_boundary":
        return _event(header, side, flags, _COMPACTION, "compaction")
    if subtype == "stop_hook_summary":
        said = (
            header.hook_errors or header.hook_additional_context or header.stop_reason
            or header.prevented_continuation
        )  # fmt: skip
        return None if said else _hidden(header, side, flags)
    if subtype not in _NOTES:
        return None
    flags |= Flag.PROBLEM if header.level == "error" else 0
    key = header.tool_use_id or None
    return _event(header, side, flags, _NOTICE, "notice", key, signal=_NOTES[subtype])


def _bookkeeping(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return _hidden(header, side, flags)


def _mode(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    (found,) = _hidden(header, side, flags)
    return (found._replace(facts=_facts_of_mode(header.mode)),)


@lru_cache(maxsize=256)
def _facts_of_mode(mode: str | None) -> Facts:
    return Facts(mode=mode or None)


def _cost(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    (found,) = _hidden(header, side, flags)
    return (found._replace(facts=Facts(cost=header.total_cost_usd)),)


def _queue(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return None if header.operation in _QUEUED else _hidden(header, side, flags)


def _title(
    header: Header, side: Stream | None, flags: int, text: str | None, source: TitleSource
) -> Outline:
    if not text:
        return _hidden(header, side, flags)
    (found,) = _event(header, side, flags, NO_ROW, "title")
    return (found._replace(title=Title(text, source, header.leaf_uuid or None)),)


def _ai_title(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return _title(header, side, flags, header.ai_title, TitleSource.AI)


def _custom_title(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return _title(header, side, flags, header.custom_title, TitleSource.CUSTOM)


_MAKERS: dict[str | None, Callable[[Header, Stream | None, int, Stream], Outline | None]] = {
    **dict.fromkeys(state.BOOKKEEPING, _bookkeeping),
    "ai-title": _ai_title,
    "assistant": _response,
    "attachment": _attachment,
    "cost-state": _cost,
    "custom-title": _custom_title,
    "mode": _mode,
    "progress": _progress,
    "queue-operation": _queue,
    "system": _system,
    "user": _user,
}
