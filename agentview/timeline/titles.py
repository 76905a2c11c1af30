"""The one line that says what an activity is about."""

from dataclasses import dataclass
from enum import StrEnum

from agentview.timeline.levels import Kind


class Mark(StrEnum):
    """State of an activity, shown as a mark and a colour."""

    NONE = "none"
    OK = "ok"
    FAILED = "failed"
    RUNNING = "running"
    STREAMING = "streaming"
    DENIED = "denied"
    ABANDONED = "abandoned"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Title:
    """Parts of the title line, as plain text without control characters.

    `subject` is what it is about (path, command, first words); `detail` is what came of it
    (`+3 −1`, `exit 1`, `12 matches`). `duration` is in seconds.
    """

    kind: Kind
    label: str
    subject: str
    detail: str = ""
    mark: Mark = Mark.NONE
    time: float | None = None
    duration: float | None = None
