"""Blames a file in a process of its own: all sessions of its project are read for it."""

from pathlib import Path

from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.reports.blame.file_past import past_of
from agentview.reports.blame.lines import BlamedLine, blamed_lines, file_lines, masked_lines
from agentview.system.workers.connection import Connection


class BlameRequest(Value):
    """A file whose lines are wanted with their writers."""

    path: Path
    masked: bool
    """True if secrets are masked in the lines."""


class BlamedFile(Value):
    """The lines of a file with their writers, or what is wrong with it."""

    lines: tuple[BlamedLine, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    """Logs that could not be read: path and why."""
    trouble: str | None = None


def serve(connection: Connection) -> None:
    while (request := connection.receive()) is not None:
        connection.send(_blamed(request))


def _blamed(request: BlameRequest) -> BlamedFile:
    try:
        texts = file_lines(request.path)
        past = past_of(request.path)
    except AgentViewError as error:
        return BlamedFile(trouble=error.message)
    lines = blamed_lines(texts, past.changes)
    return BlamedFile(tuple(masked_lines(lines) if request.masked else lines), past.unreadable)
