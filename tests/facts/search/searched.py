"""Logs to be searched, and what is found in them with and without an index."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.facts.search.all_sessions import Search
from agentview.facts.search.documents import Place
from agentview.facts.search.fts_index import SearchIndex
from agentview.facts.search.index_query import IndexQuery, index_query
from agentview.facts.search.indexer import build_index
from agentview.facts.search.results import Account, Group, Hit, Options
from agentview.providers import recognise
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.system.paths import sample_sessions_dir

Places = dict[str, set[Place]]
"""Places of hits by the path of their log."""


def asked_for(line: str) -> IndexQuery:
    """A line as the search in all sessions runs it."""
    return index_query(parse_query(line, Surface.EVERYWHERE))


def ref_of(path: Path) -> SessionRef:
    """The session in a file."""
    provider = recognise(path.read_bytes()[:65_536], path)
    assert provider is not None
    return provider.discovery.ref(path)


def sample_refs() -> list[SessionRef]:
    """All sample sessions of all providers."""
    files = sorted(path for path in sample_sessions_dir().rglob("*") if path.is_file())
    heads = [(path, path.read_bytes()[:65_536]) for path in files]
    found = [(path, recognise(head, path)) for path, head in heads]
    return [provider.discovery.ref(path) for path, provider in found if provider is not None]


def index_of(place: Path, refs: Sequence[SessionRef]) -> SearchIndex:
    """An index of logs."""
    troubles = [progress.trouble for progress in build_index(place, refs) if progress.trouble]
    assert troubles == []
    index = SearchIndex.open(place)
    assert index is not None
    return index


def groups(
    query: IndexQuery | str,
    refs: Sequence[SessionRef],
    index: SearchIndex | None = None,
    **options: object,
) -> tuple[dict[str, Group], Account]:
    """What is found by log, and what was looked at."""
    asked = asked_for(query) if isinstance(query, str) else query
    search = Search(asked, refs, index, Options(**options))  # pyright: ignore[reportArgumentType]
    found: dict[str, Group] = {}
    account = Account(0)
    for told in search.run():
        if isinstance(told, Group):
            found[told.ref.path] = told
        else:
            account = told
    return found, account


def places(
    query: IndexQuery | str,
    refs: Sequence[SessionRef],
    index: SearchIndex | None = None,
    **options: object,
) -> Places:
    """Where something is found."""
    found, account = groups(query, refs, index, **options)
    assert account.done
    return {
        path: {hit.place for hit in group.hits if hit.place is not None}
        for path, group in found.items()
    }


def hits(
    query: str, refs: Sequence[SessionRef], index: SearchIndex | None = None, **options: object
) -> list[Hit]:
    """All hits, log by log."""
    return [
        hit for group in groups(query, refs, index, **options)[0].values() for hit in group.hits
    ]
