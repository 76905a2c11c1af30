"""Events of the small records outside the conversation: titles, links, modes, the prompt queue."""

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from agentview.domain.events import (
    Facts,
    Hidden,
    Level,
    Notification,
    Rewind,
    Title,
    TitleSource,
    Topic,
)
from agentview.normalize.json_values import real_of, text_of, whole_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers._kit.typed_values import read_as
from agentview.providers.claude.claude_code.schema import Metadata, QueuedTask, Said
from agentview.providers.claude.shared.content import media_in, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, agent_stream, queued_key
from agentview.providers.claude.shared.prompt_tags import summary_part, unwrap
from agentview.providers.claude.shared.schema import Content

_LAST_PROMPT = "the last prompt, said again"
_SUFFIXES = (
    "0",
    "prompt",
    "part0",
    "hidden",
    "attachment",
    "notice",
    "compaction",
    "media",
    "progress",
    "unknown",
    *map(str, range(1, 16)),
)
"""Of events by which a record of the conversation is known."""
_REQUEST = "a copy of what was sent to the model"
_FLOW = "where what the model was given came from"

BOOKKEEPING = {
    "agent-color": "the colour of an agent",
    "agent-name": "the name under which the session answers",
    "agent-setting": "a setting of an agent",
    "api-request": _REQUEST,
    "api-request-blob": _REQUEST,
    "api-request-resumed": _REQUEST,
    "api-request-shape": _REQUEST,
    "artifact-autoreact-ledger": "what became of a page that the agent published",
    "artifact-comment-monitor": "what became of a page that the agent published",
    "atis-latch": "a mark of the client",
    "attribution-snapshot": "which lines the agent wrote, for commit messages",
    "bridge-session": "the session is reachable from elsewhere",
    "content-replacement": "a tool result that was shortened for the model",
    "data-flow-incomplete": _FLOW,
    "data-flow-records": _FLOW,
    "derived-from": _FLOW,
    "dev-mods": "a mark of the client",
    "file-history-delta": "which files the client keeps copies of",
    "file-history-snapshot": "which files the client keeps copies of",
    "fork-context-ref": "the conversation that an agent continues from",
    "history-suppression": "a mark of the client",
    "hybrid-organization": "the account that the session is of",
    "isolation-latch": "a mark of the client",
    "marble-origami-commit": "a mark of the client",
    "marble-origami-snapshot": "a mark of the client",
    "memory-mode": "a mark of the client",
    "observer-ref": "a mark of the client",
    "permission-mode": "the permission mode of the session, said again",
    "result": "the journal of a workflow",
    "resume-head-vouch": "a mark of the client",
    "session-owner": "the account that the session is of",
    "speculation-accept": "a mark of the client",
    "started": "the journal of a workflow",
    "tag": "a tag of the session",
    "task-summary": "what the agent is doing, in the client's words",
    "tools-used": "which tools were used so far",
}
"""Types of records that are not shown, with the reason."""


def record_keys(record: str) -> tuple[str, ...]:
    """The keys that the first event of a record may have, by the id of the record."""
    return tuple(f"{record}:{suffix}" for suffix in _SUFFIXES)


def metadata_events(
    make: Callable[[ClaudeRecord, Metadata], Sequence[LightEvent]], record: ClaudeRecord
) -> Sequence[LightEvent]:
    """Events of a record, made by one of `MAKERS`."""
    return make(record, record.read_as(Metadata))


def _title(
    record: ClaudeRecord, own: Metadata, text: str | None, source: TitleSource
) -> Sequence[LightEvent]:
    if not text:
        return [hidden(record, "a title without a text", str(record.record.type))]
    return [record.event("title", Title(text, source, text_of(own.leaf_uuid)))]


def _custom_title(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    return _title(record, own, own.custom_title, TitleSource.CUSTOM)


def _ai_title(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    return _title(record, own, own.ai_title, TitleSource.AI)


def _summary(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    text = text_in(record.message_fields().get("content"))
    if text and own.summary is None:
        return [record.event("summary", summary_part(text).body)]
    return _title(record, own, own.summary, TitleSource.SUMMARY)


def _last_prompt(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    """A mark of where the conversation stands; where somebody went back in it, it says so.

    What went back in the terminal has no such mark: there the parent of the prompt that follows
    shows it.
    """
    if not own.rewound:
        return [hidden(record, _LAST_PROMPT, "last-prompt")]
    kept = text_of(own.leaf_uuid)
    rewind = Rewind(key="") if own.leaf_uuid is None else None
    if kept is not None:
        rewind = Rewind(after=kept)
    notice = Notification(Topic.REWIND, "Went back to an earlier point")
    return [replace(record.event("rewind", notice), rewinds=rewind)]


def _link(
    record: ClaudeRecord, text: str, url: str | None, facts: Facts | None = None
) -> Sequence[LightEvent]:
    body = Notification(Topic.LINK, text, detail=url or None)
    return [record.event("link", body, dedupe_key=f"link:{url or text}", facts=facts)]


def _pull_request(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    number, repository = whole_of(own.pr_number), own.pr_repository or ""
    text = f"Pull request {repository}#{number}" if number is not None else "Pull request"
    return _link(record, text, own.pr_url)


def _mode(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    facts = Facts(mode=own.mode or None)
    return [hidden(record, "the mode of the session, said again", "mode", facts=facts)]


def _cost(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    """Cost of the session; the client writes it when it exits."""
    # The client has no price of one of the models: that is not all that it cost.
    cost = None if own.has_unknown_model_cost else real_of(own.total_cost)
    facts = Facts(cost=cost, ended=True)
    return [hidden(record, "what the session has cost so far", "cost-state", facts=facts)]


def _continued(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    """The conversation continues under another id, as one sent to the background (2.1.261)."""
    successor = own.continued_in_session_id
    facts = Facts(continued_in=successor) if successor else None
    return _link(record, f"Continues in session {successor or 'unknown'}", None, facts)


def _ended_by_model(record: ClaudeRecord, _own: Metadata) -> Sequence[LightEvent]:
    notice = Notification(Topic.SYSTEM, "The model ended the conversation", Level.WARNING)
    return [record.event("notice", notice, dedupe_key="ended-by-model")]


def _page(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    return _link(record, own.title or own.path or "A page", own.frame_url)


def _worktree(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    tree = own.worktree_session
    if tree is None:
        return [hidden(record, "the session is in no worktree", "worktree-state")]
    path, branch = tree.worktree_path or None, tree.worktree_branch or None
    name = tree.worktree_name or branch or path
    body = Notification(Topic.SYSTEM, f"Worktree {name}", detail=path)
    facts = Facts(cwd=path, branch=branch)
    return [record.event("worktree", body, dedupe_key=f"worktree:{path}", facts=facts)]


def _relocated(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    path = own.relocated_cwd or None
    body = Notification(Topic.SYSTEM, "The session moved to another directory", detail=path)
    facts = Facts(cwd=path)
    return [record.event("relocated", body, dedupe_key=f"relocated:{path}", facts=facts)]


def _queue(record: ClaudeRecord, own: Metadata) -> Sequence[LightEvent]:
    """Return the input that was queued while the agent worked (2.0.42 and later).

    A queued prompt is said again where it was sent, and then gives way to that. Up to about 2.1.95
    one that was handed over in the middle of a turn is recorded nowhere else.
    """
    operation, text = own.operation or None, text_in(own.content)
    kind = f"queue-operation/{operation}"
    if operation == "enqueue":
        return _enqueued(record, own.content, text)
    taken_back = operation == "popAll" or (
        operation == "remove" and (own.reason or "absorbed_mid_turn") != "absorbed_mid_turn"
    )
    if taken_back and text:
        body = Hidden("a prompt was taken back from the queue", kind)
        prompt = unwrap(text).prompt
        return [record.event("settled", body, replaces=queued_key(prompt))]
    return [hidden(record, "something left the queue of prompts", kind)]


def _enqueued(record: ClaudeRecord, content: Said, text: str) -> Sequence[LightEvent]:
    kind = "queue-operation/enqueue"
    if text.startswith('{"task_id"'):
        return _task(record, text)
    found = [unwrap(part) for part in _queued_texts(content)]
    events = [
        record.event(
            f"part{number}", part.body, dedupe_key=part.dedupe_key, child=part.child, path=part.path
        )
        for number, part in enumerate(part for one in found for part in one.parts)
        # All else comes again with the prompt.
        if part.dedupe_key is not None
    ]
    prompt = "\n\n".join(one.prompt for one in found if one.prompt.strip())
    if prompt:
        body = spoken(prompt, media_in(content), "queued")
        events.append(record.event("prompt", body, replaces=queued_key(prompt)))
    return events or [hidden(record, "something entered the queue of prompts", kind)]


def _queued_texts(content: Said) -> list[str]:
    if isinstance(content, str):
        return [content]
    texts = (read_as(item, Content).text for item in content or ())
    return [text for text in texts if text is not None]


def _task(record: ClaudeRecord, text: str) -> Sequence[LightEvent]:
    """A task that went to the background (2.1.49); the result of its call says so as well."""
    try:
        task = msgspec.json.decode(text, type=QueuedTask)
    except (ValueError, RecursionError):
        task = QueuedTask()
    child = agent_stream(task.task_id) if task.task_type == "local_agent" else None
    body = Hidden("a task went to the background", "queue-operation/enqueue")
    return [record.event("hidden", body, child=child)]


MAKERS: dict[str, Callable[[ClaudeRecord, Metadata], Sequence[LightEvent]]] = {
    "ai-title": _ai_title,
    "continued-in": _continued,
    "cost-state": _cost,
    "custom-title": _custom_title,
    "ended-by-model": _ended_by_model,
    "frame-link": _page,
    "last-prompt": _last_prompt,
    "mode": _mode,
    "pr-link": _pull_request,
    "queue-operation": _queue,
    "relocated": _relocated,
    "summary": _summary,
    "worktree-state": _worktree,
}
"""Types of records that are shown, with what makes their events."""
