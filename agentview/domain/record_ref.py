"""Places: of the raw bytes behind an event, and of what an activity names."""

from agentview.domain.value import Value


class SourceRef(Value):
    """A place in a log: `length` bytes at byte `offset` of the file at `path`.

    The line terminator is not part of the record. `line` is 1-based, None while it is not known
    (a file read from its end). `pointer` is a JSON pointer into a document or a row of a database,
    empty for a record that is a whole line.
    """

    path: str
    offset: int
    length: int
    line: int | None = None
    pointer: str = ""


class FileLocation(Value):
    """A file as the log names it: `path` counts from `cwd` when it is not absolute."""

    path: str
    line: int | None = None
    """1-based; None where the log has no line."""
    cwd: str | None = None
