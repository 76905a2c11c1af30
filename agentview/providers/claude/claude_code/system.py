"""Events of `system` records: what the client itself reports."""

from collections.abc import Callable, Sequence
from functools import partial

from agentview.domain.events import (
    Compaction,
    Event,
    Level,
    Notification,
    Reset,
    SlashCommand,
    Topic,
)
from agentview.normalize.json_values import seconds_of, whole_of
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.claude.claude_code.schema import ApiError, Compacted, HookRun, Report
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.prompt_tags import unwrap, without_ansi
from agentview.providers.claude.shared.user_records import prompt_events

_LEVELS = {"error": Level.ERROR, "warning": Level.WARNING, "warn": Level.WARNING}

BOOKKEEPING = {
    "session_start": "the session began",
    "thinking": "a mark of the client about thinking",
    "api_metrics": "timings of requests to the model",
    "file_snapshot": "which files the client keeps copies of",
}
"""Types of reports that are not shown, with the reason."""


def system_events(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Events of a `system` record; those of 1.0.x have no subtype."""
    subtype = record.record.subtype or None
    make = MAKERS.get(subtype or "")
    if make is not None:
        return make(record, record.read_as(Report))
    if subtype in BOOKKEEPING:
        return [hidden(record, BOOKKEEPING[subtype], f"system/{subtype}")]
    if subtype is not None:
        return [record.unknown(f"system/{subtype}")]
    own = record.read_as(Report)
    if not own.content:
        return [hidden(record, "a report without a text", "system")]
    if own.content.lstrip().startswith("<"):
        return _local_command(record, own)
    topic = Topic.HOOK if _is_hook(own.content) else Topic.SYSTEM
    return [_notice(record, topic, without_ansi(own.content))]


def _is_hook(content: str) -> bool:
    return any(word in content[:200] for word in ("ToolUse", "Stop", "UserPromptSubmit", "hook"))


def _notice(
    record: ClaudeRecord,
    topic: Topic,
    text: str,
    *,
    level: Level | None = None,
    detail: str | None = None,
    duration: float | None = None,
) -> Event:
    if level is None:
        level = _LEVELS.get(record.record.level or "", Level.INFO)
    call_id = record.record.tool_use_id or None
    return record.event("notice", Notification(topic, text, level, detail, call_id, duration))


def _content(own: Report, otherwise: str) -> str:
    return without_ansi(own.content or otherwise)


def _compact_boundary(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    meta = own.compact_metadata or Compacted()
    body = Compaction(
        trigger=meta.trigger or None,
        tokens_before=whole_of(meta.pre_tokens),
        tokens_after=whole_of(meta.post_tokens),
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _microcompact_boundary(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    """Only old tool results left the context; the history stands."""
    meta = own.microcompact_metadata or Compacted()
    saved, before = whole_of(meta.tokens_saved), whole_of(meta.pre_tokens)
    details = (
        f"{saved:,} tokens saved" if saved is not None else None,
        f"of {before:,}" if before is not None else None,
        meta.trigger,
    )
    detail = ", ".join(filter(None, details)) or None
    text = "Old tool results were removed from the context"
    return [_notice(record, Topic.SYSTEM, text, detail=detail)]


def _local_command(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    content = own.content or ""
    if unwrap(content).parts:
        return prompt_events(record, [content], (), None)
    return [record.event("part0", SlashCommand("", output=without_ansi(content)))]


def _stop_hooks(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    errors = list(filter(None, map(_said, own.hook_errors or ())))
    context = list(filter(None, map(_said, own.hook_additional_context or ())))
    stopped, reason = own.prevented_continuation, own.stop_reason
    if not (errors or context or stopped or reason):
        return [
            hidden(record, "hooks at the end of the turn said nothing", "system/stop_hook_summary")
        ]
    text = "A stop hook ended the turn" if stopped else "Stop hooks reported"
    if reason:
        text = f"{text}: {reason}"
    commands = filter(None, map(_hook_run, own.hook_infos or ()))
    detail = "\n".join((*errors, *context, *commands)) or None
    level = Level.WARNING if errors or stopped else Level.INFO
    return [_notice(record, Topic.HOOK, text, level=level, detail=detail)]


def _said(item: HookRun | str | None) -> str | None:
    return item.message if isinstance(item, HookRun) else item


def _hook_run(item: HookRun | None) -> str | None:
    info = item or HookRun()
    duration = seconds_of(info.duration_ms)
    timed = info.command and duration is not None
    return f"{info.command} ({duration:.1f} s)" if timed else info.command


def _turn_duration(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    running = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for word, said in (
            ("agent", own.pending_background_agent_count),
            ("workflow", own.pending_workflow_count),
        )
        if (count := whole_of(said))
    ]
    detail = f"still running in the background: {', '.join(running)}" if running else None
    duration, text = seconds_of(own.duration_ms), "The turn ended"
    return [_notice(record, Topic.TURN_END, text, detail=detail, duration=duration)]


def _api_error(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    text = _error_text(own.error) if isinstance(own.error, ApiError) else own.error
    text = text or _content(own, "The request failed")
    attempt, most = whole_of(own.retry_attempt), whole_of(own.max_retries)
    wait = seconds_of(own.retry_in_ms)
    detail = None
    if attempt:
        detail = f"retry {attempt}" + (f" of {most}" if most is not None else "")
        detail += f" in {wait:.1f} s" if wait is not None else ""
    level = Level.WARNING if attempt else Level.ERROR
    return [_notice(record, Topic.API_ERROR, text, level=level, detail=detail)]


def _error_text(error: ApiError) -> str:
    inner = error.error or ApiError()
    status, said = whole_of(error.status), (inner.error or inner).message
    parts = (None if status is None else str(status), said)
    return error.formatted or error.message or " ".join(filter(None, parts))


def _refusal(record: ClaudeRecord, own: Report) -> Sequence[LightEvent]:
    """The vendor refused to answer, or another model answered instead."""
    old, new = own.original_model, own.fallback_model
    text = _content(own, f"{new or 'Another model'} answers in place of {old or 'this one'}")
    details = (
        own.api_refusal_category,
        own.api_refusal_explanation,
        own.trigger,
        f"{old} → {new}" if old and new else None,
    )
    detail = "\n".join(filter(None, details)) or None
    topic = Topic.MODEL if old or new else Topic.API_ERROR
    return [_notice(record, topic, text, level=Level.WARNING, detail=detail)]


def _note(
    topic: Topic, otherwise: str, level: Level | None, record: ClaudeRecord, own: Report
) -> Sequence[LightEvent]:
    listed = "\n".join(filter(None, own.written_paths or own.commands or ()))
    text, detail = _content(own, otherwise), own.url or listed or None
    return [_notice(record, topic, text, level=level, detail=detail)]


_informational = partial(_note, Topic.SYSTEM, "A note of the client", None)


MAKERS: dict[str, Callable[[ClaudeRecord, Report], Sequence[LightEvent]]] = {
    "agents_killed": partial(
        _note, Topic.BACKGROUND, "All background agents were stopped", Level.WARNING
    ),
    "api_error": _api_error,
    "api_refusal": _refusal,
    "away_summary": _informational,
    "bridge_status": partial(_note, Topic.LINK, "Remote control", None),
    "cloud_session_status": partial(_note, Topic.LINK, "A session in the cloud", None),
    "compact_boundary": _compact_boundary,
    "error": _api_error,
    "informational": _informational,
    "local_command": _local_command,
    "memory_saved": partial(_note, Topic.SYSTEM, "Memories were saved", None),
    "microcompact_boundary": _microcompact_boundary,
    "model_fallback": _refusal,
    "model_refusal_fallback": _refusal,
    "permission_retry": partial(_note, Topic.MODE, "A refused call was allowed", None),
    "scheduled_task_fire": _informational,
    "stop_hook_summary": _stop_hooks,
    "turn_duration": _turn_duration,
}
"""Types of reports that are shown, with what makes their events."""
