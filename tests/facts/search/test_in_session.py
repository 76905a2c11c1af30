"""Search over the bytes of a log finds what looking at each row finds."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.facts.search.in_session import TextSearch
from agentview.facts.search.matcher import Matcher
from agentview.facts.search.session_worker import Answer, LogScan, spans_outward
from agentview.providers import load_provider
from agentview.query.parser import Field, Regex, Term, Text
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.view.activity.activity_text import searchable
from agentview.timeline.view.filter.search import Scan
from tests.claude_log import ClaudeLog, conversation, write
from tests.sessions.following.test_live_session import read_whole

PROVIDER = load_provider("claude_code")
SAMPLES = sorted((sample_sessions_dir() / PROVIDER.name).rglob("*.jsonl"))


def swept(session: LiveSession, query: str, *, block: int = 1 << 20) -> TextSearch:
    """The search as the child would answer it, up to the last answer."""
    return swept_term(session, Text(query), block=block)


def swept_term(
    session: LiveSession, term: Term, places: tuple[str, ...] = (), *, block: int = 1 << 20
) -> TextSearch:
    search = TextSearch(session.store, term, session.store.end - 1, places)
    for answer in answers(session, search, block):
        search.take(answer)
    while not search.step(1.0):
        pass
    return search


def answers(session: LiveSession, search: TextSearch, block: int) -> Iterator[Answer]:
    request = search.request(1)
    assert request.term is not None
    fd = os.open(session.store.session.path, os.O_RDONLY)
    try:
        sweep = LogScan(
            PROVIDER, session.store.session, fd, Matcher(request.term, request.places), request.end
        )
        for found in sweep.run(request.origin, block):
            yield Answer(1, found.hits, min(found.fraction, 0.9))
    finally:
        os.close(fd)
    yield Answer(1, [], 1.0)


def scanned(session: LiveSession, query: str) -> list[int]:
    return scanned_term(session, Text(query))


def scanned_term(session: LiveSession, term: Term, places: tuple[str, ...] = ()) -> list[int]:
    scan = Scan(session.store, Matcher(term, places).fits, session.store.first)
    while not scan.step(1.0):
        pass
    return list(scan.hits)


def _queries(session: LiveSession, count: int) -> Iterator[str]:
    rng = random.Random(7)  # noqa: S311
    rows = range(session.store.first, session.store.end)
    shown = (session.store.activity(row) for row in rows if session.store.shown(row))
    texts = [text for activity in shown for text in searchable(activity) if text]
    for _ in range(count if texts else 0):
        text = rng.choice(texts)
        start = rng.randrange(len(text))
        query = text[start : start + rng.choice([1, 2, 5, 12])]
        if not query.strip():
            continue
        yield query if rng.random() < 0.5 else query.lower()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
async def test_it_finds_what_looking_at_each_row_finds(path: Path) -> None:
    session = await read_whole(path)
    for number, query in enumerate(_queries(session, 25)):
        block = (300, 5000, 1 << 20)[number % 3]
        found = list(swept(session, query, block=block).hits)
        assert found == scanned(session, query), query


HOSTILE = [
    'say "hi" \\ there',
    "a.*b[c](d)+$",
    "nul \x00 and \x1b[31m",
    "two\nlines\tand a tab",
    "größe ÄÖÜ",
    "emoji 🎉👩‍👩‍👧",
    "日本語",
    "</script><b>&amp;'",
    "\\u0041 is no A",
]


@pytest.fixture
def odd_log(tmp_path: Path) -> Path:
    log = ClaudeLog()
    records = [log.prompt("begin")]
    for number, text in enumerate(HOSTILE):
        records += [
            log.text(f"before {text} after"),
            log.call(f"toolu_{number}", "Bash", command=text),
        ]
        records += [log.result(f"toolu_{number}", f"out {text}")]
    return write(tmp_path / "odd.jsonl", records)


@pytest.mark.parametrize("query", HOSTILE)
@pytest.mark.parametrize("block", [7, 64, 1 << 20])
async def test_odd_texts_are_found_across_the_borders_of_blocks(
    odd_log: Path, query: str, block: int
) -> None:
    session = await read_whole(odd_log)
    found = list(swept(session, query.lower(), block=block).hits)
    assert found == scanned(session, query.lower())
    assert len(found) == 2


def test_blocks_go_outward_and_cover_all() -> None:
    spans = list(spans_outward(25, 100, 10))
    assert spans[:3] == [(25, 35), (15, 25), (35, 45)]
    assert sorted(byte for start, stop in spans for byte in range(start, stop)) == list(range(100))
    assert list(spans_outward(0, 0)) == []


@pytest.mark.slow
async def test_hits_wait_until_their_rows_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 300, size=400))
    whole = await read_whole(path)
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path))
    session.open()
    search = swept(session, "echo 7")
    assert search.unread == 11
    assert list(search.hits) == []
    session.store.subscribe(lambda change: search.rows_changed(change.updated))
    await _read_rest(session)
    assert search.unread == 0
    assert len(search.hits) == len(scanned(whole, "echo 7")) == 11
    assert list(search.hits) == scanned(session, "echo 7")


async def _read_rest(session: LiveSession) -> None:
    await session.log.read_back()


async def test_results_lead_to_their_call_whenever_it_is_read(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.call("toolu_x", "Bash", command="make"), *conversation(log, 200)]
    path = write(tmp_path / "log.jsonl", [*records, log.result("toolu_x", "the zebra ran")])
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path))
    session.open()
    search = swept(session, "zebra")
    assert list(search.hits) == [session.store.end - 1]
    session.store.subscribe(lambda change: search.rows_changed(change.updated))
    await _read_rest(session)
    assert list(search.hits) == [session.store.first]


async def test_what_is_written_after_the_search_began_is_found(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", conversation(log, 20))
    session = await read_whole(path)
    search = swept(session, "zebra")
    session.store.subscribe(lambda change: search.rows_changed(change.updated))
    with path.open("ab") as file:
        file.write(log.call("toolu_z", "Bash", command="ls"))
        file.write(log.result("toolu_z", "a zebra"))
        file.write(log.text("no such animal"))
    await session.log.read_on()
    assert list(search.hits) == scanned(session, "zebra") == [session.store.end - 3]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
async def test_patterns_tools_and_files_are_found_as_by_looking_at_each_row(path: Path) -> None:
    session = await read_whole(path)
    for term, places in (
        (Regex("(re|ed)[a-z]+ing"), ()),
        (Regex("[0-9]{3}"), ()),
        (Regex("src.*py"), ()),
        (Field("tool", "bash"), ()),
        (Field("tool", "e"), ()),
        (Field("file", ".py"), ()),
        (Field("file", "src/"), ()),
        (Text("e"), ("command",)),
        (Text("the"), ("prompt", "message")),
        (Text("src"), ("path",)),
        (Text("a"), ("result",)),
    ):
        search = swept_term(session, term, places, block=5000)
        assert list(search.hits) == scanned_term(session, term, places), (term, places)
