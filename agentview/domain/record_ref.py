"""Where the raw bytes behind an event are."""

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
