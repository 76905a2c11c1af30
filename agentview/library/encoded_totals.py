"""Facts of sessions as bytes: for the catalogue, and between processes.

Before them stands their checksum: a disk, or SQLite, may give others than were written.
"""

import zlib
from sys import intern
from typing import Any, cast

import msgspec
from msgspec.structs import astuple

from agentview.domain.session import MAIN_STREAM, SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.domain.usage_limit import UsageLimit
from agentview.library.session_record import SessionTotals
from agentview.timeline.cost import Cost

_Text = str | None
_Number = int | None
_Time = float | None
_Dollars = float | None

_CHECKSUM = 4
"""Bytes of a checksum, in which the path of the log is too."""

_encode = msgspec.msgpack.Encoder().encode
_decode_info = msgspec.msgpack.Decoder(
    tuple[
        str, str, StreamKind, str, _Text, _Text, _Text, _Time, _Number,
        int, str, tuple[tuple[int, str], ...], _Text,
        _Text, _Text, _Text, _Text, _Text, _Time, _Time,
        tuple[SessionState, _Time, StateEvidence | None, bool, _Text, _Time, bool],
        tuple[tuple[str, _Text, _Time, _Time, _Time, _Time], ...], _Text,
    ]
).decode  # fmt: skip
_decode_totals = msgspec.msgpack.Decoder(
    tuple[
        int, float, int, dict[ToolKind, int], tuple[str, ...], int, tuple[str, ...],
        tuple[str, ...], tuple[_Number, _Number, _Number, _Number, _Number, _Number],
        tuple[_Dollars, _Dollars, bool], _Number, _Number, tuple[tuple[int, int], ...],
        tuple[int, ...],
    ]
).decode  # fmt: skip


def pack_info(info: SessionInfo, path: str) -> bytes:
    """The facts as bytes, with the reference to the session but without the path it is kept by.

    What a reference to an agent within its session's log has next to is not saved: the library has
    none of these.
    """
    ref = info.ref
    fields = (
        ref.provider, ref.session_id, ref.stream.kind, ref.stream.id, ref.parent_id,
        ref.parent_call, ref.label, ref.modified, ref.size, ref.own_from, ref.spent_before,
        ref.parts, ref.run, info.title, info.project, info.branch, info.model, info.client_version,
        info.started, info.last_activity, astuple(info.status),
        tuple(map(astuple, info.limits)), ref.fault,
    )  # fmt: skip
    return _packed(fields, path)


def unpack_info(packed: bytes, path: str) -> SessionInfo:
    """Return what `pack_info` made bytes of. Raises ValueError when they are anything else."""
    (
        provider, session_id, kind, stream_id, parent_id, call, label, modified, size, own, spent,
        parts, run, title, project, branch, model, version, started, last, status, limits, fault,
    ) = _decode_info(memoryview(packed)[_CHECKSUM:])  # fmt: skip
    # Thousands of sessions have the same few of these.
    provider = intern(provider)
    project, branch, model, version = map(_shared, (project, branch, model, version))
    main = kind is StreamKind.MAIN and not stream_id
    stream = MAIN_STREAM if main else Stream(kind, stream_id)
    ref = SessionRef(
        provider, session_id, path, stream, parent_id, call, label, modified, size,
        own_from=own, spent_before=spent, parts=parts, run=run, fault=fault,
    )  # fmt: skip
    return SessionInfo(
        ref, title, project, branch, model, version, started, last, SessionStatus(*status),
        tuple(UsageLimit(*limit) for limit in limits),
    )  # fmt: skip


def _shared(text: str | None) -> str | None:
    return intern(text) if text else text


def pack_totals(totals: SessionTotals) -> bytes:
    """The totals as bytes."""
    if isinstance(totals, EncodedTotals):
        return totals.packed
    usage, cost = totals.usage, totals.cost
    counts = (
        usage.input_uncached, usage.input_cached, usage.cache_write, usage.output, usage.reasoning,
        usage.cache_write_1h,
    )  # fmt: skip
    return _packed(
        (
            totals.size,
            totals.modified,
            totals.turns,
            dict(totals.calls),
            totals.tools,
            totals.problems,
            totals.files,
            totals.models,
            counts,
            (cost.client, cost.estimate, cost.priced),
            totals.context_tokens,
            totals.context_window,
            totals.abandoned,
            totals.newest,
        )
    )


class EncodedTotals:
    """Totals that stay bytes until one of them is asked for: of most sessions none ever is.

    Equal to others of the same bytes.
    """

    __slots__ = ("_totals", "packed")

    def __init__(self, packed: bytes) -> None:
        self.packed = packed

    @classmethod
    def of(cls, packed: bytes) -> SessionTotals:
        """Return what `pack_totals` made bytes of; of other bytes nothing is known."""
        return cast("SessionTotals", cls(packed))

    def __eq__(self, other: object) -> bool:
        """Compare the bytes."""
        return isinstance(other, EncodedTotals) and other.packed == self.packed

    def __hash__(self) -> int:
        """Hash of the bytes."""
        return hash(self.packed)

    def __getattr__(self, name: str) -> Any:
        """Give one of the totals; the first one that is asked for unpacks them all."""
        if name == "_totals":
            self._totals = SessionTotals(*_unpacked(self.packed))
            return self._totals
        if name not in SessionTotals.__struct_fields__:
            raise AttributeError(name)
        return getattr(self._totals, name)


def _unpacked(packed: bytes) -> tuple[Any, ...]:
    try:
        found = _decode_totals(memoryview(packed)[_CHECKSUM:])
    except ValueError:
        return (0, 0.0, 0, {}, (), 0, (), (), Usage(), Cost(priced=False), None, None, (), ())
    return (*found[:8], Usage(*found[8]), Cost(*found[9]), *found[10:])


def _packed(fields: tuple[object, ...], path: str = "") -> bytes:
    try:
        packed = _encode(fields)
    except UnicodeEncodeError:
        packed = _encode(tuple(map(_plain, fields)))
    return _checksum(packed, path) + packed


def is_whole(packed: bytes, path: str = "") -> bool:
    """Return True if bytes are as they were made; `path` for facts of a session, not for totals."""
    return packed[:_CHECKSUM] == _checksum(memoryview(packed)[_CHECKSUM:], path)


def _checksum(packed: bytes | memoryview, path: str) -> bytes:
    return zlib.crc32(packed, zlib.crc32(path.encode("utf-8", "surrogatepass"))).to_bytes(_CHECKSUM)


def _plain(field: object) -> object:
    """A field without halves of characters, which UTF-8 does not have."""
    if isinstance(field, tuple):
        return tuple(map(_plain, cast("tuple[object, ...]", field)))
    # Not a kind or state, which are texts too.
    return field.encode("utf-8", "replace").decode() if type(field) is str else field
