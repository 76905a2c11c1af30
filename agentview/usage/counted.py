"""What the counting child tells its parent."""

from dataclasses import replace

from agentview.domain.value import Value
from agentview.usage.report import SessionUsage, largest

TURNS = 100
"""Turns that are told one by one."""


class Counted(Value):
    """What a session used, as far as its log has been read."""

    usage: SessionUsage
    """Of its turns only those that used most."""
    turns: int
    """How many turns there are."""
    fraction: float = 1.0
    """Part of the log that was read, 0 to 1; 1 is the end of an answer."""
    trouble: str | None = None
    """Why it could not be read on."""


def counted(usage: SessionUsage, fraction: float = 1.0, trouble: str | None = None) -> Counted:
    """What is told of a usage: so little that it is taken in at once."""
    turns = tuple(largest(usage.turns, TURNS))
    return Counted(replace(usage, turns=turns), len(usage.turns), fraction, trouble)
