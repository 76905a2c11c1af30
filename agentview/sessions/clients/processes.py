"""Processes of clients on this machine: which logs they write, where they run, what they started.

Only processes of our own user are looked at, and nothing is done to them. What the system does not
say is not known.
"""

import os
import re
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import dropwhile

from agentview.domain.value import Value
from agentview.system import platforms

LOOK = 2.0
"""Seconds between two looks, at least."""
FILES = 60.0
"""Seconds after which open files are looked at again at the latest."""
_REST = 500.0
"""Between two looks at open files, by how long the first one took: they take 0.2 % of the time."""

_INTERPRETER = re.compile(r"(?:node|nodejs|bun|deno|python[0-9.]*|pypy[0-9.]*)(?:\.exe)?")
_SHELL = re.compile(r"(?:ba|z|da|k|fi)?sh(?:\.exe)?")
_BETWEEN_WORDS = re.compile(r"[\s\"'`;|&<>()]+|\\(?=[\s\"'`;|&<>()$\\])")
"""Separators of the words of a command, with quotes."""
_SUFFIX = re.compile(r"\.(?:[cm]?js|ts|py|exe)$")
_LOOKS = 2
"""Looks after which a process is taken to be what it is."""
_NOT_PROGRAMS = frozenset({"index", "main", "cli", "dist", "bin", "lib", "bundle", "__main__"})


class ClientProcess(Value):
    """A process whose program has the name of a client's."""

    pid: int
    began: float
    """Epoch seconds."""
    parent: int
    programs: frozenset[str]
    cwd: str | None = None
    writes: frozenset[str] = frozenset()
    """Files that it has open for writing."""


class LookedAt(Value):
    """The processes of this machine as they were at a look."""

    programs: frozenset[str]
    """Names of clients that were looked for."""
    clients: frozenset[int]
    children: frozenset[int]
    """Descendants of the clients."""
    others: frozenset[int]


class Processes:
    """The processes of clients as they were when they were last looked at."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._programs: frozenset[str] = frozenset()
        self._looked_for: frozenset[str] = frozenset()
        """Those of the last look that found out what is there."""
        self._others: dict[int, int] = {}
        """Processes that are none of a client's, and how often they were looked at."""
        self._clients: dict[int, ClientProcess] = {}
        self._looked = -LOOK
        self._expected: float | None = None
        """When a look is due before its time, epoch seconds."""
        self._files_read = -FILES
        self._files_rest = FILES
        """Seconds until open files are looked at again."""
        self._missed: dict[str, float] = {}
        """Logs that nobody was found to write, and when they were written."""
        self._children: dict[int, list[int]] | None = None
        """Processes by their parents, as of the last look; None until somebody asks."""
        self.children_read = 0.0
        """When that was, epoch seconds."""

    def watch(self, programs: Collection[str]) -> None:
        if not self._programs.issuperset(programs):
            self._programs |= frozenset(programs)
            self._others = {}
            self._looked = -LOOK

    def expect_writer(self, log: str, written: float) -> None:
        """Look at open files again with the next look, once for each time that a log was written.

        Somebody writes it, and nobody is known to have it open.
        """
        if self._missed.get(log) != written:
            self._missed[log] = written
            self._files_read = -FILES

    def expect(self, moment: float) -> None:
        """Look at a moment, epoch seconds: what is known until then does not decide."""
        if self._expected is None or moment < self._expected:
            self._expected = moment

    @property
    def due(self) -> bool:
        """True if it is time for a look, and there is something to look for."""
        expected = self._expected is not None and time.time() >= self._expected
        return bool(self._programs) and (expected or time.monotonic() - self._looked >= LOOK)

    def look(self) -> None:
        """Look at all processes now, unless that was done just before; takes milliseconds."""
        with self._lock:
            if not self.due:
                return
            self._looked, self._expected = time.monotonic(), None
            with_files = self._looked - self._files_read >= self._files_rest
            try:
                # Imported here: it takes longer than all else, and not every run needs it.
                import psutil

                pids = psutil.pids()
            except (ImportError, OSError, RuntimeError, ValueError):
                self._clients, self._children = {}, None
                self._looked_for = frozenset()
                return
            programs = self._programs
            took = self._take(pids, with_files=with_files)
            if with_files:
                self._files_read, self._files_rest = self._looked, min(FILES, _REST * took)
            self._looked_for = programs

    def _take(self, pids: list[int], *, with_files: bool) -> float:
        """Look at these processes; gives how long those of clients took, seconds of CPU."""
        took = 0.0
        clients: dict[int, ClientProcess] = {}
        others: dict[int, int] = {}
        for pid in pids:
            looks = self._others.get(pid, 0)
            # One that was just made may still have the name of the program that made it.
            client, began = None, time.thread_time()
            if looks < _LOOKS and pid != os.getpid():
                known = self._clients.get(pid)
                client = _client(pid, known, self._programs, with_files=with_files)
            if client is None:
                others[pid] = looks + 1
            else:
                clients[pid] = client
                took += time.thread_time() - began
        self._clients, self._others, self._children = clients, others, None
        return took

    def looked_for(self, programs: Collection[str]) -> bool:
        """True if processes of these programs would have been found if there were any."""
        return self._looked_for.issuperset(programs)

    def clients(self) -> Collection[ClientProcess]:
        return self._clients.values()

    def looked_at(self) -> LookedAt:
        """The clients that were searched for, and the processes that were there."""
        children = {child for pid in self._clients for child in self._below(pid)}
        return LookedAt(
            self._programs,
            frozenset(self._clients),
            frozenset(children - self._clients.keys()),
            frozenset(self._others.keys() - children),
        )

    def started_since(self, pid: int, moment: float) -> bool:
        """Return True if a child of a process is there that began after a moment, epoch seconds."""
        return any(_command_line(child, moment) is not None for child in self._children_of(pid))

    def runs(self, pid: int, command: str, moment: float) -> bool:
        """Return True if a process runs a command that it started after a moment, epoch seconds.

        That is what was started by it, directly or not, and is the command by its command line.
        """
        lines = (_command_line(child, moment) for child in self._below(pid))
        return any(line is not None and is_command(line, command) for line in lines)

    def _below(self, pid: int) -> set[int]:
        """Processes that a process has started, and those that these have."""
        found: set[int] = set()
        left = [pid]
        while left:
            new = set(self._children_of(left.pop())) - found
            found |= new
            left += new
        return found

    def _children_of(self, pid: int) -> Iterable[int]:
        if self._children is None:
            self.children_read = time.time()
            self._children = _children()
        return self._children.get(pid, ())


def _client(
    pid: int, known: ClientProcess | None, wanted: frozenset[str], *, with_files: bool
) -> ClientProcess | None:
    """Return the client that a process is; None where it is none or is dead."""
    import psutil

    try:
        process = psutil.Process(pid)
        with process.oneshot():
            began = process.create_time()
            same = known is not None and known.began == began
            if process.status() == psutil.STATUS_ZOMBIE:
                return None
            if known is not None and same and not with_files:
                return known
            # Windows lets nobody look at the processes of others.
            if hasattr(process, "uids") and process.uids().effective != platforms.user_id():
                return None
            programs = frozenset(programs_of(process.cmdline())) & wanted
            if not programs:
                return None
            writes = frozenset(
                # Where the system does not say how, all that are open.
                each.path
                for each in process.open_files()
                if getattr(each, "mode", "w") != "r"
            )
            return ClientProcess(pid, began, process.ppid(), programs, process.cwd(), writes)
    except (psutil.Error, OSError, RuntimeError, ValueError):
        return None


def _children() -> dict[int, list[int]]:
    import psutil

    found: dict[int, list[int]] = {}
    for pid in psutil.pids():
        try:
            found.setdefault(psutil.Process(pid).ppid(), []).append(pid)
        except (psutil.Error, OSError, RuntimeError, ValueError):
            continue
    return found


def _command_line(pid: int, moment: float) -> list[str] | None:
    """The command line of a process that began after a moment; None where there is no such one."""
    import psutil

    try:
        process = psutil.Process(pid)
        if process.create_time() < moment or process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process.cmdline()
    except (psutil.Error, OSError, RuntimeError, ValueError):
        return None


def is_command(line: Sequence[str], command: str) -> bool:
    """True if a command line is the one of a command, or of the shell that runs it.

    A shell is given the command, which the client may have put into quotes, with words of its own
    around and within it. Where the shell has become the last program of the command, that is a
    part of it. Words are compared without quotes, operators and the folders of paths.
    """
    wanted = _words(command)
    if not wanted:
        return False
    words = _words(" ".join(line))
    rest = iter(words)
    if all(word in rest for word in wanted):
        return True
    own = _without_interpreter(words)
    return bool(own) and any(
        wanted[at : at + len(own)] == own for at in range(len(wanted) - len(own) + 1)
    )


def _words(command: str) -> list[str]:
    plain = (re.split(r"[\\/]", word.rstrip("/"))[-1] for word in _BETWEEN_WORDS.split(command))
    return [word for word in plain if word]


def _without_interpreter(words: list[str]) -> list[str]:
    """The words of a command line without the shell or the program that runs a script."""
    if not words or not (_INTERPRETER.fullmatch(words[0]) or _SHELL.fullmatch(words[0])):
        return words
    return list(dropwhile(lambda word: word.startswith("-"), words[1:]))


def programs_of(command: list[str]) -> Iterator[str]:
    """Names that the program of a command line may go by.

    That of its file; where an interpreter runs it, that of the script, and of the package whose
    `index` or `cli` the script is.
    """
    if not command or not command[0]:
        return
    # A program may have written a title over its command line, with all in one word.
    first = command[0].split(" ")[0] if len(command) == 1 else command[0]
    name = _SUFFIX.sub("", re.split(r"[\\/]", first)[-1])
    if not _INTERPRETER.fullmatch(name):
        yield name
        return
    script = next((word for word in command[1:] if not word.startswith("-")), "")
    for part in reversed(re.split(r"[\\/]", script)[-6:]):
        plain = _SUFFIX.sub("", part)
        if plain in _NOT_PROGRAMS:
            continue
        yield plain
        return
