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
    ToolProgress,
    Topic,
    runs,
)
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    whole_of,
)
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
    "permission_denied": "the result of the call says that it was refused",
    "session_state_changed": "whether the client is at work",
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
    subtype = text_of(record.fields.get("subtype")) or "(none)"
    make = MAKERS.get(subtype)
    if make is not None:
        return make(record, record.fields)
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


def _init(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """The client begins; again with each prompt of a host that gives several."""
    facts = Facts(
        cwd=text_of(fields.get("cwd")),
        model=text_of(fields.get("model")),
        client_version=text_of(fields.get("claude_code_version")),
        mode=text_of(fields.get("permissionMode")),
    )
    events = [record.hidden("the client begins", "system/init", facts=facts)]
    broken = [
        f"{server.get('name')}: {server.get('status')}"
        for server in map(fields_of, items_of(fields.get("mcp_servers")))
        if text_of(server.get("status")) in _BROKEN_SERVERS
    ]
    if broken:
        text = "Servers that cannot be used"
        events += notice(record, Topic.SYSTEM, text, Level.WARNING, "\n".join(broken))
    return events


def _status(record: ClaudeRecord, fields: Fields) -> list[Event]:
    mode = text_of(fields.get("permissionMode"))
    facts = Facts(mode=mode) if mode is not None else None
    error = text_of(fields.get("compact_error"))
    if error is not None:
        return notice(record, Topic.SYSTEM, f"Compaction failed: {error}", Level.WARNING)
    return [record.hidden("what the client is doing now", "system/status", facts=facts)]


def _compact_boundary(record: ClaudeRecord, fields: Fields) -> list[Event]:
    meta = fields_of(fields.get("compact_metadata"))
    body = Compaction(
        trigger=text_of(meta.get("trigger")),
        tokens_before=whole_of(meta.get("pre_tokens")),
        tokens_after=whole_of(meta.get("post_tokens")),
    )
    return [record.event("compaction", body, resets=Reset.COMPACTED)]


def _api_retry(record: ClaudeRecord, fields: Fields) -> list[Event]:
    status = whole_of(fields.get("error_status"))
    said = text_of(fields.get("error")) or "error"
    text = f"The request failed: {status} {said}" if status is not None else f"No answer: {said}"
    attempt, most = whole_of(fields.get("attempt")), whole_of(fields.get("max_retries"))
    wait = seconds_of(fields.get("retry_delay_ms"))
    detail = f"retry {attempt}" if attempt is not None else "retry"
    detail += f" of {most}" if most is not None else ""
    detail += f" in {wait:.1f} s" if wait is not None else ""
    return notice(record, Topic.API_ERROR, text, Level.WARNING, detail)


def _task_progress(record: ClaudeRecord, fields: Fields) -> list[Event]:
    call_id = text_of(fields.get("tool_use_id"))
    said = text_of(fields.get("summary")) or text_of(fields.get("description"))
    if call_id is None or said is None:
        return [record.hidden("a task is at work", "system/task_progress")]
    elapsed = seconds_of(fields_of(fields.get("usage")).get("duration_ms"))
    return [record.event("progress", ToolProgress(call_id, said, elapsed))]


def _task_notification(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """The outcome of a background task; the result of its call reports one in the foreground."""
    status = text_of(fields.get("status")) or ""
    output_file = text_of(fields.get("output_file"))
    call_id = text_of(fields.get("tool_use_id"))
    if output_file is None and call_id is not None:
        reason = "a task in the foreground ended, as the result of its call says"
        return [record.hidden(reason, "system/task_notification")]
    body = Notification(
        Topic.BACKGROUND,
        without_ansi(text_of(fields.get("summary")) or f"A background task {status}".strip()),
        _TASK_LEVELS.get(status, Level.INFO),
        detail=output_file,
        call_id=call_id,
        duration=seconds_of(fields_of(fields.get("usage")).get("duration_ms")),
    )
    return [record.event("notice", body, path=runs(text_of(fields.get("task_id"))))]


def _hook_response(record: ClaudeRecord, fields: Fields) -> list[Event]:
    name = text_of(fields.get("hook_name")) or text_of(fields.get("hook_event")) or "A hook"
    outcome = text_of(fields.get("outcome"))
    output = text_of(fields.get("output")) or text_of(fields.get("stdout"))
    said = "\n".join(part for part in (output, text_of(fields.get("stderr"))) if part)
    if outcome in ("error", "cancelled"):
        code = whole_of(fields.get("exit_code"))
        ended = "was cancelled" if outcome == "cancelled" else "failed"
        text = f"{name} {ended}" + (f" with exit code {code}" if code is not None else "")
        return notice(record, Topic.HOOK, text, Level.WARNING, said)
    if not said.strip():
        return [record.hidden(f"{name} said nothing", "system/hook_response")]
    return notice(record, Topic.HOOK, name, detail=said)


def _local_command_output(record: ClaudeRecord, fields: Fields) -> list[Event]:
    output = without_ansi(text_of(fields.get("content")) or "")
    return [record.event("part0", SlashCommand("", output=output))]


def _files_persisted(record: ClaudeRecord, fields: Fields) -> list[Event]:
    failed = [
        f"{item.get('filename')}: {item.get('error')}"
        for item in map(fields_of, items_of(fields.get("failed")))
    ]
    if not failed:
        return [record.hidden("files were kept", "system/files_persisted")]
    text = "Files could not be kept"
    return notice(record, Topic.SYSTEM, text, Level.WARNING, "\n".join(failed))


def _informational(record: ClaudeRecord, fields: Fields) -> list[Event]:
    level = _LEVELS.get(text_of(fields.get("level")) or "", Level.INFO)
    text = text_of(fields.get("content")) or "A note of the client"
    return notice(record, Topic.SYSTEM, text, level)


def _notification(record: ClaudeRecord, fields: Fields) -> list[Event]:
    urgent = text_of(fields.get("priority")) in _URGENT
    text = text_of(fields.get("text")) or "A note of the client"
    return notice(record, Topic.SYSTEM, text, Level.WARNING if urgent else Level.INFO)


def _memory_recall(record: ClaudeRecord, fields: Fields) -> list[Event]:
    paths = [
        path
        for item in map(fields_of, items_of(fields.get("memories")))
        if (path := text_of(item.get("path")))
    ]
    text = f"{len(paths)} memor{'y was' if len(paths) == 1 else 'ies were'} recalled"
    return notice(record, Topic.SYSTEM, text, detail="\n".join(paths))


def _refusal(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """The vendor refused to answer; another model may have answered instead."""
    old, new = text_of(fields.get("original_model")), text_of(fields.get("fallback_model"))
    otherwise = f"{new} answers in place of {old or 'another'}" if new else "The model refused"
    details = (
        text_of(fields.get("api_refusal_category")),
        text_of(fields.get("api_refusal_explanation")),
        f"{old} → {new}" if old and new else None,
    )
    detail = "\n".join(part for part in details if part)
    topic = Topic.MODEL if new else Topic.API_ERROR
    text = text_of(fields.get("content")) or otherwise
    return notice(record, topic, text, Level.WARNING, detail)


def _plugin_install(record: ClaudeRecord, fields: Fields) -> list[Event]:
    if fields.get("status") != "failed":
        return [record.hidden("a plugin is made ready", "system/plugin_install")]
    text = f"The plugin {fields.get('name') or ''} was not installed".replace("  ", " ")
    return notice(record, Topic.SYSTEM, text, Level.WARNING, text_of(fields.get("error")))


def _shutting_down(record: ClaudeRecord, fields: Fields) -> list[Event]:
    reason = text_of(fields.get("reason")) or "no reason given"
    return notice(record, Topic.SYSTEM, f"The client shuts down: {reason}", Level.WARNING)


def _mirror_error(record: ClaudeRecord, fields: Fields) -> list[Event]:
    text = "The transcript was not copied"
    return notice(record, Topic.SYSTEM, text, Level.WARNING, text_of(fields.get("error")))


def _writes_lost(record: ClaudeRecord, fields: Fields) -> list[Event]:
    lost = ", ".join(part for item in items_of(fields.get("lost")) if (part := text_of(item)))
    text = f"The disk is full; not written: {lost or 'unknown'}"
    return notice(record, Topic.SYSTEM, text, Level.ERROR, text_of(fields.get("error_code")))


def _published(record: ClaudeRecord, fields: Fields) -> list[Event]:
    """The pull request that the session works on; said again with each push to it (2.1.217)."""
    repository, number = text_of(fields.get("repo")), text_of(fields.get("identifier"))
    url = text_of(fields.get("url"))
    text = f"Pull request {repository or ''}{f'#{number}' if number else ''}".strip()
    body = Notification(Topic.LINK, text, detail=url)
    return [record.event("link", body, dedupe_key=f"link:{url or text}")]


MAKERS: dict[str, Callable[[ClaudeRecord, Fields], list[Event]]] = {
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
    "session_writes_lost": _writes_lost,
    "status": _status,
    "task_notification": _task_notification,
    "task_progress": _task_progress,
    "worker_shutting_down": _shutting_down,
}
"""Subtypes that are shown, with what makes their events (types of the SDK, 0.3.329)."""
