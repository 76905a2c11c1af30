import asyncio
import json
import os
import resource
import select
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from agentview.sources.lines import LineReader, Reset
from agentview.sources.resume_point import ResetReason
from agentview.sources.watch.watcher import NativeBackend, Watcher
from agentview.sources.watch.watchfiles_backend import WatchfilesBackend
from tests.patience import PATIENCE
from tests.sources.watch import writer

Modes = Callable[[], Watcher]

MODES: dict[str, Modes] = {
    "native": lambda: Watcher(native=NativeBackend, env={}),
    "watchfiles": lambda: Watcher(native=WatchfilesBackend, env={}),
    "polling": lambda: Watcher(interval=0.01, env={"AGENTVIEW_POLL": "1"}),
}


@pytest.fixture(params=MODES)
def mode(request: pytest.FixtureRequest) -> Modes:
    return MODES[request.param]


@pytest.fixture(params=["native", "watchfiles"])
def announced(request: pytest.FixtureRequest) -> Modes:
    return MODES[request.param]


class Follower:
    """Reads a file whenever its watcher reports it."""

    def __init__(self, watcher: Watcher, path: Path) -> None:
        self.watcher = watcher
        self.reader = LineReader(path)
        self.found: list[bytes | ResetReason | None] = []

    def read(self) -> None:
        more = True
        while more:
            chunk = self.reader.poll(10_000)
            more = chunk.more
            for item in chunk.items:
                self.found.append(item.reason if isinstance(item, Reset) else item.data)

    async def until(self, last: bytes) -> None:
        """Read what is reported until a line arrives; fails when it does not."""
        async with asyncio.timeout(PATIENCE):
            while last not in self.found:
                if self.reader.path in await anext(self.watcher):
                    self.read()


async def reported(watcher: Watcher, wanted: Path) -> set[Path]:
    """Collect reports until `wanted` is among them; fails when it does not come."""
    seen: set[Path] = set()
    async with asyncio.timeout(PATIENCE):
        while wanted not in seen:
            seen |= await anext(watcher)
    return seen


async def quiet(watcher: Watcher, seconds: float = 0.3) -> set[Path]:
    """Collect what is reported within a time."""
    seen: set[Path] = set()
    try:
        async with asyncio.timeout(seconds):
            while True:
                seen |= await anext(watcher)
    except TimeoutError:
        return seen


class TestFile:
    async def test_all_lines_of_a_process_arrive_once_and_in_order(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        path = tmp_path / "session.jsonl"
        expected = writer.records(300)
        with mode() as watcher:
            watcher.add_files([path])
            follower = Follower(watcher, path)
            process = await asyncio.create_subprocess_exec(
                sys.executable, writer.__file__, str(path), "300", "0.0005"
            )
            await follower.until(expected[-1])
            assert await process.wait() == 0

        assert follower.found == expected

    async def test_what_was_written_before_adding_is_reported(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        path = tmp_path / "session.jsonl"
        path.write_bytes(b"one\n")
        with mode() as watcher:
            watcher.add_files([path])
            assert path in await reported(watcher, path)

    async def test_a_file_may_appear_later_in_directories_that_do_not_exist(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        path = tmp_path / "a" / "b" / "c" / "session.jsonl"
        with mode() as watcher:
            watcher.add_files([path])
            follower = Follower(watcher, path)
            assert await quiet(watcher, 0.1) == set()
            path.parent.mkdir(parents=True)
            path.write_bytes(b"one\n")
            await follower.until(b"one")
            await quiet(watcher, 0.1)
            with path.open("ab") as file:
                file.write(b"two\n")
            await follower.until(b"two")

        assert follower.found == [b"one", b"two"]

    async def test_a_directory_made_together_with_its_file_is_never_missed(
        self, announced: Modes, tmp_path: Path
    ) -> None:
        with announced() as watcher:
            for number in range(25):
                path = tmp_path / f"project{number}" / "deep" / "session.jsonl"
                watcher.add_files([path])
                await asyncio.sleep(0.002 * (number % 5))
                path.parent.mkdir(parents=True)
                path.write_bytes(b"one\n")
                await reported(watcher, path)

    async def test_every_way_of_changing_a_file_is_noticed(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        path = tmp_path / "session.jsonl"
        fresh = tmp_path / "fresh"
        path.write_bytes(b"one\ntwo\n")
        with mode() as watcher:
            watcher.add_files([path])
            follower = Follower(watcher, path)
            await follower.until(b"two")

            fresh.write_bytes(b"renamed\n")
            fresh.rename(path)
            await follower.until(b"renamed")

            with path.open("r+b") as file:
                file.write(b"samesiz\n")
            await follower.until(b"samesiz")

            path.write_bytes(b"short\n")
            await follower.until(b"short")

            path.unlink()
            async with asyncio.timeout(PATIENCE):
                while not follower.reader.poll().missing:
                    await anext(watcher)
            path.write_bytes(b"again\n")
            await follower.until(b"again")

            path.rename(fresh)
            fresh.rename(path)
            with path.open("ab") as file:
                file.write(b"end\n")
            await follower.until(b"end")

        data = [item for item in follower.found if isinstance(item, bytes)]
        assert [line for line in data if line != b"again"] == [
            b"one",
            b"two",
            b"renamed",
            b"samesiz",
            b"short",
            b"end",
        ]

    async def test_its_directory_may_be_replaced(self, mode: Modes, tmp_path: Path) -> None:
        path = tmp_path / "project" / "session.jsonl"
        path.parent.mkdir()
        path.write_bytes(b"one\n")
        with mode() as watcher:
            watcher.add_files([path])
            follower = Follower(watcher, path)
            await follower.until(b"one")
            for line in (b"two", b"three"):
                shutil.rmtree(path.parent)
                path.parent.mkdir()
                path.write_bytes(line + b"\n")
                await follower.until(line)
                await quiet(watcher, 0.1)
            path.parent.rename(tmp_path / "elsewhere")
            (tmp_path / "other").mkdir()
            (tmp_path / "other" / path.name).write_bytes(b"four\n")
            (tmp_path / "other").rename(path.parent)
            await follower.until(b"four")

    async def test_it_may_be_reached_through_symbolic_links(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        for name in ("real", "links", "later"):
            (tmp_path / name).mkdir()
        real = tmp_path / "real" / "session.jsonl"
        real.write_bytes(b"one\n")
        (tmp_path / "links" / "session.jsonl").symlink_to(real)
        (tmp_path / "linked").symlink_to(tmp_path / "real")
        by_file = tmp_path / "links" / "session.jsonl"
        by_directory = tmp_path / "linked" / "session.jsonl"
        link_to_come = tmp_path / "later" / "session.jsonl"
        with mode() as watcher:
            watcher.add_files([by_file, by_directory, link_to_come])
            await quiet(watcher)
            with real.open("ab") as file:
                file.write(b"two\n")
            seen = await reported(watcher, by_file)
            if by_directory not in seen:
                await reported(watcher, by_directory)
            link_to_come.symlink_to(real)
            await reported(watcher, link_to_come)
            await quiet(watcher)
            with real.open("ab") as file:
                file.write(b"three\n")
            await reported(watcher, link_to_come)

    async def test_files_can_be_added_and_removed_at_any_time(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        first, second = tmp_path / "first", tmp_path / "sub" / "second"
        with mode() as watcher:
            watcher.add_files([first])
            first.write_bytes(b"1")
            await reported(watcher, first)
            watcher.add_files([second])
            second.parent.mkdir()
            second.write_bytes(b"2")
            await reported(watcher, second)
            await quiet(watcher)
            watcher.remove([first])
            with first.open("ab") as file:
                file.write(b"1")
            second.write_bytes(b"22")
            assert await reported(watcher, second) == {second}
            assert first not in await quiet(watcher)

    async def test_a_change_found_before_a_file_was_removed_is_not_reported_after(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        first, second = tmp_path / "first", tmp_path / "second"
        with mode() as watcher:
            watcher.add_files([first, second])
            for file in (first, second):
                file.write_bytes(b"1")
                await reported(watcher, file)
            await quiet(watcher)
            first.write_bytes(b"12")
            # A thread can find the change, and only wait for this loop to take it.
            time.sleep(0.2)  # noqa: ASYNC251
            watcher.remove([first])
            second.write_bytes(b"12")
            assert await reported(watcher, second) == {second}
            assert first not in await quiet(watcher)

    async def test_it_is_reported_under_the_path_it_was_added_by(
        self, mode: Modes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        path = Path("sub/../session.jsonl")
        with mode() as watcher:
            watcher.add_files([path])
            (tmp_path / "session.jsonl").write_bytes(b"1")
            assert await reported(watcher, path) == {path}

    async def test_a_name_that_is_no_text_is_reported(self, mode: Modes, tmp_path: Path) -> None:
        path = tmp_path / os.fsdecode(b"\xff\n\x1b") / os.fsdecode(b"\xfe.jsonl")
        path.parent.mkdir()
        with mode() as watcher:
            watcher.add_files([path])
            await quiet(watcher, 0.1)
            path.write_bytes(b"1")
            assert await reported(watcher, path) == {path}


class TestTree:
    async def test_everything_below_is_reported(self, mode: Modes, tmp_path: Path) -> None:
        tree = tmp_path / "tree"
        old = tree / "a" / "old.jsonl"
        old.parent.mkdir(parents=True)
        old.write_bytes(b"1\n")
        with mode() as watcher:
            watcher.add_tree(tree)
            await quiet(watcher)
            with old.open("ab") as file:
                file.write(b"2\n")
            await reported(watcher, old)
            new = tree / "a" / "new.jsonl"
            new.write_bytes(b"1\n")
            await reported(watcher, new)
            new.unlink()
            await reported(watcher, new)
            moved = tree / "b" / "old.jsonl"
            (tree / "a").rename(tree / "b")
            await reported(watcher, moved)
            await quiet(watcher)
            with moved.open("ab") as file:
                file.write(b"3\n")
            await reported(watcher, moved)

    async def test_a_new_directory_with_a_new_file_is_never_missed(
        self, announced: Modes, tmp_path: Path
    ) -> None:
        with announced() as watcher:
            watcher.add_tree(tmp_path)
            for number in range(40):
                await asyncio.sleep(0.001 * (number % 7))
                path = tmp_path / f"p{number}" / "subagents" / "agent.jsonl"
                path.parent.mkdir(parents=True)
                path.write_bytes(b"1\n")
                await reported(watcher, path)

    async def test_it_may_appear_go_and_come_back(self, mode: Modes, tmp_path: Path) -> None:
        tree = tmp_path / "up" / "tree"
        path = tree / "deep" / "session.jsonl"
        with mode() as watcher:
            watcher.add_tree(tree)
            for number in range(3):
                path.parent.mkdir(parents=True)
                path.write_bytes(b"%d\n" % number)
                await reported(watcher, path)
                await quiet(watcher, 0.1)
                shutil.rmtree(tree.parent)

    @pytest.mark.parametrize("pause", [0, 0.1])
    async def test_the_directory_above_may_be_made_again_while_a_file_in_it_is_open(
        self, announced: Modes, tmp_path: Path, pause: float
    ) -> None:
        home = tmp_path / "up" / "home"
        home.mkdir(parents=True)
        path = home / "tree" / "deep" / "session.jsonl"
        with (home / "held").open("wb"), announced() as watcher:
            watcher.add_tree(home / "tree")
            await quiet(watcher, 0.1)
            shutil.rmtree(home.parent)
            await asyncio.sleep(pause)
            path.parent.mkdir(parents=True)
            path.write_bytes(b"1\n")
            await reported(watcher, path)

    async def test_a_link_in_it_is_followed_and_a_circle_is_not(self, tmp_path: Path) -> None:
        tree, outside = tmp_path / "tree", tmp_path / "outside"
        tree.mkdir()
        outside.mkdir()
        (tree / "circle").symlink_to(tree)
        for make in (MODES["native"], MODES["polling"]):
            link = tree / "link"
            link.unlink(missing_ok=True)
            with make() as watcher:
                watcher.add_tree(tree)
                link.symlink_to(outside)
                await quiet(watcher)
                (outside / "session.jsonl").write_bytes(os.urandom(8))
                await reported(watcher, link / "session.jsonl")

    @pytest.mark.parametrize("env", [{}, {"AGENTVIEW_POLL": "1"}])
    async def test_what_is_ignored_is_not_reported(
        self, tmp_path: Path, env: dict[str, str]
    ) -> None:
        own, other = tmp_path / "cache" / "own.log", tmp_path / "other.jsonl"
        own.parent.mkdir()
        with Watcher(ignored=[own.parent], env=env) as watcher:
            watcher.add_tree(tmp_path)
            own.write_bytes(b"1")
            (own.parent / "more").mkdir()
            (own.parent / "more" / "own.log").write_bytes(b"1")
            other.write_bytes(b"1")
            assert await reported(watcher, other) == {other}

    async def test_reading_a_database_does_not_report_it(self, mode: Modes, tmp_path: Path) -> None:
        path = tmp_path / "sessions.db"
        with closing(sqlite3.connect(path)) as database:
            database.execute("pragma journal_mode=wal")
            database.execute("create table t (x)")
            database.commit()
        with mode() as watcher:
            watcher.add_tree(tmp_path)
            await quiet(watcher, 0.5)
            for _ in range(5):
                with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
                    database.execute("select * from t").fetchall()
            assert await quiet(watcher, 0.5) == set()
            with closing(sqlite3.connect(path)) as database:
                database.execute("insert into t values (1)")
                database.commit()
                await reported(watcher, tmp_path / "sessions.db-wal")

    async def test_a_session_is_reported_again_when_its_commit_must_count(
        self, mode: Modes, tmp_path: Path
    ) -> None:
        path = tmp_path / "sessions.db"
        with closing(sqlite3.connect(path)) as database, mode() as watcher:
            database.execute("pragma journal_mode=wal")
            watcher.add_files([path / "ses_1"])
            await reported(watcher, path / "ses_1")
            await quiet(watcher, 1.0)
            database.execute("create table t (x)")
            await reported(watcher, path / "ses_1")
            await quiet(watcher, 0.25)
            await reported(watcher, path / "ses_1")
            assert await quiet(watcher, 1.0) == set()


class TestRunning:
    async def test_closing_ends_an_iteration_that_waits(self, mode: Modes, tmp_path: Path) -> None:
        watcher = mode()
        watcher.add_files([tmp_path / "none"])

        async def collect() -> list[frozenset[Path]]:
            return [paths async for paths in watcher]

        task = asyncio.create_task(collect())
        await asyncio.sleep(0.05)
        watcher.close()
        async with asyncio.timeout(PATIENCE):
            assert await task == []
        watcher.add_files([tmp_path / "late"])
        watcher.close()

    async def test_it_can_be_cancelled_while_it_waits(self, mode: Modes, tmp_path: Path) -> None:
        with mode() as watcher:
            watcher.add_files([tmp_path / "none"])
            task = asyncio.create_task(anext(watcher))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            (tmp_path / "none").write_bytes(b"1")
            await reported(watcher, tmp_path / "none")

    async def test_waiting_costs_next_to_nothing(self, mode: Modes, tmp_path: Path) -> None:
        paths = [tmp_path / f"{number}.jsonl" for number in range(20)]
        for path in paths:
            path.write_bytes(b"1\n")
        with mode() as watcher:
            watcher.add_files(paths)
            await quiet(watcher)
            used = time.process_time()
            assert await quiet(watcher, 1.0) == set()
            assert time.process_time() - used < 0.15

    def test_the_program_ends_though_nobody_closed_it(self, tmp_path: Path) -> None:
        script = (
            "import asyncio, pathlib, sys\n"
            "from agentview.sources.watch.watcher import Watcher\n"
            "async def main():\n"
            "    watcher = Watcher(env={'AGENTVIEW_POLL': sys.argv[2]})\n"
            "    watcher.add_files([pathlib.Path(sys.argv[1]) / 'x'])\n"
            "    await asyncio.sleep(0.1)\n"
            "asyncio.run(main())\n"
        )
        for poll in ("", "1"):
            subprocess.run(
                [sys.executable, "-c", script, str(tmp_path), poll], check=True, timeout=PATIENCE
            )

    @pytest.mark.skipif(sys.platform != "linux", reason="the kernel's watches are Linux's")
    async def test_files_beside_the_directory_wake_nobody_up(self, tmp_path: Path) -> None:
        path = tmp_path / "logs" / "session.jsonl"
        path.parent.mkdir()
        beside = tmp_path / "beside.txt"
        beside.touch()
        others = inotify_descriptors()
        with Watcher(env={}) as watcher:
            watcher.add_files([path])
            await quiet(watcher, 0.05)
            (ours,) = inotify_descriptors() - others
            beside.write_text("busy")
            beside.chmod(0o600)
            assert select.select([ours], [], [], 0)[0] == []
            path.write_text("1\n")
            assert select.select([ours], [], [], 0)[0] == [ours]

    async def test_reports_that_come_while_nobody_asks_are_joined(self, tmp_path: Path) -> None:
        paths = {tmp_path / f"{number}.jsonl" for number in range(50)}
        with Watcher(env={}) as watcher:
            watcher.add_tree(tmp_path)
            for path in paths:
                path.write_bytes(b"1\n")
            await asyncio.sleep(0.3)
            assert await anext(watcher) == paths


def inotify_descriptors() -> set[int]:
    """The descriptors of this process that the kernel reports changes of files on."""
    found: set[int] = set()
    for each in Path("/proc/self/fd").iterdir():
        try:
            link = each.readlink()
        except FileNotFoundError:
            # That of the listing itself.
            continue
        if link.name == "anon_inode:inotify":
            found.add(int(each.name))
    return found


@contextmanager
def no_more_descriptors() -> Generator[None]:
    """Have the system refuse to open anything, as when the limit is reached."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def queue_limit() -> int:
    """Say how many events the kernel keeps for a watcher that does not fetch them."""
    try:
        return int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    except FileNotFoundError:
        return 1000


class TestFallback:
    async def test_the_environment_can_ask_for_polling(self, tmp_path: Path) -> None:
        path = tmp_path / "session.jsonl"
        for env, polled in (({"AGENTVIEW_POLL": "1"}, {path}), ({}, set[Path]())):
            with Watcher(env=env) as watcher:
                watcher.add_files([path])
                assert watcher.polled == polled

    async def test_a_system_that_refuses_is_polled(self, tmp_path: Path) -> None:
        path, other = tmp_path / "session.jsonl", tmp_path / "other"
        with no_more_descriptors(), Watcher(env={}) as watcher:
            watcher.add_files([path])
            assert watcher.refusal is not None
            assert watcher.polled == {path}
            path.mkdir()
            await reported(watcher, path)
            watcher.add_files([other])
            other.mkdir()
            await reported(watcher, other)

    async def test_events_that_the_kernel_drops_are_made_up_for(self, tmp_path: Path) -> None:
        busy = [tmp_path / "busy1", tmp_path / "busy2"]
        late = tmp_path / "new" / "deep" / "session.jsonl"
        late_file = tmp_path / "late.jsonl"
        with Watcher(env={}) as watcher:
            watcher.add_tree(tmp_path)
            watcher.add_files([late_file])
            fds = [os.open(path, os.O_WRONLY | os.O_CREAT) for path in busy]
            for number in range(queue_limit() + 100):
                os.write(fds[number % 2], b"x")
            for fd in fds:
                os.close(fd)
            late.parent.mkdir(parents=True)
            late.write_bytes(b"1\n")
            late_file.write_bytes(b"1\n")
            seen = await reported(watcher, late)
            assert late_file in seen
            await quiet(watcher)
            with late.open("ab") as file:
                file.write(b"2\n")
            await reported(watcher, late)


def test_reading_leaves_the_watcher_out() -> None:
    script = (
        "import sys, json, agentview.sources.document\nprint(json.dumps(sorted(sys.modules)))\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout
    modules = json.loads(output)

    assert "agentview.sources.lines" in modules
    assert not {"watchfiles", "asyncio", "agentview.sources.watch.watcher"} & set(modules)
