"""The one line that says what an activity is about."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Literal

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.events import Body, Level, Notification, ToolResult, Unparsed
from agentview.domain.tool_inputs import TopicPayload
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.value import Value
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.timeline.view.sanitize import first_line, first_printed_line, one_line
from agentview.timeline.view.titles.files import FILE_TITLES
from agentview.timeline.view.titles.messages import prose_parts
from agentview.timeline.view.titles.search import SEARCH_TITLES
from agentview.timeline.view.titles.standing import STANDING_TITLES, topic_parts
from agentview.timeline.view.titles.text import Parts, cwd_of
from agentview.timeline.view.titles.tools import WORK_TITLES, unknown_parts

_FAILED = "failed"


class StatusIcon(StrEnum):
    """State of an activity, shown as a mark and a colour."""

    NONE = "none"
    OK = "ok"
    ANSWERED = "answered"
    """It came to its end; nothing says whether it went well."""
    FAILED = "failed"
    RUNNING = "running"
    STREAMING = "streaming"
    DENIED = "denied"
    ABANDONED = "abandoned"
    WARNING = "warning"
    FOLD = "fold"
    """Several activities in one row, which can be opened."""


UNICODE_ICONS: Mapping[StatusIcon, str] = dict(zip(StatusIcon, " ✓·✗●◌⊘○!▸", strict=True))
"""Icons of one cell, on all surfaces."""
ASCII_ICONS: Mapping[StatusIcon, str] = dict(zip(StatusIcon, " v.x*~-o!+", strict=True))

IconColor = Literal["success", "error", "running", "warning", "dim"]

_ICON_COLORS: Mapping[StatusIcon, IconColor] = {
    StatusIcon.OK: "success",
    StatusIcon.FAILED: "error",
    StatusIcon.RUNNING: "running",
    StatusIcon.STREAMING: "running",
    StatusIcon.DENIED: "warning",
    StatusIcon.WARNING: "warning",
}


def icon_color(icon: StatusIcon) -> IconColor:
    return _ICON_COLORS.get(icon, "dim")


class Title(Value):
    """Parts of the title line, as plain text without control characters.

    `subject` is what it is about (path, command, first words); `detail` is what came of it
    (`+3 −1`, `exit 1`, `12 matches`). `duration` is in seconds.
    """

    kind: Kind
    label: str
    subject: str
    detail: str = ""
    mark: StatusIcon = StatusIcon.NONE
    time: float | None = None
    duration: float | None = None


_TOOLS: Mapping[ToolKind, Callable[[ToolCall, Activity, str | None], Parts]] = {
    **FILE_TITLES,
    **SEARCH_TITLES,
    **WORK_TITLES,
    **STANDING_TITLES,
}
_MARKS = {
    ToolState.INPUT_STREAMING: StatusIcon.STREAMING,
    ToolState.INPUT_AVAILABLE: StatusIcon.RUNNING,
    ToolState.OUTPUT_AVAILABLE: StatusIcon.OK,
    ToolState.OUTPUT_ERROR: StatusIcon.FAILED,
    ToolState.OUTPUT_DENIED: StatusIcon.DENIED,
    ToolState.ABANDONED: StatusIcon.ABANDONED,
}
_OUTCOMES = {True: StatusIcon.OK, False: StatusIcon.FAILED, None: StatusIcon.ANSWERED}
_DENIED = {
    DeniedBy.PERSON: "denied by you",
    DeniedBy.RULE: "denied by a rule",
    DeniedBy.CLASSIFIER: "denied by the classifier",
    DeniedBy.APPROVAL: "not approved",
    DeniedBy.UNKNOWN: "denied",
}
_APPROVAL = "waiting for approval"
_WAITING = {
    RowKind.REQUEST: _APPROVAL,
    ToolKind.ASK: "waiting for an answer",
    ToolKind.PLAN: _APPROVAL,
}
_LEVELS = {
    Level.INFO: StatusIcon.NONE,
    Level.WARNING: StatusIcon.WARNING,
    Level.ERROR: StatusIcon.FAILED,
}


def title_of(activity: Activity) -> Title:
    """The title of any activity in any state; label and subject together are never empty."""
    body = activity.body
    mark = mark_of(activity)
    if isinstance(body, ToolCall):
        topic = isinstance(body.payload, TopicPayload)
        make = topic_parts if topic else _TOOLS.get(body.kind, unknown_parts)
        parts = make(body, activity, cwd_of(activity))
        details = (
            _detail(body, parts, mark, activity.pending),
            _via(body),
            "kind inferred" if body.inferred else "",
        )
        parts = replace(parts, detail=" · ".join(part for part in details if part))
    else:
        parts = prose_parts(body)
    kind = row_kind(body)
    duration = None if kind is RowKind.TOPIC else activity.duration
    if duration is None:
        duration = getattr(body, "duration", None)
    return Title(
        kind=kind,
        label=one_line(parts.label, 60) or "tool",
        subject=_in_columns(parts.subject, 500) or _in_columns(_fallback(body), 500) or UNKNOWN,
        detail=_in_columns(parts.detail, 160),
        mark=mark,
        time=activity.started if activity.started is not None else activity.first.time,
        duration=duration,
    )


def _via(call: ToolCall) -> str:
    """Maker of a call that the model did not make itself; empty otherwise."""
    if not call.via:
        return ""
    failed = call.maker is not None and call.maker.state is ToolState.OUTPUT_ERROR
    return f"via {call.via}, which failed" if failed else f"via {call.via}"


def without_error(title: Title, activity: Activity) -> Title:
    """The title above a body that has the message of a failed call: it says only that it failed."""
    body = activity.body
    said = _in_columns(_error_line(body), 160) if isinstance(body, ToolCall) else ""
    if not said or title.mark is not StatusIcon.FAILED or not title.detail.startswith(said):
        return title
    return replace(title, detail=f"{_FAILED}{title.detail.removeprefix(said)}")


def _error_line(call: ToolCall) -> str:
    return first_printed_line(call.error, 120)


def mark_of(activity: Activity) -> StatusIcon:
    """State of an activity as its mark; a call without a result runs only while more may come."""
    body = activity.body
    if isinstance(body, ToolCall):
        mark = _MARKS[body.state]
        if isinstance(body.payload, TopicPayload) and body.ok is not False:
            return StatusIcon.NONE
        waiting = mark in (StatusIcon.RUNNING, StatusIcon.STREAMING)
        if waiting and not activity.live:
            return StatusIcon.ABANDONED
        return _OUTCOMES[body.ok] if mark is StatusIcon.OK else mark
    if isinstance(body, Notification):
        return _LEVELS[body.level]
    if isinstance(body, ToolResult):
        return _OUTCOMES[body.ok]
    if isinstance(body, Unparsed):
        return StatusIcon.WARNING
    return StatusIcon.NONE


def _denied_words(call: ToolCall) -> str:
    """Who denied a call: `denied by you`; a plan is rejected."""
    words = _DENIED[call.denial.by if call.denial else DeniedBy.UNKNOWN]
    return words.replace("denied", "rejected", 1) if call.kind is ToolKind.PLAN else words


def denial_text(call: ToolCall) -> str | None:
    """The words of who denied a call, or the client's reason where no person denied it."""
    if call.denial is None:
        return None
    return call.denial.words or (None if call.denial.by is DeniedBy.PERSON else call.error)


def _in_columns(text: str, limit: int) -> str:
    """One clean line; two spaces, which stand between parts of a title, are kept."""
    if "  " not in text:
        return one_line(text, limit)
    parts = (one_line(part, limit) for part in text[: 2 * limit].split("  "))
    return "  ".join(part for part in parts if part)[:limit]


def _detail(call: ToolCall, parts: Parts, mark: StatusIcon, pending: str | None) -> str:
    if mark is StatusIcon.DENIED:
        return _denied_words(call)
    if mark is StatusIcon.STREAMING:
        return "writing arguments"
    if mark is StatusIcon.ABANDONED:
        return "no result" if call.result is None else "began in the background, no end recorded"
    # What came of a call is known of processes alone before it is over, or when it failed.
    known = parts.detail if call.kind in (ToolKind.SHELL, ToolKind.SUBAGENT_TASK) else ""
    if mark is StatusIcon.RUNNING:
        return _waiting_for(call) or known or pending or "running"
    if mark is StatusIcon.FAILED:
        if call.interrupted:
            return "interrupted"
        return known or _error_line(call) or _FAILED
    return parts.detail


def _waiting_for(call: ToolCall) -> str | None:
    """The cause for which a call without a result waits, where its kind or a request says so."""
    if any(request.state is ToolState.INPUT_AVAILABLE for request in call.requests):
        return _APPROVAL
    return _WAITING.get(row_kind(call))


def _fallback(body: Body) -> str:
    if not isinstance(body, ToolCall):
        return ""
    if body.title and body.title.strip():
        return first_line(body.title)
    return first_line(body.args_error, 80) if body.args_error else body.provider_name
