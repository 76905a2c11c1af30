"""Logs of every kind of source, as a client writes them and as bad luck does, for `follow`.

A method that is named in WAYS does something to the log. One that is a generator stops where a
reader must have caught up: `True` when it has to show the log as it is, `False` when the log cannot
be read now, so that what was shown has to stay.
"""

import fcntl
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

from agentview.system.paths import sample_sessions_dir
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.test_same_totals import ChangingDocument
from tests.providers.inspect_ai import zip_files
from tests.providers.opencode.store import SESSION as ROW_SESSION
from tests.providers.opencode.store import Store, completed

Steps = Iterator[bool]

_APPENDING = """
import os, sys
descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
data = open(sys.argv[2], "rb").read()
print("ready", flush=True)
for at in range(0, len(data), 97):
    os.write(descriptor, data[at : at + 97])
"""
_IN_TRANSACTION = """
import sys, time
from pathlib import Path
from tests.providers.opencode.store import Store
store = Store(Path(sys.argv[1]))
store.part(sys.argv[2] + "_whole", "msg_2", type="text", text="This one was committed.")
store.run("BEGIN IMMEDIATE")
store.part(sys.argv[2] + "_lost", "msg_2", type="text", text="This one never was.")
print("ready", flush=True)
time.sleep(600)
"""


def _started(script: str, *arguments: str, limit: int | None = None) -> subprocess.Popen[bytes]:
    """A process that has reported that it is ready; `limit` is the largest size of its files."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    # Bytecode would be cut at the limit too, for every later process.
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", script, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=limited,  # noqa: PLW1509
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def _killed(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


@contextmanager
def _locked(path: Path) -> Generator[None]:
    """Both sorts of exclusive locks are held on a file."""
    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
        yield


class LinesLog:
    """A log of Claude Code."""

    kind = "lines"
    provider = "claude_code"
    WAYS: ClassVar = ("torn", "truncated", "replaced", "moved", "vanished", "locked", "full_disk",
                      "clock_back", "same_stamp", "writer_killed")  # fmt: skip

    def __init__(self, home: Path) -> None:
        self.path = home / ".claude" / "projects" / "-home-dev-shop" / f"{SESSION}.jsonl"
        self._log, self._turns, self._places = ClaudeLog(), 0, 0
        write(self.path, [self._more(30)])

    def _more(self, turns: int) -> bytes:
        self._turns += turns
        return b"".join(conversation(self._log, turns, begin=self._turns - turns, size=500))

    def _add(self, data: bytes) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write(data)

    def torn(self) -> Steps:
        data = self._more(3)
        # Also between the bytes of one character.
        cuts = (len(data) // 3, data.index("í".encode()) + 1, len(data) - 1)
        at = 0
        for cut in sorted({*cuts, len(data)}):
            self._add(data[at:cut])
            at = cut
            yield True

    def truncated(self) -> Steps:
        os.truncate(self.path, self.path.stat().st_size * 2 // 3)
        yield True
        self._add(b"\n" + self._more(2))
        yield True

    def replaced(self) -> Steps:
        other = write(self.path.with_suffix(".new"), [self._more(12)])
        other.replace(self.path)
        yield True

    def moved(self) -> Steps:
        self._places += 1
        place = self.path.parent.with_name(f"-home-dev-shop-{self._places}")
        place.mkdir()
        self.path = self.path.rename(place / self.path.name)
        yield True
        self._add(self._more(2))
        yield True

    def vanished(self) -> Steps:
        self.path.unlink()
        yield False
        write(self.path, [self._more(7)])
        yield True

    def locked(self) -> Steps:
        with _locked(self.path):
            self._add(self._more(2))
            yield True

    def full_disk(self) -> Steps:
        """The client can write a part of its records only, and goes on later."""
        rest = write(self.path.with_suffix(".rest"), [self._more(9)])
        limit = self.path.stat().st_size + rest.stat().st_size // 2
        _started(_APPENDING, str(self.path), str(rest), limit=limit).wait()
        yield True
        self._add(b"\n" + self._more(1))
        yield True

    def clock_back(self) -> Steps:
        before = self.path.stat().st_mtime
        self._add(self._more(2))
        os.utime(self.path, (before - 86_400, before - 86_400))
        yield True

    def same_stamp(self) -> Steps:
        """Written again in place with other words, as long and as old as before."""
        status, data = self.path.stat(), self.path.read_bytes()
        swapped = data.replace(b"please go on", b"please go by", 1)
        if swapped == data:
            swapped = data.replace(b"please go by", b"please go on", 1)
        with self.path.open("r+b") as file:
            file.write(swapped)
        os.utime(self.path, ns=(status.st_atime_ns, status.st_mtime_ns))
        yield True
        self._add(self._more(1))
        yield True

    def writer_killed(self) -> Steps:
        rest = write(self.path.with_suffix(".rest"), [self._more(200)])
        _killed(_started(_APPENDING, str(self.path), str(rest)))
        yield True
        # The next client goes on behind the torn record, on the same line.
        self._add(self._more(2))
        yield True


class DocumentLog:
    """A document of Gemini CLI, which is written as a whole each time."""

    kind = "document"
    provider = "gemini_cli"
    WAYS: ClassVar = ("torn", "truncated", "replaced", "moved", "vanished", "locked", "full_disk",
                      "clock_back", "writer_killed")  # fmt: skip

    def __init__(self, home: Path) -> None:
        self._document = ChangingDocument(home)
        self._places = 0

    @property
    def path(self) -> Path:
        return self._document.path

    def _whole(self) -> bytes:
        self._document.grow(2)
        return self.path.read_bytes()

    def torn(self) -> Steps:
        before = self.path.read_bytes()
        data = self._whole()
        self.path.write_bytes(before)
        yield True
        for share in (3, 2):
            self.path.write_bytes(data[: len(data) // share])
        yield False
        self.path.write_bytes(data)
        yield True

    def truncated(self) -> Steps:
        self._document.grow(2)
        yield True
        self._document.cut(1)
        yield True

    def replaced(self) -> Steps:
        self._document.replace(3)
        yield True

    def moved(self) -> Steps:
        self._places += 1
        place = self._document.root / f"moved{self._places}" / "chats"
        place.mkdir(parents=True)
        self._document.path = self.path.rename(place / self.path.name)
        yield True
        self._document.grow(1)
        yield True

    def vanished(self) -> Steps:
        data = self.path.read_bytes()
        self.path.unlink()
        yield False
        self.path.write_bytes(data)
        self._document.grow(1)
        yield True

    def locked(self) -> Steps:
        with _locked(self.path):
            self._document.grow(1)
            yield True

    def full_disk(self) -> Steps:
        data = self._whole()
        with (rest := self.path.with_suffix(".rest")).open("wb") as file:
            file.write(data)
        self.path.write_bytes(b"")
        _started(_APPENDING, str(self.path), str(rest), limit=len(data) // 2).wait()
        yield False
        self.path.write_bytes(data)
        yield True

    def clock_back(self) -> Steps:
        self._document.grow(1)
        os.utime(self.path, (1e8, 1e8))
        yield True

    def writer_killed(self) -> Steps:
        data = self._whole()
        rest = self.path.with_suffix(".rest")
        rest.write_bytes(data)
        self.path.write_bytes(b"")
        _killed(_started(_APPENDING, str(self.path), str(rest)))
        self.path.write_bytes(data)
        yield True


class DirectoryLog:
    """A conversation of OpenHands: a file for each event."""

    kind = "directory"
    provider = "openhands"
    WAYS: ClassVar = ("torn", "truncated", "replaced", "vanished", "locked", "clock_back")

    def __init__(self, home: Path) -> None:
        place = home / ".openhands" / "conversations"
        self.path = place / "d727ad823ee846258de7f795784291cf"
        sample = sample_sessions_dir() / self.provider / "demo.jsonl"
        records = [json.loads(line) for line in sample.read_bytes().splitlines()]
        self._records = [each for each in records if "kind" in each]
        self._next = 0
        self._fill(self.path, 12)

    def _fill(self, place: Path, count: int) -> None:
        (place / "events").mkdir(parents=True)
        (place / "base_state.json").write_text("{}")
        for _ in range(count):
            name, data = self._event()
            (place / "events" / name).write_bytes(data)

    def _event(self) -> tuple[str, bytes]:
        """The next event: those of the sample again and again, each time with ids of their own."""
        turn, at = divmod(self._next, len(self._records))
        record = {**self._records[at], "id": f"{self._records[at]['id']}-{turn}"}
        self._next += 1
        return f"event-{self._next:05}-{record['id']}.json", json.dumps(record).encode()

    def torn(self) -> Steps:
        name, data = self._event()
        target = self.path / "events" / name
        target.write_bytes(data[: len(data) // 2])
        yield False
        target.write_bytes(data)
        yield True

    def truncated(self) -> Steps:
        newest = max((self.path / "events").iterdir())
        newest.unlink()
        yield True

    def replaced(self) -> Steps:
        other, old = self.path.with_name("new"), self.path.with_name("old")
        self._fill(other, 5)
        self.path.rename(old)
        other.rename(self.path)
        shutil.rmtree(old)
        yield True

    def vanished(self) -> Steps:
        shutil.rmtree(self.path)
        yield False
        self._fill(self.path, 6)
        yield True

    def locked(self) -> Steps:
        name, data = self._event()
        target = self.path / "events" / name
        target.write_bytes(data)
        with _locked(target):
            yield True

    def clock_back(self) -> Steps:
        name, data = self._event()
        (self.path / "events" / name).write_bytes(data)
        for each in (self.path / "events" / name, self.path / "events", self.path):
            os.utime(each, (1e9, 1e9))
        yield True


class DatabaseLog:
    """A session of OpenCode, in a database with a write-ahead log."""

    kind = "database"
    provider = "opencode"
    WAYS: ClassVar = ("torn", "truncated", "replaced", "vanished", "locked", "clock_back",
                      "writer_killed", "damaged")  # fmt: skip
    wal = True

    def __init__(self, home: Path) -> None:
        self._folder = home / ".local" / "share" / "opencode"
        self._store = self._new(self._folder / "opencode.db")
        self._parts = 0

    @property
    def path(self) -> Path:
        return self._store.log(ROW_SESSION)

    def _new(self, path: Path) -> Store:
        store = Store(path, wal=self.wal)
        store.conversation()
        return store

    def _part(self) -> None:
        self._parts += 1
        self._store.part(f"prt_9{self._parts:04}", "msg_2", type="text", text=f"Say {self._parts}")

    def torn(self) -> Steps:
        self._store.run("BEGIN")
        self._part()
        self._store.change("prt_3", type="tool", tool="bash", callID="c1", state=completed("7"))
        yield True
        self._store.run("COMMIT")
        yield True

    def truncated(self) -> Steps:
        self._part()
        self._part()
        yield True
        self._store.remove(f"prt_9{self._parts:04}")
        yield True

    def _remove_all(self) -> None:
        self._store.close()
        for path in self._folder.glob("opencode.db*"):
            path.unlink()

    def replaced(self) -> Steps:
        self._remove_all()
        self._store = self._new(self._folder / "opencode.db")
        self._part()
        yield True

    def vanished(self) -> Steps:
        self._remove_all()
        yield False
        self._store = self._new(self._folder / "opencode.db")
        self._part()
        yield True

    def locked(self) -> Steps:
        self._store.run("BEGIN EXCLUSIVE")
        self._part()
        yield False
        self._store.run("COMMIT")
        yield True

    def clock_back(self) -> Steps:
        self._part()
        for path in self._folder.glob("opencode.db*"):
            os.utime(path, (1e9, 1e9))
        yield True

    def writer_killed(self) -> Steps:
        self._parts += 1
        name = f"prt_9{self._parts:04}"
        _killed(_started(_IN_TRANSACTION, str(self._store.path), name))
        yield True

    def damaged(self) -> Steps:
        """The file is cut in the middle of its pages, and comes back whole."""
        self._store.run("PRAGMA wal_checkpoint(TRUNCATE)")
        self._store.close()
        data = self._store.path.read_bytes()
        os.truncate(self._store.path, len(data) // 2)
        yield False
        self._store.path.write_bytes(data)
        self._store = Store(self._folder / "opencode.db", wal=self.wal)
        self._part()
        yield True


class JournalLog(DatabaseLog):
    """The same in a database with a rollback journal, whose writer keeps readers out."""

    kind = "database (journal)"
    wal = False
    WAYS: ClassVar = tuple(way for way in DatabaseLog.WAYS if way != "writer_killed")

    def damaged(self) -> Steps:
        with closing(sqlite3.connect(self._store.path)):
            yield from super().damaged()


class ArchiveLog:
    """A sample of an evaluation, in an archive that is written as a whole each time."""

    kind = "archive"
    provider = "inspect_ai"
    WAYS: ClassVar = ("torn", "truncated", "replaced", "vanished", "locked", "clock_back")

    def __init__(self, home: Path) -> None:
        self.file = home / "logs" / "x.eval"
        self.file.parent.mkdir(parents=True)
        folder = sample_sessions_dir() / self.provider
        self._document: Any = json.loads((folder / "evaluation.json").read_bytes())
        self._count = 6
        self._write(self.file)

    @property
    def path(self) -> Path:
        return self.file / "s1_epoch_1"

    def _write(self, path: Path) -> bytes:
        sample = dict(self._document["samples"][0])
        sample["events"] = sample["events"][: self._count]
        sample["messages"] = sample["messages"][: self._count // 2]
        start = json.dumps({"eval": self._document["eval"]}).encode()
        whole = {
            "_journal/start.json": start,
            "samples/s1_epoch_1.json": json.dumps(sample).encode(),
        }
        zip_files.write(path, whole)
        return path.read_bytes()

    def _another(self, by: int) -> bytes:
        self._count = max(4, self._count + by)
        return self._write(self.file.with_suffix(".new"))

    def torn(self) -> Steps:
        data = self._another(2)
        self.file.write_bytes(data[: len(data) // 2])
        yield False
        self.file.write_bytes(data)
        yield True

    def truncated(self) -> Steps:
        self.file.write_bytes(self._another(4))
        yield True
        self.file.write_bytes(self._another(-3))
        yield True

    def replaced(self) -> Steps:
        self._another(2)
        self.file.with_suffix(".new").replace(self.file)
        yield True

    def vanished(self) -> Steps:
        data = self._another(2)
        self.file.unlink()
        yield False
        self.file.write_bytes(data)
        yield True

    def locked(self) -> Steps:
        with _locked(self.file):
            self.file.write_bytes(self._another(2))
            yield True

    def clock_back(self) -> Steps:
        self.file.write_bytes(self._another(2))
        os.utime(self.file, (1e9, 1e9))
        yield True


Written = LinesLog | DocumentLog | DirectoryLog | DatabaseLog | ArchiveLog
KINDS: tuple[type[Written], ...] = (
    LinesLog,
    DocumentLog,
    DirectoryLog,
    DatabaseLog,
    JournalLog,
    ArchiveLog,
)
