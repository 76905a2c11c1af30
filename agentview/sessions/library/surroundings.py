"""The activities around a place of a log, read from the bytes there."""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from agentview.domain.activity import Activity
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.facts.search.reading import is_document, records
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line
from agentview.sources.open_file import open_file
from agentview.sources.seek import line_start
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.rows_protocol import Rows

_BEFORE, _AFTER = 3, 4
"""Activities that are given, at most."""
_LINES_BEFORE, _LINES_AFTER = 40, 160
_BYTES = 1024 * 1024
"""Bytes that are read on either side, about."""


class Surroundings(Value):
    """Activities in their order; `at` is which of them was asked for, None if it is not there."""

    activities: tuple[Activity, ...] = ()
    at: int | None = None


def surroundings(ref: SessionRef, place: tuple[int, int] | None) -> Surroundings:
    """The activities around the one at a place; without a place, the first ones of the log.

    Reads what is near, of a log that is one document all of it: meant for a thread. Raises nothing:
    of a log that cannot be read there are none.
    """
    provider = load_provider(ref.provider)
    rows = SessionStore(provider, ref)
    try:
        rows.append(reduce_lines(ref, _lines(provider, ref, 0 if place is None else place[0])))
        row = rows.first if place is None else rows.row_of(*place)
        if row is None:
            return Surroundings()
        before = list(islice(_shown(rows, range(row - 1, rows.first - 1, -1)), _BEFORE))
        after = list(islice(_shown(rows, range(row + 1, rows.end)), _AFTER))
        first = [] if place is None and not rows.shown(row) else [row]
        every = [*reversed(before), *first, *after]
        found = tuple(map(rows.activity, every))
    except AgentViewError:
        return Surroundings()
    return Surroundings(found, None if place is None else len(before))


def _shown(rows: Rows, among: range) -> Iterator[int]:
    return filter(rows.shown, among)


def _lines(provider: Provider, ref: SessionRef, offset: int) -> list[Line]:
    fd, status = open_file(Path(ref.path))
    try:
        document = is_document(provider, fd)
        start = 0 if document else _start_before(fd, offset)
        found: list[Line] = []
        after = 0
        for item in records(provider, fd, start, status.st_size, torn=True):
            if isinstance(item, int):
                if not document and item > offset + _BYTES:
                    break
                continue
            found.append(item)
            after += item.offset > offset
            if after >= _LINES_AFTER or item.offset > offset + _BYTES:
                break
        at = next((number for number, line in enumerate(found) if line.offset >= offset), 0)
        return found[max(0, at - _LINES_BEFORE) :]
    finally:
        os.close(fd)


def _start_before(fd: int, offset: int) -> int:
    """Where the line begins that is some lines before the one at a byte."""
    start = offset
    for _ in range(_LINES_BEFORE):
        if not start or offset - start > _BYTES:
            break
        start = line_start(fd, start - 1)
    return start
