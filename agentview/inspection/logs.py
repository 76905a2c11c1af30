"""The logs that lie below a place, told by their content, and their records one after another."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.providers import HEAD_BYTES, load_provider, recognise
from agentview.providers.base import Provider
from agentview.store.reading import log_reader
from agentview.tailing import Line, read_head

_BINARY_HEAD = 1024
_SKIPPED = frozenset({".git", "node_modules", ".venv", "__pycache__"})


def logs_below(paths: Iterable[Path], provider: str | None = None) -> Iterator[SessionRef]:
    """Every log at or below the paths, in the order of their names; each file once.

    What no provider recognises is left out; `provider` leaves out what is of others. A file that is
    named itself and cannot be read raises what `read_head` raises.
    """
    seen: set[Path] = set()
    for path in paths:
        for file in _files(path):
            if file not in seen:
                seen.add(file)
                ref = _session(file, provider, named=file == path)
                if ref is not None:
                    yield ref


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for directory, folders, names in os.walk(path):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            yield Path(directory, name)


def _session(path: Path, provider: str | None, *, named: bool) -> SessionRef | None:
    try:
        head = read_head(path, HEAD_BYTES)
    except AgentViewError:
        if named:
            raise
        return None
    if not head.strip() or b"\x00" in head[:_BINARY_HEAD]:
        return None
    if named and provider is not None:
        return load_provider(provider).discovery.ref(path)
    found = recognise(head, path)
    if found is None or provider not in (None, found.name):
        return None
    return found.discovery.ref(path)


def is_lined(provider: Provider, path: Path) -> bool:
    """Whether the records of a log are its lines, and not parts of one document."""
    documents = provider.documents
    return documents is None or not documents.begin(read_head(path, HEAD_BYTES))


def records(provider: Provider, path: Path) -> Iterator[Line]:
    """All records that a log holds now, a last torn one included. Raises NotFound, Unreadable."""
    reader = log_reader(provider, path)
    more = True
    while more:
        chunk = reader.poll()
        yield from (item for item in chunk.items if isinstance(item, Line))
        more = chunk.more
    yield from reader.finish()
    yield from reader.finish_torn()
