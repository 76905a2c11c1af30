"""The same query finds the same on all surfaces, in sessions of all providers."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.session import SessionRef
from agentview.facts.search.in_session import TextSearch
from agentview.facts.search.matcher import Matcher
from agentview.facts.search.session_worker import Answer, LogScan
from agentview.providers import load_provider
from agentview.query.parser import Field, parse_query, quoted
from agentview.query.vocabulary import KIND_NAMES, Surface
from agentview.sessions.following.whole_session import load_session
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.activity.activity_text import searchable
from tests.facts.search.searched import places, ref_of
from tests.query.asked import parse_filter, sessions_filter

pytestmark = pytest.mark.slow

SAMPLES = sorted(sample_sessions_dir().glob("*/demo.jsonl"))
FIELDS = (
    "kind:shell", "kind:edit", "kind:you", "kind:assistant", "kind:tool", "-kind:tool",
    "tool:bash", "tool:e kind:tool", "-tool:e kind:tool", "file:src", "file:.py -kind:read",
    "state:error", "state:ok", "-state:ok kind:tool", "problems", "-problems kind:tool",
    "state:denied", "in:command *e", "in:path *e", "in:prompt *e", "in:result *e kind:tool",
)  # fmt: skip


def comparable(store: SessionStore) -> set[int]:
    """Rows that the search in all sessions can find as the timeline shows them.

    It finds what has a text, knows the prompts of a folded branch instead of the branch, and does
    not wait for what is written long after a call.
    """
    return {
        row
        for row in range(store.first, store.end)
        if store.shown(row)
        and store.kind(row) is not RowKind.BRANCH
        and all(part - row < 64 for part in store.joined(row))
        and any(searchable(store.activity(row)))
        # The search in all sessions takes a later report on a call as an activity of its own.
        and store.activity(row).outcome is None
    }


def filtered(store: SessionStore, line: str) -> set[int]:
    """Rows that the filter of a timeline leaves."""
    wanted = parse_filter(line, store)
    assert wanted is not None
    return {row for row in comparable(store) if wanted.passes(store, row)}


def found_everywhere(store: SessionStore, ref: SessionRef, line: str) -> set[int]:
    """Rows that the search in all sessions finds, reading the log."""
    found = places(line, [ref], full=True).get(ref.path, set())
    rows = {store.row_of(*place) for place in found}
    owners = {store.joined_with(row) for row in rows if row is not None}
    return {row for row in (*rows, *owners) if row is not None and row in comparable(store)}


def found_in_bytes(store: SessionStore, ref: SessionRef, line: str) -> set[int]:
    """Rows that the search of a session finds in the bytes of its log."""
    query = parse_query(line, Surface.ACTIVITIES)
    places_of = tuple(term.value for term in query.fields if term.name == "in")
    shown = comparable(store)
    for term in query.terms:
        if isinstance(term, Field):
            continue
        search = TextSearch(store, term, store.first, places_of)
        request = search.request(1)
        fd = os.open(ref.path, os.O_RDONLY)
        try:
            scan = LogScan(
                load_provider(ref.provider), ref, fd, Matcher(term, places_of), request.end
            )
            for part in scan.run(0, 4096):
                search.take(Answer(1, part.hits, min(part.fraction, 0.9)))
        finally:
            os.close(fd)
        search.take(Answer(1, [], 1.0))
        while not search.step(1.0):
            pass
        hits = set(search.hits)
        shown = shown - hits if term.negative else shown & hits
    return shown


def words(store: SessionStore, rng: random.Random) -> Iterator[str]:
    """Words, parts of words, phrases and pairs that stand in a session, as terms."""
    shown = [row for row in range(store.first, store.end) if store.shown(row)]
    texts = [text for row in shown for text in searchable(store.activity(row)) if text.isascii()]
    texts = [text for text in texts if text.strip() and "\x1b" not in text]
    for _ in range(6):
        one, other = rng.choice(texts).split(), rng.choice(texts).split()
        word = rng.choice(one)[:12].strip("*").lower()
        if word:
            part = word[rng.randrange(len(word)) :].lstrip("-") or word
            yield quoted(rng.choice(one)[:20])
            yield f"*{part}" if part[0] != "-" and not {'"', ":"} & {*part} else quoted(part)
            yield f"{quoted(word)} -{quoted(rng.choice(other)[:6])}"
            yield quoted(" ".join(one[:3])[:60])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("line", FIELDS)
def test_fields_mean_the_same_in_a_session_and_in_all(path: Path, line: str) -> None:
    ref = ref_of(path)
    store = load_session(ref)
    assert found_everywhere(store, ref, line) == filtered(store, line)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.parent.name)
def test_texts_mean_the_same_wherever_they_are_looked_for(path: Path) -> None:
    ref = ref_of(path)
    store = load_session(ref)
    rng = random.Random(path.parent.name)  # noqa: S311
    for line in words(store, rng):
        rows = filtered(store, line)
        everywhere = found_everywhere(store, ref, line)
        if load_provider(ref.provider).has_linked_events:
            # Records are pieces of a text, and say more of a call than it shows in the end.
            assert "*" not in line or everywhere >= rows, line
            continue
        assert found_in_bytes(store, ref, line) == rows, line
        if "*" in line:
            assert everywhere == rows, line
        elif "-" not in line:
            # The index knows the beginnings of words.
            assert everywhere <= rows, line


@pytest.mark.parametrize("name", KIND_NAMES)
def test_a_kind_is_the_same_in_filters_and_cat(name: str) -> None:
    path = sample_sessions_dir() / "claude_code" / "demo.jsonl"
    store = load_session(ref_of(path))
    assert filtered(store, f"kind:{name}") == filtered(store, f"kind:{name.upper()}")


def test_the_library_takes_the_same_texts() -> None:
    for line in ("shop", "-shop", '"title of"', "regex:/t.tle/", "Shop", "*hop"):
        query, test = parse_query(line, Surface.ACTIVITIES), sessions_filter(line, 0.0)
        assert test is not None
        assert len(test.tests) == len(query.terms)
