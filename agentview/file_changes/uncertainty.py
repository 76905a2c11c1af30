"""Steps that a session took on a file, and sentences about those that leave something unknown."""

from enum import StrEnum

from agentview.domain.session import Stream
from agentview.domain.value import Value


class Act(StrEnum):
    """What a step did to a file."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    NOTEBOOK = "notebook edit"
    DELETE = "delete"
    MOVE = "move"
    COMMAND = "command"
    """A shell command that seems to have written to it, nobody knows what."""
    TOOL = "tool"
    """A tool of another server that seems to have written to it, nobody knows what."""


class Step(Value):
    """One thing that a call did to one file; `row` is that of the call in the log of `stream`.

    `path` is absolute, or relative where no directory is known. `start` and `limit` are the lines
    that were read: the first one, 1-based, and how many.
    """

    number: int
    """Among all steps of its file, from 1."""
    act: Act
    path: str
    row: int
    stream: Stream
    time: float | None = None
    """Epoch seconds UTC."""
    move_to: str | None = None
    start: int | None = None
    limit: int | None = None
    words: str = ""
    """The command, for one that is not understood; the tool of another server."""
    added: int | None = None
    removed: int | None = None
    """Lines that this step alone added and removed, where the log tells."""


class Trouble(Value):
    """What is not known because of a step, as half a sentence."""

    step: Step
    reason: str
