"""The logs at or below places, recognized by their content, and their records in order."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.errors import Unreadable
from agentview.facts.accounting.session_files import files_below
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES, Provider
from agentview.sources.line_splitter import Line
from agentview.sources.open_file import read_head
from agentview.timeline.rows.reading import log_reader


def logs_below(paths: Iterable[Path], provider: str | None = None) -> Iterator[SessionRef]:
    """Every log at or below the paths, in the order of their names; each file once.

    What no provider recognises is left out, and with `provider` what is of others; a file that is
    named itself is read as one of that provider. Raises NotFound and Unreadable for such a file.
    """
    seen: set[str] = set()
    for path in paths:
        for ref in _logs(path, provider):
            if ref.path not in seen:
                seen.add(ref.path)
                yield ref


def _logs(path: Path, provider: str | None) -> Iterator[SessionRef]:
    if path.is_dir():
        found = files_below(path, provider)
        yield from (each for each in found if isinstance(each, SessionRef))
        return
    head = read_head(path, HEAD_BYTES)
    known = load_provider(provider) if provider is not None else recognise(head, path)
    if known is None:
        raise Unreadable(f"{path} is not a session log of a known format.")
    yield known.discovery.ref(path)


def is_lined(provider: Provider, path: Path) -> bool:
    return not provider.is_document(read_head(path, HEAD_BYTES))


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
