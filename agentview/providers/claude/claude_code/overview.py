"""What a session is about and what it is doing, from the records at its two ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from agentview.domain.events import Attachment, Hidden, Notification, SlashCommand, Topic
from agentview.domain.session import LiveState, SessionInfo, SessionRef, StreamKind
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.providers._kit.prompt_context import parted
from agentview.providers.claude.shared.assistant_records import is_limit
from agentview.providers.claude.shared.content import text_in
from agentview.providers.claude.shared.prompt_tags import unwrap
from agentview.providers.claude.shared.user_records import CHANNEL, PEER, is_note, origin_of

_CHAIN = frozenset({"user", "assistant", "system", "progress", "attachment"})
_QUESTIONS = frozenset({"AskUserQuestion"})
_PROPOSALS = frozenset({"ExitPlanMode", "exit_plan_mode"})
_TITLE_CHARS = 200


@dataclass(slots=True)
class _Overview:
    cwd: str | None = None
    branch: str | None = None
    model: str | None = None
    version: str | None = None
    started: float | None = None
    last: float | None = None
    custom: str | None = None
    ai: str | None = None
    summaries: dict[str | None, str] = field(default_factory=dict[str | None, str])
    """By the record whose session they are of; None for that of this very file."""
    uuids: set[str] = field(default_factory=set[str])
    prompt: str | None = None
    command: str | None = None
    message: str | None = None
    """What another agent wrote first."""
    last_prompt: str | None = None
    state: LiveState = LiveState.UNKNOWN
    calls: dict[str, str] = field(default_factory=dict[str, str])
    """Calls without a result: id -> tool."""


def overview(ref: SessionRef, head: Sequence[Fields], tail: Sequence[Fields]) -> SessionInfo:
    """Facts about a session from the records of its head and its tail.

    The title is the newest one given by the person, else by the client, else a summary of a record
    of this very file or of none, else the first prompt. Times are of records, never of the file.
    """
    found = _Overview()
    side = ref.stream.kind is not StreamKind.MAIN
    for record in head:
        _take(found, record, side=side, at_head=True)
    if tail:
        # What was still open in the head has long been answered.
        found.calls.clear()
    for record in tail:
        _take(found, record, side=side, at_head=False)
    return SessionInfo(
        ref,
        title=_title(found, ref),
        project=found.cwd,
        branch=found.branch,
        model=found.model,
        client_version=found.version,
        started=found.started,
        last_activity=found.last,
        state=_state(found, side=side),
    )


def _take(found: _Overview, record: Fields, *, side: bool, at_head: bool) -> None:
    kind = record.get("type")
    if not isinstance(kind, str):
        return
    if kind not in _CHAIN:
        _take_state(found, record, kind)
        return
    _take_envelope(found, record)
    if record.get("isSidechain") is True and not side:
        return
    if kind == "assistant":
        _take_assistant(found, record)
    elif kind == "user":
        _take_user(found, record, at_head=at_head)
    elif record.get("subtype") in ("turn_duration", "stop_hook_summary") and not found.calls:
        found.state = LiveState.WAITING_INPUT
    elif fields_of(record.get("attachment")).get("type") == "max_turns_reached":
        found.calls.clear()
        found.state = LiveState.WAITING_INPUT


def _take_state(found: _Overview, record: Fields, kind: str) -> None:
    if kind == "custom-title":
        found.custom = text_of(record.get("customTitle")) or found.custom
    elif kind == "ai-title":
        found.ai = text_of(record.get("aiTitle")) or found.ai
    elif kind == "last-prompt":
        found.last_prompt = text_of(record.get("lastPrompt")) or found.last_prompt
    elif kind == "summary":
        leaf, summary = text_of(record.get("leafUuid")), text_of(record.get("summary"))
        if summary is not None:
            found.summaries[leaf] = summary
    elif kind == "cost-state" and found.state is not LiveState.UNKNOWN:
        # The client writes what the session has cost when it exits.
        found.state = LiveState.ENDED


def _take_envelope(found: _Overview, record: Fields) -> None:
    moment = time_of(record.get("timestamp"))
    if moment is not None:
        found.started = moment if found.started is None else min(found.started, moment)
        found.last = moment if found.last is None else max(found.last, moment)
    # The session is resumed from where it began, wherever it went later.
    found.cwd = found.cwd or text_of(record.get("cwd"))
    found.branch = text_of(record.get("gitBranch")) or found.branch
    found.version = text_of(record.get("version")) or found.version
    uuid = text_of(record.get("uuid"))
    if uuid is not None:
        found.uuids.add(uuid)


def _take_assistant(found: _Overview, record: Fields) -> None:
    message = fields_of(record.get("message"))
    model = text_of(message.get("model"))
    is_error = record.get("isApiErrorMessage") is True
    if model == "<synthetic>" or is_error:
        limited = is_error and is_limit(record, text_in(message.get("content")))
        found.state = LiveState.LIMITED if limited else LiveState.WAITING_INPUT
        return
    found.model = model or found.model
    content = message.get("content")
    if isinstance(content, str):
        found.state = LiveState.WAITING_INPUT
    for item in items_of(content):
        block = fields_of(item)
        kind = block.get("type")
        if kind == "text":
            found.state = LiveState.WAITING_INPUT
        elif kind in ("thinking", "redacted_thinking"):
            found.state = LiveState.WORKING
        elif kind == "tool_use":
            found.calls[text_of(block.get("id")) or ""] = text_of(block.get("name")) or ""
            found.state = LiveState.WORKING


def _take_user(found: _Overview, record: Fields, *, at_head: bool) -> None:
    content = fields_of(record.get("message")).get("content")
    answered = False
    for item in items_of(content):
        block = fields_of(item)
        if block.get("type") == "tool_result":
            found.calls.pop(text_of(block.get("tool_use_id")) or "", None)
            answered = True
    text = text_in(content)
    if answered and not text.strip():
        rejected = record.get("toolUseResult") == "User rejected tool use"
        found.state = LiveState.INTERRUPTED if rejected else LiveState.WORKING
        return
    if is_note(record) or record.get("isCompactSummary") is True:
        return
    if origin_of(record) in (PEER, CHANNEL):
        found.state = LiveState.WORKING
        return
    _take_text(found, text, media=not text and bool(items_of(content)), at_head=at_head)


def _take_text(found: _Overview, text: str, *, media: bool, at_head: bool) -> None:
    opened = unwrap(text)
    bodies = [part.body for part in opened.parts]
    prompt = parted(opened.prompt)[1].strip()
    if prompt or media:
        found.state = LiveState.WORKING
        if at_head:
            found.prompt = found.prompt or prompt
        else:
            found.last_prompt = found.last_prompt or prompt
        return
    for body in bodies:
        if isinstance(body, Notification) and body.topic is Topic.INTERRUPT:
            found.state = LiveState.INTERRUPTED
            found.calls.clear()
        elif isinstance(body, Notification) and body.topic is Topic.BACKGROUND:
            found.state = LiveState.WORKING
        elif isinstance(body, SlashCommand):
            _take_command(found, body)
        elif isinstance(body, Attachment) and body.kind == "agent-message":
            found.message = found.message or body.text
            found.state = LiveState.WORKING
        elif not isinstance(body, Hidden) and found.state is LiveState.UNKNOWN:
            found.state = LiveState.WAITING_INPUT


def _take_command(found: _Overview, command: SlashCommand) -> None:
    if command.name in ("/exit", "/quit"):
        found.state = LiveState.ENDED
    elif command.output is not None or command.shell:
        if found.state is not LiveState.ENDED:
            found.state = LiveState.WAITING_INPUT
    elif command.name:
        found.state = LiveState.WORKING
        if found.command is None and command.name != "/clear":
            found.command = f"{command.name} {command.args}".strip()


def _title(found: _Overview, ref: SessionRef) -> str | None:
    own = [text for leaf, text in found.summaries.items() if leaf is None or leaf in found.uuids]
    choices: Iterable[str | None] = (
        ref.label,
        found.custom,
        found.ai,
        own[-1] if own else None,
        found.prompt,
        found.last_prompt,
        found.message,
        found.command,
    )
    for choice in choices:
        if choice and choice.strip():
            return " ".join(choice.split())[:_TITLE_CHARS]
    return None


def _state(found: _Overview, *, side: bool) -> LiveState:
    state = found.state
    if side and state is LiveState.WAITING_INPUT:
        # An agent waits for nobody: what it said last is what it came to.
        return LiveState.ENDED
    if state is LiveState.WORKING and found.calls:
        names = set(found.calls.values())
        if names & _QUESTIONS:
            state = LiveState.WAITING_INPUT
        elif names & _PROPOSALS:
            state = LiveState.WAITING_APPROVAL
    return state
