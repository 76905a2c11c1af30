"""Events of `system` records: what the client itself reports."""

from collections.abc import Callable, Sequence

from agentview.domain.events import (
    Compaction,
    Event,
    Level,
    Notification,
    Reset,
    SlashCommand,
    Topic,
)
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers._kit.typed_records import LightEvent, hidden
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
        return make(record)
    if subtype in BOOKKEEPING:
        return [hidden(record, BOOKKEEPING[subtype], f"system/{subtype}")]
    content = text_of(record.fields.get("content"))
    if subtype is not None:
        return [record.unknown(f"system/{subtype}")]
    if content is None:
        return [hidden(record, "a report without a text", "system")]
    if content.lstrip().startswith("<"):
        return _local_command(record)
    topic = Topic.HOOK if _is_hook(content) else Topic.SYSTEM
    return [_notice(record, topic, without_ansi(content))]


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


def _content(record: ClaudeRecord, otherwise: str) -> str:
    return without_ansi(text_of(record.fields.get("content")) or otherwise)


def _compact_boundary(record: ClaudeRecord) -> Sequence[LightEvent]:
    meta = fields_of(record.fields.get("compactMetadata"))
    body = Compaction(
        trigger=text_of(meta.get("trigger")),
        tokens_before=whole_of(meta.get("preTokens")),
        tokens_after=whole_of(meta.get("postTokens")),
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _microcompact_boundary(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Only old tool results left the context; the history stands."""
    meta = fields_of(record.fields.get("microcompactMetadata"))
    saved = whole_of(meta.get("tokensSaved"))
    before = whole_of(meta.get("preTokens"))
    details = [
        f"{saved:,} tokens saved" if saved is not None else None,
        f"of {before:,}" if before is not None else None,
        text_of(meta.get("trigger")),
    ]
    detail = ", ".join(part for part in details if part) or None
    text = "Old tool results were removed from the context"
    return [_notice(record, Topic.SYSTEM, text, detail=detail)]


def _local_command(record: ClaudeRecord) -> Sequence[LightEvent]:
    content = text_of(record.fields.get("content")) or ""
    found = unwrap(content)
    if found.parts:
        return prompt_events(record, [content], (), None)
    return [record.event("part0", SlashCommand("", output=without_ansi(content)))]


def _stop_hooks(record: ClaudeRecord) -> Sequence[LightEvent]:
    fields = record.fields
    errors = [text for item in items_of(fields.get("hookErrors")) if (text := _said(item))]
    added = items_of(fields.get("hookAdditionalContext"))
    context = [text for item in added if (text := _said(item))]
    stopped = fields.get("preventedContinuation") is True
    reason = text_of(fields.get("stopReason"))
    if not (errors or context or stopped or reason):
        return [
            hidden(record, "hooks at the end of the turn said nothing", "system/stop_hook_summary")
        ]
    text = "A stop hook ended the turn" if stopped else "Stop hooks reported"
    if reason:
        text = f"{text}: {reason}"
    runs = items_of(fields.get("hookInfos"))
    commands = [command for item in runs if (command := _hook_run(item))]
    detail = "\n".join((*errors, *context, *commands)) or None
    level = Level.WARNING if errors or stopped else Level.INFO
    return [_notice(record, Topic.HOOK, text, level=level, detail=detail)]


def _said(item: object) -> str | None:
    return text_of(item) or text_of(fields_of(item).get("message"))


def _hook_run(item: object) -> str | None:
    info = fields_of(item)
    command = text_of(info.get("command"))
    duration = seconds_of(info.get("durationMs"))
    return f"{command} ({duration:.1f} s)" if command and duration is not None else command


def _turn_duration(record: ClaudeRecord) -> Sequence[LightEvent]:
    duration = seconds_of(record.fields.get("durationMs"))
    running = [
        f"{count} {word}{'' if count == 1 else 's'}"
        for word, key in (
            ("agent", "pendingBackgroundAgentCount"),
            ("workflow", "pendingWorkflowCount"),
        )
        if (count := whole_of(record.fields.get(key)))
    ]
    detail = f"still running in the background: {', '.join(running)}" if running else None
    text = "The turn ended"
    return [_notice(record, Topic.TURN_END, text, detail=detail, duration=duration)]


def _api_error(record: ClaudeRecord) -> Sequence[LightEvent]:
    fields = record.fields
    error = fields_of(fields.get("error"))
    text = _error_text(error) or text_of(fields.get("error"))
    text = text or _content(record, "The request failed")
    attempt = whole_of(fields.get("retryAttempt"))
    most = whole_of(fields.get("maxRetries"))
    wait = seconds_of(fields.get("retryInMs"))
    detail = None
    if attempt:
        detail = f"retry {attempt}" + (f" of {most}" if most is not None else "")
        detail += f" in {wait:.1f} s" if wait is not None else ""
    level = Level.WARNING if attempt else Level.ERROR
    return [_notice(record, Topic.API_ERROR, text, level=level, detail=detail)]


def _error_text(error: Fields) -> str | None:
    text = text_of(error.get("formatted")) or text_of(error.get("message"))
    if text is not None:
        return text
    inner = fields_of(error.get("error"))
    inner = fields_of(inner.get("error")) or inner
    status = whole_of(error.get("status"))
    parts = [str(status) if status is not None else None, text_of(inner.get("message"))]
    return " ".join(part for part in parts if part) or None


def _refusal(record: ClaudeRecord) -> Sequence[LightEvent]:
    """The vendor refused to answer, or another model answered instead."""
    fields = record.fields
    old, new = text_of(fields.get("originalModel")), text_of(fields.get("fallbackModel"))
    text = _content(record, f"{new or 'Another model'} answers in place of {old or 'this one'}")
    details = [
        text_of(fields.get("apiRefusalCategory")),
        text_of(fields.get("apiRefusalExplanation")),
        text_of(fields.get("trigger")),
        f"{old} → {new}" if old and new else None,
    ]
    detail = "\n".join(part for part in details if part) or None
    topic = Topic.MODEL if old or new else Topic.API_ERROR
    return [_notice(record, topic, text, level=Level.WARNING, detail=detail)]


def _bridge(record: ClaudeRecord) -> Sequence[LightEvent]:
    text = _content(record, "Remote control")
    return [_notice(record, Topic.LINK, text, detail=text_of(record.fields.get("url")))]


def _informational(record: ClaudeRecord) -> Sequence[LightEvent]:
    return [_notice(record, Topic.SYSTEM, _content(record, "A note of the client"))]


def _memory_saved(record: ClaudeRecord) -> Sequence[LightEvent]:
    paths = [
        text for item in items_of(record.fields.get("writtenPaths")) if (text := text_of(item))
    ]
    text = _content(record, "Memories were saved")
    return [_notice(record, Topic.SYSTEM, text, detail="\n".join(paths) or None)]


def _agents_killed(record: ClaudeRecord) -> Sequence[LightEvent]:
    text = _content(record, "All background agents were stopped")
    return [_notice(record, Topic.BACKGROUND, text, level=Level.WARNING)]


def _permission_retry(record: ClaudeRecord) -> Sequence[LightEvent]:
    commands = [text for item in items_of(record.fields.get("commands")) if (text := text_of(item))]
    text = _content(record, "A refused call was allowed")
    return [_notice(record, Topic.MODE, text, detail="\n".join(commands) or None)]


MAKERS: dict[str, Callable[[ClaudeRecord], Sequence[LightEvent]]] = {
    "agents_killed": _agents_killed,
    "api_error": _api_error,
    "api_refusal": _refusal,
    "away_summary": _informational,
    "bridge_status": _bridge,
    "compact_boundary": _compact_boundary,
    "error": _api_error,
    "informational": _informational,
    "local_command": _local_command,
    "memory_saved": _memory_saved,
    "microcompact_boundary": _microcompact_boundary,
    "model_fallback": _refusal,
    "model_refusal_fallback": _refusal,
    "permission_retry": _permission_retry,
    "scheduled_task_fire": _informational,
    "stop_hook_summary": _stop_hooks,
    "turn_duration": _turn_duration,
}
"""Types of reports that are shown, with what makes their events."""
