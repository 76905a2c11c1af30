"""Whether a file is a log of the library, and what it is about; it keeps none of its own accord."""

import os
from collections.abc import Iterable
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.providers._kit import defaults
from agentview.providers.pydantic_ai.overview import overview
from agentview.providers.pydantic_ai.probing import probe_head
from agentview.sources.files import files_below, read_ends, read_part

NAME = "pydantic_ai"

_ENDINGS = (".json", ".jsonl", ".ndjson", ".log")
_HEAD_BYTES = 65_536


roots = defaults.roots
children = defaults.children
child_places = defaults.child_places
spilled = defaults.spilled


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` holds messages or events of the library."""
    _ = path
    return probe_head(head)


def files(root: Path) -> Iterable["os.DirEntry[str]"]:
    """Files that may be logs, under a directory that is named for this purpose."""
    return files_below(root, _ENDINGS)


def held(path: Path) -> SessionRef | None:
    """The session in a file."""
    return ref(path) if probe_head(read_part(path, 0, _HEAD_BYTES)) > 0 else None


def ref(path: Path) -> SessionRef:
    """The session that a file holds: it has the name of the file, since runs in it may be many."""
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, path.stem, str(path))
    return SessionRef(NAME, path.stem, str(path), modified=status.st_mtime, size=status.st_size)


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    head, tail, start = read_ends(Path(ref.path))
    return overview(ref, head, tail, start)
