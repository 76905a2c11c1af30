"""Differences of Linux, macOS and Windows: files, locks, terminals, signals, processes.

No other module imports what only one of them has (`tests/architecture/test_platforms.py`).
"""

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypedDict

# Files.

CLOSE_ON_EXEC: int = (
    getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_BINARY", 0)
)
"""Flags for any file: no other program inherits it, and its bytes are not converted."""

NEVER_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags for a file of others: opening does not wait for a pipe's writer or take over a terminal."""

NOT_A_FOLDER: tuple[type[OSError], ...] = (
    (NotADirectoryError, FileNotFoundError) if sys.platform == "win32" else (NotADirectoryError,)
)
"""Errors at a path whose parent is a file. Windows gives the one for a path that is not there."""

HAS_DRIVES = sys.platform == "win32"
"""Whether the real path of a file is more than its path without links."""

_LOCKED = (1 << 31) - 2
"""The byte that a lock is on: Windows keeps others from reading the bytes that are locked."""
_PAUSE = 0.02
"""Seconds between two looks where nothing says when to look."""


if sys.platform == "win32":
    import msvcrt

    _positions = threading.Lock()

    def read_at(fd: int, length: int, at: int) -> bytes:
        """Bytes of an open file from byte `at` on; its position stays."""
        with _positions, _position_kept(fd):
            os.lseek(fd, at, os.SEEK_SET)
            return os.read(fd, length)

    def write_at(fd: int, data: "bytes | memoryview", at: int) -> int:
        """Write bytes to an open file from byte `at` on; its position stays. Returns how many."""
        with _positions, _position_kept(fd):
            os.lseek(fd, at, os.SEEK_SET)
            return os.write(fd, data)

    @contextmanager
    def _position_kept(fd: int) -> Generator[None]:
        before = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            yield
        finally:
            os.lseek(fd, before, os.SEEK_SET)

    def lock(fd: int, *, wait: bool = False) -> None:
        """Lock an open file until it is closed.

        Raises BlockingIOError where another has the lock, unless it is waited for, and OSError
        where files cannot be locked.
        """
        while True:
            try:
                with _positions, _position_kept(fd):
                    os.lseek(fd, _LOCKED, os.SEEK_SET)
                    msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
            except PermissionError as error:
                if not wait:
                    raise BlockingIOError(errno.EAGAIN, "another process has the lock") from error
                time.sleep(_PAUSE)
            else:
                return

else:
    import fcntl

    read_at = os.pread
    write_at = os.pwrite

    def lock(fd: int, *, wait: bool = False) -> None:
        """Lock an open file until it is closed.

        Raises BlockingIOError where another has the lock, unless it is waited for, and OSError
        where files cannot be locked.
        """
        fcntl.flock(fd, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def open_nameless(path: str) -> int:
    """Open a new file that nobody else can open and that is gone with its last descriptor."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC
    if sys.platform == "win32":
        return os.open(path, flags | os.O_TEMPORARY, 0o600)
    fd = os.open(path, flags, 0o600)
    os.unlink(path)  # noqa: PTH108
    return fd


def close_to_others(fd: int) -> None:
    """Let nobody else open an open file. On Windows the folder of the user does that."""
    if sys.platform != "win32":
        os.fchmod(fd, 0o600)


def free_bytes(folder: str) -> int:
    """Bytes that may still be written to the disk of a folder. Raises OSError."""
    import shutil

    return shutil.disk_usage(folder).free


def user_id() -> int:
    """The user whose files and processes are ours; 0 on Windows, as `stat` gives it there."""
    return 0 if sys.platform == "win32" else os.geteuid()


def below_root(path: str) -> str:
    """An absolute path as one below another folder: `/a/b` is `a/b`, and `C:/a/b` is `C/a/b`."""
    if sys.platform != "win32":
        return path.lstrip("/")
    drive, _, rest = path.replace("\\", "/").lstrip("/").partition("/")
    return f"{drive.removesuffix(':')}/{rest}"


def from_root(below: str) -> str:
    """The absolute path that `below_root` made this of."""
    if sys.platform != "win32":
        return f"/{below}"
    drive, _, rest = below.replace("/", "\\").partition("\\")
    # The name of a server has more than a letter.
    return f"{drive}:\\{rest}" if len(drive) == 1 else f"\\\\{drive}\\{rest}"


# Terminals.


def open_terminal() -> int:
    """A descriptor of the terminal of this process, to read keys and to paint. Raises OSError."""
    if sys.platform == "win32":
        return os.open("CONIN$", os.O_RDWR | os.O_BINARY)
    return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)


@contextmanager
def restored_on_error(terminal: int) -> Generator[None]:
    """Set a terminal, a file descriptor, to what it was before a block that is broken off."""
    if sys.platform == "win32":
        yield
        return
    import termios

    before = termios.tcgetattr(terminal)
    try:
        yield
    except BaseException:
        termios.tcsetattr(terminal, termios.TCSANOW, before)
        raise


def wait_for_hangup(terminal: int) -> bool:
    """Wait until a terminal is gone; False where that cannot be waited for. For a thread."""
    if sys.platform == "win32":
        return False
    import select

    poll = select.poll()
    poll.register(terminal, 0)
    # Where terminals cannot be polled it says so at once.
    ((_, what),) = poll.poll()
    return bool(what & select.POLLHUP)


class TerminalKeys:
    """Reads a terminal key by key, without echo, and whole lines in between.

    `take` gets what was typed, on the event loop; an empty text is the end of the input.
    """

    def __init__(self, fd: int, take: Callable[[str], None]) -> None:
        import asyncio

        self._fd = fd
        self._take = take
        self._loop = asyncio.get_running_loop()
        self._in_lines = False
        self._over = threading.Event()

    if sys.platform == "win32":
        _ARROWS = {"H": "\x1b[A", "P": "\x1b[B", "M": "\x1b[C", "K": "\x1b[D"}

        def start(self) -> None:
            threading.Thread(target=self._run, name="terminal-keys", daemon=True).start()

        def stop(self) -> None:
            self._over.set()

        def by_key(self) -> None:
            self._in_lines = False

        def by_line(self) -> None:
            self._in_lines = True

        def _run(self) -> None:
            while not self._over.is_set():
                if self._in_lines:
                    self._give(sys.stdin.readline())
                    self._in_lines = False
                elif msvcrt.kbhit():
                    key = msvcrt.getwch()
                    # Keys without a character come as two.
                    self._give(
                        self._ARROWS.get(msvcrt.getwch(), "\x1b") if key in "\x00\xe0" else key
                    )
                else:
                    self._over.wait(_PAUSE)

        def _give(self, text: str) -> None:
            # The program may have ended meanwhile.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._take, text)

    else:

        def start(self) -> None:
            """Begin to read keys."""
            import termios

            self._before = termios.tcgetattr(self._fd)
            self.by_key()
            self._loop.add_reader(self._fd, self._read)
            # The shell has set the terminal as it needs it when the program is continued.
            self._loop.add_signal_handler(signal.SIGCONT, self.by_key)

        def stop(self) -> None:
            """Leave the terminal as it was."""
            self._loop.remove_reader(self._fd)
            self._loop.remove_signal_handler(signal.SIGCONT)
            self.by_line()

        def by_key(self) -> None:
            """Read keys again."""
            import tty

            tty.setcbreak(self._fd)

        def by_line(self) -> None:
            """Let the terminal echo and edit the next line."""
            import termios

            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

        def _read(self) -> None:
            try:
                data = os.read(self._fd, 4096)
            except OSError:
                data = b""
            if not data:
                self._loop.remove_reader(self._fd)
            self._take(data.decode("utf-8", "replace"))


# Pipes.


if sys.platform == "win32":

    def readable(fd: int, seconds: float | None = 0.0) -> bool:
        """Return True if a pipe has something, or its other end is closed, within `seconds`."""
        end = None if seconds is None else time.monotonic() + seconds
        while not (found := _waiting(fd) != 0) and (end is None or time.monotonic() < end):
            time.sleep(_PAUSE)
        return found

    def has_ended(fd: int) -> bool:
        """Return True if nothing more can come from a pipe, as far as that shows at this moment."""
        return _waiting(fd) is None

    def _waiting(fd: int) -> int | None:
        """Bytes that a pipe has; None where it is over. Another file can be read at once."""
        import _winapi

        try:
            return _winapi.PeekNamedPipe(msvcrt.get_osfhandle(fd), 0)[0]
        except BrokenPipeError:
            return None
        except OSError:
            return 1

    async def wait_readable(fd: int) -> None:
        """Return when a pipe has something, or its other end is closed."""
        import asyncio

        while not readable(fd):  # noqa: ASYNC110  (nothing says so)
            await asyncio.sleep(_PAUSE)

else:

    def readable(fd: int, seconds: float | None = 0.0) -> bool:
        """Return True if a pipe has something, or its other end is closed, within `seconds`."""
        import select

        return bool(select.select([fd], [], [], seconds)[0])

    def has_ended(fd: int) -> bool:
        """Return True if nothing more can come from a pipe, as far as that shows at this moment."""
        import select

        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return any(what & select.POLLHUP and not what & select.POLLIN for _, what in poll.poll(0))

    async def wait_readable(fd: int) -> None:
        """Return when a pipe has something, or its other end is closed."""
        import asyncio

        loop = asyncio.get_running_loop()
        ready: asyncio.Future[None] = loop.create_future()
        try:
            loop.add_reader(fd, lambda: ready.done() or ready.set_result(None))
        except PermissionError:
            # A regular file cannot be waited for and need not be; others get their turn.
            await asyncio.sleep(0)
            return
        try:
            await ready
        finally:
            loop.remove_reader(fd)


# Signals.

ENDING_SIGNALS: tuple[signal.Signals, ...] = (
    ()
    if sys.platform == "win32"
    else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
)
"""Signals that ask a program to end and that an event loop hears: none on Windows."""
HANGUP_CODE = 129
"""Exit code of a program whose terminal went away."""


def hold_signals() -> None:
    """Let the signals that end a program wait."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)


def release_signals() -> None:
    """Take the signals that wait, and those that come from now on."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)


def on_signal(number: int, call: Callable[[], object]) -> None:
    """Call a function on the running event loop at a signal."""
    import asyncio

    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(number, call)


def on_continue(call: Callable[[], object]) -> None:
    if sys.platform != "win32":
        on_signal(signal.SIGCONT, call)


def can_be_continued() -> bool:
    """Return True if the process has a shell that would let it continue after a stop."""
    if sys.platform == "win32":
        return False
    shell = os.getppid()
    try:
        return os.getsid(shell) == os.getsid(0) and os.getpgid(shell) != os.getpgid(0)
    except ProcessLookupError:
        return False


# Processes.


class Detached(TypedDict, total=False):
    """Arguments of `Popen` that differ."""

    start_new_session: bool
    creationflags: int


DETACHED: Detached = (
    {"creationflags": 0x00000200 | 0x08000000}  # a group of its own, without a console
    if sys.platform == "win32"
    else {"start_new_session": True}
)
"""Arguments of `Popen` for a program that keys in our terminal do not reach."""
CAN_SHARE_FILES = sys.platform != "win32"
"""Whether a process that we start may have open files of ours, under the same numbers."""


def is_there(pid: int) -> bool:
    """Return True if a process with this number runs, whoever it belongs to."""
    if sys.platform == "win32":
        return _runs_on_windows(pid)
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _runs_on_windows(pid: int) -> bool:
    # A signal of 0 would end it.
    if sys.platform != "win32":
        return False
    import _winapi

    try:
        process = _winapi.OpenProcess(_winapi.SYNCHRONIZE, False, pid)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    try:
        return _winapi.WaitForSingleObject(process, 0) != _winapi.WAIT_OBJECT_0
    finally:
        _winapi.CloseHandle(process)


def loop_popen() -> Any:
    """The class `Popen` of a process whose pipes an event loop can read."""
    if sys.platform == "win32":
        from asyncio.windows_utils import Popen
    else:
        from subprocess import Popen
    return Popen


def set_niceness(niceness: int) -> None:
    """Give way to other processes, by so many steps of 20; nothing where there are none."""
    if sys.platform != "win32":
        os.nice(niceness)


def limit_memory(most: int, share: float) -> None:
    """Bound what is allocated: `most` bytes, or this share of the memory of a smaller machine.

    Files that are mapped for reading do not count. A limit that is there and lower stays. Systems
    that do not know the size of their memory, or count something else, have none.
    """
    if sys.platform == "win32":
        return
    try:
        import resource
    except ImportError:
        return
    try:
        there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        least = min(most, int(there * share), *(each for each in (soft, hard) if each >= 0))
        resource.setrlimit(resource.RLIMIT_DATA, (least, hard))
    except (OSError, ValueError):
        return


def command_words(command: str) -> list[str]:
    """The words of a command as a setting or variable has it. Raises ValueError for open quotes."""
    import shlex

    if sys.platform != "win32":
        return shlex.split(command)
    # A backslash is part of a path there; quotes around a path with blanks are not.
    return [word.strip('"') for word in shlex.split(command, posix=False)]
