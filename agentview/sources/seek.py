"""The line around any byte of a file, whatever its length."""

from agentview.errors import Unreadable
from agentview.sources.line_splitter import (
    DEFAULT_LIMIT,
    KEPT_OF_STUB,
    Line,
    longest_held,
    make_line,
)
from agentview.sources.open_file import read_span

_STEP = 4 * 1024
_MOST = 1024 * 1024


def line_start(fd: int, position: int) -> int:
    """Where the line begins that holds the byte at `position`."""
    step = _STEP
    while position > 0:
        start = max(0, position - step)
        newline = read_span(fd, start, position - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        position, step = start, min(step * 4, _MOST)
    return 0


def line_end(fd: int, position: int, limit: int) -> int:
    """Where the line ends that holds the byte at `position`: its newline, or `limit`."""
    step = _STEP
    while position < limit:
        data = read_span(fd, position, min(step, limit - position))
        newline = data.find(b"\n")
        if newline >= 0:
            return position + newline
        if not data:
            break
        position, step = position + len(data), min(step * 4, _MOST)
    return limit


def line_between(fd: int, start: int, end: int, limit: int = DEFAULT_LIMIT) -> Line | None:
    """The record from `start` to `end`, its newline left out; a stub when long, None when blank.

    Raises Unreadable when the file has become too short to hold it.
    """
    if end - start > longest_held(limit):
        return Line(start, end - start, None, head=read_span(fd, start, KEPT_OF_STUB))
    data = read_span(fd, start, end - start)
    if len(data) < end - start:
        raise Unreadable("The file was cut while it was read.")
    return make_line(data, start, limit)
