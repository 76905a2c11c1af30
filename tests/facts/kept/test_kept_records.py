"""Rows of documents and of databases are kept, and hold while all their records are the same."""

import json
import os
import re
import shutil
import sqlite3
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session import SessionRef
from agentview.facts.kept import kept_rows
from agentview.facts.kept.index_file import index_folder
from agentview.facts.kept.kept_rows import KeptRows
from agentview.providers import load_provider
from agentview.sessions.following import log_ingest
from agentview.sessions.following.background_index import SMALL, packets_backward
from agentview.sessions.following.history_request import Request
from agentview.sessions.following.index_history import read_history
from agentview.sessions.following.log_ingest import LogIngest
from agentview.sources import database as sources_database
from agentview.sources import open_member
from agentview.sources.file_stamp import stamp_of
from agentview.sources.line_splitter import Line
from agentview.sources.member_lines import MemberLines
from agentview.sources.open_file import open_file
from agentview.sources.resume_point import digest_of_log
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.packets import Keys, Packet
from agentview.timeline.rows.reading import log_reader
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.opencode.store import Store
from tests.samples import Sample, all_samples
from tests.sessions.following.test_index_history import facts, in_one_pass, picture

_TAIL = 4


_started: list[Request] = []
"""What workers were asked for."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def _small_logs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small logs are read by workers, and their rows are kept.

    The workers do it in this process: in others this would not hold.
    """
    monkeypatch.setattr(kept_rows, "LEAST", 1)
    monkeypatch.setattr(log_ingest, "SMALL", 0)
    monkeypatch.setattr(log_ingest, "TAIL_LINES", _TAIL)

    async def packets(
        ref: SessionRef, tail: int, end: int, _resumed: object, whole: tuple[int, bytes] | None
    ) -> AsyncIterator[Packet | Keys]:
        _started.append(Request(ref, tail, end, tail, whole))
        for message in read_history(_started[-1]):
            yield message

    monkeypatch.setattr(log_ingest, "packets_backward", packets)


async def shown(ref: SessionRef) -> tuple[SessionStore, int]:
    """A session whose history has been read, as the screen does, and how many workers it took."""
    store = SessionStore(load_provider(ref.provider), ref)
    ingest = LogIngest(store)
    ingest.read_end(_TAIL)
    before = len(_started)
    await ingest.read_back()
    assert store.indexed
    return store, len(_started) - before


def whole(ref: SessionRef) -> SessionStore:
    """The same session in one pass over all of its records."""
    reader = log_reader(load_provider(ref.provider), Path(ref.path))
    lines = [item for item in reader.poll(1 << 40).items if isinstance(item, Line)]
    assert len(lines) > _TAIL
    return in_one_pass(ref, lines)


def same(store: SessionStore, other: SessionStore) -> bool:
    return picture(store) == picture(other) and facts(store) == facts(other)


def documents() -> list[Sample]:
    own = load_provider("gemini_cli")
    gemini = Sample(own, sample_sessions_dir() / "gemini_cli" / "document.json", "document")
    found = [sample for sample in all_samples() if sample.is_document]
    return [gemini, *(sample for sample in found if len(sample.lines()) > _TAIL)]


def calls_of(message: dict[str, Any], copy: int) -> list[dict[str, Any]]:
    """The calls of a message under ids of a copy of it."""
    return [{**call, "id": f"{call['id']}-{copy}"} for call in message.get("toolCalls", ())]


def another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no session of a database at hand, as a run of the program that begins."""
    monkeypatch.setattr(open_member, "_open", OrderedDict[str, MemberLines]())


async def check(
    ref: SessionRef, change: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened twice, then after a change; the worker is wanted where nothing that is kept holds."""
    expected = whole(ref)
    first, workers = await shown(ref)
    assert (same(first, expected), workers) == (True, 1)
    assert len([path for path in index_folder().rglob("*") if path.is_file()]) == 1
    again, workers = await shown(ref)
    assert (same(again, expected), workers) == (True, 0)
    another_run(monkeypatch)
    again, workers = await shown(ref)
    assert (same(again, expected), workers) == (True, 0)
    change()
    another_run(monkeypatch)
    expected = whole(ref)
    changed, workers = await shown(ref)
    assert (same(changed, expected), workers) == (True, 1)


@pytest.mark.usefixtures("_small_logs_too")
@pytest.mark.parametrize("sample", documents(), ids=str)
async def test_rows_of_a_document_are_kept_while_it_is_the_same(
    sample: Sample, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / sample.path.name
    shutil.copy(sample.path, path)
    ref = sample.provider.discovery.ref(path)

    def change() -> None:
        # Of the same length: only its content says that it is another one.
        line = next(line for line in sample.lines() if re.search(rb"\d", line.data or b""))
        first, at = line.data or b"", line.offset
        other = re.sub(rb"\d", lambda found: b"%d" % (int(found[0]) % 9 + 1), first, count=1)
        path.write_bytes(sample.data[:at] + other + sample.data[at + len(first) :])

    await check(ref, change, monkeypatch)


@pytest.mark.usefixtures("_small_logs_too")
async def test_rows_of_a_database_are_kept_while_its_records_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    database = tmp_path / "opencode.db"
    shutil.copy(sample_sessions_dir() / "opencode" / "opencode.db", database)
    with closing(sqlite3.connect(database)) as client:
        query = "SELECT session_id FROM part GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
        (session,) = client.execute(query).fetchone()
    ref = load_provider("opencode").session_in(database / session)
    assert ref is not None

    def change() -> None:
        with closing(sqlite3.connect(database)) as client:
            client.execute(
                "UPDATE part SET data = replace(data, 'e', 'i') WHERE rowid ="
                " (SELECT rowid FROM part WHERE session_id = ? AND data LIKE '%\"text\"%' LIMIT 1)",
                [session],
            )
            client.commit()

    await check(ref, change, monkeypatch)


@pytest.mark.usefixtures("_small_logs_too")
async def test_rows_of_a_database_are_extended(tmp_path: Path):
    """What was appended since is read; the rows before it are not joined again."""
    database = tmp_path / "opencode.db"
    shutil.copy(sample_sessions_dir() / "opencode" / "opencode.db", database)
    with closing(sqlite3.connect(database)) as client:
        query = "SELECT session_id FROM part GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"
        (session,) = client.execute(query).fetchone()
    ref = load_provider("opencode").session_in(database / session)
    assert ref is not None
    await shown(ref)
    with closing(sqlite3.connect(database)) as client:
        client.execute(
            "INSERT INTO part SELECT id || 'x', message_id, session_id, time_created + 1000000,"
            " time_updated + 1000000, data FROM part WHERE session_id = ?"
            " ORDER BY time_created DESC LIMIT 1",
            [session],
        )
        client.commit()
    grown, workers = await shown(ref)
    assert (same(grown, whole(ref)), workers) == (True, 0)


def _long(database: Path) -> tuple[Store, SessionRef]:
    """A session of some hundred rows that its client has open."""
    store = Store(database)
    store.conversation()
    for number in range(400):
        store.part(f"prt_more_{number:04}", "msg_2", type="text", text=f"Text {number}. " * 30)
    ref = load_provider("opencode").session_in(store.log())
    assert ref is not None
    return store, ref


@pytest.mark.usefixtures("_small_logs_too")
@pytest.mark.parametrize("settled", [True, False])
async def test_an_unchanged_database_is_opened_again_without_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settled: bool
):
    monkeypatch.setattr(sources_database, "_SETTLED", -3600.0 if settled else 3600.0)
    store, ref = _long(tmp_path / "opencode.db")
    expected = whole(ref)
    another_run(monkeypatch)
    await shown(ref)
    another_run(monkeypatch)
    asked, made = _counted(monkeypatch, "rows_of"), _counted(monkeypatch, "line_of")
    again, workers = await shown(ref)
    assert len(made) < 200
    # In a database that may have changed, all rows of the three tables are compared.
    ordered = [more for _, _, _, more, _ in asked if "ORDER" in more and "LIMIT" not in more]
    assert len(ordered) == (0 if settled else 3)
    # Here those that are wanted are read.
    assert (same(again, expected), workers) == (True, 0)
    assert len(made) > 400
    store.close()


@pytest.mark.usefixtures("_small_logs_too")
async def test_what_was_written_between_two_runs_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    store, ref = _long(tmp_path / "opencode.db")
    await shown(ref)
    for change in (
        lambda: store.part("prt_new", "msg_2", type="text", text="New."),
        lambda: store.change("prt_more_0100", type="text", text="Other."),
        lambda: store.remove("prt_more_0200"),
        lambda: store.run("PRAGMA wal_checkpoint(TRUNCATE)"),
        store.close,
    ):
        change()
        another_run(monkeypatch)
        expected = whole(ref)
        another_run(monkeypatch)
        again, _ = await shown(ref)
        assert same(again, expected)


async def test_a_worker_has_the_lines_of_a_database_that_were_read_here(tmp_path: Path):
    """It has no row to read before it joins them. It keeps them where they are there still."""
    store, ref = _long(tmp_path / "opencode.db")
    store.part("prt_last", "msg_2", type="text", text="Long. " * SMALL)
    expected = whole(ref)
    assert same(await joined_by_worker(ref), expected)
    assert KeptRows.open(ref, 0) is not None
    shutil.rmtree(index_folder())
    store.remove("prt_more_0200")
    assert same(await joined_by_worker(ref), expected)
    assert KeptRows.open(ref, 0) is None
    store.close()


async def joined_by_worker(ref: SessionRef) -> SessionStore:
    """A session of which a worker joins all that was read of it here."""
    fd, status = open_file(Path(ref.path), again=True)
    os.close(fd)
    end = status.st_size
    compared = 0, digest_of_log(Path(ref.path), 0, end)
    store = SessionStore(load_provider(ref.provider), ref)
    store.begin_absorbing()
    async for message in packets_backward(ref, end, end, whole=compared):
        store.absorb(message)
    store.finish_indexing()
    return store


def _counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[Any, ...]]:
    """What a function for rows of databases is called with from now on."""
    calls: list[tuple[Any, ...]] = []
    function = getattr(sources_database, name)

    def counted(*of: Any) -> Any:
        calls.append(of)
        return function(*of)

    monkeypatch.setattr(sources_database, name, counted)
    return calls


@pytest.mark.slow
async def test_a_worker_reads_what_comes_before_the_end_of_a_document(tmp_path: Path):
    document = json.loads((sample_sessions_dir() / "gemini_cli" / "document.json").read_bytes())
    messages = document["messages"]
    copies = 2 * SMALL // len(json.dumps(messages)) + 1
    document["messages"] = [
        {**message, "id": f"{message['id']}-{copy}", "toolCalls": calls_of(message, copy)}
        for copy in range(copies)
        for message in messages
    ]
    path = tmp_path / "session-2026-11-21T00-00-document.json"
    path.write_text(json.dumps(document))
    ref = load_provider("gemini_cli").discovery.ref(path)
    expected = whole(ref)
    for _ in range(2):
        store, _ = await shown(ref)
        assert same(store, expected)
        assert KeptRows.open(ref, 0) is not None


def _document(path: Path) -> SessionRef:
    """A document that nobody has written to for a while."""
    shutil.copy(sample_sessions_dir() / "gemini_cli" / "document.json", path)
    os.utime(path, (1_000_000_000, 1_000_000_000))
    return load_provider("gemini_cli").discovery.ref(path)


@pytest.mark.usefixtures("_small_logs_too")
async def test_a_document_with_its_stamp_is_not_read_to_compare_it(tmp_path: Path):
    ref = _document(tmp_path / "session-2026-11-21T00-00-document.json")
    stamp = stamp_of(ref.path)
    await shown(ref)
    no_record = 1  # From there on, nothing has the digest that was kept.
    assert KeptRows.open(ref, no_record, stamp) is not None
    os.utime(ref.path, (1_000_000_000, 1_000_000_000))
    assert KeptRows.open(ref, no_record, stamp_of(ref.path)) is None


@pytest.mark.usefixtures("_small_logs_too")
async def test_a_document_that_has_its_size_and_time_but_not_its_text(tmp_path: Path):
    ref = _document(tmp_path / "session-2026-11-21T00-00-document.json")
    path = Path(ref.path)
    await shown(ref)
    path.write_bytes(path.read_bytes().replace(b"Summary", b"summary"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    expected = whole(ref)
    changed, workers = await shown(ref)
    assert (same(changed, expected), workers) == (True, 1)
