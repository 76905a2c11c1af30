"""Lines of a session in a database that are known from an earlier run, and read when wanted."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.errors import Unreadable
from agentview.providers import load_provider, provider_names
from agentview.sources import database, open_member
from agentview.sources.database import DatabaseLines, sessions_in
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader, Reset
from agentview.sources.member import is_database, known_databases, member_path
from agentview.sources.member_lines import MemberLines
from agentview.sources.open_file import open_file, read_at, read_span
from agentview.sources.open_member import places_in, restore_lines
from agentview.sources.resume_point import digest_of_log
from agentview.sources.reverse_lines import tail_lines
from agentview.sources.row_places import RowPlaces
from agentview.system.paths import sample_sessions_dir
from tests.providers.opencode.store import SESSION, Store


@pytest.fixture(autouse=True)
def _databases_are_known() -> None:
    for name in provider_names():
        load_provider(name)


@pytest.fixture(autouse=True)
def _settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was just written is as good as old: no test writes twice in a tick of the clock."""
    monkeypatch.setattr(database, "_SETTLED", -3600.0)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The lines that are made of rows from now on."""
    found: list[bytes] = []
    line_of = database.line_of

    def counted(*of: object) -> bytes:
        found.append(line_of(*of))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(database, "line_of", counted)
    return found


@pytest.fixture(params=[True, False], ids=["with a log", "without"])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A session of some hundred rows, in a database with a write-ahead log and in one without."""
    store = Store(tmp_path / "opencode.db", wal=request.param)
    store.conversation()
    store.run("BEGIN")
    for number in range(400):
        store.part(f"prt_more_{number:04}", "msg_2", type="text", text=f"Text {number}. " * 30)
    store.run("COMMIT")
    yield store
    store.close()


class Kept(Value):
    """What an earlier run knew of a session."""

    lines: bytes
    places: RowPlaces | None
    digest: bytes


def at_hand() -> dict[str, MemberLines]:
    """The sessions whose lines are at hand."""
    found: dict[str, MemberLines] = vars(open_member)["_open"]
    return found


def another_run() -> None:
    at_hand().clear()


def all_of(path: Path) -> bytes:
    fd, status = open_file(path)
    try:
        return read_span(fd, 0, status.st_size)
    finally:
        os.close(fd)


def kept(path: Path) -> Kept:
    """Read a session as a run does that keeps where its rows are, then begin another run."""
    another_run()
    lines = all_of(path)
    found = Kept(lines, places_in(path, len(lines)), digest_of_log(path, 0, len(lines)))
    another_run()
    return found


def restored(path: Path, known: Kept) -> bool:
    assert known.places is not None
    restore_lines(path, known.places, known.digest)
    (lines,) = at_hand().values()
    return lines.whole


def expected(path: Path) -> bytes:
    another_run()
    try:
        return all_of(path)
    finally:
        another_run()


def test_an_unchanged_session_is_at_hand_without_its_rows(store: Store, made: list[bytes]) -> None:
    known = kept(store.log())
    made.clear()
    assert restored(store.log(), known)
    fd, status = open_file(store.log(), length=0)
    os.close(fd)
    assert status.st_size == len(known.lines)
    assert digest_of_log(store.log(), 0, len(known.lines)) == known.digest
    # Those at both ends, of 4 kB each, that are looked at while the session is followed.
    assert len(made) < 40
    assert all_of(store.log()) == known.lines
    assert len(made) == 406


def test_a_record_is_read_again_at_its_place(store: Store, made: list[bytes]) -> None:
    known = kept(store.log())
    assert restored(store.log(), known)
    made.clear()
    at = known.lines.index(b"prt_more_0200")
    start, end = known.lines.rindex(b"\n", 0, at) + 1, known.lines.index(b"\n", at)
    for _ in range(2):
        assert read_at(store.log(), start, end - start) == known.lines[start:end]
        assert 0 < len(made) < 250
    assert read_at(store.log(), start - 5000, 9000) == known.lines[start - 5000 : start + 4000]


def test_the_last_lines_are_read_alone(store: Store, made: list[bytes]) -> None:
    known = kept(store.log())
    assert restored(store.log(), known)
    made.clear()
    start = open_member.start_of_last(store.log(), 20, 1 << 20)
    fd, _ = open_file(store.log(), start=start - 1, again=True)
    try:
        tail = tail_lines(fd, 20, start=start)
    finally:
        os.close(fd)
    assert [line.data for line in tail.lines] == known.lines.splitlines()[-20:]
    assert tail.start == start
    assert len(made) < 250


def _append(store: Store) -> None:
    store.part("prt_new", "msg_2", type="text", text="New.")


def test_rows_behind_those_that_are_known_are_added(store: Store, made: list[bytes]) -> None:
    known = kept(store.log())
    _append(store)
    whole = expected(store.log())
    made.clear()
    assert restored(store.log(), known)
    assert len(made) < 40
    assert all_of(store.log()) == whole
    assert whole.startswith(known.lines)
    assert len(whole) > len(known.lines)


def _in_place(store: Store) -> None:
    """A row gets another text of the same length, and says nothing of that."""
    store.run("UPDATE part SET data = replace(data, 'Text 100', 'Text 999')")


def _behind_the_removed(store: Store) -> None:
    store.run("DELETE FROM part WHERE id = 'prt_more_0399'")


def _in_the_place_of_another(store: Store) -> None:
    store.run("UPDATE part SET id = 'prt_another' WHERE id = 'prt_more_0100'")


def _between(store: Store) -> None:
    store.part("prt_new", "msg_2", type="text", text="New.")
    store.run("UPDATE part SET time_created = 0 WHERE id = 'prt_new'")


def _in_another_order(store: Store) -> None:
    store.run("UPDATE part SET time_created = time_created + 1000 WHERE id = 'prt_more_0100'")


def _all_removed(store: Store) -> None:
    store.run("DELETE FROM part")
    store.run("DELETE FROM message")


CHANGES = (
    _in_place, _behind_the_removed, _in_the_place_of_another, _between, _in_another_order,
    _all_removed,
)  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_session_is_read_again_that_has_other_rows(
    store: Store, change: Callable[[Store], None]
) -> None:
    known = kept(store.log())
    change(store)
    whole = expected(store.log())
    assert whole != known.lines
    assert not restored(store.log(), known)
    assert all_of(store.log()) == whole


def _unread_changed(store: Store) -> None:
    store.change("prt_more_0100", type="text", text="Other.")


def _unread_removed(store: Store) -> None:
    store.remove("prt_more_0100")


@pytest.mark.parametrize("change", [_unread_changed, _unread_removed])
def test_all_is_read_again_when_a_row_changes_that_was_not_read(
    store: Store, change: Callable[[Store], None]
) -> None:
    known = kept(store.log())
    assert restored(store.log(), known)
    reader = LineReader(store.log(), mark=tail_lines(_at_hand(store.log()), 1).mark)
    assert reader.poll().items == []
    change(store)
    first, *lines = reader.poll(1 << 30).items
    assert isinstance(first, Reset)
    found = b"".join((line.data or b"") + b"\n" for line in lines if isinstance(line, Line))
    assert found == expected(store.log()) != known.lines


def test_a_row_that_was_read_comes_again_when_it_changes(store: Store) -> None:
    known = kept(store.log())
    assert restored(store.log(), known)
    reader = LineReader(store.log(), mark=tail_lines(_at_hand(store.log()), 1).mark)
    store.change("prt_more_0399", type="text", text="Other.")
    (line,) = reader.poll(1 << 30).items
    assert isinstance(line, Line)
    assert b"Other." in (line.data or b"")
    assert all_of(store.log()) == known.lines + (line.data or b"") + b"\n"


def test_a_row_that_is_gone_before_it_was_read_voids_all(store: Store) -> None:
    known = kept(store.log())
    assert restored(store.log(), known)
    at = known.lines.index(b"prt_more_0100")
    start, end = known.lines.rindex(b"\n", 0, at) + 1, known.lines.index(b"\n", at)
    reader = LineReader(store.log(), mark=tail_lines(_at_hand(store.log()), 1).mark)
    _in_place(store)
    with pytest.raises(Unreadable):
        read_at(store.log(), start, end - start)
    items = reader.poll(1 << 30).items
    assert isinstance(items[0], Reset)
    assert all_of(store.log()) == expected(store.log())


def _at_hand(path: Path) -> int:
    fd, _ = open_file(path, start=open_member.start_of_last(path, 1, 1) - 1, again=True)
    return fd


def test_an_append_is_seen_without_a_look_at_the_rows_before(
    store: Store, made: list[bytes]
) -> None:
    known = kept(store.log())
    assert restored(store.log(), known)
    reader = LineReader(store.log(), mark=tail_lines(_at_hand(store.log()), 1).mark)
    made.clear()
    _append(store)
    (line,) = reader.poll().items
    assert isinstance(line, Line)
    assert len(made) == 1
    assert known.lines + made[0] + b"\n" == all_of(store.log())


def test_another_session_may_have_changed(store: Store, made: list[bytes]) -> None:
    known = kept(store.log())
    made.clear()
    store.session("ses_other", title="Other")
    store.run("CREATE TABLE something (name TEXT)")
    assert restored(store.log(), known)
    assert len(made) < 40
    assert all_of(store.log()) == known.lines


def test_another_database_with_the_same_size_and_time(tmp_path: Path) -> None:
    """Its inode is another one, and its status was changed later."""
    path = tmp_path / "opencode.db"
    made = Store(path, wal=False)
    made.conversation()
    made.close()
    known = kept(made.log())
    status = path.stat()
    other = tmp_path / "other.db"
    shutil.copy(path, other)
    with sqlite3.connect(other) as client:
        client.execute("UPDATE part SET data = replace(data, 'Round', 'Found')")
    client.close()
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)
    whole = expected(made.log())
    assert whole != known.lines
    assert not restored(made.log(), known)
    assert all_of(made.log()) == whole


def test_a_write_into_the_same_file_with_its_time_set_back(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    made = Store(path, wal=False)
    made.conversation()
    made.close()
    known = kept(made.log())
    status = path.stat()
    time.sleep(0.05)
    path.write_bytes(path.read_bytes().replace(b"Round the", b"Found the"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert not restored(made.log(), known)
    assert all_of(made.log()) == expected(made.log()) != known.lines


def test_what_was_just_written_is_compared(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_SETTLED", 3600.0)
    known = kept(store.log())
    assert known.places is not None
    assert known.places.stamp is None
    assert restored(store.log(), known)
    assert all_of(store.log()) == known.lines


def test_a_log_that_was_merged_into_the_database(tmp_path: Path) -> None:
    made = Store(tmp_path / "opencode.db")
    made.conversation()
    known = kept(made.log())
    made.run("PRAGMA wal_checkpoint(TRUNCATE)")
    assert restored(made.log(), known)
    assert all_of(made.log()) == known.lines
    made.close()
    another_run()
    assert restored(made.log(), known)
    assert all_of(made.log()) == known.lines


def test_of_a_copy_without_the_index_of_its_log_all_is_read(tmp_path: Path) -> None:
    made = Store(tmp_path / "opencode.db")
    made.conversation()
    copy = tmp_path / "copy" / "opencode.db"
    copy.parent.mkdir()
    for ending in ("", "-wal"):
        shutil.copy(f"{made.path}{ending}", f"{copy}{ending}")
    made.close()
    known = kept(Path(member_path(str(copy), SESSION)))
    assert not restored(Path(member_path(str(copy), SESSION)), known)
    assert all_of(Path(member_path(str(copy), SESSION))) == known.lines


def test_no_places_are_kept_of_a_row_that_has_two_lines(store: Store) -> None:
    all_of(store.log())
    store.change("prt_2", type="text", text="Other.")
    lines = all_of(store.log())
    assert places_in(store.log(), len(lines)) is None


def test_damaged_places_are_not_used(store: Store) -> None:
    known = kept(store.log())
    assert known.places is not None
    for places in (
        replace(known.places, rows=b""),
        replace(known.places, ranks=b"", rows=b"", starts=b"", digests=b""),
        replace(known.places, tables=("session id",)),
        replace(known.places, digests=bytes(len(known.places.digests))),
    ):
        another_run()
        assert not restored(store.log(), replace(known, places=places))
        assert all_of(store.log()) == known.lines


def _sessions() -> list[tuple[str, str]]:
    for name in provider_names():
        load_provider(name)
    found = {
        (str(path), str(session["id"]))
        for path in sample_sessions_dir().rglob("*")
        if path.is_file() and is_database(path)
        for form in known_databases()
        for session in sessions_in(path, form)
    }
    return sorted(found)


@pytest.mark.parametrize(("path", "session"), _sessions())
def test_the_rows_of_every_client_are_restored(path: str, session: str) -> None:
    log = Path(member_path(path, session))
    known = kept(log)
    assert known.places is not None
    assert restored(log, known)
    half = len(known.lines) // 2
    assert read_at(log, half, 100) == known.lines[half : half + 100]
    assert all_of(log) == known.lines
    another_run()
    assert restored(log, replace(known, places=replace(known.places, stamp=None)))
    assert all_of(log) == known.lines
    lines = DatabaseLines(path, session)
    assert lines.refresh()
