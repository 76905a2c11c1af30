"""Lines that a session changed."""

from agentview.domain.value import Value


class LineSum(Value):
    """Lines of all files that a session changed."""

    added: int = 0
    removed: int = 0
    net: bool = True
    whole: bool = True
    """False where the lines of some files are not known."""


class SessionLines(Value):
    """Lines that a session changed; None is unknown."""

    path: str
    lines: LineSum | None
