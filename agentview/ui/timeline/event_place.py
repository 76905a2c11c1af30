"""Where an event stands: its row, found by its place in the log, and the place of a row."""

from agentview.timeline.view.rows_protocol import LogRows, Rows


def event_of(rows: Rows, row: int) -> str:
    return str(rows.activity(row).first.id)


def place_of(rows: Rows, row: int) -> tuple[int, int]:
    """Byte offset of the record of a row, and which of the rows of that record it is."""
    if not isinstance(rows, LogRows):
        return row, 0
    offset = rows.source(row).offset
    first = row
    while first > rows.first and rows.source(first - 1).offset == offset:
        first -= 1
    return offset, row - first


def row_at(rows: Rows, offset: int, number: int) -> int | None:
    """The row at such a place; None when it is not known yet."""
    if not isinstance(rows, LogRows):
        row = offset
    else:
        first = first_of_record(rows, offset)
        row = None if first is None else first + number
    return row if row is not None and rows.first <= row < rows.end else None


def first_of_record(rows: LogRows, byte: int) -> int | None:
    """The first row of the record that holds a byte; None when it is not known yet."""
    row = rows.row_at_offset(byte)
    if row is None:
        return None
    offset = rows.source(row).offset
    while row > rows.first and rows.source(row - 1).offset == offset:
        row -= 1
    return row
