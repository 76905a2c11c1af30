"""The catalogue: what it keeps, and that nothing that happens to its file stops anybody."""

import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import astuple, replace

from agentview.domain.session import ClientElsewhere, SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.facts.kept.facts_db import LOGS
from agentview.sessions.library.cache_db import NO_LOG, SessionCache
from agentview.sessions.library.search_roots import SearchRoots
from agentview.sessions.library.session_record import SessionFacts, SessionTotals
from agentview.timeline.view.cost import Cost

ROOTS = [("harbour", Path("/logs"))]
PLACES = SearchRoots(fixed=ROOTS)
STAMP = (10, 20, 30)

STATUS = SessionStatus(
    SessionState.LIMITED, 5.0, StateEvidence.LOG, certain=False, about="rm -rf build", until=9.0
)


def info(number: int, place: str = "/logs", branch: str | None = None) -> SessionInfo:
    ref = SessionRef("harbour", f"s{number}", f"{place}/{number}.jsonl", modified=5.0, size=10)
    return SessionInfo(ref, f"Title {number}", branch=branch, last_activity=float(number))


TOTALS = SessionTotals(
    size=10, modified=5.0, turns=3, calls={ToolKind.EDIT: 2, ToolKind.SHELL: 7},
    tools=("Edit", "Bash"), problems=1, files=("/a/b.py",), models=("m-1",),
    usage=Usage(input_uncached=1, output=None), cost=Cost(1.25, 0.5, priced=False),
    context_tokens=99, abandoned=((3, 5), (8, 10)),
)  # fmt: skip


def test_all_that_a_scan_learns_of_a_log_is_kept(file: Path):
    agent = Stream(StreamKind.SUBAGENT, "a")
    ref = SessionRef(
        "harbour", "s", "/logs/9.jsonl", agent, "p", "c", "explore", 5.0, 10,
        own_from=7, spent_before="r", parts=((0, "s"), (9, "t")), run="w", fault="torn", host="h",
    )  # fmt: skip
    bare = SessionRef("", "", "")
    unset = {name for name in ref.__struct_fields__ if getattr(ref, name) == getattr(bare, name)}
    assert unset == {"shared", "records"}
    learned = SessionInfo(ref, "Title", "/w", "main", "m-1", "1.2", 3.0, 4.0, STATUS)
    learned = replace(learned, elsewhere=ClientElsewhere(live=True))
    assert None not in astuple(learned)
    with SessionCache(file) as catalogue:
        put(catalogue, learned)
        (found,) = catalogue.read(ROOTS)
    assert found.info == learned


def put(catalogue: SessionCache, *infos: SessionInfo) -> None:
    catalogue.put([(one.ref.path, STAMP, one) for one in infos])


def titles(catalogue: SessionCache) -> list[str]:
    return sorted(facts.info.title or "" for facts in catalogue.read(ROOTS))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "catalogue.sqlite"


class TestKeeping:
    def test_gives_back_what_was_put_in(self, file: Path):
        agent = SessionInfo(
            SessionRef(
                "harbour", "s1", "/logs/a.jsonl", Stream(StreamKind.SUBAGENT, "a1"), "s1", "c1",
                "Explorer", 7.5, 12,
            ),
            "An agent", "/home/dev/shop", "main", "m-1", "1.2", 1.0, 2.0,
            STATUS,
        )  # fmt: skip
        with SessionCache(file) as catalogue:
            put(catalogue, info(1), agent)
        with SessionCache(file) as catalogue:
            assert {facts.info for facts in catalogue.read(ROOTS)} == {info(1), agent}
            assert all(facts.totals is None for facts in catalogue.read(ROOTS))

    def test_totals_stay_when_facts_change(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, info(1))
            catalogue.put_totals([("/logs/1.jsonl", TOTALS)])
            put(catalogue, info(1, branch="other"))
            (facts,) = catalogue.read(ROOTS)
        assert facts.info.branch == "other"
        assert facts.totals is not None
        told = {name: getattr(facts.totals, name) for name in SessionTotals.__struct_fields__}
        assert told == {name: getattr(TOTALS, name) for name in SessionTotals.__struct_fields__}

    def test_the_newest_come_first_and_only_as_many_as_are_wanted(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, *(info(number) for number in range(50)), info(99, "/elsewhere"))
            newest = catalogue.newest(3, PLACES.test())
        assert [facts.info.title for facts in newest] == ["Title 49", "Title 48", "Title 47"]

    def test_only_what_lies_under_the_roots_is_given(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, info(1), info(2, "/logs-of-others"), info(3, "/logs/deep/er"))
            assert titles(catalogue) == ["Title 1", "Title 3"]
            assert len(catalogue.read()) == 3

    def test_names_that_are_no_text_are_kept(self, file: Path):
        odd = SessionInfo(SessionRef("harbour", "s\udcff", "/logs/\udcff.jsonl"), "half \ud83d")
        with SessionCache(file) as catalogue:
            put(catalogue, odd)
            (facts,) = catalogue.read(ROOTS)
            assert facts.info.ref.path == "/logs/\udcff.jsonl"
            assert facts.info.title == "half ?"
            catalogue.forget(["/logs/\udcff.jsonl"])
            assert catalogue.rows() == []

    def test_what_is_no_log_is_known_as_such(self, file: Path):
        with SessionCache(file) as catalogue:
            catalogue.put([("/logs/notes.jsonl", STAMP, None)])
            assert [row[:4] for row in catalogue.rows()] == [("/logs/notes.jsonl", *STAMP)]
            assert catalogue.read(ROOTS) == catalogue.newest(5, PLACES.test()) == []

    def test_facts_are_given_for_the_same_log_only(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, info(1))
            ref = info(1).ref
            assert catalogue.info(ref) == info(1)
            grown = SessionRef(ref.provider, ref.session_id, ref.path, modified=6.0, size=11)
            assert catalogue.info(grown) is None


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database" * 1000)


def torn(file: Path) -> None:
    with SessionCache(file) as catalogue:
        put(catalogue, *(info(number) for number in range(500)))
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xff" * (size // 2))


def cut(file: Path) -> None:
    with SessionCache(file) as catalogue:
        put(catalogue, *(info(number) for number in range(500)))
    with file.open("r+b") as opened:
        opened.truncate(5000)


def newer(file: Path) -> None:
    database = sqlite3.connect(file)
    database.executescript("CREATE TABLE log (something TEXT); PRAGMA user_version = 77777;")
    database.close()


def test_what_another_version_kept_of_logs_goes_with_its_database(file: Path):
    log = file.parent / LOGS / "ab" / "cdef"
    log.parent.mkdir(parents=True)
    log.touch()
    SessionCache(file).close()
    assert log.exists()
    newer(file := file.with_name("newer.sqlite"))
    with SessionCache(file) as catalogue:
        put(catalogue, info(1))
        assert titles(catalogue) == ["Title 1"]
    assert not log.exists()


def emptied(file: Path) -> None:
    with SessionCache(file) as catalogue:
        put(catalogue, info(9))
    database = sqlite3.connect(file)
    database.executescript("DROP TABLE log;")
    database.close()


@pytest.mark.parametrize("harm", [garbage, torn, cut, newer, emptied])
def test_a_file_that_is_none_of_ours_is_made_anew(file: Path, harm: Callable[[Path], None]):
    file.parent.mkdir()
    harm(file)
    with SessionCache(file) as catalogue:
        catalogue.read(ROOTS)
        catalogue.newest(5, PLACES.test())
        put(catalogue, info(1))
        catalogue.put_totals([("/logs/1.jsonl", TOTALS)])
    with SessionCache(file) as catalogue:
        assert "Title 1" in titles(catalogue)


@pytest.mark.parametrize("column", ["path", "info", "totals"])
@pytest.mark.parametrize("value", ["x'9301'", "'text'", "7", "1.5"])
def test_a_catalogue_with_a_damaged_row_is_made_again(file: Path, column: str, value: str):
    with SessionCache(file) as catalogue:
        put(catalogue, info(1), info(2))
    database = sqlite3.connect(file)
    with database:
        change = f"UPDATE log SET {column} = {value} WHERE path = '/logs/1.jsonl'"  # noqa: S608
        database.execute(change)
    database.close()
    with SessionCache(file) as catalogue:
        assert catalogue.newest(5, PLACES.test()) == catalogue.read(ROOTS) == []
        put(catalogue, info(1))
        assert titles(catalogue) == ["Title 1"]


def test_no_bit_of_a_row_can_change_what_is_known(file: Path):
    with SessionCache(file) as catalogue:
        put(catalogue, *(info(number) for number in range(3)))
        catalogue.put_totals((f"/logs/{number}.jsonl", TOTALS) for number in range(3))
        known = {facts.info.ref.path: facts for facts in catalogue.read(ROOTS)}
    data = file.read_bytes()
    assert len(known) == 3
    begin = data.index(b"/logs/0.jsonl") - 64
    for at in range(begin, data.rindex(b"/logs/") + 200, 3):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        file.write_bytes(damaged)
        with SessionCache(file) as catalogue:
            for facts in catalogue.read(ROOTS):
                same = known[facts.info.ref.path]
                assert facts.info == same.info, at
                assert facts.totals in (None, same.totals), at
            # What is not a log is not looked at again.
            assert NO_LOG not in [row[4] for row in catalogue.rows()], at


class TestWithoutAFile:
    def check(self, file: Path) -> None:
        """All of it works and nothing is kept."""
        with SessionCache(file) as catalogue:
            put(catalogue, info(1))
            catalogue.put_totals([("/logs/1.jsonl", TOTALS)])
            catalogue.forget(["/logs/1.jsonl"])
            assert (
                catalogue.read(ROOTS)
                == catalogue.newest(5, PLACES.test())
                == catalogue.rows()
                == []
            )
            assert catalogue.info(info(1).ref) is None

    def test_a_directory_in_its_place(self, file: Path):
        (file / "inside").mkdir(parents=True)
        self.check(file)
        assert (file / "inside").is_dir()

    def test_a_file_in_place_of_the_directory(self, file: Path):
        file.parent.write_text("occupied")
        self.check(file)
        assert file.parent.read_text() == "occupied"

    def test_a_place_where_nothing_can_be_made(self):
        self.check(Path("/proc/agentview/catalogue.sqlite"))

    def test_after_it_was_closed(self, file: Path):
        catalogue = SessionCache(file)
        catalogue.close()
        put(catalogue, info(1))
        assert catalogue.read(ROOTS) == []


class TestMeanwhile:
    def test_deleted_while_it_is_open(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, info(1))
            shutil.rmtree(file.parent)
            for number in range(3):
                put(catalogue, info(number + 2))
                catalogue.read(ROOTS)
        with SessionCache(file) as catalogue:
            put(catalogue, info(7))
            assert "Title 7" in titles(catalogue)

    def test_replaced_while_it_is_open(self, file: Path):
        with SessionCache(file) as catalogue, SessionCache(file) as other:
            put(catalogue, info(1))
            file.unlink()
            with SessionCache(file) as third:
                put(third, info(3))
            put(other, info(2))
            catalogue.read(ROOTS)
        with SessionCache(file) as catalogue:
            assert "Title 3" in titles(catalogue)

    def test_locked_by_another_process(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, info(1))
        holder = f"""
            import sqlite3, sys, time
            database = sqlite3.connect({str(file)!r}, isolation_level=None)
            database.execute("BEGIN EXCLUSIVE")
            print("held", flush=True)
            sys.stdin.read()
        """
        with subprocess.Popen(
            [sys.executable, "-c", dedent(holder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdin is not None
            process.stdout.readline()
            began = time.monotonic()
            with SessionCache(file) as catalogue:
                assert catalogue.read(ROOTS) == []
                put(catalogue, info(2))
            assert time.monotonic() - began < 60.0
            process.stdin.close()
            process.wait(10)
        with SessionCache(file) as catalogue:
            assert titles(catalogue) == ["Title 1"]

    def test_a_full_disk(self, file: Path):
        with SessionCache(file) as catalogue:
            put(catalogue, info(1))
        size = file.stat().st_size

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        program = f"""
            from pathlib import Path
            from tests.sessions.library.test_cache_db import SessionCache, info, put, titles
            with SessionCache(Path({str(file)!r})) as catalogue:
                put(catalogue, *(info(number) for number in range(5000)))
                print(titles(catalogue))
        """
        # Bytecode would be cut at the limit too, for every later process.
        done = subprocess.run(
            [sys.executable, "-B", "-c", dedent(program)],
            preexec_fn=limit, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == "['Title 1']"
        with SessionCache(file) as catalogue:
            put(catalogue, info(2))
            assert titles(catalogue) == ["Title 1", "Title 2"]

    def test_two_processes_that_write(self, file: Path):
        program = """
            import sys, time
            from pathlib import Path
            from tests.sessions.library.test_cache_db import SessionCache, info, put
            with SessionCache(Path(sys.argv[1])) as catalogue:
                for number in range(40):
                    put(catalogue, info(int(sys.argv[2]) + number))
                    time.sleep(0.02)
        """
        writers = [
            subprocess.Popen([sys.executable, "-c", dedent(program), str(file), str(start)])
            for start in (1000, 2000)
        ]
        assert [writer.wait(60) for writer in writers] == [0, 0]
        database = sqlite3.connect(file)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        database.close()
        with SessionCache(file) as catalogue:
            # A write that would have to wait for long is left out.
            kept = titles(catalogue)
        assert {title[:7] for title in kept} == {"Title 1", "Title 2"}
        assert len(kept) > 40


def test_facts_are_equal_as_values():
    assert SessionFacts(info(1), TOTALS) == SessionFacts(info(1), TOTALS)
