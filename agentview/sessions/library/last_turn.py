"""The last prompt, the last message and the present activity of a session."""

from collections.abc import Callable, Iterator

from agentview.domain.activity import Kind, RowKind
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.sessions.following.live_session import LiveSession, open_tail
from agentview.sessions.library.session_record import LastTurn
from agentview.timeline.view.rows_protocol import Rows
from agentview.timeline.view.titles.title import StatusIcon, mark_of

_FURTHER = (2_000, 6_000_000)
"""Lines and bytes of the end of a log in which a prompt is looked for, at most."""

_ACTS = frozenset(
    {*ToolKind, RowKind.REQUEST, RowKind.USER, RowKind.MESSAGE, RowKind.REASONING}
    | {RowKind.COMPACTION}
)
"""Kinds of rows that are work; the others describe it."""

_PENDING = 40
"""Rows from the end among which a call without a result is looked for."""


def last_turn(ref: SessionRef, *, live: bool) -> LastTurn:
    """The last prompt, the last message and the newest activity of a log. Raises nothing.

    Reads the end of the log only, of a log that is one document all of it: meant for a thread.
    """
    session = open_tail(ref, live=live)
    rows, cut = turn_rows(session)
    return LastTurn(tuple(map(session.store.activity, rows)), cut)


def turn_rows(session: LiveSession) -> tuple[list[int], bool]:
    """The rows of these three, and whether the prompt was not found; reads more for it."""
    store = session.store
    prompt = _last(store, store.starts_turn)
    if prompt is None and session.log.read_further(*_FURTHER):
        prompt = _last(store, store.starts_turn)
    if prompt is None and store.session.parent_id is not None:
        prompt = _last(store, lambda row: store.kind(row) is RowKind.USER)
    message = _last(store, lambda row: store.kind(row) is RowKind.MESSAGE)
    newest = newest_row(store)
    rows = sorted({row for row in (prompt, message, newest) if row is not None})
    return [row for row in rows if prompt is None or row >= prompt], prompt is None and bool(rows)


def newest_row(rows: Rows) -> int | None:
    """Return the row of the current work: the newest call without a result, else the newest row.

    None if no row is work.
    """
    newest: int | None = None
    for number, row in enumerate(_acts(rows)):
        if newest is None:
            newest = row
        if number >= _PENDING:
            break
        if _is_tool(rows.kind(row)) and mark_of(rows.activity(row)) in _UNDER_WAY:
            return row
    return newest


_UNDER_WAY = (StatusIcon.RUNNING, StatusIcon.STREAMING)


def _is_tool(kind: Kind) -> bool:
    return isinstance(kind, ToolKind)


def _acts(rows: Rows) -> Iterator[int]:
    return (
        row
        for row in range(rows.end - 1, rows.first - 1, -1)
        if rows.shown(row) and rows.kind(row) in _ACTS
    )


def _last(rows: Rows, test: Callable[[int], bool]) -> int | None:
    return next((row for row in _acts(rows) if test(row)), None)
