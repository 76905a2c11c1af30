"""Fast path: links of a record from its header, for the records that most of a log is of.

Made for indexing, which looks at no events. A record of another form is decoded into its events,
which have the same links.
"""

from collections.abc import Callable
from functools import lru_cache

from msgspec import MsgspecError, Raw
from msgspec.json import decode as value_of

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts, Title, TitleSource
from agentview.domain.index_entry import KIND_CODES, NO_ROW, Flag, Role, Signal
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_values import real_of
from agentview.providers.claude.claude_code import attachments, metadata_records, system
from agentview.providers.claude.claude_code.outline_messages import (
    HIDDEN,
    Outline,
    event,
    hidden,
    outline_response,
    outline_user,
)
from agentview.providers.claude.claude_code.outline_models import Attached, Header, read_header
from agentview.providers.claude.shared.content import text_in
from agentview.providers.claude.shared.event_builder import sidechain

_NOTICE = KIND_CODES[RowKind.NOTICE]
_ATTACHMENT = KIND_CODES[RowKind.ATTACHMENT]
_COMPACTION = KIND_CODES[RowKind.COMPACTION]
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
    "turn_duration": Signal.OVER,
}
_QUEUED = frozenset({"enqueue", "popAll", "remove"})


def index_record(session: SessionRef) -> Callable[[bytes], Outline | None]:
    """Return what gives the facts of a record of a session; None for one that is to be decoded."""
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


def _progress(header: Header, side: Stream | None, flags: int, _stream: Stream) -> Outline | None:
    kind = header.data.type if header.data is not None else None
    if kind == "hook_progress":
        return hidden(header, side, flags)
    call_id = header.parent_tool_use_id or header.tool_use_id
    if call_id and (kind in _SHELL_PROGRESS or kind in _OTHER_PROGRESS):
        flags |= Flag.BOOKKEEPING
        return event(header, side, flags, HIDDEN, "progress", call_id, Role.PROGRESS)
    return None


def _attachment(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    attached = header.attachment
    kind = attached.type if attached is not None else None
    if attached is None or not kind:
        return None
    if kind in attachments.BOOKKEEPING or (kind == "hook_success" and _quiet(attached)):
        return hidden(header, side, flags)
    if kind == "hook_success" or kind in _HOOKS:
        key = attached.tool_use_id or None
        return event(header, side, flags, _NOTICE, "attachment", key)
    return event(header, side, flags, _ATTACHMENT, "attachment") if kind in _FILES else None


def _quiet(hook: Attached) -> bool:
    said = _text(hook.content) or _text(hook.stdout)
    return not said.strip("{} \n") and not _text(hook.stderr).strip()


def _text(raw: Raw) -> str:
    return text_in(value_of(raw)) if raw else ""


def _system(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    subtype = header.subtype or ""
    if subtype in system.BOOKKEEPING:
        return hidden(header, side, flags)
    if subtype == "compact_boundary":
        return event(header, side, flags, _COMPACTION, "compaction")
    if subtype == "stop_hook_summary":
        said = (
            header.hook_errors or header.hook_additional_context or header.stop_reason
            or header.prevented_continuation
        )  # fmt: skip
        return None if said else hidden(header, side, flags)
    if subtype not in _NOTES:
        return None
    flags |= Flag.PROBLEM if header.level == "error" else 0
    key = header.tool_use_id or None
    return event(header, side, flags, _NOTICE, "notice", key, signal=_NOTES[subtype])


def _bookkeeping(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return hidden(header, side, flags)


def _mode(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    (found,) = hidden(header, side, flags)
    return (found._replace(facts=_facts_of_mode(header.mode)),)


@lru_cache(maxsize=256)
def _facts_of_mode(mode: str | None) -> Facts:
    return Facts(mode=mode or None)


def _cost(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    (found,) = hidden(header, side, flags)
    cost = None if header.has_unknown_model_cost else real_of(header.total_cost_usd)
    return (found._replace(facts=Facts(cost=cost, ended=True), signal=Signal.ENDED),)


def _queue(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return None if header.operation in _QUEUED else hidden(header, side, flags)


def _title(
    header: Header, side: Stream | None, flags: int, text: str | None, source: TitleSource
) -> Outline:
    if not text:
        return hidden(header, side, flags)
    (found,) = event(header, side, flags, NO_ROW, "title")
    return (found._replace(title=Title(text, source, header.leaf_uuid or None)),)


def _ai_title(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return _title(header, side, flags, header.ai_title, TitleSource.AI)


def _custom_title(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return _title(header, side, flags, header.custom_title, TitleSource.CUSTOM)


def _last_prompt(header: Header, side: Stream | None, flags: int, _: Stream) -> Outline | None:
    return None if header.rewound else hidden(header, side, flags)


_MAKERS: dict[str | None, Callable[[Header, Stream | None, int, Stream], Outline | None]] = {
    **dict.fromkeys(metadata_records.BOOKKEEPING, _bookkeeping),
    "ai-title": _ai_title,
    "assistant": outline_response,
    "attachment": _attachment,
    "cost-state": _cost,
    "custom-title": _custom_title,
    "last-prompt": _last_prompt,
    "mode": _mode,
    "progress": _progress,
    "queue-operation": _queue,
    "system": _system,
    "user": outline_user,
}
