"""Where a thread's own records begin, in a log that first repeats what another one had done."""

import re
from collections.abc import Iterator
from pathlib import Path

import orjson

from agentview.domain.value import Value
from agentview.normalize.json_values import fields_of, real_of, time_of, whole_of
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.schema import Counts, Opening, SessionMeta
from agentview.sources.compressed import unpacked_head

MOST = 1 << 24
"""Bytes at the start of a log among which the place is looked for."""
_READ = (1 << 20, MOST)
"""Bytes read to find the place, more where less does not have it."""
_TURN = re.compile(rb'"type"\s*:\s*"(?:task_started|turn_started|turn_context)"')
_NEWLY_SPAWNED = b"You are the newly spawned agent. "
"""Answer to the call that started an agent with its parent's history, as it finds it (0.107)."""
_ORDINAL = re.compile(rb'"ordinal"\s*:\s*(\d{1,18})\b')
_TIMESTAMP = re.compile(rb'^\s*\{[^{}]*?"timestamp"\s*:\s*"([^"]{1,40})"')
_TYPE_BYTES = 400
_MARKER_LINES = 30
"""Lines of which one says that another thread's history is there, if it is."""
_CLOCK_SLACK = 1.0
"""Seconds by which a record may seem to be older than its thread and is its own all the same."""
_BURST = 0.5
"""Seconds between records that are copied together, at most: they take milliseconds."""
_UUID_TIME_CHARS = 13
"""Characters of a UUIDv7 that hold its time: 48 bits and a hyphen."""


def total_name(total: Counts) -> str:
    """A name for the response after which a thread had used these tokens."""
    counts = (
        total.input_tokens, total.cached_input_tokens, total.output_tokens,
        total.reasoning_output_tokens, total.total_tokens,
    )  # fmt: skip
    return ":".join(["total", *map(str, map(whole_of, counts))])


def is_older(turn: str, thread: str) -> bool | None:
    """True if a UUIDv7 is of an earlier time than another; None when either is of another sort."""
    if len(turn) != 36 or len(thread) != 36 or turn[14] != "7" or thread[14] != "7":
        return None
    return turn[:_UUID_TIME_CHARS] < thread[:_UUID_TIME_CHARS]


class InheritedPrefix(Value):
    """Part of a log in front of the thread's own records."""

    end: int = 0
    """Byte offset of the first own record."""
    spent: str = ""
    """Name of the last response that is reported there: the thread reports it once more."""


def inherited(path: Path, meta: SessionMeta, *, agent: bool) -> InheritedPrefix | None:
    """Return the part that a log repeats of another; None where its own first record is missing.

    Newer clients number the records and name the first own one in the first line, which is `meta`;
    before, it is the first of a turn that is not older than the thread. Of a fork by a person,
    whose turns have no ids up to 0.9x, it is the first that was not written in one go with the
    others; nothing is left out there.
    """
    ordinal = whole_of(meta.subagent_history_start_ordinal)
    if meta.history_base is not None and not ordinal:
        return InheritedPrefix()
    found, head = None, b""
    for length in _READ:
        head = unpacked_head(path, length)
        found = _of_ordinal(head, ordinal) if ordinal else _of_turn(head, meta)
        if found is not None or len(head) < length:
            break
    if found is None and not agent and not ordinal:
        found = _behind_burst(head)
    return InheritedPrefix(found, _last_spent(head[:found])) if found is not None else None


def _last_spent(head: bytes) -> str:
    """Name of the last response that a `token_count` reports; empty if none does."""
    end = len(head)
    while (at := head.rfind(b'"token_count"', 0, end)) >= 0:
        end = head.rfind(b"\n", 0, at) + 1
        line = head[end : head.find(b"\n", at)]
        info = _opening(line).info
        if info is not None and info.total_token_usage is not None:
            return total_name(info.total_token_usage)
    return ""


def _of_ordinal(head: bytes, ordinal: int) -> int | None:
    for start, line in _lines(head):
        numbered = _ORDINAL.search(line, 0, _TYPE_BYTES)
        if numbered is not None and int(numbered[1]) >= ordinal:
            return start
    return None


def _of_turn(head: bytes, meta: SessionMeta) -> int | None:
    inherited = bool(meta.forked_from_id)
    for number, (start, line) in enumerate(_lines(head)):
        if not inherited and number >= _MARKER_LINES:
            return 0
        if _NEWLY_SPAWNED in line and b'"function_call_output"' in line[:_TYPE_BYTES]:
            return start + len(line)
        if _TURN.search(line, 0, _TYPE_BYTES) is not None:
            own = _is_own(line, meta)
            if own:
                return start if inherited else 0
            inherited = inherited or own is False
        elif not inherited:
            inherited = _is_anothers(line, meta)
    return None if inherited else 0


def _is_own(line: bytes, meta: SessionMeta) -> bool | None:
    """True if a turn began after its thread, by the times in their ids or by what is recorded."""
    turn = _opening(line)
    older = is_older(turn.turn_id, meta.id) if turn.turn_id and meta.id else None
    if older is not None:
        return not older
    began, made = real_of(turn.started_at), time_of(meta.timestamp)
    return began >= int(made) if began is not None and made is not None else None


def _is_anothers(line: bytes, meta: SessionMeta) -> bool:
    """True if a record names another thread as its own, or was written before this one was made."""
    if b'"session_meta"' in line[:_TYPE_BYTES]:
        own = _opening(line).id
        return bool(own) and own != meta.id
    made, at = time_of(meta.timestamp), _time(line)
    return made is not None and at is not None and at < made - _CLOCK_SLACK


def _behind_burst(head: bytes) -> int | None:
    """Where records begin that were written later than all at the start of a fork."""
    last: float | None = None
    for start, line in _lines(head):
        at = _time(line)
        if at is not None and last is not None and at - last > _BURST:
            return start
        last = at if at is not None else last
    return None


def _time(line: bytes) -> float | None:
    match = _TIMESTAMP.search(line, 0, _TYPE_BYTES)
    return time_of(match[1].decode("utf-8", "replace")) if match is not None else None


def _opening(line: bytes) -> Opening:
    try:
        value: object = orjson.loads(line)
    except ValueError:
        return Opening()
    return read_as(fields_of(value).get("payload"), Opening)


def _lines(head: bytes) -> Iterator[tuple[int, bytes]]:
    """Start and bytes of each line behind the first one, with its end; a cut one counts too."""
    start = head.find(b"\n") + 1
    while 0 < start < len(head):
        end = head.find(b"\n", start) + 1 or len(head)
        yield start, head[start:end]
        start = end
