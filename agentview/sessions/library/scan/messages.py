"""Requests to the library's workers, and batches of what they find."""

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agentview.sessions.library.encoded_totals import (
    EncodedTotals,
    pack_info,
    pack_totals,
    unpack_info,
)
from agentview.sessions.library.search_roots import DeletionRule, ScanBatch, SearchRoots
from agentview.sessions.library.session_record import SessionFacts

_Session = tuple[bytes, bytes, bytes | None]
"""Path of the log, packed facts, packed totals."""
_Request = tuple[str | None, dict[str, list[str]], list[tuple[str, bytes]] | None]
_Rule = tuple[str, str, bytes, float, str, bytes]
_Answer = tuple[list[_Session], int, int, list[bytes], bool, list[_Rule]]

_encode = msgspec.msgpack.Encoder().encode
_decode_request = msgspec.msgpack.Decoder(_Request).decode
_decode_answer = msgspec.msgpack.Decoder(_Answer).decode


def pack_request(places: SearchRoots) -> bytes:
    """Where a worker is to look."""
    more = {name: list(folders) for name, folders in places.more.items()}
    fixed = places.fixed
    roots = [(name, os.fsencode(root)) for name, root in fixed] if fixed is not None else None
    return _encode((places.provider, more, roots))


def unpack_request(body: bytes) -> SearchRoots:
    """Return the request from the bytes of `pack_request`."""
    provider, more, roots = _decode_request(body)
    fixed = [(name, Path(os.fsdecode(root))) for name, root in roots] if roots is not None else None
    return SearchRoots(provider, more, fixed)


def pack_found(found: ScanBatch) -> bytes:
    """A batch as it goes through the pipe."""
    sessions = [_packed(facts) for facts in found.facts]
    gone = [os.fsencode(path) for path in found.gone]
    rules = [
        (rule.provider, rule.label, os.fsencode(rule.root), rule.days, rule.setting,
         os.fsencode(rule.path))
        for rule in found.rules
    ]  # fmt: skip
    return _encode((sessions, found.total, found.checked, gone, found.done, rules))


def unpack_found(body: bytes) -> ScanBatch:
    """Return the sessions from the bytes of `pack_found`."""
    sessions, total, checked, gone, done, rules = _decode_answer(body)
    return ScanBatch(
        _unpacked(sessions),
        total,
        checked,
        tuple(os.fsdecode(path) for path in gone),
        done,
        tuple(
            DeletionRule(name, label, os.fsdecode(root), days, setting, os.fsdecode(path))
            for name, label, root, days, setting, path in rules
        ),
    )


def _packed(facts: SessionFacts) -> _Session:
    totals = pack_totals(facts.totals) if facts.totals is not None else None
    path = facts.info.ref.path
    return os.fsencode(path), pack_info(facts.info, path), totals


def _unpacked(sessions: Sequence[_Session]) -> tuple[SessionFacts, ...]:
    return tuple(
        SessionFacts(
            unpack_info(info, os.fsdecode(path)),
            EncodedTotals.of(totals) if totals is not None else None,
        )
        for path, info, totals in sessions
    )
