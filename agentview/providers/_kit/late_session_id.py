"""Whose a log is that was looked at before it said so."""

import re
from collections.abc import Callable
from pathlib import Path

from agentview.domain.session import SessionRef, StreamKind
from agentview.sources.files import read_part

_HEAD = 65_536
_ID = re.compile(rb'"session(?:Id|_id)"')


def named_late(
    look: Callable[[Path], SessionRef],
) -> Callable[[SessionRef], SessionRef | None]:
    """`Provider.refresh_ref` of logs that are named by their file until a record names the session.

    `look` gives the session that a file holds. An agent's log is known by more than its records.
    """

    def refresh_ref(known: SessionRef) -> SessionRef | None:
        path = Path(known.path)
        is_agent = known.stream.kind is not StreamKind.MAIN
        return None if is_agent or _is_named(path, known.size or 0) else look(path)

    return refresh_ref


def _is_named(path: Path, size: int) -> bool:
    """Return True if the first so many bytes name the session, or it is late for that."""
    head = read_part(path, 0, min(size, _HEAD))
    return len(head) == _HEAD or _ID.search(head.rpartition(b"\n")[0]) is not None
