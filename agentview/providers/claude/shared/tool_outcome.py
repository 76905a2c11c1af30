"""Outcome of a tool call: success, failure, refusal or interruption, out of its result."""

import re
from collections.abc import Sequence

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy
from agentview.normalize.json_values import fields_of, text_of
from agentview.providers.claude.shared.content import blocks_of, text_in
from agentview.providers.claude.shared.event_builder import ClaudeRecord
from agentview.providers.claude.shared.schema import Block as ContentBlock
from agentview.providers.claude.shared.schema import Record, Structured

_ERROR_OPEN = "<tool_use_error>"
_ERROR_CLOSE = "</tool_use_error>"
_REMINDER_OPEN = "<system-reminder>"
_REMINDER_CLOSE = "</system-reminder>"

_BY_SOURCE = {
    "config": DeniedBy.RULE,
    "hook": DeniedBy.RULE,
    "rule": DeniedBy.RULE,
    "classifier": DeniedBy.CLASSIFIER,
    "user": DeniedBy.PERSON,
    "user_permanent": DeniedBy.PERSON,
    "user_temporary": DeniedBy.PERSON,
    "user_reject": DeniedBy.PERSON,
    "user_abort": DeniedBy.PERSON,
}
"""`permissionDecision.source` of a rejected call (2.1.329)."""

_BY_KIND = {
    "user-rejected": DeniedBy.PERSON,
    "permission-rule": DeniedBy.RULE,
    "hook": DeniedBy.RULE,
    "automode-unavailable": DeniedBy.CLASSIFIER,
    "automode": DeniedBy.CLASSIFIER,
    "classifier": DeniedBy.CLASSIFIER,
}
"""`toolDenialKind` (2.1.1xx)."""

_STARTS = (
    ("The user doesn't want to proceed with this tool use", DeniedBy.PERSON),
    ("The user doesn't want to take this action", DeniedBy.PERSON),
    ("User rejected", DeniedBy.PERSON),
    ("The user rejected", DeniedBy.PERSON),
    ("Permission prompt was aborted", DeniedBy.PERSON),
    ("Permission for this action has been denied", DeniedBy.CLASSIFIER),
    ("Permission for this action was denied", DeniedBy.CLASSIFIER),
    ("This command requires approval", DeniedBy.APPROVAL),
    ("This Bash command contains multiple operations. The following part", DeniedBy.APPROVAL),
    ("Permission to use ", DeniedBy.RULE),
    ("Permission to ", DeniedBy.RULE),
    ("Denied by ", DeniedBy.RULE),
    ("PreToolUse:", DeniedBy.RULE),
    ("Hook PreToolUse:", DeniedBy.RULE),
)
_INSIDE = (
    ("but you haven't granted it yet", DeniedBy.APPROVAL),
    (" was blocked. For security, Claude Code", DeniedBy.RULE),
    (" needs approval. ", DeniedBy.APPROVAL),
    (" so auto mode cannot ", DeniedBy.CLASSIFIER),
    ("denied by the Claude Code auto mode classifier", DeniedBy.CLASSIFIER),
)
_WORDS_AFTER = (
    "The user provided the following reason for the rejection:",
    "To tell you how to proceed, the user said:",
    "the user said:",
)
LAUNCHED = "_launched"
"""End of the status of an agent that began in the background."""
_CANCELLED = ("Sibling tool call errored", "Cancelled: parallel tool call")
_FAILURES = ("Error: ", "InputValidationError", "User rejected", *_CANCELLED)
_INTERRUPTED = "[Request interrupted by user"
_LAUNCH = re.compile(
    r"Async agent launched|Workflow launched in background|Monitor started \(task"
    r"|Command (?:running in|[^\n]{0,200} moved to the) background"
)
_HEAD_CHARS = 1_000
"""How far into an error the words of a refusal are looked for."""


def result_of(
    record: ClaudeRecord, block: ContentBlock, structured: object, call_id: str
) -> ToolResult:
    """The outcome in a `tool_result` block of a record.

    `structured` is the record's `toolUseResult` where it belongs to this block. A result without
    `is_error` is a success: only about a third of the records have the flag. Whether work that
    began in the background succeeds is not known yet.
    """
    content = record.value_of(block.content)
    if content is None:
        content = block.text
    output = _without_reminders(blocks_of(content))
    if not has_failed(block, structured):
        return ToolResult(
            call_id,
            ok=None if _is_launch(structured, output) else True,
            output=output,
            structured=structured,
            interrupted=fields_of(structured).get("interrupted") is True,
        )
    error = unwrapped(text_in(content) or (structured if isinstance(structured, str) else ""))
    denial = _denial(error, record.record, structured)
    head = error[:_HEAD_CHARS]
    short = structured[:_HEAD_CHARS] if isinstance(structured, str) else ""
    return ToolResult(
        call_id,
        ok=False,
        output=output,
        structured=structured,
        error=error or None,
        denial=denial,
        interrupted=head.startswith((*_CANCELLED, _INTERRUPTED))
        or any(word in short for word in (*_CANCELLED, _INTERRUPTED))
        or record.record.interrupted_by_shutdown is True,
    )


def unwrapped(text: str) -> str:
    """An error text without the tags around it."""
    if _ERROR_OPEN in text[:_HEAD_CHARS]:
        inner = text.partition(_ERROR_OPEN)[2]
        head, closed, tail = inner.rpartition(_ERROR_CLOSE)
        text = head + tail if closed else inner
    return text.strip()


def reminder_start(text: str) -> int | None:
    """Where the reminders begin that the client put at the end of a text; None without any."""
    if not text.endswith(_REMINDER_CLOSE, 0, len(text.rstrip())):
        return None
    end = len(text.rstrip())
    start: int | None = None
    while text.endswith(_REMINDER_CLOSE, 0, end):
        found = text.rfind(_REMINDER_OPEN, 0, end)
        # Inside a line it is a quotation, not something that was put there.
        if found < 0 or (found > 0 and text[found - 1] != "\n"):
            break
        start = found
        end = len(text[:found].rstrip())
    return start


def _without_reminders(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The output as the tool gave it; a result that is nothing but a reminder keeps it."""
    if not blocks:
        return blocks
    last = blocks[-1]
    if not isinstance(last, TextBlock):
        return blocks
    start = reminder_start(last.text)
    if start is None:
        return blocks
    kept = last.text[:start].rstrip("\n")
    if kept:
        return (*blocks[:-1], TextBlock(kept))
    return blocks[:-1] or blocks


def _is_launch(structured: object, output: Sequence[Block]) -> bool:
    """Return True if a result says only that work began in the background.

    The structured form says so by `backgroundTaskId`, or by the status `async_launched` or
    `remote_launched`. Without a structured form, or where it names a task, the words do.
    """
    fields = fields_of(structured)
    if fields.get("backgroundTaskId") or (text_of(fields.get("status")) or "").endswith(LAUNCHED):
        return True
    if isinstance(structured, dict) and "taskId" not in fields:
        return False
    first = output[0] if output else None
    return isinstance(first, TextBlock) and _LAUNCH.match(first.text) is not None


def has_failed(block: ContentBlock, structured: object) -> bool:
    """True if a call failed; `structured` is that form of its result, as a value or typed."""
    if block.is_error is not None:
        return block.is_error
    if isinstance(structured, str):
        return structured.startswith(_FAILURES)
    if isinstance(structured, Structured):
        return bytes(structured.is_error) == b"true"
    return fields_of(structured).get("is_error") is True


def may_be_launch(block: ContentBlock, structured: object) -> bool:
    """True if a result may say only that work began in the background: `result_of` shows it."""
    if isinstance(structured, Structured):
        began = structured.background_task_id or structured.task_id
        return bool(began) or bytes(structured.status).endswith(_LAUNCHED_END)
    head = bytes(block.content)[:_HEAD_CHARS]
    return any(word in head for word in _LAUNCH_WORDS) or not head


_LAUNCHED_END = b'_launched"'
_LAUNCH_WORDS = (b"launched", b"background", b"Monitor", b"\\u00")
"""Some of those of a launch, or an escape that could be one of their letters."""


def _denial(error: str, record: Record, structured: object) -> Denial | None:
    by = _denied_by(error, record, structured)
    return Denial(by, _words(error)) if by is not None else None


def _denied_by(error: str, record: Record, structured: object) -> DeniedBy | None:
    by_text = _denied_by_text(error)
    decision = record.permission_decision
    rejected = decision is not None and decision.decision == "reject"
    source = decision.source if decision is not None and rejected else None
    if by_text is DeniedBy.APPROVAL:
        # The log's own fields name a person or a rule then, though neither decided.
        return by_text
    if source is not None and source in _BY_SOURCE:
        return _BY_SOURCE[source]
    if by_text is None and isinstance(structured, str):
        by_text = _denied_by_text(structured.removeprefix("Error: "))
    kind = record.tool_denial_kind
    if kind:
        return by_text or _BY_KIND.get(kind, DeniedBy.UNKNOWN)
    if by_text is None and rejected:
        return DeniedBy.UNKNOWN
    return by_text


def _denied_by_text(error: str) -> DeniedBy | None:
    for start, by in _STARTS:
        if error.startswith(start):
            return by
    head = error[:_HEAD_CHARS]
    for part, by in _INSIDE:
        if part in head:
            return by
    return None


def _words(error: str) -> str | None:
    """Return the words of the person on it."""
    for marker in _WORDS_AFTER:
        _, found, words = error.partition(marker)
        if found:
            # The client adds its own advice behind a blank line.
            return words.partition("\n\nNote: The user's next message")[0].strip() or None
    return None
