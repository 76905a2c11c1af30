"""The answer of `agentview status` as it was last time, while nothing that it depends on changed.

A prompt asks for it again and again. Nothing is decided here: the answer is that of `status`, kept
with the size and time of all files that it was made of, and with the time until which it holds.
Imports little, since that is what takes the time.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from zlib import crc32

import agentview
from agentview.cli.output.status_text import TableRow, formatted, table_text
from agentview.system.own_folders import own_folder

_FORM = f"5 {agentview.__version__}"
_NAME = "status"
_GRAIN = 0.05
"""Seconds within which two writes may give a file the same time."""

_END = b"\0"
"""Ends a field: neither a path nor the environment, nor JSON, has it."""


class Answers:
    """Answers of `status` in each of its forms."""

    def __init__(
        self, document: str | None, counts: Mapping[str, int], table: Sequence[TableRow]
    ) -> None:
        self.document = document
        """That of `--json`, where it was asked for."""
        self.counts = counts
        self.table = table


class Dependencies:
    """Dependencies of an answer, and from when until when it holds, epoch seconds."""

    def __init__(
        self,
        files: Sequence[str],
        env: Mapping[str, str | None],
        pids: Iterable[int],
        processes: Mapping[str, Iterable[object]] | None,
        holds: tuple[float, float],
    ) -> None:
        self.files = files
        """Files and directories; the first is our own cache."""
        self.env = env
        self.pids = pids
        """Processes that must not end."""
        self.processes = processes
        """Where processes decided a state: `programs` that were looked for, their `clients`, the
        `children` of these, and `others`."""
        self.holds = holds


class _Kept:
    """The file of the answer: lists of names with a value, by kind. Raises ValueError."""

    def __init__(self, data: bytes) -> None:
        form, checksum, fields = data.split(_END, 2)
        if form.decode() != _FORM or int(checksum) != crc32(fields):
            raise ValueError("of another version, or damaged")
        made, until, *rest = fields.split(_END)
        self.made, self.until = float(made), float(until)
        self._lists: dict[bytes, list[tuple[bytes, bytes]]] = {}
        for kind, name, value in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
            self._lists.setdefault(kind, []).append((name, value))

    def of(self, kind: str) -> list[tuple[bytes, bytes]]:
        return self._lists.get(kind.encode(), [])

    def numbers(self, kind: str) -> set[int]:
        return {int(each) for _, value in self.of(kind) for each in value.split()}

    def text(self, kind: str) -> str:
        return self.of(kind)[0][1].decode()


def answer(arguments: Sequence[str]) -> bool:
    """Answer from what is kept; False where nothing is, or it may be another answer now."""
    form = _form(arguments)
    kept = None if form is None else _read()
    if form is None or kept is None or not _holds(kept, time.time()):
        return False
    if arguments == ["--json"] and not kept.of("json"):
        return False
    sys.stdout.buffer.write(form(kept).encode("utf-8", "replace"))
    return True


def _form(arguments: Sequence[str]) -> Callable[[_Kept], str] | None:
    """How to answer the usual forms of the command; None for any other."""
    match arguments:
        case []:
            return _table
        case ["--json"]:
            return lambda kept: kept.text("json")
        case ["--format", form]:
            return lambda kept: formatted(form, _counts(kept)) + "\n"
        case _:
            return None


def _counts(kept: _Kept) -> dict[str, int]:
    return {name.decode(): int(value) for name, value in kept.of("count")}


def _table(kept: _Kept) -> str:
    # Imported here: a line of counts does without.
    import json

    from agentview.cli.output.terminal import columns

    return table_text(json.loads(kept.text("table")), time.time(), columns()) + "\n"


def keep(answers: Answers, on: Dependencies) -> None:
    """Keep the answers for as long as what they depend on is as it is; without a cache nothing.

    When one of the files, other than the cache, was written just now, nothing is kept.
    """
    made, until = on.holds
    stamps = [(path, stamp_of(path)) for path in on.files]
    if max((int(stamp.split()[1]) for _, stamp in stamps[1:] if stamp), default=0) > (
        (made - _GRAIN) * 1e9
    ):
        return
    import json
    from pathlib import Path

    from agentview.system.file_writing import make_folder, replace_file

    fields: list[tuple[str, str, str]] = []
    for name, value in on.env.items():
        fields.append(("unset", name, "") if value is None else ("env", name, value))
    fields += [("file", path, stamp) for path, stamp in stamps]
    fields += [("pid", str(pid), str(started(pid))) for pid in on.pids]
    if on.processes is not None:
        fields += [(kind, "", " ".join(map(str, on.processes[kind]))) for kind in on.processes]
    fields += [("count", name, str(count)) for name, count in answers.counts.items()]
    fields.append(("table", "", json.dumps(answers.table)))
    if answers.document is not None:
        fields.append(("json", "", answers.document))
    parts = [str(made), str(until), *(part for field in fields for part in field)]
    try:
        path = Path(_path())
        data = _END.join(map(os.fsencode, parts))
        make_folder(path.parent)
        replace_file(path, _END.join((_FORM.encode(), b"%d" % crc32(data), data)), 0o600)
    except (OSError, ValueError):
        return


def _path() -> str:
    return os.path.join(own_folder("cache", "AGENTVIEW_CACHE_DIR"), _NAME)  # noqa: PTH118


def _read() -> _Kept | None:
    try:
        with open(_path(), "rb") as file:  # noqa: PTH123
            return _Kept(file.read())
    except (OSError, ValueError):
        return None


def own_variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("AGENTVIEW_")}


def _holds(kept: _Kept, now: float) -> bool:
    """True if nothing that the answers depend on has changed; a damaged file holds nothing."""
    try:
        return (
            kept.made <= now < kept.until
            and all(os.environ.get(os.fsdecode(name)) is None for name, _ in kept.of("unset"))
            and all(os.environ.get(os.fsdecode(k)) == os.fsdecode(v) for k, v in kept.of("env"))
            and {os.fsencode(name) for name in own_variables()} <= {k for k, _ in kept.of("env")}
            and all(stamp_of(path) == stamp.decode() for path, stamp in kept.of("file"))
            and all(str(started(int(pid))) == start.decode() for pid, start in kept.of("pid"))
            and _processes_are(kept)
        )
    except (IndexError, ValueError):
        return False


# Processes, where they decided a state.


def _processes_are(kept: _Kept) -> bool:
    """True if no client, and nothing that one started, has begun or ended since."""
    programs = [name for _, value in kept.of("programs") for name in value.split()]
    if not programs:
        return True
    now = {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208
    clients, children = kept.numbers("clients"), kept.numbers("children")
    if not (clients | children) <= now or any(_parent(pid) is None for pid in children):
        return False
    fresh = now - clients - children - kept.numbers("others") - {os.getpid()}
    return not any(_parent(pid) in clients or _may_be(pid, programs) for pid in fresh)


def _parent(pid: int) -> int | None:
    """The process that started another; None for one that has ended."""
    fields = _fields(pid)
    return int(fields[1]) if len(fields) > 1 else None


def _fields(pid: int) -> list[bytes]:
    """The fields of `/proc/<pid>/stat` from the state on; none of a process that has ended.

    One that has ended is still listed until its parent has asked for it.
    """
    fields = _proc(pid, "stat").rpartition(b")")[2].split()
    return [] if fields[:1] in ([b"Z"], [b"X"]) else fields


def _may_be(pid: int, programs: Sequence[bytes]) -> bool:
    """True if the command line of a process has the name of one of the programs anywhere."""
    command = _proc(pid, "cmdline")
    return any(name in command for name in programs)


def _proc(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return b""


def stamp_of(path: str | bytes) -> str:
    """Text that differs when a file or the entries of a directory have changed.

    It has the size, the time of modification and the inode; it is empty where nothing is there.
    """
    try:
        status = os.stat(path)  # noqa: PTH116  (objects for thousands of paths take too long)
    except (OSError, ValueError):
        return ""
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ino}"


def started(pid: int) -> str | None:
    """When a process began, to compare; "" where that is unknown, None when it is gone."""
    fields = _fields(pid)
    return fields[19].decode() if len(fields) > 19 else _is_there(pid)


def _is_there(pid: int) -> str | None:
    if sys.platform == "linux":
        return None
    # Imported here: Linux says it by files.
    from agentview.system import platforms

    return "" if platforms.is_there(pid) else None
