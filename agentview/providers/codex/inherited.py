"""Where an agent's own records begin, in a log that first repeats what its parent had done."""

import re
from collections.abc import Iterator
from pathlib import Path

import orjson

from agentview.compressed import unpacked_head
from agentview.normalize.values import Fields, fields_of, real_of, text_of, time_of, whole_of

_READ = (1 << 20, 1 << 24)
"""Bytes read to find the place, more where less does not have it."""
_TURN = re.compile(rb'"type"\s*:\s*"(?:task_started|turn_started|turn_context)"')
_NEWLY_SPAWNED = b"You are the newly spawned agent. "
"""What an agent with its parent's history finds as answer to the call that started it (0.107)."""
_TYPE_BYTES = 400
_UUID_TIME_CHARS = 13
"""Characters of a UUIDv7 that hold its time: 48 bits and a hyphen."""


def is_older(turn: str, thread: str) -> bool | None:
    """Whether a UUIDv7 is of an earlier time than another; None when either is of another sort."""
    if len(turn) != 36 or len(thread) != 36 or turn[14] != "7" or thread[14] != "7":
        return None
    return turn[:_UUID_TIME_CHARS] < thread[:_UUID_TIME_CHARS]


def own_from(path: Path, meta: Fields) -> int | None:
    """Byte offset of the first record of the thread itself; None where it is not there yet.

    It is 0 where `meta`, what the first line says, tells of no other thread's history. Newer
    clients number the records and name the first own one in that line; before, it is the first of a
    turn that is not older than the thread.
    """
    ordinal = whole_of(meta.get("subagent_history_start_ordinal"))
    if not ordinal and text_of(meta.get("forked_from_id")) is None:
        return 0
    for length in _READ:
        head = unpacked_head(path, length)
        found = _of_ordinal(head, ordinal) if ordinal else _of_turn(head, meta)
        if found is not None or len(head) < length:
            return found
    return None


def _of_ordinal(head: bytes, ordinal: int) -> int | None:
    for start, line in _lines(head):
        numbered = re.search(rb'"ordinal"\s*:\s*(\d{1,18})\b', line[:_TYPE_BYTES])
        if numbered is not None and int(numbered[1]) >= ordinal:
            return start
    return None


def _of_turn(head: bytes, meta: Fields) -> int | None:
    for start, line in _lines(head):
        if _NEWLY_SPAWNED in line and b'"function_call_output"' in line[:_TYPE_BYTES]:
            return start + len(line)
        if _TURN.search(line, 0, _TYPE_BYTES) is not None and _is_own(line, meta):
            return start
    return None


def _is_own(line: bytes, meta: Fields) -> bool:
    """Whether a turn began after its thread, by the times in their ids or by what is recorded."""
    try:
        record: object = orjson.loads(line)
    except ValueError:
        return False
    payload = fields_of(fields_of(record).get("payload"))
    turn, thread = text_of(payload.get("turn_id")), text_of(meta.get("id"))
    older = is_older(turn, thread) if turn is not None and thread is not None else None
    if older is not None:
        return not older
    began, made = real_of(payload.get("started_at")), time_of(meta.get("timestamp"))
    return began is not None and made is not None and began >= int(made)


def _lines(head: bytes) -> Iterator[tuple[int, bytes]]:
    """Start and bytes of each line behind the first one, with its end; a cut one counts too."""
    start = head.find(b"\n") + 1
    while 0 < start < len(head):
        end = head.find(b"\n", start) + 1 or len(head)
        yield start, head[start:end]
        start = end
