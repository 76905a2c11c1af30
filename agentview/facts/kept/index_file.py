"""The file that has the facts of one log: a header, and blocks that are added as the log grows.

A block has the facts of the bytes from `start` to `end` of the log. The blocks join without a gap,
from the first byte on. The file belongs to one log as one version of the program reads it; where
it belongs to another one, is damaged or was cut, it is removed and made again. Several processes
may use it: a new file takes its name as a whole, and blocks are added under a lock.
"""

import os
import struct
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Self
from zlib import crc32

import msgspec
from msgspec.structs import astuple, replace

from agentview.domain.index_entry import RecordFacts
from agentview.domain.value import Value
from agentview.facts.kept.encoding import unpack_records
from agentview.facts.kept.facts_db import LOGS
from agentview.sources.open_file import read_span
from agentview.system import platforms
from agentview.system.file_writing import make_folder
from agentview.system.paths import cache_dir

_MAGIC = b"AGVIDX\x00\x01"
_PREFIX = struct.Struct("<II")
"""Checksum and length of the header."""
_BLOCK = struct.Struct("<IIQQQQ16s16s")
"""Checksum of all that follows, bytes of the facts, and what `LogSpan` has."""
_CHECKED = 4
"""Bytes of the checksum, which it does not cover."""
_SAMPLE = 4096
_DIGEST = 16
_MOST_HEADER = 1024 * 1024


class LogKey(Value):
    """Which log the facts are of, and how it was read."""

    path: str
    session: str
    """A digest of what is known of the session besides its log, which decides what facts say."""
    rules: str
    """A digest of the rules by which facts are made."""
    device: int
    inode: int
    holds: str = ""
    """Name and form of what is kept, where that is something else than facts."""
    stamp: tuple[int, ...] = ()
    """Of a log that is not a file of lines, its `FileStamp`: its facts hold while that does."""

    @property
    def size(self) -> int | None:
        return self.stamp[2] if self.stamp else None

    @property
    def modified(self) -> int:
        """Nanoseconds, by its stamp; 0 without one."""
        return self.stamp[3] if self.stamp else 0


class LogSpan(Value):
    """Bytes of a log from `start` to `end`, and what the log was when they were read."""

    start: int
    end: int
    size: int
    """Bytes of the whole log."""
    modified: int
    """Nanoseconds."""
    head: bytes
    """Digest of its first bytes; of its stamp, where its records may change."""
    tail: bytes
    """Digest of its last bytes before `end`; of all its records, where these may change."""


class Block(Value):
    """Facts of a span: `length` bytes at byte `at` of the file."""

    span: LogSpan
    at: int
    length: int
    checksum: int

    @property
    def start(self) -> int:
        return self.span.start

    @property
    def end(self) -> int:
        return self.span.end


class NewBlock(Value):
    """Facts to be added: what `encoding` made of them."""

    start: int
    end: int
    facts: bytes


def index_folder() -> Path:
    return cache_dir() / LOGS


def index_place(key: LogKey) -> Path:
    """The file for a log."""
    log = os.fsencode(key.path) + b"\0" + key.session.encode() + key.holds.encode()
    name = blake2b(log, digest_size=_DIGEST).hexdigest()
    return index_folder() / name[:2] / name[2:]


class IndexFile:
    """The facts of a log as far as they are on disk. `end` is the byte of the log up to which."""

    def __init__(self, place: Path, key: LogKey, blocks: Sequence[Block], size: int) -> None:
        self._place, self._size = place, size
        self.key = key
        self.blocks = blocks

    @property
    def end(self) -> int:
        return self.blocks[-1].end if self.blocks else 0

    @classmethod
    def open(
        cls, key: LogKey, fd: int | None, holds: Callable[[LogSpan], bool] | None = None
    ) -> Self | None:
        """The file of a log, which is open at `fd`; None where it has none that holds for it.

        A log whose key has a stamp need not be open, nor one whose records may be written again:
        `holds` says whether it still is what it was.
        """
        place = index_place(key)
        try:
            with place.open("rb") as file:
                blocks, size = _read_blocks(file.fileno(), key)
        except OSError:
            return None
        except ValueError:
            remove(place)
            return None
        if not key.stamp:
            blocks = _continued(blocks, fd, holds)
        if not blocks:
            remove(place)
            return None
        with suppress(OSError):
            os.utime(place)
        return cls(place, key, blocks, size)

    @classmethod
    def open_whole(cls, key: LogKey) -> Self | None:
        """The file that has all facts of a log whose stamp, that of the key, is still the same.

        The log is not opened, so that it may also be one that grows: its key has no stamp then.
        """
        place = index_place(key)
        for each in (replace(key, stamp=()), key):
            try:
                with place.open("rb") as file:
                    blocks, size = _read_blocks(file.fileno(), each)
            except OSError:
                return None
            except ValueError:
                continue
            if blocks and (each.stamp or _is_whole(blocks[-1].span, key)):
                with suppress(OSError):
                    os.utime(place)
                return cls(place, each, blocks, size)
        return None

    def read(self, block: Block) -> list[RecordFacts]:
        """The facts of a block. Raises ValueError and removes the file when it is damaged."""
        data = self.bytes_of(block)
        try:
            return unpack_records(data)
        except ValueError:
            remove(self._place)
            raise

    def bytes_of(self, block: Block) -> bytes:
        """Return the content of a block. Raises ValueError and removes a damaged file."""
        try:
            with self._place.open("rb") as file:
                fd = file.fileno()
                head = _BLOCK.pack(0, block.length, *astuple(block.span))[_CHECKED:]
                facts = platforms.read_at(fd, block.length, block.at)
            if crc32(facts, crc32(head)) != block.checksum:
                raise ValueError("damaged")
            return facts
        except OSError as error:
            raise ValueError(str(error)) from error
        except ValueError:
            remove(self._place)
            raise

    def add(self, blocks: Sequence[NewBlock], fd: int) -> None:
        """Add blocks that follow the last one, unless another process has added some.

        Raises OSError when they cannot be written; the file then is as it was.
        """
        with self._place.open("r+b") as file:
            try:
                platforms.lock(file.fileno())
            except OSError:
                return
            added = file.fileno()
            same = os.fstat(added).st_size == self._size or _cut_torn(added, self._size, self.key)
            if same and _is_named(self._place, added):
                data = b"".join(_framed(block, fd) for block in blocks)
                try:
                    _write(added, data, self._size)
                except OSError:
                    os.ftruncate(added, self._size)
                    raise


def create(
    key: LogKey, blocks: Iterable[NewBlock], fd: int, digests: tuple[bytes, bytes] | None = None
) -> None:
    """Make the file of a log, which is open at `fd`. Raises OSError when it cannot be written.

    The blocks are written one after the other: more than one need not be in memory. `digests` are
    those of its stamp and of all records, where these may be written again.
    """
    place = index_place(key)
    make_folder(place.parent)
    header = msgspec.msgpack.encode(_header_fields(key))
    draft = place.with_name(f".{place.name}.{os.getpid()}.{os.urandom(4).hex()}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | platforms.CLOSE_ON_EXEC, 0o600)
    try:
        start = _MAGIC + _PREFIX.pack(crc32(header), len(header)) + header
        _write(file, start, 0)
        at = len(start)
        for block in blocks:
            framed = _framed(block, fd, digests)
            _write(file, framed, at)
            at += len(framed)
    except BaseException:
        os.close(file)
        draft.unlink(missing_ok=True)
        raise
    os.close(file)
    draft.replace(place)


def remove(place: Path) -> None:
    with suppress(OSError):
        place.unlink()


def _header_fields(key: LogKey) -> tuple[object, ...]:
    name = os.fsencode(key.path), key.session, key.holds
    return (*name, key.rules, key.device, key.inode, key.stamp)


def _read_blocks(fd: int, key: LogKey) -> tuple[list[Block], int]:
    """The blocks of a file and the byte behind them. Raises ValueError for another log."""
    start = platforms.read_at(fd, len(_MAGIC) + _PREFIX.size, 0)
    if not start.startswith(_MAGIC) or len(start) < len(_MAGIC) + _PREFIX.size:
        raise ValueError("another form")
    checksum, length = _PREFIX.unpack_from(start, len(_MAGIC))
    header = platforms.read_at(fd, min(length, _MOST_HEADER), len(start))
    if crc32(header) != checksum or header != msgspec.msgpack.encode(_header_fields(key)):
        raise ValueError("of another log")
    at, size = len(start) + length, os.fstat(fd).st_size
    blocks: list[Block] = []
    while len(frame := platforms.read_at(fd, _BLOCK.size, at)) == _BLOCK.size:
        crc, length, *fields = _BLOCK.unpack(frame)
        span, data = LogSpan(*fields), at + _BLOCK.size
        follows = span.start == (blocks[-1].end if blocks else 0) and span.start <= span.end
        if not follows or data + length > size:
            # Its writer was stopped, or it is damaged: what comes before it holds.
            break
        blocks.append(Block(span, data, length, crc))
        at = data + length
    return blocks, at


def _continued(
    blocks: list[Block], fd: int | None, holds: Callable[[LogSpan], bool] | None
) -> list[Block]:
    """The blocks, if the log still has what they were made of; else none.

    A log that has its size but another time was written to in place.
    """
    if not blocks:
        return []
    span = blocks[-1].span
    if holds is not None:
        return blocks if holds(span) else []
    if fd is None:
        return []
    status = os.fstat(fd)
    changed = status.st_size == span.size and status.st_mtime_ns != span.modified
    if changed or status.st_size < span.end:
        return []
    return blocks if (span.head, span.tail) == _digests(fd, span.end) else []


def _is_whole(span: LogSpan, key: LogKey) -> bool:
    """Return True if a log that grows ends where its last block does, and was not written since."""
    return span.size == span.end == key.size and span.modified == key.modified


def _digests(fd: int, end: int) -> tuple[bytes, bytes]:
    sample = min(_SAMPLE, end)
    spans = ((0, sample), (end - sample, sample))
    head, tail = (
        blake2b(read_span(fd, offset, length), digest_size=_DIGEST).digest()
        for offset, length in spans
    )
    return head, tail


def _framed(block: NewBlock, fd: int, digests: tuple[bytes, bytes] | None = None) -> bytes:
    status = os.fstat(fd)
    head, tail = digests or _digests(fd, block.end)
    span = LogSpan(block.start, block.end, status.st_size, status.st_mtime_ns, head, tail)
    frame = _BLOCK.pack(0, len(block.facts), *astuple(span))[_CHECKED:]
    checksum = crc32(block.facts, crc32(frame))
    return checksum.to_bytes(_CHECKED, "little") + frame + block.facts


def _cut_torn(fd: int, size: int, key: LogKey) -> bool:
    """Cut off what a writer that was stopped has left; False where another one has added blocks."""
    try:
        _, end = _read_blocks(fd, key)
    except ValueError:
        return False
    if end != size:
        return False
    os.ftruncate(fd, size)
    return True


def _is_named(place: Path, fd: int) -> bool:
    """Return True if the open file is still the one with its name."""
    named, opened = place.stat(), os.fstat(fd)
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def _write(fd: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:
        written = platforms.write_at(fd, view, at)
        view, at = view[written:], at + written
