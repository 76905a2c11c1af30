"""A file that a log names."""

from agentview.domain.value import Value


class FilePlace(Value):
    """A file as the log names it: `path` counts from `cwd` when it is not absolute."""

    path: str
    line: int | None = None
    """1-based; None where the log has no line."""
    cwd: str | None = None
