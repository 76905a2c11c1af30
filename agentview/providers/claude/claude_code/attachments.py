"""Events of `attachment` records (2.1.92 and later): files, hooks, and context for the model."""

from collections.abc import Callable, Sequence

from agentview.domain.content import Block
from agentview.domain.events import Attachment, Body, Level, Notification, Topic
from agentview.normalize.json_values import (
    Fields,
    fields_of,
    items_of,
    seconds_of,
    text_of,
    whole_of,
)
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.claude.shared.content import block_of, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, agent_stream
from agentview.providers.claude.shared.prompt_tags import injected_part, shell_command, without_ansi
from agentview.providers.claude.shared.schema import Attached
from agentview.providers.claude.shared.user_records import CONTINUATION, prompt_events

_CONTEXT = "context that the client put before the model"
_REMINDER = "a reminder that the client added for the model"
_TOOLS = "which tools, agents or skills the model was given"

BOOKKEEPING = {
    "agent_listing_delta": _TOOLS,
    "agent_mention": "which agent the prompt names",
    "attention_budget": _REMINDER,
    "auto_mode": "automatic mode was explained to the model",
    "auto_mode_exit": "the end of automatic mode was explained to the model",
    "bash_output_audience_note": _REMINDER,
    "batching_reminder": _REMINDER,
    "batching_reminder_sent": _REMINDER,
    "budget_usd": "the budget given to the model",
    "command_permissions": "which tools a command may use",
    "compaction_reminder": _REMINDER,
    "companion_intro": _CONTEXT,
    "context_efficiency": _REMINDER,
    "context_tip": _REMINDER,
    "cowork_memory_context": _CONTEXT,
    "credential_org": "the organization that the session is paid by",
    "critical_system_reminder": _REMINDER,
    "current_session_memory": _CONTEXT,
    "date": "the date given to the model",
    "date_change": "the date given to the model",
    "deferred_tools_delta": _TOOLS,
    "deferred_tools_record": _TOOLS,
    "dynamic_skill": _TOOLS,
    "environment": "the environment given to the model",
    "hook_plugin_listing": _TOOLS,
    "inlined_image_paths": "where images of the prompt lie as files",
    "instructions": "instructions of the project, given to the model",
    "invoked_skills": "instructions of skills, given again after a compaction",
    "language": "the language that the model has to use",
    "mcp_dropped_tools_delta": _TOOLS,
    "mcp_instructions_delta": "instructions of tool servers",
    "memory_update": _CONTEXT,
    "model": "the name of the model, given to it",
    "opened_file_in_ide": _CONTEXT,
    "output_style": "the output style given to the model",
    "output_style_instructions": "the output style given to the model",
    "output_token_usage": _REMINDER,
    "plan_mode": "planning was explained to the model",
    "plan_mode_exit": "the end of planning was explained to the model",
    "plan_mode_reentry": "planning was explained to the model",
    "proactivity": _REMINDER,
    "prompt_snapshot": "a system prompt with the tools that the model has",
    "read_truncation_notice": _REMINDER,
    "relevant_memories": _CONTEXT,
    "remote_session_change": _CONTEXT,
    "sandbox_instructions": "the sandbox was explained to the model",
    "secondary_reminder": _REMINDER,
    "secondary_reminder_sent": _REMINDER,
    "session_context": "instructions and state of the project, given to the model",
    "silent_turn_reminder": _REMINDER,
    "skill_discovery": _TOOLS,
    "skill_listing": _TOOLS,
    "structured_output": "the answer in a given form, as the call that gave it says",
    "task_reminder": _REMINDER,
    "team_context": _CONTEXT,
    "thinking_drop": "thoughts that the client no longer sends to the model",
    "thinking_reminder": _REMINDER,
    "thinking_stripped": "thoughts that the client no longer sends to the model",
    "todo_reminder": _REMINDER,
    "token_usage": _REMINDER,
    "tool_host_result_lines": _CONTEXT,
    "tool_hosts_notice": _TOOLS,
    "tool_search_usage_reminder": _REMINDER,
    "total_tokens_reminder": _REMINDER,
    "ultra_effort_enter": "an effort setting was explained to the model",
    "ultra_effort_exit": "an effort setting was explained to the model",
    "ultrathink_effort": "an effort setting was explained to the model",
    "verify_plan_reminder": _REMINDER,
    "workflow_keyword_request": "a word of the prompt asks for a workflow",
    "workflow_size_guideline_change": _REMINDER,
}
"""Types of attachments that are not shown, with the reason."""


def attachment_events(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Events of an `attachment` record."""
    attached = record.record.attachment
    kind = attached.type or None if attached is not None else None
    if kind in BOOKKEEPING:
        return [hidden(record, BOOKKEEPING[kind], f"attachment/{kind}")]
    if attached is not None and kind == "hook_success" and _is_quiet(record, attached):
        return [hidden(record, "a hook ran and said nothing", f"attachment/{kind}")]
    attachment = fields_of(record.fields.get("attachment"))
    if kind == "queued_command":
        return _queued(record, attachment)
    if kind == "teammate_mailbox":
        return _mailbox(record, attachment)
    make = MAKERS.get(kind or "")
    if make is None:
        return [record.unknown(f"attachment/{kind}")]
    body = make(attachment)
    if body is None:
        return [hidden(record, "a hook ran and said nothing", f"attachment/{kind}")]
    child = None
    if kind == "task_status" and attachment.get("taskType") == "local_agent":
        child = agent_stream(attachment.get("taskId"))
    return [record.event("attachment", body, child=child)]


def _queued(record: ClaudeRecord, attachment: Fields) -> Sequence[LightEvent]:
    """Return input that was sent while the agent worked: a prompt, a command, a task's outcome."""
    prompt = attachment.get("prompt")
    text = text_in(prompt)
    mode = text_of(attachment.get("commandMode"))
    if mode == "bash":
        return [record.event("part0", shell_command(text))]
    media: list[Block] = [
        block_of(item)
        for item in items_of(prompt)
        if fields_of(item).get("type") in ("image", "document")
    ]
    origin = text_of(fields_of(attachment.get("origin")).get("kind"))
    if origin == CONTINUATION:
        return [record.event("attachment", injected_part(text).body)]
    if attachment.get("isMeta") is True and not text.lstrip().startswith("<"):
        body = Attachment(origin or "note", "agent-message", text)
        return [record.event("attachment", body)]
    texts = [text] if text else []
    return prompt_events(record, texts, tuple(media), "queued")


def _mailbox(record: ClaudeRecord, attachment: Fields) -> Sequence[LightEvent]:
    """Return messages of other agents of the team to this one."""
    messages = [fields_of(item) for item in items_of(attachment.get("messages"))]
    bodies = [
        Attachment(text_of(message.get("from")) or "another agent", "agent-message", text)
        for message in messages
        if (text := text_of(message.get("text"))) is not None
    ]
    events = [record.event(f"part{number}", body) for number, body in enumerate(bodies)]
    return events or [hidden(record, "no other agent has written", "attachment/teammate_mailbox")]


def _hook_name(attachment: Fields) -> str:
    return text_of(attachment.get("hookName")) or text_of(attachment.get("hookEvent")) or "A hook"


def _hook(attachment: Fields, text: str, level: Level, *details: object) -> Notification:
    found = [without_ansi(text_in(part)).strip() for part in details]
    detail = "\n".join(part for part in found if part)
    return Notification(
        Topic.HOOK,
        f"{_hook_name(attachment)}: {text}" if text else _hook_name(attachment),
        level,
        detail=detail or None,
        call_id=text_of(attachment.get("toolUseID")),
        duration=seconds_of(attachment.get("durationMs")),
    )


def _is_quiet(record: ClaudeRecord, hook: Attached) -> bool:
    content, stdout, stderr = map(record.value_of, (hook.content, hook.stdout, hook.stderr))
    said = text_in(content) or text_in(stdout)
    return not said.strip("{} \n") and not text_in(stderr).strip()


def _hook_success(attachment: Fields) -> Body | None:
    said = text_in(attachment.get("content")) or text_in(attachment.get("stdout"))
    errors = text_in(attachment.get("stderr"))
    command = attachment.get("command")
    return _hook(attachment, "done", Level.INFO, said, errors, command)


def _hook_failed(attachment: Fields) -> Body:
    code = whole_of(attachment.get("exitCode"))
    text = f"failed with exit code {code}" if code is not None else "failed"
    parts = (attachment.get("stderr"), attachment.get("stdout"), attachment.get("command"))
    return _hook(attachment, text, Level.WARNING, *parts)


def _hook_blocked(attachment: Fields) -> Body:
    error = fields_of(attachment.get("blockingError"))
    said = error.get("blockingError") or attachment.get("blockingError")
    return _hook(attachment, "blocked", Level.WARNING, said, error.get("command"))


def _hook_cancelled(attachment: Fields) -> Body:
    return _hook(attachment, "cancelled", Level.WARNING, attachment.get("command"))


def _hook_stopped(attachment: Fields) -> Body:
    return _hook(attachment, "stopped the turn", Level.WARNING, attachment.get("message"))


def _hook_message(attachment: Fields) -> Body:
    content = attachment.get("content")
    lines = [content] if isinstance(content, str) else items_of(content)
    return _hook(attachment, "", Level.INFO, *lines)


def _hook_response(attachment: Fields) -> Body:
    code = whole_of(attachment.get("exitCode"))
    level = Level.WARNING if code else Level.INFO
    parts = (attachment.get("stdout"), attachment.get("stderr"))
    return _hook(attachment, f"ended with exit code {code}" if code else "done", level, *parts)


def _path(attachment: Fields) -> str | None:
    return text_of(attachment.get("filename")) or text_of(attachment.get("path"))


def _name(attachment: Fields) -> str:
    return text_of(attachment.get("displayPath")) or _path(attachment) or "a file"


def _file(attachment: Fields) -> Body:
    content = attachment.get("content")
    file = fields_of(fields_of(content).get("file"))
    text = text_of(file.get("content")) or text_of(content)
    return Attachment(_name(attachment), "file", text, _path(attachment))


def _edited(attachment: Fields) -> Body:
    text = text_of(attachment.get("snippet"))
    return Attachment(_name(attachment), "changed-file", text, _path(attachment))


def _directory(attachment: Fields) -> Body:
    text = text_of(attachment.get("content"))
    return Attachment(_name(attachment), "directory", text, _path(attachment))


def _memory(attachment: Fields) -> Body:
    text = text_of(fields_of(attachment.get("content")).get("content"))
    return Attachment(_name(attachment), "memory", text, _path(attachment))


def _reference(attachment: Fields) -> Body:
    return Attachment(_name(attachment), "file-reference", None, _path(attachment))


def _selection(attachment: Fields) -> Body:
    text = text_of(attachment.get("content"))
    return Attachment(_name(attachment), "ide", text, _path(attachment))


def _plan_file(attachment: Fields) -> Body:
    path = text_of(attachment.get("planFilePath"))
    return Attachment(path or "plan", "plan", text_of(attachment.get("planContent")), path)


def _diagnostics(attachment: Fields) -> Body:
    files = [fields_of(item) for item in items_of(attachment.get("files"))]
    lines = [
        f"{text_of(file.get('uri')) or ''}: {text_of(fields_of(found).get('message')) or ''}"
        for file in files
        for found in items_of(file.get("diagnostics"))
    ]
    return Attachment("diagnostics", "diagnostics", "\n".join(lines) or None)


def _resource(attachment: Fields) -> Body:
    """A resource of an MCP server that the prompt names; its text may be in several parts."""
    contents = items_of(fields_of(attachment.get("content")).get("contents"))
    texts = [text for item in contents if (text := text_of(fields_of(item).get("text")))]
    uri = text_of(attachment.get("uri"))
    name = text_of(attachment.get("name")) or uri or "a resource"
    return Attachment(name, "file", "\n".join(texts) or None, uri)


def _hook_decided(attachment: Fields) -> Body | None:
    denied = attachment.get("decision") == "deny"
    return _hook(attachment, "refused the call", Level.WARNING) if denied else None


def _out_of_turns(attachment: Fields) -> Body:
    """The end of a run that may have only so many turns; nothing else shows it."""
    most = whole_of(attachment.get("maxTurns"))
    detail = f"at most {most}" if most is not None else None
    text = "The run stopped: it reached its limit of turns"
    return Notification(Topic.TURN_END, text, Level.ERROR, detail)


def _task_status(attachment: Fields) -> Body:
    what = text_of(attachment.get("description")) or text_of(attachment.get("taskId")) or "task"
    status = text_of(attachment.get("status")) or "unknown"
    details = [text_of(attachment.get("deltaSummary")), text_of(attachment.get("outputFilePath"))]
    detail = "\n".join(part for part in details if part) or None
    return Notification(Topic.BACKGROUND, f"{what}: {status}", detail=detail)


def _goal(attachment: Fields) -> Body:
    condition = text_of(attachment.get("condition")) or ""
    state = "Goal reached" if attachment.get("met") is True else "Goal"
    return Notification(
        Topic.SYSTEM,
        f"{state}: {condition}",
        detail=text_of(attachment.get("reason")),
        duration=seconds_of(attachment.get("durationMs")),
    )


MAKERS: dict[str, Callable[[Fields], Body | None]] = {
    "already_read_file": _file,
    "async_hook_response": _hook_response,
    "compact_file_reference": _reference,
    "diagnostics": _diagnostics,
    "directory": _directory,
    "edited_image_file": _edited,
    "edited_text_file": _edited,
    "file": _file,
    "goal_status": _goal,
    "hook_additional_context": _hook_message,
    "hook_blocking_error": _hook_blocked,
    "hook_cancelled": _hook_cancelled,
    "hook_error_during_execution": _hook_message,
    "hook_non_blocking_error": _hook_failed,
    "hook_permission_decision": _hook_decided,
    "hook_stopped_continuation": _hook_stopped,
    "hook_success": _hook_success,
    "hook_system_message": _hook_message,
    "max_turns_reached": _out_of_turns,
    "mcp_resource": _resource,
    "nested_memory": _memory,
    "pdf_reference": _reference,
    "plan_file_reference": _plan_file,
    "selected_lines_in_diff": _selection,
    "selected_lines_in_ide": _selection,
    "task_status": _task_status,
}
"""Types of attachments that are shown, with what makes their events."""
