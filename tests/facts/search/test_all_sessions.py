"""What is found: by the index and directly, the same, and all that a session shows."""

import os
import random
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolKind
from agentview.facts.search.documents import Column, bounded_text
from agentview.facts.search.fts_index import SearchIndex
from agentview.facts.search.index_query import IndexQuery, IndexTerm
from agentview.facts.search.indexer import SETTLED
from agentview.facts.search.results import Group, OfSession, Order
from agentview.facts.search.tokenizer import without_escapes, words_of
from agentview.sessions.following.whole_session import load_session
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.activity.activity_text import searchable
from tests.claude_log import ClaudeLog, conversation, write
from tests.facts.search.searched import groups, hits, index_of, places, ref_of, sample_refs

SAMPLES = sample_refs()


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    """An index of all samples."""
    index = index_of(tmp_path_factory.mktemp("index") / "search.sqlite", SAMPLES)
    yield index
    index.close()


def copies(directory: Path, modified: float) -> list[SessionRef]:
    """Some of the samples as if they had been written last at a moment."""
    names = ("gemini_cli/demo.jsonl", "gemini_cli/history.jsonl", "claude_code/demo.jsonl")
    refs: list[SessionRef] = []
    for name in names:
        path = directory / name.replace("/", "-")
        shutil.copy(sample_sessions_dir() / name, path)
        os.utime(path, (modified, modified))
        refs.append(ref_of(path))
    return refs


def _words_shown(store: SessionStore, row: int) -> list[str]:
    shown = [without_escapes(text) for text in searchable(store.activity(row))]
    texts = [bounded_text(text, Column.RESULT) for text in shown]
    return [word for text in texts for word in words_of(text)]


def _rows_of(store: SessionStore, found: set[tuple[int, int]]) -> set[int | None]:
    rows = {store.row_of(*place) for place in found}
    return rows | {store.joined_with(row) for row in rows if row is not None}


@pytest.mark.slow
def test_words_of_what_is_shown_are_found_there(samples: SearchIndex) -> None:
    rng = random.Random(11)  # noqa: S311
    for ref in SAMPLES:
        store = load_session(ref)
        shown = [row for row in range(store.first, store.end) if store.shown(row)]
        for row in rng.sample(shown, min(4, len(shown))):
            words = _words_shown(store, row)
            if not words:
                continue
            query = IndexQuery(terms=(IndexTerm((rng.choice(words),), None, False),))
            found = places(query, [ref], samples).get(ref.path, set())
            assert row in _rows_of(store, found), (ref.path, row, query.terms)


@pytest.mark.slow
def test_looking_directly_finds_the_same(samples: SearchIndex) -> None:
    rng = random.Random(5)  # noqa: S311
    lines = ["total", "retr*", "src/", "-test kind:shell", "in:path app.py", "in:prompt please the",
             "kind:edit", "error -exit", '"the tests"', "exit in:result", "kind:user"]  # fmt: skip
    assert any(places(line, SAMPLES, samples) for line in lines)
    for line in lines:
        assert places(line, SAMPLES, samples) == places(line, SAMPLES), line
    for ref in rng.sample(SAMPLES, 8):
        store = load_session(ref)
        shown = [row for row in range(store.first, store.end) if store.shown(row)]
        words = [word for row in shown for word in _words_shown(store, row)]
        for word in rng.sample(words, min(3, len(words))):
            query = IndexQuery(terms=(IndexTerm((word,), None, False),))
            assert places(query, [ref], samples) == places(query, [ref]), (ref.path, word)


def test_looking_directly_finds_the_same_in_logs_that_may_go_on(tmp_path: Path) -> None:
    refs = copies(tmp_path, time.time())
    index = index_of(tmp_path / "search.sqlite", refs)
    for line in ("total", "src/", "kind:user", "in:path cart.py", "the"):
        assert places(line, refs, index) == places(line, refs), line
    index.close()


def test_a_result_is_of_the_last_call_with_its_id_whose_words_nobody_looks_for(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    records = [
        log.prompt("Please measure the harbour twice"),
        log.call("c1", "Bash", command="sound --depth harbour"),
        log.result("c1", "harbour: 7 fathoms"),
        log.call("c1", "Bash", command="sound --again"),
        log.result("c1", "harbour: 8 fathoms"),
    ]
    ref = ref_of(write(tmp_path / "log.jsonl", records))
    starts = [sum(map(len, records[:number])) for number in range(len(records))]
    found = {(starts[number], 0) for number in (0, 1, 3)}
    assert places("harbour", [ref]) == {ref.path: found}
    index = index_of(tmp_path / "search.sqlite", [ref])
    assert places("harbour", [ref], index) == {ref.path: found}
    index.close()


def test_the_result_of_a_call_without_an_id_is_found_at_the_call(tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    shutil.copy(sample_sessions_dir() / "antigravity" / "demo.jsonl", path)
    os.utime(path, (1.0, 1.0))
    ref = ref_of(path)
    index = index_of(tmp_path / "search.sqlite", [ref])
    found = places("cannot", [ref], index)
    assert len(found[ref.path]) == 1
    assert places("cannot", [ref]) == found
    index.close()


def test_the_index_spares_reading(tmp_path: Path) -> None:
    refs = copies(tmp_path, time.time() - 2 * SETTLED)
    index = index_of(tmp_path / "search.sqlite", refs)
    _, account = groups("total", refs, index)
    assert (account.logs, account.directly) == (len(refs), 0)
    _, account = groups("total", refs)
    assert account.directly == len(refs)
    index.close()


def _log(tmp_path: Path) -> tuple[SessionRef, list[bytes]]:
    log = ClaudeLog()
    records = [
        log.prompt("Please fix the exponential backoff in src/net/retry.py"),
        log.text("The RetryPolicy doubles its delay, see ECONNREFUSED"),
        log.call("c1", "Bash", command="pytest -k test_retry_cap"),
        log.result("c1", "1 failed: test_retry_cap\n\x1b[31mAssertionError\x1b[0m \u202e evil"),
        log.call("c2", "Edit", file_path="/s/src/net/retry.py", old_string="a", new_string="cap"),
        log.result("c2", "done"),
        log.text("修复了重试次数的上限, größer als früher"),
    ]
    return ref_of(write(tmp_path / "log.jsonl", records)), records


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("backoff", [0]),
        ("back", [0]),
        ("back*", [0]),
        ("ackoff", []),
        ("*ackoff", [0]),
        ("*ackof*", [0]),
        ("*back", [0]),
        ("*trypol", [1]),
        ("*try_ca retry", [2]),
        ("*etry kind:shell", [2]),
        ("*etry in:path", [4]),
        ("*ruher", [6]),
        ("*röß", [6]),
        ("*了重", [6]),
        ("*ackof -kind:user", []),
        ("*ackoff -*ponential", []),
        ("Back", []),
        ("Refused", []),
        ("ECONN", [1]),
        ("RetryPolicy,", []),
        ("delay,", [1]),
        ("->", []),
        ("1 failed:", [2]),
        ("tool:bash", [2]),
        ("-tool:bash retry", [4, 1, 0]),
        ("tool:edit file:retry.py", [4]),
        ("file:retry.py -kind:shell", [4]),
        ("state:ok kind:edit", [4]),
        ("state:error", []),
        ("problems", []),
        ("-problems kind:edit", [4]),
        ("retry", [4, 2, 1, 0]),
        ("src/net/retry.py", [4, 0]),
        ('"net retry"', []),
        ('"exponential backoff"', [0]),
        ('"retry net"', []),
        ("econnrefused", [1]),
        ("policy", [1]),
        ("retrypolicy", [1]),
        ("test_retry_cap", [2]),
        ("retry_cap", [2]),
        ("cap retry", [4, 2]),
        ("retry -pytest", [4, 1, 0]),
        ("retry -src/net", [2, 1]),
        ("pytest failed", [2]),
        ("in:command retry", [2]),
        ("in:path retry", [4]),
        ("in:args retry", [4, 2]),
        ("in:result retry", [2]),
        ("in:prompt retry", [0]),
        ("in:message retry", [1]),
        ("in:prompt in:path retry", [4, 0]),
        ("kind:edit", [4]),
        ("kind:shell failed", [2]),
        ("kind:user failed", []),
        ("重试", [6]),
        ("试重", []),
        ("grosser fruher", [6]),
        ("größer", [6]),
        ("AssertionError", [2]),
        ("evil", [2]),
        (r"regex:/retry\.py/", [4, 0]),
        (r"regex:/RETRY_\w+/", [2]),
        (r"regex:/retry\.py/ kind:edit", [4]),
        (r"regex:/retry/ -backoff kind:user", []),
        (r"-regex:/retry/ kind:message", [6]),
        (r"regex:/^1 failed.*CAP$/", [2]),
        (r"regex:/(?-i:econn)/", []),
        (r"regex:/parentUuid/", []),
    ],
)
@pytest.mark.parametrize("indexed", [True, False], ids=["index", "direct"])
def test_what_lines_find(tmp_path: Path, line: str, numbers: list[int], indexed: bool) -> None:
    ref, records = _log(tmp_path)
    index = index_of(tmp_path / "i.sqlite", [ref]) if indexed else None
    offsets = {sum(map(len, records[:number])): number for number in range(len(records))}
    found = [offsets[hit.order[0]] for hit in hits(line, [ref], index)]
    assert found == numbers


def test_hostile_text_is_harmless_in_a_snippet(tmp_path: Path) -> None:
    ref, _ = _log(tmp_path)
    (hit,) = hits("assertionerror", [ref])
    text = hit.snippet.text
    assert text.isprintable()
    assert "\u202e" not in text
    assert [text[start:end] for start, end in hit.snippet.ranges] == ["AssertionError"]
    assert hit.snippet.column is Column.RESULT


def test_secrets_are_masked_when_asked(tmp_path: Path) -> None:
    log = ClaudeLog()
    secret = "ghp_" + "a1B2" * 9
    records = [log.prompt(f"use {secret} to deploy")]
    ref = ref_of(write(tmp_path / "log.jsonl", records))
    (hit,) = hits("deploy", [ref], masking=True)
    assert secret not in hit.snippet.text
    assert hit.snippet.text.endswith("to deploy")
    assert secret[-9:] in hits("deploy", [ref])[0].snippet.text


def test_beyond_its_ends_a_result_is_looked_at_when_asked(tmp_path: Path) -> None:
    log = ClaudeLog()
    text = "x " * 6000 + "needle" + " y" * 6000
    records = [log.call("c", "Bash", command="ls"), log.result("c", text)]
    ref = ref_of(write(tmp_path / "log.jsonl", records))
    index = index_of(tmp_path / "i.sqlite", [ref])
    assert hits("needle", [ref], index) == hits("needle", [ref]) == []
    (hit,) = hits("needle", [ref], index, full=True)
    assert hit.place == (0, 0)
    (hit,) = hits("regex:/needle/", [ref], index)
    assert "needle" in hit.snippet.text


def test_a_pattern_that_takes_too_long_is_told(tmp_path: Path) -> None:
    ref = ref_of(write(tmp_path / "log.jsonl", [ClaudeLog().prompt("a" * 5000 + "!")]))
    found, account = groups("regex:/(a|aa|a?a)+$/", [ref])
    assert found == {}
    assert account.undecided == 1


def test_when_time_is_up_it_is_told(tmp_path: Path) -> None:
    ref, _ = _log(tmp_path)
    _, account = groups("retry", [ref, ref], seconds=0.0)
    assert (account.late, account.done) == (2, True)


def test_a_log_that_is_gone_is_told(tmp_path: Path) -> None:
    ref, _ = _log(tmp_path)
    index = index_of(tmp_path / "i.sqlite", [ref])
    Path(ref.path).unlink()
    found, account = groups("retry", [ref], index)
    assert (found, account.unreadable) == ({}, 1)


def test_hits_are_told_up_to_a_number_and_the_rest_counted(tmp_path: Path) -> None:
    refs: list[SessionRef] = []
    for number in range(4):
        log = ClaudeLog(f"0b5f3a52-6c55-4f0e-9a51-00000000000{number}")
        path = write(tmp_path / f"{log.session}.jsonl", conversation(log, 30))
        refs.append(ref_of(path))
    index = index_of(tmp_path / "i.sqlite", refs)
    for used in (index, None):
        found, account = groups("step", refs, used, per_log=7, groups=2)
        assert list(found) == [ref.path for ref in refs[:2]]
        assert account.more
        group = found[refs[0].path]
        assert (len(group.hits), group.more) == (7, 53)
        assert group.hits[0].order > group.hits[-1].order
        whole, _ = groups("step", refs, used, per_log=7, whole=frozenset([refs[1].path]))
        assert [len(each.hits) for each in whole.values()] == [7, 60, 7, 7]


def test_a_title_is_a_hit_where_nothing_else_of_the_session_is(tmp_path: Path) -> None:
    """With an index that is up to date, with one that ends before the hit, and without one."""
    log = ClaudeLog()
    records = [log.prompt("Please fix the tests"), log.text("I begin"), log.text("A lynx sleeps")]
    path = write(tmp_path / "log.jsonl", records[:2])
    ref = ref_of(path)
    older = index_of(tmp_path / "older.sqlite", [ref])
    write(path, records)
    ref = ref_of(path)
    newer = index_of(tmp_path / "newer.sqlite", [ref])
    titles = {ref.path: ("The lynx in the garden", "Please fix the tests")}
    for index in (newer, older, None):
        for line, kinds in {
            "lynx": ["message"], "*ynx": ["message"], "-sleeps lynx": ["title"],
            "garden": ["title"], "*arde": ["title"], "garden tests": [],
            "regex:/gard.n/": ["title"], "tests": ["user"], "lynx garden": ["title"],
            "lynx -garden": ["message"], "garden -tests": ["title"],
            "arden": [], "in:prompt garden": [], "kind:user garden": [],
            "tool:bash garden": [], "-garden": ["message", "message", "user"],
        }.items():  # fmt: skip
            for most in (None, 1):
                found, account = groups(line, [ref], index, titles=titles, per_log=most, groups=9)
                group = found.get(ref.path, Group(ref, ()))
                assert [hit.kind.value for hit in group.hits] == kinds[:most], (line, index)
                assert group.more == len(kinds[most:] if most else [])
                assert not account.more
                assert account.done
    (hit,) = hits("title:garden", [ref], newer, titles=titles)
    assert (hit.kind, hit.place, hit.snippet.text) == (
        OfSession.TITLE,
        None,
        "The lynx in the garden",
    )


def test_the_best_match_comes_first_when_asked(tmp_path: Path) -> None:
    log = ClaudeLog()
    much = [log.call("c", "Bash", command="ls"), log.result("c", "backoff " + "other words " * 300)]
    first = ref_of(write(tmp_path / "a.jsonl", much))
    second = ref_of(write(tmp_path / "b.jsonl", [ClaudeLog().prompt("backoff")]))
    for ref in (first, second):
        os.utime(ref.path, (1e9, 1e9))
    index = index_of(tmp_path / "i.sqlite", [first, second])
    assert list(groups("backoff", [first, second], index)[0]) == [first.path, second.path]
    ranked, _ = groups("backoff", [first, second], index, order=Order.RANK)
    assert list(ranked) == [second.path, first.path]


def test_kinds_of_hits(tmp_path: Path) -> None:
    ref, _ = _log(tmp_path)
    assert [hit.kind for hit in hits("retry", [ref])] == [
        ToolKind.EDIT,
        ToolKind.SHELL,
        RowKind.MESSAGE,
        RowKind.USER,
    ]
