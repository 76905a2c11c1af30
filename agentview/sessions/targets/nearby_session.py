"""The session that a file belongs to which is none itself: clients keep more than their logs."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.accounting.session_files import sessions_within
from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sources.member import folder_form, folder_of, holds_sessions
from agentview.sources.open_file import read_head

_LEVELS = 4
"""Folders above a file in which, and below which, its session is looked for."""
_FOLDERS, _ENTRIES = 200, 400
"""Folders, and files by their names, that are looked at below one folder, at most."""
_READ = 24
"""Files whose beginnings are read, at most."""
_LOGS = (".jsonl", ".json", ".md", ".db", ".sqlite", ".sqlite3", ".eval", ".traj", ".vscdb")
_ID = re.compile(r"(?=.*\d).{8,}")
"""A name that says, where a path has it, which session a file belongs to: no common word."""


def sessions_near(path: Path) -> list[SessionRef]:
    """The sessions that a file may belong to, none when there are none near it.

    Those in and below its folder count, the only one in and below the folder above, and one farther
    up whose id is a part of the path of the file. Beginnings of a few files are read; a home
    directory and a repository are not searched.
    """
    path = path.absolute()
    whole = folder_of(path)
    if whole is not None:
        provider = recognise(_head(whole), whole)
        if provider is not None:
            return [provider.discovery.ref(whole)]
    for folder in path.parents[:_LEVELS]:
        if folder in (Path.home(), Path(folder.anchor)) or (folder / ".git").exists():
            break
        found = _sessions_below(folder, path)
        named = [ref for ref in found if _is_named(ref, path)]
        if named:
            return named[:1]
        main = [ref for ref in found if ref.parent_id is None]
        if main and (folder == path.parent or (len(main) == 1 and folder == path.parent.parent)):
            return main
    return []


def _is_named(ref: SessionRef, path: Path) -> bool:
    """Return True if the path of a file has the id, or the file name, of a session."""
    names = {ref.session_id, Path(ref.path).stem.partition(".")[0]}
    return any(_ID.fullmatch(name) is not None and name in str(path) for name in names)


def _sessions_below(folder: Path, path: Path) -> list[SessionRef]:
    names = list(islice(_logs_below(folder), _ENTRIES))
    # Those whose names are alike come first: not all are read.
    alike = [each for each in names if each != path and each.stem in str(path)]
    rest = [each for each in names if each != path and each.stem not in str(path)]
    return [ref for each in (*alike, *rest)[:_READ] for ref in _sessions_in(each)]


def _logs_below(folder: Path) -> Iterator[Path]:
    for place, folders, names in islice(os.walk(folder), _FOLDERS):
        folders.sort()
        if folder_form(place) is not None:
            folders.clear()
            yield Path(place)
            continue
        yield from (Path(place, name) for name in sorted(names) if name.endswith(_LOGS))


def _sessions_in(path: Path) -> list[SessionRef]:
    try:
        if holds_sessions(path):
            return sessions_within(path)
        provider = recognise(_head(path), path)
        return [] if provider is None else [provider.discovery.ref(path)]
    except (AgentViewError, OSError):
        return []


def _head(path: Path) -> bytes:
    return read_head(path, HEAD_BYTES)
