"""Facts of sessions as bytes: for the catalogue, and between processes.

Before them stands their checksum: a disk, or SQLite, may give others than were written.
"""

import zlib
from collections.abc import Sequence
from sys import intern
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from agentview.domain.session import MAIN_STREAM, SessionInfo
from agentview.domain.usage import Usage
from agentview.sessions.library.session_record import SessionTotals
from agentview.timeline.view.cost import Cost

_CHECKSUM = 4
"""Bytes of a checksum, in which the path of the log is too."""
_NO_TOTALS = SessionTotals(0, 0.0, 0, {}, (), 0, (), (), Usage(), Cost(priced=False))
"""Of damaged bytes."""

_encode = msgspec.msgpack.Encoder().encode
_decode_info = msgspec.msgpack.Decoder(SessionInfo).decode
_decode_totals = msgspec.msgpack.Decoder(SessionTotals).decode


def pack_info(info: SessionInfo, path: str) -> bytes:
    """The facts as bytes, without the path that they are kept by, which need not be text."""
    return _packed(replace(info, ref=replace(info.ref, path="")), path)


def unpack_info(packed: bytes, path: str) -> SessionInfo:
    """Return the facts from the bytes of `pack_info`. Raises ValueError for any other bytes."""
    info = _decode_info(memoryview(packed)[_CHECKSUM:])
    ref = info.ref
    stream = MAIN_STREAM if ref.stream == MAIN_STREAM else ref.stream
    # Thousands of sessions have the same few of these.
    return replace(
        info,
        ref=replace(ref, path=path, provider=intern(ref.provider), stream=stream),
        project=_shared(info.project),
        branch=_shared(info.branch),
        model=_shared(info.model),
        client_version=_shared(info.client_version),
    )


def _shared(text: str | None) -> str | None:
    return intern(text) if text else text


def pack_totals(totals: SessionTotals) -> bytes:
    return totals.packed if isinstance(totals, EncodedTotals) else _packed(totals)


class EncodedTotals:
    """Totals that stay bytes until one of them is asked for: of most sessions none ever is.

    Equal to others of the same bytes.
    """

    __slots__ = ("_totals", "packed")

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    @classmethod
    def of(cls, packed: bytes) -> SessionTotals:
        """Return the totals from the bytes of `pack_totals`; nothing from any other bytes."""
        return cast("SessionTotals", cls(packed))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EncodedTotals) and other.packed == self.packed

    def __hash__(self) -> int:
        return hash(self.packed)

    def __getattr__(self, name: str) -> Any:
        """Give one of the totals; the first one that is asked for unpacks them all."""
        if name == "_totals":
            self._totals = _unpacked(self.packed)
            return self._totals
        if name not in SessionTotals.__struct_fields__:
            raise AttributeError(name)
        return getattr(self._totals, name)


def _unpacked(packed: bytes) -> SessionTotals:
    try:
        return _decode_totals(memoryview(packed)[_CHECKSUM:])
    except ValueError:
        return _NO_TOTALS


def _packed(facts: SessionInfo | SessionTotals, path: str = "") -> bytes:
    try:
        packed = _encode(facts)
    except UnicodeEncodeError:
        packed = _encode(_plain(msgspec.to_builtins(facts)))
    return _checksum(packed, path) + packed


def is_whole(packed: bytes, path: str = "") -> bool:
    """Return True if bytes are as they were made; `path` for facts of a session, not for totals."""
    return packed[:_CHECKSUM] == _checksum(memoryview(packed)[_CHECKSUM:], path)


def _checksum(packed: bytes | memoryview, path: str) -> bytes:
    return zlib.crc32(packed, zlib.crc32(path.encode("utf-8", "surrogatepass"))).to_bytes(_CHECKSUM)


def _plain(value: object) -> object:
    """A value without halves of characters, which UTF-8 does not have."""
    if isinstance(value, list | tuple):
        return list(map(_plain, cast("Sequence[object]", value)))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
