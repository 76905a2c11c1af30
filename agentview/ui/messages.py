"""Messages that cross from one part of the screen to another."""

from dataclasses import dataclass

from textual.message import Message

from agentview.domain.session import SessionRef


@dataclass
class SessionChosen(Message):
    """The person wants to see this session."""

    ref: SessionRef


@dataclass
class ActivityClicked(Message):
    """The person clicked on an activity: on `line` of it (0 is the title), `clicks` times."""

    row: int
    line: int
    clicks: int


@dataclass
class CopyAsked(Message):
    """The person wants this text in the clipboard."""

    text: str
