"""A log is left unread only where nothing of it can match."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.facts.search.document_builder import DocumentBuilder
from agentview.facts.search.documents import Column
from agentview.facts.search.index_query import IndexQuery, IndexTerm
from agentview.facts.search.reading import records
from agentview.facts.search.results import Account, Options
from agentview.facts.search.tokenizer import words_of
from agentview.facts.search.unindexed import UnindexedSearch
from agentview.providers import load_provider
from agentview.sources.line_splitter import DEFAULT_LIMIT
from agentview.sources.open_file import open_file
from agentview.timeline.rows.reading import decode_line
from tests.facts.search.searched import groups, ref_of, sample_refs

_MOST = 30
"""Words that are asked for at once."""
SAMPLES = [ref for ref in sample_refs() if load_provider(ref.provider).reading.light is not None]


def _has_no_match(query: IndexQuery, ref: SessionRef) -> tuple[bool, Account]:
    account = Account(0)
    steps = UnindexedSearch(query, account, Options()).has_no_match(ref, *_opened(ref))
    while True:
        try:
            assert next(steps) >= 0
        except StopIteration as end:
            return end.value, account


def _opened(ref: SessionRef) -> tuple[int, int, int]:
    fd, status = open_file(Path(ref.path))
    _FILES.append(fd)
    return fd, 0, status.st_size


_FILES: list[int] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while _FILES:
        os.close(_FILES.pop())


def _words(ref: SessionRef) -> set[str]:
    """All words of what the records of a log show."""
    provider, (fd, start, end) = load_provider(ref.provider), _opened(ref)
    builder, made = DocumentBuilder(provider), list[str]()
    lines = [
        line for line in records(provider, fd, start, end, torn=True) if not isinstance(line, int)
    ]
    for line in lines:
        for document in builder.feed(decode_line(provider, ref, line), line.offset, line.length):
            made += [document.indexed(column) for column in Column]
    made += [each.indexed(column) for each in builder.give_up(end + 1) for column in Column]
    return {word for text in made for word in words_of(text)}


def _query(*words: str) -> IndexQuery:
    return IndexQuery(terms=tuple(IndexTerm((word,), None, negative=False) for word in words))


def test_a_log_is_read_for_each_word_that_it_shows() -> None:
    for ref in SAMPLES:
        data = Path(ref.path).read_bytes().lower()
        words = sorted(_words(ref))
        # Those that are not in its bytes as they are, and a few others.
        odd = [word for word in words if word.encode() not in data]
        skipped, _ = _has_no_match(_query(*odd[:_MOST], *words[:2]), ref)
        assert words, ref.path
        assert not skipped, ref.path


def test_a_log_is_not_read_for_a_word_that_it_has_not() -> None:
    refs = [ref for ref in SAMPLES if ref.path.endswith("/demo.jsonl")]
    skipped = {ref.provider for ref in refs if _has_no_match(_query("the", "xylophone"), ref)[0]}
    assert {"claude_code", "codex", "qwen_code"} <= skipped
    assert not any(_has_no_match(IndexQuery(), ref)[0] for ref in refs)


def test_records_that_are_too_long_are_counted_in_a_log_that_is_not_read(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    demo = next(ref for ref in SAMPLES if ref.path.endswith("codex/demo.jsonl"))
    long = b'{"type":"event_msg","payload":"' + b"x" * DEFAULT_LIMIT + b'"}\n'
    log.write_bytes(Path(demo.path).read_bytes() + long)
    assert _has_no_match(_query("xylophone"), ref_of(log))[0]
    found, account = groups("xylophone", [ref_of(log)])
    assert (found, account.too_long) == ({}, 1)


def test_a_search_can_be_stopped_while_the_bytes_of_a_log_are_looked_at(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    demo = Path(next(ref.path for ref in SAMPLES if ref.path.endswith("codex/demo.jsonl")))
    log.write_bytes(demo.read_bytes() * 20)
    ref = ref_of(log)
    search = UnindexedSearch(_query("xylophone"), Account(0), Options())
    fd, start, end = _opened(ref)
    reached = list(search.has_no_match(ref, fd, start, end))
    scanned = reached[: reached.index(end) + 1]
    assert scanned == sorted(scanned)
    assert len(scanned) > 2
