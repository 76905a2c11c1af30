"""What the library's child processes and their parent say to each other."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agentview.library.encoded_totals import PackedTotals, pack_info, pack_totals, unpack_info
from agentview.library.search_roots import Found, Places
from agentview.library.session_record import SessionFacts

HEADER = 8
"""Bytes of the length before each message."""

_Session = tuple[bytes, bytes, bytes | None]
"""Path of the log, packed facts, packed totals."""
_Request = tuple[str | None, dict[str, list[str]], list[tuple[str, bytes]] | None]
_Answer = tuple[list[_Session], int, int, list[bytes], bool]

_encode = msgspec.msgpack.Encoder().encode
_decode_request = msgspec.msgpack.Decoder(_Request).decode
_decode_answer = msgspec.msgpack.Decoder(_Answer).decode


def pack_request(places: Places) -> bytes:
    """Where a child is to look."""
    more = {name: list(folders) for name, folders in places.more.items()}
    fixed = places.fixed
    roots = [(name, os.fsencode(root)) for name, root in fixed] if fixed is not None else None
    return _framed(_encode((places.provider, more, roots)))


def unpack_request(body: bytes) -> Places:
    """What `pack_request` made, without its header."""
    provider, more, roots = _decode_request(body)
    fixed = [(name, Path(os.fsdecode(root))) for name, root in roots] if roots is not None else None
    return Places(provider, more, fixed)


def pack_found(found: Found) -> bytes:
    """A batch as it goes through the pipe."""
    sessions = [_packed(facts) for facts in found.facts]
    gone = [os.fsencode(path) for path in found.gone]
    return _framed(_encode((sessions, found.total, found.checked, gone, found.done)))


def unpack_found(body: bytes) -> Found:
    """What `pack_found` made, without its header."""
    sessions, total, checked, gone, done = _decode_answer(body)
    return Found(
        _unpacked(sessions), total, checked, tuple(os.fsdecode(path) for path in gone), done
    )


def read_message(pipe: int) -> bytes | None:
    """The body of the next message; None when the other side is gone. Raises OSError."""
    header = _read(pipe, HEADER)
    return _read(pipe, int.from_bytes(header, "big")) if header is not None else None


def _read(pipe: int, length: int) -> bytes | None:
    parts: list[bytes] = []
    while length > 0:
        part = os.read(pipe, length)
        if not part:
            return None
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def _framed(body: bytes) -> bytes:
    return len(body).to_bytes(HEADER, "big") + body


def _packed(facts: SessionFacts) -> _Session:
    totals = pack_totals(facts.totals) if facts.totals is not None else None
    return os.fsencode(facts.info.ref.path), pack_info(facts.info), totals


def _unpacked(sessions: Sequence[_Session]) -> tuple[SessionFacts, ...]:
    return tuple(
        SessionFacts(
            unpack_info(info, os.fsdecode(path)),
            PackedTotals.of(totals) if totals is not None else None,
        )
        for path, info, totals in sessions
    )
