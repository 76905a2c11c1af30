"""Events of `system` records: what the client itself reports while it prints."""

from collections.abc import Callable

from agentview.domain.events import (
    Compaction,
    Event,
    Facts,
    Level,
    Notification,
    Reset,
    SlashCommand,
    Title,
    TitleSource,
    ToolProgress,
    Topic,
    runs,
)
from agentview.normalize.json_values import seconds_of, text_of, whole_of
from agentview.providers.claude.claude_stream.schema import Compacted, Report, Spent
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.prompt_tags import without_ansi

BOOKKEEPING = {
    "background_tasks_changed": "which tasks run in the background",
    "bridge_state": "whether another device is connected",
    "commands_changed": "which commands there are",
    "control_request_progress": "a request of the host is at work",
    "elicitation_complete": "a question of a server was answered",
    "hook_progress": "a hook is at work",
    "hook_started": "a hook began",
    "per_turn_effort_changed": "whether a turn has an effort setting of its own",
    "permission_check_status": "whether a permission is being checked",
    "permission_denied": "the result of the call says that it was refused",
    "session_state_changed": "whether the client is at work",
    "shell_cwd": "the directory of the shell",
    "task_started": "reported by the call that started this task",
    "task_updated": "the outcome of the task has its own record",
    "thinking_tokens": "how many tokens were thought",
    "vcs_state_changed": "reported by the call that changed the repository",
}
"""Subtypes that are not shown, with the reason."""

_LEVELS = {"warning": Level.WARNING, "error": Level.ERROR}
_BROKEN_SERVERS = frozenset({"failed", "needs-auth"})
_TASK_LEVELS = {"failed": Level.ERROR, "stopped": Level.WARNING, "killed": Level.WARNING}
_URGENT = frozenset({"high", "immediate"})


def system_events(record: ClaudeRecord) -> list[Event]:
    """Events of a `system` record, by its subtype."""
    subtype = record.record.subtype or "(none)"
    make = MAKERS.get(subtype)
    if make is not None:
        return make(record, record.read_as(Report))
    if subtype in BOOKKEEPING:
        return [record.hidden(BOOKKEEPING[subtype], f"system/{subtype}")]
    return [record.unknown(f"system/{subtype}")]


def notice(
    record: ClaudeRecord,
    topic: Topic,
    text: str,
    level: Level = Level.INFO,
    detail: str | None = None,
) -> list[Event]:
    """One thing that the client says, without the colours of its terminal."""
    body = Notification(topic, without_ansi(text), level, detail or None)
    return [record.event("notice", body)]


def _init(record: ClaudeRecord, own: Report) -> list[Event]:
    """The client begins; again with each prompt of a host that gives several."""
    said = record.record
    facts = Facts(
        cwd=said.cwd or None,
        model=own.model or None,
        client_version=own.claude_code_version or None,
        mode=said.permission_mode or None,
    )
    events = [record.hidden("the client begins", "system/init", facts=facts)]
    broken = [
        f"{server.name}: {server.status}"
        for server in own.mcp_servers or ()
        if server is not None and server.status in _BROKEN_SERVERS
    ]
    if broken:
        text = "Servers that cannot be used"
        events += notice(record, Topic.SYSTEM, text, Level.WARNING, "\n".join(broken))
    return events


def _status(record: ClaudeRecord, own: Report) -> list[Event]:
    if own.compact_error:
        text = f"Compaction failed: {own.compact_error}"
        return notice(record, Topic.SYSTEM, text, Level.WARNING)
    mode = record.record.permission_mode
    facts = Facts(mode=mode) if mode else None
    return [record.hidden("what the client is doing now", "system/status", facts=facts)]


def _compact_boundary(record: ClaudeRecord, own: Report) -> list[Event]:
    meta = own.compact_metadata or Compacted()
    body = Compaction(
        trigger=meta.trigger or None,
        tokens_before=whole_of(meta.pre_tokens),
        tokens_after=whole_of(meta.post_tokens),
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _api_retry(record: ClaudeRecord, own: Report) -> list[Event]:
    status = whole_of(own.error_status)
    said = text_of(own.error) or "error"
    text = f"The request failed: {status} {said}" if status is not None else f"No answer: {said}"
    attempt, most = whole_of(own.attempt), whole_of(own.max_retries)
    wait = seconds_of(own.retry_delay_ms)
    detail = f"retry {attempt}" if attempt is not None else "retry"
    detail += f" of {most}" if most is not None else ""
    detail += f" in {wait:.1f} s" if wait is not None else ""
    return notice(record, Topic.API_ERROR, text, Level.WARNING, detail)


def _task_progress(record: ClaudeRecord, own: Report) -> list[Event]:
    said = own.summary or own.description
    if not own.tool_use_id or not said:
        return [record.hidden("a task is at work", "system/task_progress")]
    return [record.event("progress", ToolProgress(own.tool_use_id, said, _taken(own)))]


def _taken(own: Report) -> float | None:
    return seconds_of((own.usage or Spent()).duration_ms)


def _task_notification(record: ClaudeRecord, own: Report) -> list[Event]:
    """The outcome of a background task; the result of its call reports one in the foreground."""
    status = own.status or ""
    if not own.output_file and own.tool_use_id:
        reason = "a task in the foreground ended, as the result of its call says"
        return [record.hidden(reason, "system/task_notification")]
    body = Notification(
        Topic.BACKGROUND,
        without_ansi(own.summary or f"A background task {status}".strip()),
        _TASK_LEVELS.get(status, Level.INFO),
        detail=own.output_file or None,
        call_id=own.tool_use_id or None,
        duration=_taken(own),
    )
    return [record.event("notice", body, path=runs(own.task_id or None))]


def _hook_response(record: ClaudeRecord, own: Report) -> list[Event]:
    name = own.hook_name or own.hook_event or "A hook"
    said = "\n".join(filter(None, (text_of(own.output) or own.stdout, own.stderr)))
    if own.outcome in ("error", "cancelled"):
        code = whole_of(own.exit_code)
        ended = "was cancelled" if own.outcome == "cancelled" else "failed"
        text = f"{name} {ended}" + (f" with exit code {code}" if code is not None else "")
        return notice(record, Topic.HOOK, text, Level.WARNING, said)
    if not said.strip():
        return [record.hidden(f"{name} said nothing", "system/hook_response")]
    return notice(record, Topic.HOOK, name, detail=said)


def _local_command_output(record: ClaudeRecord, own: Report) -> list[Event]:
    return [record.event("part0", SlashCommand("", output=without_ansi(own.content or "")))]


def _files_persisted(record: ClaudeRecord, own: Report) -> list[Event]:
    failed = [f"{each.filename}: {each.error}" for each in own.failed or () if each is not None]
    if not failed:
        return [record.hidden("files were kept", "system/files_persisted")]
    text = "Files could not be kept"
    return notice(record, Topic.SYSTEM, text, Level.WARNING, "\n".join(failed))


def _informational(record: ClaudeRecord, own: Report) -> list[Event]:
    level = _LEVELS.get(record.record.level or "", Level.INFO)
    return notice(record, Topic.SYSTEM, own.content or "A note of the client", level)


def _notification(record: ClaudeRecord, own: Report) -> list[Event]:
    level = Level.WARNING if own.priority in _URGENT else Level.INFO
    return notice(record, Topic.SYSTEM, own.text or "A note of the client", level)


def _memory_recall(record: ClaudeRecord, own: Report) -> list[Event]:
    paths = [each.path for each in own.memories or () if each is not None and each.path]
    text = f"{len(paths)} memor{'y was' if len(paths) == 1 else 'ies were'} recalled"
    return notice(record, Topic.SYSTEM, text, detail="\n".join(paths))


def _refusal(record: ClaudeRecord, own: Report) -> list[Event]:
    """The vendor refused to answer; another model may have answered instead."""
    old, new = own.original_model, own.fallback_model
    otherwise = f"{new} answers in place of {old or 'another'}" if new else "The model refused"
    details = (
        own.api_refusal_category,
        own.api_refusal_explanation,
        f"{old} → {new}" if old and new else None,
    )
    detail = "\n".join(filter(None, details))
    topic = Topic.MODEL if new else Topic.API_ERROR
    return notice(record, topic, own.content or otherwise, Level.WARNING, detail)


def _plugin_install(record: ClaudeRecord, own: Report) -> list[Event]:
    if own.status != "failed":
        return [record.hidden("a plugin is made ready", "system/plugin_install")]
    text = f"The plugin {own.name or ''} was not installed".replace("  ", " ")
    return notice(record, Topic.SYSTEM, text, Level.WARNING, text_of(own.error))


def _shutting_down(record: ClaudeRecord, own: Report) -> list[Event]:
    text = f"The client shuts down: {own.reason or 'no reason given'}"
    return notice(record, Topic.SYSTEM, text, Level.WARNING)


def _mirror_error(record: ClaudeRecord, own: Report) -> list[Event]:
    text = "The transcript was not copied"
    return notice(record, Topic.SYSTEM, text, Level.WARNING, text_of(own.error))


def _writes_lost(record: ClaudeRecord, own: Report) -> list[Event]:
    lost = ", ".join(filter(None, own.lost or ()))
    text = f"The disk is full; not written: {lost or 'unknown'}"
    return notice(record, Topic.SYSTEM, text, Level.ERROR, own.error_code)


def _published(record: ClaudeRecord, own: Report) -> list[Event]:
    """The pull request that the session works on; said again with each push to it (2.1.217)."""
    number = f"#{own.identifier}" if own.identifier else ""
    text = f"Pull request {own.repo or ''}{number}".strip()
    body = Notification(Topic.LINK, text, detail=own.url or None)
    return [record.event("link", body, dedupe_key=f"link:{own.url or text}")]


def _titled(record: ClaudeRecord, own: Report) -> list[Event]:
    if not own.title:
        return [record.hidden("a title without a text", "system/session_title_changed")]
    source = TitleSource.CUSTOM if own.given_by == "user" else TitleSource.AI
    return [record.event("title", Title(own.title, source))]


MAKERS: dict[str, Callable[[ClaudeRecord, Report], list[Event]]] = {
    "api_retry": _api_retry,
    "code_change_published": _published,
    "compact_boundary": _compact_boundary,
    "files_persisted": _files_persisted,
    "hook_response": _hook_response,
    "informational": _informational,
    "init": _init,
    "local_command_output": _local_command_output,
    "memory_recall": _memory_recall,
    "mirror_error": _mirror_error,
    "model_refusal_fallback": _refusal,
    "model_refusal_no_fallback": _refusal,
    "notification": _notification,
    "plugin_install": _plugin_install,
    "session_title_changed": _titled,
    "session_writes_lost": _writes_lost,
    "status": _status,
    "task_notification": _task_notification,
    "task_progress": _task_progress,
    "worker_shutting_down": _shutting_down,
}
"""Subtypes that are shown, with what makes their events (SDK 0.3.329, client 2.1.332)."""
