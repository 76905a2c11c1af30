"""Messages that cross from one part of the screen to another."""

from dataclasses import dataclass

from textual.message import Message

from agentview.domain.session import SessionRef


@dataclass
class SessionChosen(Message):
    """The person wants to see this session."""

    ref: SessionRef
