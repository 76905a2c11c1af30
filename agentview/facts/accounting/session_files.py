"""Which files below a directory are sessions, and why others are not."""

import os
from collections.abc import Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.providers import load_provider, provider_names, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sources.member import folder_of, holds_sessions
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
    """Return the session, or the reason for none, of each file below a directory, by name.

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
            for found in _claimed(path, provider):
                if isinstance(found, SkippedFile):
                    if provider is None or found.unreadable:
                        yield found
                elif provider in (None, found.provider):
                    yield found
    for error in failed:
        yield SkippedFile(str(error.filename), error.strerror or str(error), unreadable=True)


def why_left(path: Path) -> SkippedFile:
    """Why a file is taken for no session."""
    found = next(_claimed(path))
    return found if isinstance(found, SkippedFile) else SkippedFile(str(path), OTHERS)


def _claimed(path: Path, provider: str | None = None) -> Iterator[SessionRef | SkippedFile]:
    """The session that a file is, or those that a database or an archive has."""
    members = sessions_within(path, provider) if holds_sessions(path) else []
    if members:
        yield from members
    else:
        yield _claimed_file(path)


def sessions_within(path: Path, provider: str | None = None) -> list[SessionRef]:
    """The sessions of a database or of an archive, of all providers or of one."""
    names = provider_names() if provider is None else (provider,)
    owners = (load_provider(name) for name in names)
    return [ref for owner in owners if owner.has_members for ref in owner.scan(path)]


def _claimed_file(path: Path) -> SessionRef | SkippedFile:
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
