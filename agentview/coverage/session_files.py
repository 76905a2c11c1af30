"""Which files below a directory are sessions, and why others are not."""

import os
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import HEAD_BYTES, recognise
from agentview.sources.member import folder_of
from agentview.sources.open_file import read_head

EMPTY = "empty"
UNCLAIMED = "no provider claims it"
OTHERS = "a log, but of another provider"

_PASSED_OVER = frozenset({".git", ".hg", "node_modules", "__pycache__"})


class SkippedFile(Value):
    """A file that is not a session, and why."""

    path: str
    why: str
    unreadable: bool = False
    """It could not be looked at, so that nobody knows what it is."""


def files_below(directory: Path, provider: str | None = None) -> Iterator[SessionRef | SkippedFile]:
    """Return what each file below a directory is, in the order of their names.

    With `provider` only sessions of that one are given, and nothing of files that are not read.
    """
    failed: list[OSError] = []
    for place, folders, names in os.walk(directory, onerror=failed.append):
        folders[:] = sorted(set(folders) - _PASSED_OVER)
        here = Path(place)
        own = folder_of(here)
        # The files of a session that is a directory are its records.
        paths = [Path(place, name) for name in sorted(names)] if own is None else []
        for path in [here] if own == here else paths:
            found = _claimed(path)
            if isinstance(found, SkippedFile):
                if provider is None or found.unreadable:
                    yield found
            elif provider in (None, found.provider):
                yield found
    for error in failed:
        yield SkippedFile(str(error.filename), error.strerror or str(error), unreadable=True)


def why_left(path: Path) -> SkippedFile:
    """Why a file is taken for no session."""
    found = _claimed(path)
    return found if isinstance(found, SkippedFile) else SkippedFile(str(path), OTHERS)


def _claimed(path: Path) -> SessionRef | SkippedFile:
    try:
        head = read_head(path, HEAD_BYTES)
        if not head.strip():
            return SkippedFile(str(path), EMPTY)
        provider = recognise(head, path)
    except AgentViewError as error:
        cause = error.__cause__
        why = cause.strerror if isinstance(cause, OSError) else None
        return SkippedFile(str(path), why or error.message, unreadable=True)
    return SkippedFile(str(path), UNCLAIMED) if provider is None else provider.discovery.ref(path)
