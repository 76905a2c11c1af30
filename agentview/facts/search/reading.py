"""The records of a log from a byte on, whether it is lines or a document, and samples of it."""

from collections.abc import Iterator
from hashlib import blake2b

from agentview.providers.base import HEAD_BYTES, Provider
from agentview.sources.line_splitter import DEFAULT_LIMIT, Line, LineSplitter, cut_lines, make_line
from agentview.sources.lines import is_json
from agentview.sources.open_file import read_span
from agentview.sources.seek import line_start

_PIECE = 1024 * 1024
_KEPT = 16 * 1024 * 1024
_SAMPLE = 4096
_LARGEST_DOCUMENT = 512 * 1024 * 1024

WARM_UP = 64 * 1024
"""Bytes in front of where reading continues that are read again, to know what was said there."""


def keep_buffers() -> None:
    """Have the memory of pieces of a log used again for the next ones.

    The allocator of glibc keeps memory up to the size that was once given back: else each piece
    would be given to the system and fetched again, which takes as long as searching it.
    """
    bytes(_KEPT)


def is_document(provider: Provider, fd: int) -> bool:
    # Of formats that are all lines nothing is read for it.
    return provider.documents is not None and provider.is_document(read_span(fd, 0, HEAD_BYTES))


def records(
    provider: Provider,
    fd: int,
    start: int,
    end: int,
    *,
    torn: bool,
) -> Iterator[Line | int]:
    """Records that begin from byte `start` on, and from time to time the byte that was reached.

    The last line counts without its newline when it is whole, or whatever it holds when it is
    `torn`: nobody writes any more.
    """
    if is_document(provider, fd):
        yield from _of_document(provider, fd, start, end)
        return
    pending = LineSplitter(start, DEFAULT_LIMIT)
    at = start
    while at < end:
        piece = read_span(fd, at, min(_PIECE, end - at))
        if not piece:
            break
        lines, pending = _cut(pending, piece, at)
        yield from lines
        at += len(piece)
        yield at - pending.account.pending
    last = pending.finish(None if torn else is_json)
    if last is not None:
        yield last


def whole_lines(fd: int, start: int, end: int) -> Iterator[bytes | None]:
    """All bytes from one to another, cut at ends of lines; None in place of a line of 16 MB."""
    at, rest = start, b""
    while at < end:
        piece = read_span(fd, at, min(_PIECE, end - at))
        if not piece:
            break
        at += len(piece)
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield rest + piece[:cut]
            rest = piece[cut:]
        else:
            rest += piece
        if len(rest) > DEFAULT_LIMIT:
            yield None
            return
    if rest:
        yield rest


def _cut(pending: LineSplitter, piece: bytes, at: int) -> tuple[list[Line], LineSplitter]:
    """Lines that end in the piece, and what holds the one that does not."""
    first = 0
    lines: list[Line] = []
    if pending.account.pending:
        first = piece.find(b"\n") + 1
        lines = pending.feed(piece[:first] if first else piece)
        if not first:
            return lines, pending
    # Whole lines are cut in one go, which is quicker than one by one.
    lines += cut_lines(piece, first, at)
    last = max(first, piece.rfind(b"\n") + 1)
    pending = LineSplitter(at + last, DEFAULT_LIMIT)
    pending.feed(piece[last:])
    return lines, pending


def _of_document(provider: Provider, fd: int, start: int, end: int) -> Iterator[Line | int]:
    if provider.documents is None or end > _LARGEST_DOCUMENT:
        return
    data = read_span(fd, 0, end)
    try:
        spans = provider.documents.split(data)
    except ValueError:
        spans = [(0, len(data))]
    for first, last in spans:
        line = make_line(data[first:last], first) if first >= start else None
        if line is not None:
            yield line
    yield end


def before(fd: int, start: int) -> int:
    """Where reading begins to know what was said shortly before `start`."""
    return line_start(fd, max(0, start - WARM_UP)) if start else 0


def sample_before(fd: int, position: int) -> bytes:
    """A digest of the first bytes and of those before a position: another when it was rewritten."""
    size = min(_SAMPLE, position)
    digest = blake2b(read_span(fd, 0, size), digest_size=16)
    digest.update(read_span(fd, position - size, size))
    return digest.digest()
