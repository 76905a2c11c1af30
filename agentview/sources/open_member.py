"""Opens sessions that are no files of lines; the lines of the last ones stay at hand."""

import os
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import IO

from agentview.errors import NotFound, Unreadable
from agentview.sources.line_splitter import Line
from agentview.sources.member import WHOLE, Part, archive_head, folder_form, member_of
from agentview.sources.member_lines import NEWEST, MemberLines
from agentview.sources.row_places import RowPlaces

_KEPT = 64
"""Sessions whose lines stay at hand."""

_open: "OrderedDict[str, MemberLines]" = OrderedDict()
_lock = Lock()
"""Held while `_open` is changed, never while records are read."""


def open_member(path: str | Path, part: Part = WHOLE) -> int | None:
    """A descriptor of the lines of a session; None for a path that means none.

    Of its lines, `part` is there. Raises Unreadable when the session cannot be read.
    """
    lines = _kept(path)
    if lines is None:
        return None
    if part.again and part.start >= NEWEST and lines.newest is not None:
        return _descriptor(lines.newest)
    if part.again and lines.whole:
        if not lines.fill(part.start, part.length):
            raise Unreadable(f"{path} was changed.")
        return _descriptor(lines.file)
    if not (_refreshed(path, lines) and lines.fill(part.start, part.length)):
        fresh = _new(path)
        lines = None if fresh is None else _keep(path, fresh)
        if lines is None or not lines.refresh():
            return None
    return _descriptor(lines.file)


def _refreshed(path: str | Path, lines: MemberLines) -> bool:
    """Whether the lines are as they are now on disk; False where all is to be read again.

    Raises Unreadable, but not for lines of another kind: a file that was half-written when it was
    opened may have turned out to be an archive, or a database.
    """
    try:
        return lines.refresh()
    except Unreadable:
        if type(_new(path)) is type(lines):
            raise
        return False


def newest_lines(path: str | Path, most: int, size: int) -> list[Line] | None:
    """The last lines of a session, before the others are read; None where all are at hand.

    At most so many lines and, but for the last one, so many bytes. Their places are behind
    `NEWEST`; where they are slow to find there are none. Raises NotFound, Unreadable.
    """
    lines = _kept(path)
    if lines is None:
        raise NotFound(f"No such file: {path}.")
    if lines.whole:
        return None
    return lines.read_newest(most, size)


def restore_lines(path: str | Path, places: RowPlaces, digest: bytes) -> None:
    """Have the lines of a session at hand that were at these places, where it still has them.

    They are read when they are wanted. `digest` is that of their bytes.
    """
    lines = _kept(path)
    if lines is not None and not lines.whole:
        lines.restore(places, digest)


def places_in(path: str | Path, end: int) -> RowPlaces | None:
    """The places of the rows of a session up to byte `end` of its lines, for `restore_lines`.

    None where it is not in a database, or no places can be kept of it.
    """
    lines = _kept(path)
    return None if lines is None else lines.places(end)


def known_digest(path: str | Path, end: int) -> bytes | None:
    """The digest of all bytes up to `end` of lines that were restored; None where it is unknown."""
    lines = _kept(path)
    return None if lines is None or lines.restored_end != end else lines.digest


def start_of_last(path: str | Path, most: int, size: int) -> int:
    """A byte from which on the last lines of a session are, at most so many and so many bytes.

    What comes before it need not be read for them.
    """
    lines = _kept(path)
    return 0 if lines is None else lines.start_of_last(most, size)


def early_line(path: str | Path) -> bytes:
    """A record that says what kind of session is at a path, before all are read.

    Empty where the first bytes have to be read for that. Raises Unreadable.
    """
    lines = _kept(path)
    return b"" if lines is None or lines.at_hand else lines.early_line()


def member_ends(
    path: str | Path, most: int, size: int
) -> tuple[Sequence[bytes], Sequence[bytes]] | None:
    """The first lines of a session and the last ones, before all of them are read.

    None where all are at hand, or have to be read for that. Raises NotFound, Unreadable.
    """
    lines = _kept(path)
    return None if lines is None or lines.at_hand else lines.ends(most, size)


def _kept(path: str | Path) -> MemberLines | None:
    key = os.fspath(path)
    with _lock:
        lines = _open.get(key)
        if lines is not None:
            _open.move_to_end(key)
            return lines
    fresh = _new(path)
    return None if fresh is None else _keep(path, fresh)


def _new(path: str | Path) -> MemberLines | None:
    # Imported here: most logs are files, and a database takes longer to open than to import.
    form = folder_form(path)
    if form is not None:
        from agentview.sources.directory import DirectoryLines

        return DirectoryLines(os.fspath(path), form)
    member = member_of(path)
    if member is None:
        return None
    if archive_head(member[0]):
        from agentview.sources.archive import ArchiveLines

        return ArchiveLines(*member)
    from agentview.sources.database import DatabaseLines

    return DatabaseLines(*member)


def _keep(path: str | Path, lines: MemberLines) -> MemberLines:
    with _lock:
        _open[os.fspath(path)] = lines
        while len(_open) > _KEPT:
            _open.popitem(last=False)
    return lines


def _descriptor(file: IO[bytes]) -> int:
    # Imported here: it needs the packages for temporary files.
    from agentview.sources.unpacking import own_descriptor

    return own_descriptor(file.fileno())
