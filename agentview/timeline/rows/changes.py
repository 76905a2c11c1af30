"""Changes of a session that its subscribers get."""

from collections.abc import Sequence

from agentview.domain.value import Value


class RowsChanged(Value):
    """Change of a session: rows were added at either end, or `updated` must be shown again.

    `reset`: all earlier rows are gone (the file was replaced); nothing known about rows holds.
    """

    prepended: int = 0
    appended: int = 0
    updated: Sequence[int] = ()
    reset: bool = False
    indexed: bool = False
    """The whole log has been read."""
