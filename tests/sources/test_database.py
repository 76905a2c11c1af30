"""A session in a database is read as lines; the database and the files with it stay as they are."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from agentview.errors import NotFound, Unreadable
from agentview.providers import load_provider
from agentview.sessions.targets.log_file import file_session
from agentview.sources.file_stamp import stamp_of
from agentview.sources.files import read_member_ends
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader, Reset
from agentview.sources.member import member_of, member_path
from agentview.sources.member_lines import NEWEST
from agentview.sources.open_file import open_file, read_at, read_span
from agentview.sources.open_member import early_line, newest_lines
from tests.providers.opencode.store import SESSION, Store, completed


@pytest.fixture(autouse=True)
def _databases_are_known() -> None:
    """What is above the sources says how sessions are kept in databases."""
    load_provider("opencode")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "data" / "opencode.db")
    made.conversation()
    yield made
    made.close()


def rows(path: Path) -> list[dict[str, object]]:
    fd, status = open_file(path)
    try:
        data = read_span(fd, 0, status.st_size)
    finally:
        os.close(fd)
    return [orjson.loads(line) for line in data.splitlines()]


def state_of(folder: Path) -> dict[str, tuple[str, int]]:
    """Content and modification time of all files in a folder but the index, which readers lock."""
    return {
        path.name: (sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.iterdir())
        if not path.name.endswith("-shm")
    }


def test_rows_come_in_the_order_in_which_they_were_written(store: Store) -> None:
    found = rows(store.log())
    assert [(row["table"], row["id"]) for row in found] == [
        ("session", SESSION),
        ("message", "msg_1"),
        ("part", "prt_1"),
        ("message", "msg_2"),
        ("part", "prt_2"),
        ("part", "prt_3"),
    ]
    assert found[2]["data"] == {"type": "text", "text": "Round the shares."}
    assert [row["rowid"] for row in found if row["table"] == "part"] == [1, 2, 3]


def test_a_row_that_is_written_again_comes_again_at_the_end(store: Store) -> None:
    reader = LineReader(store.log())
    first = reader.poll().items
    store.change("prt_2", type="text", text="I look at the sums.")
    store.change("prt_3", type="tool", tool="bash", callID="c1", state=completed("ok"))
    later = reader.poll().items
    assert len(first) == 6
    lines = [item for item in later if isinstance(item, Line) and item.data is not None]
    assert [orjson.loads(line.data or b"")["id"] for line in lines] == ["prt_2", "prt_3"]
    assert read_at(store.log(), lines[0].offset, lines[0].length) == lines[0].data
    assert reader.poll().items == []


def many(store: Store, count: int = 400) -> None:
    store.run("BEGIN")
    for number in range(count):
        store.part(f"prt_more_{number:04}", "msg_2", type="text", text=f"Text {number}.")
    store.run("COMMIT")


def test_the_last_rows_are_given_before_the_others_are_read(store: Store) -> None:
    many(store)
    found = newest_lines(store.log(), 20, 1_000_000)
    assert found is not None
    assert [orjson.loads(line.data or b"")["id"] for line in found] == [
        f"prt_more_{number:04}" for number in range(380, 400)
    ]
    every = rows(store.log())
    assert len(every) == 406
    # Their places stay good, also once all rows were read.
    assert newest_lines(store.log(), 20, 1_000_000) is None
    for line, row in zip(found, every[-20:], strict=True):
        assert line.offset >= NEWEST
        assert orjson.loads(read_at(store.log(), line.offset, line.length)) == row


def test_of_the_last_rows_no_more_bytes_are_given_than_asked_for(store: Store) -> None:
    many(store)
    found = newest_lines(store.log(), 200, 3000)
    assert found is not None
    assert 1 <= len(found) < 100
    assert b'"prt_more_0399"' in (found[-1].data or b"")


def test_the_last_rows_of_a_session_that_is_not_there_are_not_found(
    store: Store, tmp_path: Path
) -> None:
    with pytest.raises(NotFound):
        newest_lines(store.log("ses_none"), 20, 1_000_000)
    with pytest.raises(NotFound):
        newest_lines(tmp_path / "none.db" / SESSION, 20, 1_000_000)


def test_what_a_session_is_about_is_read_from_its_ends(store: Store) -> None:
    many(store)
    provider = load_provider("opencode")
    ref = provider.session_in(store.log())
    assert ref is not None
    by_ends = provider.info(ref)
    assert newest_lines(store.log(), 20, 1_000_000) is not None
    every = rows(store.log())
    assert provider.info(ref) == by_ends
    head, tail, start = read_member_ends(store.log())
    assert (head + tail).count(b"\n") == len(every)
    assert start < NEWEST


def test_the_ends_of_a_session_are_its_first_and_its_last_rows(store: Store) -> None:
    many(store)
    head, tail, start = read_member_ends(store.log())
    every = [orjson.dumps(row) for row in rows(store.log())]
    assert head.splitlines() == every[:100]
    assert tail.splitlines() == [b"", *every[-100:]]
    assert start == NEWEST


def test_no_row_of_an_end_stands_without_those_of_a_table_with_large_ones(store: Store) -> None:
    store.run("BEGIN")
    for number in range(300):
        store.message(f"msg_{number:04}", role="assistant")
        store.part(f"prt_{number:04}", f"msg_{number:04}", type="text", text="x" * 10_000)
    store.run("COMMIT")
    head, tail, _ = read_member_ends(store.log())
    every = [orjson.dumps(row) for row in rows(store.log())]
    first, last = head.splitlines(), tail.splitlines()[1:]
    assert 20 < len(first) < 60
    assert 20 < len(last) < 60
    assert first == every[: len(first)]
    assert last == every[-len(last) :]


def test_what_is_in_a_database_is_known_by_one_row(store: Store) -> None:
    many(store)
    assert file_session(store.log()).session_id == SESSION
    assert newest_lines(store.log(), 20, 1_000_000) is not None
    every = rows(store.log())
    assert early_line(store.log()) == b""
    assert every[0]["table"] == "session"
    assert file_session(store.log()).session_id == SESSION


def test_a_database_without_a_new_commit_is_not_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = LineReader(store.log())
    reader.poll()
    opened: list[str] = []
    connect = sqlite3.connect

    def counted(place: str, **more: Any) -> sqlite3.Connection:
        opened.append(place)
        return connect(place, **more)

    monkeypatch.setattr(sqlite3, "connect", counted)
    assert reader.poll().items == []
    assert opened == []
    store.change("prt_2", type="text", text="More.")
    assert len(reader.poll().items) == 1
    assert len(opened) == 1
    # A checkpoint moves what was written; it adds nothing.
    store.run("PRAGMA wal_checkpoint(PASSIVE)")
    assert reader.poll().items == []
    assert len(opened) == 1


def test_a_reader_does_not_keep_a_client_from_closing_its_database(store: Store) -> None:
    LineReader(store.log()).poll()
    store.close()
    assert [path.name for path in store.path.parent.iterdir()] == ["opencode.db"]


def test_a_locked_database_is_unreadable_until_it_is_free(tmp_path: Path) -> None:
    made = Store(tmp_path / "opencode.db", wal=False)
    made.conversation()
    made.run("BEGIN EXCLUSIVE")
    reader = LineReader(made.log())
    with pytest.raises(Unreadable, match="locked"):
        reader.poll()
    made.run("COMMIT")
    assert len(reader.poll().items) == 6
    made.close()


def test_a_column_that_a_database_has_not_is_null(store: Store) -> None:
    store.run("ALTER TABLE session DROP COLUMN version")
    store.run("ALTER TABLE part DROP COLUMN time_updated")
    found = rows(store.log())
    assert len(found) == 6
    assert found[0]["version"] is None
    # Nothing tells which rows were written again, so all are compared.
    store.run("UPDATE part SET data = replace(data, 'look', 'gaze') WHERE id = 'prt_2'")
    assert len(rows(store.log())) == 7


def test_a_client_that_changes_its_tables_voids_what_was_read(store: Store) -> None:
    reader = LineReader(store.log())
    reader.poll()
    store.run("ALTER TABLE session DROP COLUMN version")
    store.part("prt_4", "msg_2", type="text", text="After the change.")
    first, *others = reader.poll().items
    assert isinstance(first, Reset)
    found = [orjson.loads(line.data or b"") for line in others if isinstance(line, Line)]
    assert len(found) == 7
    assert found[0]["version"] is None
    store.run("ALTER TABLE session ADD COLUMN version TEXT")
    store.run("UPDATE session SET version = '9'")
    first, *others = reader.poll().items
    assert isinstance(first, Reset)
    assert (
        orjson.loads(next(line.data or b"" for line in others if isinstance(line, Line)))["version"]
        == "9"
    )


def test_a_table_that_no_session_is_read_from_changes_nothing(store: Store) -> None:
    reader = LineReader(store.log())
    reader.poll()
    store.run("CREATE TABLE other (id TEXT)")
    store.part("prt_4", "msg_2", type="text", text="After the change.")
    (line,) = reader.poll().items
    assert isinstance(line, Line)


def test_a_database_without_a_column_that_marks_it_is_not_known(store: Store) -> None:
    store.run("ALTER TABLE message RENAME COLUMN data TO content")
    with pytest.raises(NotFound):
        rows(store.log())


def test_a_database_without_the_column_that_finds_rows_is_unreadable(store: Store) -> None:
    store.run("ALTER TABLE part RENAME COLUMN session_id TO session")
    with pytest.raises(Unreadable, match=r"opencode\.db cannot be read: no such column"):
        rows(store.log())


def test_values_of_other_types_are_given_as_they_are(store: Store) -> None:
    store.run("UPDATE part SET time_created = 'soon', data = x'00ff' WHERE id = 'prt_2'")
    store.run("UPDATE part SET time_updated = 1e400, data = '[1' WHERE id = 'prt_3'")
    store.run("UPDATE message SET data = 7 WHERE id = 'msg_2'")
    by_id = {row["id"]: row for row in rows(store.log())}
    assert by_id["prt_2"]["data"] == {"base64": "AP8="}
    assert by_id["prt_2"]["time_created"] == "soon"
    assert by_id["prt_3"]["data"] == "[1"
    assert len(by_id) == 6


def test_a_row_of_the_same_size_and_time_is_seen(store: Store) -> None:
    reader = LineReader(store.log())
    reader.poll()
    store.run("UPDATE part SET data = replace(data, 'look', 'gaze') WHERE id = 'prt_2'")
    store.run("UPDATE part SET time_updated = (SELECT max(time_updated) FROM part)")
    again = [item for item in reader.poll().items if isinstance(item, Line)]
    assert b"I gaze at" in b"".join(line.data or b"" for line in again)


def test_a_row_that_is_written_later_than_it_says_is_added(store: Store) -> None:
    reader = LineReader(store.log())
    reader.poll()
    store.now -= 1000
    store.part("prt_4", "msg_2", type="text", text="Late.")
    (line,) = reader.poll().items
    assert isinstance(line, Line)
    assert b"Late." in (line.data or b"")


def test_a_row_that_is_taken_away_voids_what_was_read(store: Store) -> None:
    reader = LineReader(store.log())
    reader.poll()
    store.remove("prt_2")
    first, *others = reader.poll().items
    assert isinstance(first, Reset)
    assert len(others) == 5


def test_a_row_in_the_place_of_a_removed_one_voids_what_was_read(store: Store) -> None:
    reader = LineReader(store.log())
    reader.poll()
    store.remove("prt_3")
    store.part("prt_4", "msg_2", type="text", text="Instead.")
    first, *others = reader.poll().items
    assert isinstance(first, Reset)
    texts = b"".join(line.data or b"" for line in others if isinstance(line, Line))
    assert b"Instead." in texts
    assert b"prt_3" not in texts


def test_another_database_in_the_place_voids_what_was_read(store: Store, tmp_path: Path) -> None:
    reader = LineReader(store.log())
    reader.poll()
    other = Store(tmp_path / "other.db", wal=False)
    # Rows as many as before, with the same ids, and older than those that were read.
    other.now -= 1_000_000
    other.conversation()
    other.run("UPDATE part SET data = replace(data, 'look', 'gaze')")
    other.close()
    store.close()
    other.path.replace(store.path)
    first, *others = reader.poll().items
    assert isinstance(first, Reset)
    assert b"I gaze at" in b"".join(line.data or b"" for line in others if isinstance(line, Line))


def test_while_a_client_writes_nothing_is_changed(store: Store) -> None:
    before = state_of(store.path.parent)
    assert len(rows(store.log())) == 6
    assert state_of(store.path.parent) == before


@pytest.mark.parametrize("kept", [("",), ("", "-wal")], ids=["database", "with its log"])
def test_of_a_copy_all_is_read_and_nothing_is_left_beside_it(
    store: Store, tmp_path: Path, kept: tuple[str, ...]
) -> None:
    if kept == ("",):
        store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    copy = tmp_path / "copy" / "opencode.db"
    copy.parent.mkdir()
    for ending in kept:
        shutil.copy(f"{store.path}{ending}", f"{copy}{ending}")
    copy.parent.chmod(0o500)
    before = state_of(copy.parent)
    assert len(rows(copy / SESSION)) == 6
    assert state_of(copy.parent) == before
    copy.parent.chmod(0o700)


def test_a_database_without_a_write_ahead_log_is_read(tmp_path: Path) -> None:
    made = Store(tmp_path / "opencode.db", wal=False)
    made.conversation()
    before = state_of(tmp_path)
    assert len(rows(made.log())) == 6
    made.change("prt_2", type="text", text="Then more.")
    assert rows(made.log())[-1]["data"] == {"type": "text", "text": "Then more."}
    assert set(state_of(tmp_path)) == set(before)
    made.close()


def test_a_session_that_is_not_there_is_not_found(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        open_file(store.log("ses_none"))
    other = tmp_path / "other.db"
    sqlite3.connect(other).execute("CREATE TABLE session (id text)").connection.close()
    with pytest.raises(NotFound):
        open_file(other / SESSION)
    plain = tmp_path / "notes.txt"
    plain.write_text("no database")
    with pytest.raises(Unreadable):
        open_file(plain / SESSION)


def overwritten(data: bytes) -> bytes:
    return data[:100] + b"\xff" * 3000 + data[3100:]


def cut(data: bytes) -> bytes:
    return data[:6000]


@pytest.mark.parametrize("damage", [overwritten, cut])
def test_a_damaged_database_is_unreadable(
    store: Store, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    store.run("PRAGMA wal_checkpoint(TRUNCATE)")
    damaged = tmp_path / "damaged.db"
    damaged.write_bytes(damage(store.path.read_bytes()))
    with pytest.raises(Unreadable, match=r"damaged\.db"):
        rows(damaged / SESSION)


@pytest.mark.parametrize(
    "session", ["ses_1", "../../../etc/passwd", "..", ".", "a/b", "%2e", "a\nb", "é\x1b[2J"]
)
def test_an_id_is_one_part_of_a_path(store: Store, session: str) -> None:
    path = member_path(str(store.path), session)
    assert Path(path).parent == store.path
    assert member_of(path) == (str(store.path), session)
    store.session(session, title="hostile")
    assert rows(Path(path))[0]["id"] == session


def test_the_stamp_of_a_session_changes_with_the_log_of_its_database(store: Store) -> None:
    before = stamp_of(str(store.log()))
    store.change("prt_2", type="text", text="I look at the sums again and again.")
    after = stamp_of(str(store.log()))
    assert before is not None
    assert after is not None
    assert before != after
