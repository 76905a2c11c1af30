"""Reads whole lines from the end of a file towards its start."""

import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentview.domain.value import Value
from agentview.errors import Unreadable
from agentview.sources.line_splitter import (
    BOM,
    DEFAULT_LIMIT,
    KEPT_OF_STUB,
    Line,
    cut_lines,
    longest_held,
    make_line,
)
from agentview.sources.open_file import open_file, read_span
from agentview.sources.resume_point import ResumePoint, take_mark

BLOCK_SIZE = 8 * 1024 * 1024
"""Bytes of a block: large enough for full reading speed, small enough to be sent on quickly."""

_FIRST_WINDOW = 64 * 1024
_SCAN = 1024 * 1024


class Block(Value):
    """The lines of the bytes from `start` to `end`, which both lie at the start of a line."""

    start: int
    end: int
    lines: list[Line]


class Tail(Value):
    """The last whole lines of a file, oldest first.

    `start` is where the first of them begins: what lies before it is for `blocks_backward`. `mark`
    is where the last of them ends: a `LineReader` made with it continues there and notices when
    the file was exchanged in between.
    """

    lines: list[Line]
    start: int
    mark: ResumePoint


def tail_lines(
    source: int | Path,
    max_lines: int = 120,
    max_bytes: int = 1024 * 1024,
    end: int | None = None,
    limit: int = DEFAULT_LIMIT,
    start: int = 0,
) -> Tail:
    """Read the last whole lines that end at or before `end` (else the end of the file).

    Gives at most `max_lines` records out of `max_bytes` bytes, and at least one when the last line
    is longer than that. Lines before byte `start`, where one begins, are left out. `source` is a
    path or an open descriptor. Raises NotFound, Unreadable.
    """
    with _opened(source) as (fd, status):
        size = status.st_size if end is None else min(end, status.st_size)
        stop = _line_start(fd, size)
        mark = take_mark(fd, status, stop)
        window = min(_FIRST_WINDOW, max_bytes)
        while True:
            # The newline before the first line shows that a line begins behind it.
            block = _last_block(fd, stop, min(window, stop - start + 1), limit)
            if len(block.lines) >= max_lines or block.start <= start or window >= max_bytes:
                break
            window = min(window * 4, max_bytes)
    if len(block.lines) <= max_lines:
        return Tail(block.lines, block.start, mark)
    lines = block.lines[-max_lines:]
    # It is not the first line of the file, so no byte order mark stands before it.
    return Tail(lines, lines[0].offset, mark)


def blocks_backward(
    source: int | Path,
    end: int | None = None,
    block_size: int = BLOCK_SIZE,
    limit: int = DEFAULT_LIMIT,
    start: int = 0,
    first: int | None = None,
) -> Iterator[Block]:
    """Read all whole lines before `end` (else the end of the file), the newest block first.

    Lines before byte `start`, where one begins, are left out. With `first` the newest block has at
    most so many bytes, and each next one twice as many as the one before, up to `block_size`:
    whoever waits for what comes next does not wait for a large block. The blocks join without a
    gap, and their lines put in file order are those of a forward read. A line longer than a block
    is a block of its own. `source` is a path or an open descriptor, which stays open. Raises
    NotFound, Unreadable, also when the file is cut while it is read.
    """
    with _opened(source) as (fd, status):
        stop = _line_start(fd, status.st_size if end is None else min(end, status.st_size))
        sizes = growing_sizes(block_size if first is None else first, block_size)
        while stop > start:
            # The newline before the first line shows that a line begins behind it.
            block = _last_block(fd, stop, min(next(sizes), stop - start + 1), limit)
            yield block
            stop = block.start


def growing_sizes(first: int, most: int) -> Iterator[int]:
    """Bytes of blocks, without end: each next one is twice as large, up to `most`."""
    size = min(first, most)
    while True:
        yield size
        size = min(2 * size, most)


@contextmanager
def _opened(source: int | Path) -> Generator[tuple[int, os.stat_result]]:
    if isinstance(source, int):
        yield source, os.fstat(source)
        return
    fd, status = open_file(source)
    try:
        yield fd, status
    finally:
        os.close(fd)


def _line_start(fd: int, position: int) -> int:
    """Find the start of the line that holds the byte at `position`."""
    step = _FIRST_WINDOW
    while position > 0:
        start = max(0, position - step)
        newline = _read(fd, start, position).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        position, step = start, _SCAN
    return 0


def _last_block(fd: int, stop: int, size: int, limit: int) -> Block:
    """Read the whole lines in the `size` bytes before `stop`, or the one line that is longer."""
    start = max(0, stop - size)
    data = _read(fd, start, stop)
    first = 0
    if start > 0:
        first = data.find(b"\n") + 1
        if first == len(data):
            return _long_line(fd, _line_start(fd, stop - 1), stop, limit)
    return Block(start + first, stop, cut_lines(data, first, start, limit))


def _long_line(fd: int, start: int, stop: int, limit: int) -> Block:
    size = stop - 1 - start
    if size <= longest_held(limit):
        line = make_line(_read(fd, start, stop - 1), start, limit)
        return Block(start, stop, [] if line is None else [line])
    head = _read(fd, start, start + KEPT_OF_STUB + len(BOM))
    tail = _read(fd, stop - 2 - KEPT_OF_STUB, stop - 1)
    offset, length = start, size
    if start == 0 and head.startswith(BOM):
        offset, length, head = len(BOM), length - len(BOM), head[len(BOM) :]
    if tail.endswith(b"\r"):
        length, tail = length - 1, tail[:-1]
    stub = Line(offset, length, None, head=head[:KEPT_OF_STUB], tail=tail[-KEPT_OF_STUB:])
    return Block(start, stop, [stub])


def _read(fd: int, start: int, stop: int) -> bytes:
    data = read_span(fd, start, stop - start)
    if len(data) < stop - start:
        raise Unreadable("The file was cut while it was read.")
    return data
