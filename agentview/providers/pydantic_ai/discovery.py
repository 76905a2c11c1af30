"""Whether a file is a log of the library, and what it is about; it keeps none of its own accord."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.providers.pydantic_ai.overview import overview
from agentview.providers.pydantic_ai.probing import probe_head

NAME = "pydantic_ai"

_ENDINGS = (".json", ".jsonl", ".ndjson", ".log")
_HEAD_BYTES = 65_536
_END_BYTES = 131_072
"""Bytes of a file's head, and of its tail, that say what the session is about."""
_MAX_DEPTH = 6


def probe(head: bytes, path: Path) -> float:
    """Confidence that a file beginning with `head` holds messages or events of the library."""
    _ = path
    return probe_head(head)


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    """None: the program that uses the library decides where its logs are."""
    _ = env
    return ()


def scan(root: Path) -> Iterable[SessionRef]:
    """All logs under a directory that is named for this purpose."""
    for path in _files(root, 0):
        if probe_head(_read(path, 0, _HEAD_BYTES)) > 0:
            yield ref(path)


def _files(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if depth < _MAX_DEPTH:
                yield from _files(folder / entry.name, depth + 1)
        elif entry.name.endswith(_ENDINGS):
            yield folder / entry.name


def ref(path: Path) -> SessionRef:
    """The session that a file holds: it has the name of the file, since runs in it may be many."""
    try:
        status = path.stat()
    except OSError:
        return SessionRef(NAME, path.stem, str(path))
    return SessionRef(NAME, path.stem, str(path), modified=status.st_mtime, size=status.st_size)


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """None: agents that an agent calls write into the same log."""
    _ = ref
    return ()


def child_places(ref: SessionRef) -> Sequence[Path]:
    """None, see `children`."""
    _ = ref
    return ()


def spilled(ref: SessionRef, recorded: str) -> Path | None:
    """None: the library keeps no output beside its logs."""
    _ = ref, recorded
    return None


def info(ref: SessionRef) -> SessionInfo:
    """Facts from the first and the last 128 kB of a file."""
    path = Path(ref.path)
    try:
        size = path.stat().st_size
    except OSError:
        return SessionInfo(ref)
    head = _read(path, 0, _END_BYTES)
    start = max(_END_BYTES, size - _END_BYTES)
    tail = _read(path, start, _END_BYTES) if size > _END_BYTES else b""
    return overview(ref, head, tail, start)


def _read(path: Path, start: int, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(limit)
    except OSError:
        return b""
