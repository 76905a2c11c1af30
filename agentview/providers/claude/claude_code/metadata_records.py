"""Events of the small records outside the conversation: titles, links, modes, the prompt queue."""

from collections.abc import Callable, Sequence

import orjson
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
from agentview.normalize.json_values import fields_of, items_of, real_of, text_of, whole_of
from agentview.providers._kit.prompt_context import spoken
from agentview.providers._kit.typed_records import LightEvent, hidden
from agentview.providers.claude.shared.content import block_of, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord, agent_stream, queued_key
from agentview.providers.claude.shared.prompt_tags import summary_part, unwrap

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

BOOKKEEPING = {
    "agent-color": "the colour of an agent",
    "agent-name": "the name under which the session answers",
    "agent-setting": "a setting of an agent",
    "api-request": _REQUEST,
    "api-request-blob": _REQUEST,
    "api-request-shape": _REQUEST,
    "artifact-autoreact-ledger": "what became of a page that the agent published",
    "artifact-comment-monitor": "what became of a page that the agent published",
    "atis-latch": "a mark of the client",
    "attribution-snapshot": "which lines the agent wrote, for commit messages",
    "bridge-session": "the session is reachable from elsewhere",
    "content-replacement": "a tool result that was shortened for the model",
    "dev-mods": "a mark of the client",
    "file-history-delta": "which files the client keeps copies of",
    "file-history-snapshot": "which files the client keeps copies of",
    "fork-context-ref": "the conversation that an agent continues from",
    "history-suppression": "a mark of the client",
    "isolation-latch": "a mark of the client",
    "marble-origami-commit": "a mark of the client",
    "marble-origami-snapshot": "a mark of the client",
    "memory-mode": "a mark of the client",
    "observer-ref": "a mark of the client",
    "permission-mode": "the permission mode of the session, said again",
    "result": "the journal of a workflow",
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


def _title(record: ClaudeRecord, key: str, source: TitleSource) -> Sequence[LightEvent]:
    text = text_of(record.fields.get(key))
    if text is None:
        return [hidden(record, "a title without a text", str(record.fields.get("type")))]
    return [record.event("title", Title(text, source, text_of(record.fields.get("leafUuid"))))]


def _custom_title(record: ClaudeRecord) -> Sequence[LightEvent]:
    return _title(record, "customTitle", TitleSource.CUSTOM)


def _ai_title(record: ClaudeRecord) -> Sequence[LightEvent]:
    return _title(record, "aiTitle", TitleSource.AI)


def _summary(record: ClaudeRecord) -> Sequence[LightEvent]:
    text = text_in(fields_of(record.fields.get("message")).get("content"))
    if text and record.fields.get("summary") is None:
        return [record.event("summary", summary_part(text).body)]
    return _title(record, "summary", TitleSource.SUMMARY)


def _last_prompt(record: ClaudeRecord) -> Sequence[LightEvent]:
    """A mark of where the conversation stands; where somebody went back in it, it says so.

    `leafUuid` is the last message that was kept, null where none was. What went back in the
    terminal has no such mark: there the parent of the prompt that follows shows it.
    """
    fields = record.fields
    if fields.get("rewound") is not True:
        return [hidden(record, _LAST_PROMPT, "last-prompt")]
    kept = text_of(fields.get("leafUuid"))
    rewind = Rewind(key="") if fields.get("leafUuid", "") is None else None
    if kept is not None:
        rewind = Rewind(after=kept)
    notice = Notification(Topic.REWIND, "Went back to an earlier point")
    return [replace(record.event("rewind", notice), rewinds=rewind)]


def _link(
    record: ClaudeRecord, text: str, url: str | None, facts: Facts | None = None
) -> Sequence[LightEvent]:
    body = Notification(Topic.LINK, text, detail=url)
    return [record.event("link", body, dedupe_key=f"link:{url or text}", facts=facts)]


def _pull_request(record: ClaudeRecord) -> Sequence[LightEvent]:
    number = whole_of(record.fields.get("prNumber"))
    repository = text_of(record.fields.get("prRepository")) or ""
    text = f"Pull request {repository}#{number}" if number is not None else "Pull request"
    return _link(record, text, text_of(record.fields.get("prUrl")))


def _mode(record: ClaudeRecord) -> Sequence[LightEvent]:
    facts = Facts(mode=text_of(record.fields.get("mode")))
    return [hidden(record, "the mode of the session, said again", "mode", facts=facts)]


def _cost(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Cost of the session; the client writes it when it exits."""
    # The client has no price of one of the models: that is not all that it cost.
    partial = record.fields.get("hasUnknownModelCost") is True
    cost = None if partial else real_of(record.fields.get("totalCostUSD"))
    facts = Facts(cost=cost, ended=True)
    return [hidden(record, "what the session has cost so far", "cost-state", facts=facts)]


def _continued(record: ClaudeRecord) -> Sequence[LightEvent]:
    """The conversation continues under another id, as one sent to the background (2.1.261)."""
    successor = text_of(record.fields.get("continuedInSessionId"))
    facts = None if successor is None else Facts(continued_in=successor)
    return _link(record, f"Continues in session {successor or 'unknown'}", None, facts)


def _ended_by_model(record: ClaudeRecord) -> Sequence[LightEvent]:
    notice = Notification(Topic.SYSTEM, "The model ended the conversation", Level.WARNING)
    return [record.event("notice", notice, dedupe_key="ended-by-model")]


def _page(record: ClaudeRecord) -> Sequence[LightEvent]:
    fields = record.fields
    text = text_of(fields.get("title")) or text_of(fields.get("path")) or "A page"
    return _link(record, text, text_of(fields.get("frameUrl")))


def _worktree(record: ClaudeRecord) -> Sequence[LightEvent]:
    tree = fields_of(record.fields.get("worktreeSession"))
    if not tree:
        return [hidden(record, "the session is in no worktree", "worktree-state")]
    path = text_of(tree.get("worktreePath"))
    branch = text_of(tree.get("worktreeBranch"))
    name = text_of(tree.get("worktreeName")) or branch or path
    body = Notification(Topic.SYSTEM, f"Worktree {name}", detail=path)
    facts = Facts(cwd=path, branch=branch)
    return [record.event("worktree", body, dedupe_key=f"worktree:{path}", facts=facts)]


def _relocated(record: ClaudeRecord) -> Sequence[LightEvent]:
    path = text_of(record.fields.get("relocatedCwd"))
    body = Notification(Topic.SYSTEM, "The session moved to another directory", detail=path)
    facts = Facts(cwd=path)
    return [record.event("relocated", body, dedupe_key=f"relocated:{path}", facts=facts)]


def _queue(record: ClaudeRecord) -> Sequence[LightEvent]:
    """Return the input that was queued while the agent worked (2.0.42 and later).

    A queued prompt is said again where it was sent, and then gives way to that. Up to about 2.1.95
    one that was handed over in the middle of a turn is recorded nowhere else.
    """
    operation = text_of(record.fields.get("operation"))
    content = record.fields.get("content")
    text = text_in(content)
    kind = f"queue-operation/{operation}"
    if operation == "enqueue":
        return _enqueued(record, content, text)
    taken_back = operation == "popAll" or (
        operation == "remove"
        and text_of(record.fields.get("reason")) not in (None, "absorbed_mid_turn")
    )
    if taken_back and text:
        body = Hidden("a prompt was taken back from the queue", kind)
        prompt = unwrap(text).prompt
        return [record.event("settled", body, replaces=queued_key(prompt))]
    return [hidden(record, "something left the queue of prompts", kind)]


def _enqueued(record: ClaudeRecord, content: object, text: str) -> Sequence[LightEvent]:
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
        media = tuple(
            block_of(item)
            for item in items_of(content)
            if fields_of(item).get("type") in ("image", "document")
        )
        body = spoken(prompt, media, "queued")
        events.append(record.event("prompt", body, replaces=queued_key(prompt)))
    return events or [hidden(record, "something entered the queue of prompts", kind)]


def _queued_texts(content: object) -> list[str]:
    if isinstance(content, str):
        return [content]
    texts = [fields_of(item).get("text") for item in items_of(content)]
    return [text for text in texts if isinstance(text, str)]


def _task(record: ClaudeRecord, text: str) -> Sequence[LightEvent]:
    """A task that went to the background (2.1.49); the result of its call says so as well."""
    try:
        task = fields_of(orjson.loads(text))
    except ValueError:
        task = fields_of(None)
    child = None
    if task.get("task_type") == "local_agent":
        child = agent_stream(task.get("task_id"))
    body = Hidden("a task went to the background", "queue-operation/enqueue")
    return [record.event("hidden", body, child=child)]


MAKERS: dict[str, Callable[[ClaudeRecord], Sequence[LightEvent]]] = {
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
