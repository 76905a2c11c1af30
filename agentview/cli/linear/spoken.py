"""Activities in words: a line without signs, and all of the text."""

import re
from collections.abc import Iterator

from agentview.domain.activity import Activity
from agentview.domain.session_state import SessionStatus
from agentview.timeline.view.activity.activity_text import output_text, subject_text
from agentview.timeline.view.format_numbers import MINUS, UNKNOWN, clock_seconds, counted, span
from agentview.timeline.view.header import HeaderFacts
from agentview.timeline.view.sanitize import clean, one_line
from agentview.timeline.view.titles.title import StatusIcon, Title, title_of

_OUTCOMES = {
    StatusIcon.NONE: "",
    StatusIcon.OK: "done",
    StatusIcon.ANSWERED: "ended",
    StatusIcon.FAILED: "failed",
    StatusIcon.RUNNING: "running",
    StatusIcon.STREAMING: "writing arguments",
    StatusIcon.DENIED: "denied",
    StatusIcon.ABANDONED: "abandoned",
    StatusIcon.WARNING: "warning",
}
_GAPS = {"": "", ".": " ", "!": " ", "?": " ", ",": " ", ":": " "}
"""The separator of two parts, by the end of the first one."""
_ADDED = re.compile(r"\+(\d[\d,]*)")
_REMOVED = re.compile(rf"{MINUS}(\d[\d,]*)")
_RANGE = re.compile(r"(\d)–(\d)")
_MOST_LINES = 2_000
"""Lines of an activity that are printed at once."""


def spoken_line(activity: Activity) -> str:
    """Return the activity as one line: time, label, what it is about, what came of it."""
    title = title_of(activity)
    subject, _, lines = title.subject.partition("  ")
    parts = [
        subject,
        _RANGE.sub(r"\1 to \2", lines),
        _in_words(title.detail),
        _outcome(title),
        _took(title.duration),
    ]
    text = ""
    for part in filter(None, parts):
        text += f"{_GAPS.get(text[-1:], ', ')}{part}"
    return " ".join(filter(None, (clock_seconds(title.time), f"{title.label}:", text)))


def spoken_status(status: SessionStatus) -> str:
    """Return the state as a sentence: `needs-approval: rm -rf build`."""
    known = "" if status.certain else ", not certain"
    about = f": {one_line(status.subject)}" if status.subject else ""
    return f"State {status.state.value}{known}{about}"


def spoken_header(facts: HeaderFacts) -> Iterator[str]:
    """Yield lines about the session as a whole."""
    yield f"{facts.provider}: {one_line(facts.title or 'untitled')}"
    if facts.cwd:
        yield f"Project {one_line(facts.cwd)}"
    if facts.model:
        yield f"Model {one_line(facts.model)}"
    if facts.context_fill is not None:
        yield f"Context {facts.context_fill:.0%} full"
    if facts.problems:
        yield counted(facts.problems, "problem")
    yield spoken_status(facts.status)


def full_text(activity: Activity) -> Iterator[str]:
    """Yield all of the activity in lines: its line, what it is about, what came back."""
    yield spoken_line(activity)
    subject, output = subject_text(activity), output_text(activity)
    yield from _lines(subject)
    if output != subject:
        yield from _lines(output)


def _lines(text: str) -> Iterator[str]:
    lines = text.splitlines()
    for line in lines[:_MOST_LINES]:
        yield f"  {clean(line)}".rstrip()
    if len(lines) > _MOST_LINES:
        yield f"  and {counted(len(lines) - _MOST_LINES, 'further line')}"


def _in_words(detail: str) -> str:
    words = _REMOVED.sub(r"\1 removed", _ADDED.sub(r"\1 added", detail))
    return words.replace(" · ", ", ").replace(UNKNOWN, "unknown")


def _outcome(title: Title) -> str:
    """Return the outcome, unless the detail says so."""
    word = _OUTCOMES[title.mark]
    return "" if title.detail.startswith(word) else word


def _took(seconds: float | None) -> str:
    if seconds is None or seconds < 0.05:
        return ""
    return f"{seconds:.1f} seconds" if seconds < 60 else span(seconds)
