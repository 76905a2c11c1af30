"""The joined rows of a log on disk, so that a second look at it does not join them again.

They are the rows of all records up to a byte, and what joins them. A file next to the one with the
facts of the log has them in several blocks: a head, then segments of rows, then keys. They hold for
a log of lines that has grown since. Documents, and sessions in databases or directories, write
records again: their rows hold while all of these records are as they were, from the `first` on. A
log whose stamp is as it was is not read to find out. The head has the places of rows in a database.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, Self, cast

from msgspec.structs import astuple, replace

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.kept.encoding import pack_value, unpack_value
from agentview.facts.kept.index_file import Block, IndexFile, LogKey, LogSpan, NewBlock, create
from agentview.facts.kept.indexed_log import key_of
from agentview.sources.file_stamp import Stamp, is_recent
from agentview.sources.open_file import open_file
from agentview.sources.open_member import places_in, restore_lines
from agentview.sources.resume_point import digest_of_log
from agentview.sources.row_places import RowPlaces
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.packet_state import (
    Plain,
    keys_of,
    packet_of,
    plain_keys,
    plain_rest,
    plain_segments,
    whole_packet,
)
from agentview.timeline.rows.packets import Keys, Packet

LEAST = 2 * 1024 * 1024
"""Bytes of a log of which rows are kept: those of a smaller one are joined as quickly."""
_FORM = f"rows 5 {sys.byteorder}"
_SEGMENTS = 64
"""Segments of a block."""
_DIGEST = 16


class KeptRows:
    """The rows of a log up to byte `end`; `rows_end` is the number behind the last of them."""

    def __init__(self, file: IndexFile) -> None:
        """Raises ValueError when the file is damaged."""
        self._file = file
        blocks = file.blocks
        self.end = file.end
        self.digest = blocks[-1].span.tail
        """That of all records, where these may be written again."""
        head = cast("tuple[Any, ...]", unpack_value(file.bytes_of(blocks[0])))
        self.rows_end, count, self._rest, self.places = head
        self._segments, self._keys = blocks[1 : count + 1], blocks[count + 1 :]
        if len(self._segments) != count or not self._keys:
            raise ValueError("blocks are missing")

    @classmethod
    def open(cls, ref: SessionRef, first: int | None = None, stamp: Stamp = None) -> Self | None:
        """Return the kept rows of a log that still hold; None where there are none.

        `stamp` is the one that the log had before it was read here; without it, a log whose records
        may be written again is read to find out.
        """
        path = Path(ref.path)
        if first is not None:
            known = b"" if stamp is None else _stamp_digest(stamp)

            def holds(span: LogSpan) -> bool:
                return span.head == known or span.tail == digest_of_log(path, first, span.end)

            return cls._open_if(ref, holds)
        try:
            fd, status = open_file(path)
        except AgentViewError:
            return None
        try:
            key = _key_of(ref, status, first)
            file = None if key is None else IndexFile.open(key, fd)
            return None if file is None else cls(file)
        except (ValueError, TypeError, AgentViewError):
            return None
        finally:
            os.close(fd)

    @classmethod
    def _open_if(cls, ref: SessionRef, holds: Callable[[LogSpan], bool]) -> Self | None:
        """Return the kept rows of a log whose records may be written again, if that `holds`."""
        key = _key_of(ref, None, 0)
        try:
            file = None if key is None else IndexFile.open(key, None, holds)
            return None if file is None else cls(file)
        except (ValueError, TypeError, AgentViewError):
            return None

    @classmethod
    def restore(cls, ref: SessionRef) -> None:
        """Have the lines of a session in a database at hand, as far as its rows are kept."""
        kept = cls._open_if(ref, lambda _: True)
        if kept is not None and kept.places is not None:
            restore_lines(ref.path, RowPlaces(*kept.places), kept.digest)

    def packet(self, by: int) -> Packet:
        """All rows, numbered `by` higher than they were. Raises ValueError when damaged."""
        segments = [each for block in self._segments for each in self._read(block)]
        try:
            return packet_of(segments, self._rest, by)
        except (TypeError, KeyError, IndexError) as error:
            raise ValueError(str(error)) from error

    def keys(self, by: int) -> Iterator[Keys]:
        """The rows by their keys, in parts. Raises ValueError when damaged."""
        for block in self._keys:
            try:
                yield keys_of(self._read(block), by)
            except TypeError as error:
                raise ValueError(str(error)) from error

    def _read(self, block: Block) -> tuple[Any, ...]:
        return cast("tuple[Any, ...]", unpack_value(self._file.bytes_of(block)))


def keep_rows(
    ref: SessionRef,
    joined: Assembler,
    keys: Sequence[Keys],
    end: int,
    whole: tuple[int, bytes] | None = None,
    stamp: Stamp = None,
) -> None:
    """Keep all rows of a log up to byte `end`, where that can be done; `keys` are theirs.

    `whole`, of a log whose records may be written again: the byte of the first one, and the digest
    of all from there to `end`. `stamp` is the one that it had before they were read.
    """
    if end < LEAST or ref.shared:
        return
    packet = whole_packet(joined)
    try:
        places = None if whole is None else places_in(ref.path, end)
        fd, status = open_file(Path(ref.path), length=0, again=True)
    except AgentViewError:
        return
    try:
        first, digest = (None, None) if whole is None else whole
        key = _key_of(ref, status, first)
        if key is not None:
            settled = None if stamp is None or is_recent(stamp.modified) else stamp
            digests = None if digest is None else (_stamp_digest(settled), digest)
            kept = None if places is None else astuple(places)
            parts = enumerate(_parts(joined.rows.end, packet, kept, keys))
            blocks = (NewBlock(end if at else 0, end, pack_value(part)) for at, part in parts)
            create(key, blocks, fd, digests)
    except (OSError, ValueError, AgentViewError):
        return
    finally:
        os.close(fd)


def _parts(end: int, packet: Packet, places: object, keys: Sequence[Keys]) -> Iterator[Plain]:
    """The contents of the file's blocks, each made when it is written: they are large."""
    count = -(-len(packet.segments) // _SEGMENTS)
    yield end, count, plain_rest(packet), places
    rows = plain_segments(packet)
    for _ in range(count):
        yield tuple(islice(rows, _SEGMENTS))
    yield from map(plain_keys, keys)


def _stamp_digest(stamp: Stamp) -> bytes:
    """A digest of a stamp; for None what no stamp has."""
    if stamp is None:
        return bytes(_DIGEST)
    return blake2b(repr(astuple(stamp)).encode(), digest_size=_DIGEST).digest()


def _key_of(ref: SessionRef, status: os.stat_result | None, first: int | None) -> LogKey | None:
    key = key_of(ref, status, lines=first is None, holds=_FORM)
    if key is not None and first is not None:
        return replace(key, device=0, inode=0, stamp=())
    return None if key is None or key.stamp else key
