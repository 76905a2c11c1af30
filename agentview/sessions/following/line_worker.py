"""Sums up the lines that sessions changed, in a worker that continues where it stopped."""

import time
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from agentview.domain.line_sum import LineSum, SessionLines
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.edits.line_sums import line_sum
from agentview.facts.edits.session_changes import SessionChanges
from agentview.sessions.following.growing_session import GrowingSession
from agentview.system.workers.connection import Connection

_LARGEST = 64_000_000
"""Bytes of a log from which on its lines are not summed up: to read its rows takes too long."""
_KEPT = 8
"""Sessions whose rows and files stay in memory; those summed up last."""
_PAUSE, _SHARE = 1.0, 10
"""Seconds between two rounds, and how many times as long as a round they last at least."""


def serve(connection: Connection) -> None:
    """Sum up sessions, as often as some are sent, each with its agents.

    A message has the sessions, and the logs of all that may be asked for again. Each is answered by
    `SessionLines`, the last of a message by None behind it.
    """
    known: dict[str, LineReader] = {}
    asked: tuple[Sequence[SessionRef], Collection[str]] | None
    while (asked := connection.receive()) is not None:
        began = time.monotonic()
        refs, followed = asked
        known = {path: reader for path, reader in known.items() if path in followed}
        for ref in refs:
            reader = known.pop(ref.path, None)
            if reader is None or not reader.reads(ref):
                reader = LineReader(ref)
            lines = None if (ref.size or 0) > _LARGEST else reader.sum()
            connection.send(SessionLines(ref.path, lines))
            known[ref.path] = reader
            if len(known) > _KEPT:
                del known[next(iter(known))]
        # A log that is written all the time must not keep the worker busy.
        time.sleep(max(_PAUSE, _SHARE * (time.monotonic() - began)))
        connection.send(None)


class LineReader:
    """Sums up the lines of one session, each time of what was written since."""

    def __init__(self, ref: SessionRef) -> None:
        self._ref = _steady(ref)
        self._session: GrowingSession | None = None
        self._changes: SessionChanges | None = None

    def reads(self, ref: SessionRef) -> bool:
        """Return True if a log is the one of this session, whatever was written to it."""
        return _steady(ref) == self._ref

    def sum(self) -> LineSum | None:
        """The lines up to now; None where they are not known."""
        try:
            return self._sum()
        except AgentViewError:
            self._session = None
            return None

    def _sum(self) -> LineSum | None:
        if self._session is None:
            self._session = GrowingSession(self._ref)
        begun_again = self._session.read_on()
        if self._changes is None or begun_again:
            self._changes = SessionChanges(self._session.store)
        return line_sum(self._changes)


def _steady(ref: SessionRef) -> SessionRef:
    return replace(ref, modified=None, size=None)
