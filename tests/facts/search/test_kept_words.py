"""What a search learned of logs spares the next one, and changes no answer."""

import os
import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.facts.kept.eviction import forget_gone
from agentview.facts.kept.facts_db import FactsDatabase
from agentview.facts.search.all_sessions import Search
from agentview.facts.search.index_query import IndexQuery, IndexTerm
from agentview.facts.search.kept_words import KeptWords
from agentview.facts.search.results import Account, Group, Options
from agentview.facts.search.unindexed import UnindexedSearch
from agentview.sources.open_file import open_file
from agentview.system.paths import sample_sessions_dir
from tests.facts.search.searched import Places, asked_for, places, ref_of

_LOGS = (
    "claude_code/demo.jsonl", "codex/demo.jsonl", "qwen_code/demo.jsonl", "acp/demo.jsonl",
    "copilot/demo.jsonl", "iflow/demo.jsonl", "aider/demo.md",
)  # fmt: skip
_LINES = ("xylophone", "the xylophone", "total", "*rror", "in:prompt please", "kind:notice")


@pytest.fixture
def refs(tmp_path: Path) -> list[SessionRef]:
    old = time.time() - 3600
    found: list[SessionRef] = []
    for name in _LOGS:
        source, log = sample_sessions_dir() / name, tmp_path / name
        if source.exists():
            log.parent.mkdir()
            shutil.copyfile(source, log)
            os.utime(log, (old, old))
            found.append(ref_of(log))
    assert len(found) > 4
    return found


def _places(line: str | IndexQuery, refs: list[SessionRef], database: FactsDatabase) -> Places:
    query, kept = asked_for(line) if isinstance(line, str) else line, KeptWords(database)
    found: Places = {}
    for told in Search(query, refs, None, kept=kept).run():
        if isinstance(told, Group):
            found[told.ref.path] = {hit.place for hit in told.hits if hit.place is not None}
    kept.write()
    return found


def _is_read(ref: SessionRef, line: str, database: FactsDatabase) -> bool:
    """Whether records of a log are looked at, though its bytes have no word of the query."""
    search = UnindexedSearch(asked_for(line), Account(0), Options(), KeptWords(database))
    fd, status = open_file(Path(ref.path))
    try:
        # It gives each byte that was reached: at the end of the bytes, and of the records.
        return len(list(search.has_no_match(ref, fd, 0, status.st_size))) > 1
    finally:
        os.close(fd)


def test_the_second_search_finds_the_same_and_reads_less(
    refs: list[SessionRef], tmp_path: Path
) -> None:
    with FactsDatabase(tmp_path / "facts.sqlite") as database:
        assert _is_read(refs[0], "xylophone", database)
        for line in _LINES:
            direct = places(line, refs)
            assert [_places(line, refs, database) for _ in range(2)] == [direct] * 2, line
        assert not _is_read(refs[0], "xylophone", database)
        assert not _is_read(refs[0], "marimba", database)


def test_words_that_are_shown_and_not_in_the_bytes_are_found_with_what_was_kept(
    refs: list[SessionRef], tmp_path: Path
) -> None:
    with FactsDatabase(tmp_path / "facts.sqlite") as database:
        _places("xylophone", refs, database)
        with sqlite3.connect(tmp_path / "facts.sqlite") as file:
            kept = file.execute("SELECT path, words FROM shown").fetchall()
        odd = [
            (path, word)
            for path, words in kept
            for word in words.split("\n")
            if word and word.encode() not in Path(path).read_bytes().lower()
        ]
        assert odd
        for path, word in odd[:10]:
            query = IndexQuery(terms=(IndexTerm((word,), None, negative=False),))
            found = _places(query, refs, database)
            assert found == places(query, refs)
            assert found[path], word


def test_a_log_that_was_written_is_read_again(refs: list[SessionRef], tmp_path: Path) -> None:
    log = Path(next(ref.path for ref in refs if ref.provider == "claude_code"))
    prompt = (
        b'{"type":"user","uuid":"u9","sessionId":"s","message":{"role":"user","content":"%s"}}\n'
    )
    with FactsDatabase(tmp_path / "facts.sqlite") as database:
        assert not _places("xylophone", refs, database)
        with log.open("ab") as file:
            file.write(prompt % b"A xylophone.")
        assert list(_places("xylophone", refs, database)) == [str(log)]


def test_a_damaged_row_is_not_used(refs: list[SessionRef], tmp_path: Path) -> None:
    with FactsDatabase(tmp_path / "facts.sqlite") as database:
        _places("xylophone", refs, database)
        for change in ("words = 'xylophone'", "words = x'00'", "digest = NULL", "path = 1"):
            with sqlite3.connect(tmp_path / "facts.sqlite") as file:
                file.execute(f"UPDATE OR REPLACE shown SET {change}")  # noqa: S608
            assert not _places("xylophone", refs, database)
            assert _places("total", refs, database) == places("total", refs)


def test_words_of_logs_that_are_gone_are_forgotten(refs: list[SessionRef], tmp_path: Path) -> None:
    with FactsDatabase(tmp_path / "facts.sqlite") as database:
        _places("xylophone", refs, database)
        Path(refs[0].path).unlink()
        forget_gone(database, "shown")
        with sqlite3.connect(tmp_path / "facts.sqlite") as file:
            paths = {path for (path,) in file.execute("SELECT path FROM shown")}
        assert refs[0].path not in paths
        assert paths
