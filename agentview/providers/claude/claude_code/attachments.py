"""Events of `attachment` records (2.1.92 and later): files, hooks, and context for the model."""

from collections.abc import Callable, Sequence
from functools import partial

from agentview.domain.events import Attachment, Body, Level, Notification, Topic
from agentview.normalize.json_values import seconds_of, text_of, whole_of
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.claude.claude_code import schema
from agentview.providers.claude.shared.content import media_in, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, agent_stream
from agentview.providers.claude.shared.prompt_tags import (
    Part,
    injected_part,
    shell_command,
    unwrap,
    without_ansi,
)
from agentview.providers.claude.shared.schema import Attached
from agentview.providers.claude.shared.user_records import is_of_client, prompt_events, sender_of

_CONTEXT = "context that the client put before the model"
_REMINDER = "a reminder that the client added for the model"
_MARK = "a mark of the client"
_READ = "which documents the model was given"
_TOOLS = "which tools, agents or skills the model was given"

BOOKKEEPING = {
    "account_memory_recall": _CONTEXT,
    "advisor_stripped": "what of another model the client no longer sends",
    "advisor_tool": _TOOLS,
    "agent_ask_notice": _REMINDER,
    "agent_listing_delta": _TOOLS,
    "agent_mention": "which agent the prompt names",
    "artifact_opening_prefetch": _CONTEXT,
    "at_mention_reference": "files that the prompt names and the model has not been given",
    "attention_budget": _REMINDER,
    "auto_mode": "automatic mode was explained to the model",
    "auto_mode_exit": "the end of automatic mode was explained to the model",
    "bash_output_audience_note": _REMINDER,
    "batching_reminder": _REMINDER,
    "batching_reminder_sent": _REMINDER,
    "budget_usd": "the budget given to the model",
    "claude_app_notice": _REMINDER,
    "command_permissions": "which tools a command may use",
    "compaction_reminder": _REMINDER,
    "companion_intro": _CONTEXT,
    "context_efficiency": _REMINDER,
    "context_sections": _CONTEXT,
    "context_tip": _REMINDER,
    "coordinator_context": _CONTEXT,
    "cowork_memory_context": _CONTEXT,
    "credential_org": "the organization that the session is paid by",
    "critical_system_reminder": _REMINDER,
    "current_session_memory": _CONTEXT,
    "date": "the date given to the model",
    "date_change": "the date given to the model",
    "deferred_tools_delta": _TOOLS,
    "deferred_tools_record": _TOOLS,
    "dir_sync_notice": _CONTEXT,
    "dynamic_skill": _TOOLS,
    "elapsed_time_reminder": _REMINDER,
    "environment": "the environment given to the model",
    "first_week": _REMINDER,
    "fork_briefing": _CONTEXT,
    "goals": _CONTEXT,
    "hook_plugin_listing": _TOOLS,
    "inlined_image_paths": "where images of the prompt lie as files",
    "instructions": "instructions of the project, given to the model",
    "invoked_skills": "instructions of skills, given again after a compaction",
    "language": "the language that the model has to use",
    "linked_plugin_tools_note": _TOOLS,
    "mcp_dropped_tools_delta": _TOOLS,
    "mcp_instructions_delta": "instructions of tool servers",
    "memory_update": _CONTEXT,
    "message_pdf_reads": _READ,
    "model": "the name of the model, given to it",
    "opened_file_in_ide": _CONTEXT,
    "output_limit_note": _REMINDER,
    "output_style": "the output style given to the model",
    "output_style_instructions": "the output style given to the model",
    "output_token_usage": _REMINDER,
    "peer_mention": "which session the prompt names",
    "plan_mode": "planning was explained to the model",
    "plan_mode_exit": "the end of planning was explained to the model",
    "plan_mode_reentry": "planning was explained to the model",
    "prefix_delta": _CONTEXT,
    "proactivity": _REMINDER,
    "progress_reminder_sent": _REMINDER,
    "project_doc_reads": _READ,
    "projects_thread_ask": _MARK,
    "prompt_as_file": _MARK,
    "prompt_render_point": _MARK,
    "prompt_snapshot": "a system prompt with the tools that the model has",
    "read_truncation_notice": _REMINDER,
    "relevant_memories": _CONTEXT,
    "remote_session_change": _CONTEXT,
    "sandbox_instructions": "the sandbox was explained to the model",
    "secondary_reminder": _REMINDER,
    "secondary_reminder_sent": _REMINDER,
    "session_context": "instructions and state of the project, given to the model",
    "session_cron_carry": "schedules of the session, kept for the next client",
    "silent_turn_reminder": _REMINDER,
    "skill_discovery": _TOOLS,
    "skill_listing": _TOOLS,
    "skill_mention": "which skill the prompt names",
    "structured_output": "the answer in a given form, as the call that gave it says",
    "task_reminder": _REMINDER,
    "team_context": _CONTEXT,
    "thinking_drop": "thoughts that the client no longer sends to the model",
    "thinking_reminder": _REMINDER,
    "thinking_stripped": "thoughts that the client no longer sends to the model",
    "thread_state": _REMINDER,
    "todo_reminder": _REMINDER,
    "token_usage": _REMINDER,
    "tool_host_result_lines": _CONTEXT,
    "tool_hosts_correction": _TOOLS,
    "tool_hosts_notice": _TOOLS,
    "tool_offer_record": _TOOLS,
    "tool_results_cut": "results that the client no longer sends to the model",
    "tool_search_usage_reminder": _REMINDER,
    "total_tokens_reminder": _REMINDER,
    "ultra_effort_enter": "an effort setting was explained to the model",
    "ultra_effort_exit": "an effort setting was explained to the model",
    "ultrathink_effort": "an effort setting was explained to the model",
    "unknown_command_fallback": "the prompt begins with a command that there is not",
    "verify_plan_reminder": _REMINDER,
    "whole_texts_withdrawn": "texts that the client no longer sends to the model",
    "widget_context_hint": _CONTEXT,
    "withheld_memory": "memories that the model was not given",
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
    own = record.read_as(schema.WithAttachment).attachment
    if kind == "queued_command":
        return _queued(record, own)
    if kind == "teammate_mailbox":
        return _mailbox(record, own)
    if kind == "poll_events":
        return _polled(record, own)
    make = MAKERS.get(kind or "")
    if make is None:
        return [record.unknown(f"attachment/{kind}")]
    body = make(own)
    if body is None:
        return [hidden(record, "a hook ran and said nothing", f"attachment/{kind}")]
    is_agent = kind == "task_status" and own.task_type == "local_agent"
    child = agent_stream(own.task_id) if is_agent else None
    return [record.event("attachment", body, child=child)]


def _queued(record: ClaudeRecord, own: schema.Attachment) -> Sequence[LightEvent]:
    """Return input that was sent while the agent worked: a prompt, a command, a task's outcome."""
    text = text_in(own.prompt)
    if own.command_mode == "bash":
        return [record.event("part0", shell_command(text))]
    is_tagged = text.lstrip().startswith("<")
    if is_of_client(own.origin) and not is_tagged:
        return [record.event("attachment", injected_part(text).body)]
    if own.is_meta and not is_tagged:
        body = Attachment(sender_of(own.origin) or "note", "agent-message", text)
        return [record.event("attachment", body)]
    return prompt_events(record, [text] if text else [], media_in(own.prompt), "queued")


def _mailbox(record: ClaudeRecord, own: schema.Attachment) -> Sequence[LightEvent]:
    """Return messages of other agents of the team to this one."""
    bodies = [
        Attachment(each.sender or "another agent", "agent-message", each.text)
        for each in own.messages or ()
        if each is not None and each.text
    ]
    events = [record.event(f"part{number}", body) for number, body in enumerate(bodies)]
    return events or [hidden(record, "no other agent has written", "attachment/teammate_mailbox")]


def _polled(record: ClaudeRecord, own: schema.Attachment) -> Sequence[LightEvent]:
    """Return reports and messages of others that reached the agent while it waited."""
    parts: list[Part] = []
    for said in own.envelopes or ():
        found = unwrap(text_in(said))
        parts.extend(found.parts)
        if found.prompt.strip():
            parts.append(Part(Attachment("an event", "agent-message", found.prompt)))
    events = [
        record.event(
            f"part{number}", part.body, dedupe_key=part.dedupe_key, child=part.child, path=part.path
        )
        for number, part in enumerate(parts)
    ]
    return events or [hidden(record, "nothing has reached the agent", "attachment/poll_events")]


def _hook(own: schema.Attachment, text: str, level: Level, *details: object) -> Notification:
    name = own.hook_name or own.hook_event or "A hook"
    found = [without_ansi(text_in(part)).strip() for part in details]
    return Notification(
        Topic.HOOK,
        f"{name}: {text}" if text else name,
        level,
        detail="\n".join(filter(None, found)) or None,
        call_id=own.tool_use_id or None,
        duration=seconds_of(own.duration_ms),
    )


def _is_quiet(record: ClaudeRecord, hook: Attached) -> bool:
    content, stdout, stderr = map(record.value_of, (hook.content, hook.stdout, hook.stderr))
    said = text_in(content) or text_in(stdout)
    return not said.strip("{} \n") and not text_in(stderr).strip()


def _hook_success(own: schema.Attachment) -> Body | None:
    said = text_in(own.content) or text_in(own.stdout)
    return _hook(own, "done", Level.INFO, said, own.stderr, own.command)


def _hook_failed(own: schema.Attachment) -> Body:
    code = whole_of(own.exit_code)
    text = f"failed with exit code {code}" if code is not None else "failed"
    return _hook(own, text, Level.WARNING, own.stderr, own.stdout, own.command)


def _hook_blocked(own: schema.Attachment) -> Body:
    error = own.blocking_error
    error = error if isinstance(error, schema.Blocked) else schema.Blocked(error)
    return _hook(own, "blocked", Level.WARNING, error.blocking_error, error.command)


def _hook_cancelled(own: schema.Attachment) -> Body:
    return _hook(own, "cancelled", Level.WARNING, own.command)


def _hook_stopped(own: schema.Attachment) -> Body:
    return _hook(own, "stopped the turn", Level.WARNING, own.message)


def _hook_message(own: schema.Attachment) -> Body:
    lines = own.content if isinstance(own.content, list) else [own.content]
    return _hook(own, "", Level.INFO, *lines)


def _hook_response(own: schema.Attachment) -> Body:
    code = whole_of(own.exit_code)
    text, level = (f"ended with exit code {code}", Level.WARNING) if code else ("done", Level.INFO)
    return _hook(own, text, level, own.stdout, own.stderr)


def _inner(own: schema.Attachment) -> schema.Contents:
    if isinstance(own.content, schema.Contents):
        return own.content.file or own.content
    return schema.Contents(text_of(own.content))


def _file(kind: str, own: schema.Attachment) -> Body:
    path = own.filename or own.path or None
    text = own.snippet or _inner(own).content or None
    return Attachment(own.display_path or path or "a file", kind, text, path)


def _plan_file(own: schema.Attachment) -> Body:
    path = own.plan_file_path or None
    return Attachment(path or "plan", "plan", own.plan_content or None, path)


def _diagnostics(own: schema.Attachment) -> Body:
    lines = [
        f"{file.uri or ''}: {(found and found.message) or ''}"
        for file in own.files or ()
        if file is not None
        for found in file.diagnostics or ()
    ]
    return Attachment("diagnostics", "diagnostics", "\n".join(lines) or None)


def _resource(own: schema.Attachment) -> Body:
    """A resource of an MCP server that the prompt names."""
    texts = [each.text for each in _inner(own).contents or () if each is not None and each.text]
    uri = own.uri or None
    return Attachment(own.name or uri or "a resource", "file", "\n".join(texts) or None, uri)


def _hook_decided(own: schema.Attachment) -> Body | None:
    denied = own.decision == "deny"
    return _hook(own, "refused the call", Level.WARNING) if denied else None


def _hook_deferred(own: schema.Attachment) -> Body:
    return _hook(own, "deferred the call", Level.INFO)


def _plugin_note(own: schema.Attachment) -> Body:
    return Attachment(own.plugin or "a plug-in", "instructions", text_in(own.content) or None)


def _out_of_turns(own: schema.Attachment) -> Body:
    """The end of a run that may have only so many turns; nothing else shows it."""
    most = whole_of(own.max_turns)
    detail = f"at most {most}" if most is not None else None
    text = "The run stopped: it reached its limit of turns"
    return Notification(Topic.TURN_END, text, Level.ERROR, detail)


def _task_status(own: schema.Attachment) -> Body:
    text = f"{own.description or own.task_id or 'task'}: {own.status or 'unknown'}"
    detail = "\n".join(filter(None, (own.delta_summary, own.output_file_path))) or None
    return Notification(Topic.BACKGROUND, text, detail=detail)


def _goal(own: schema.Attachment) -> Body:
    return Notification(
        Topic.SYSTEM,
        f"{'Goal reached' if own.met else 'Goal'}: {own.condition or ''}",
        detail=own.reason or None,
        duration=seconds_of(own.duration_ms),
    )


MAKERS: dict[str, Callable[[schema.Attachment], Body | None]] = {
    "already_read_file": partial(_file, "file"),
    "async_hook_response": _hook_response,
    "compact_file_reference": partial(_file, "file-reference"),
    "diagnostics": _diagnostics,
    "directory": partial(_file, "directory"),
    "edited_image_file": partial(_file, "changed-file"),
    "edited_text_file": partial(_file, "changed-file"),
    "file": partial(_file, "file"),
    "goal_status": _goal,
    "hook_additional_context": _hook_message,
    "hook_blocking_error": _hook_blocked,
    "hook_cancelled": _hook_cancelled,
    "hook_deferred_tool": _hook_deferred,
    "hook_error_during_execution": _hook_message,
    "hook_non_blocking_error": _hook_failed,
    "hook_permission_decision": _hook_decided,
    "hook_stopped_continuation": _hook_stopped,
    "hook_success": _hook_success,
    "hook_system_message": _hook_message,
    "max_turns_reached": _out_of_turns,
    "mcp_resource": _resource,
    "nested_memory": partial(_file, "memory"),
    "pdf_reference": partial(_file, "file-reference"),
    "plan_file_reference": _plan_file,
    "plugin_note": _plugin_note,
    "selected_lines_in_diff": partial(_file, "ide"),
    "selected_lines_in_ide": partial(_file, "ide"),
    "task_status": _task_status,
}
"""Types of attachments that are shown, with what makes their events."""
