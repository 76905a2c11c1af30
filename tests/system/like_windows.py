"""Runs agentview as on Windows: `python -m tests.system.like_windows import`, or a command.

Code of agentview, and no other, finds no module, function or constant that only POSIX has,
`win32` as the platform, and errors where Windows gives others. Stand-ins of `msvcrt` and `_winapi`
do with the means of this system what theirs do.
"""

import asyncio
import builtins
import errno
import fcntl
import importlib
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODULES = _words(
    "crypt curses fcntl grp nis posix pty pwd readline resource spwd syslog termios tty"
)
NAMES: dict[str, frozenset[str]] = {
    "os": _words(
        "O_CLOEXEC O_DIRECTORY O_DSYNC O_NDELAY O_NOATIME O_NOCTTY O_NOFOLLOW O_NONBLOCK "
        "O_PATH O_SYNC O_TMPFILE WNOHANG chown chroot fchmod fchown fork forkpty fstatvfs "
        "getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority getsid "
        "getuid killpg lchown mkfifo mknod nice openpty pathconf posix_fadvise posix_spawn "
        "pread preadv pwrite pwritev sched_getaffinity sendfile setpgid setpriority setsid "
        "statvfs sysconf tcgetpgrp tcsetpgrp ttyname uname wait wait3 wait4"
    ),
    "signal": _words(
        "SIGALRM SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP "
        "SIGTTIN SIGTTOU SIGUSR1 SIGUSR2 SIGWINCH alarm pause pthread_kill pthread_sigmask "
        "setitimer sigwait"
    ),
    "select": _words("epoll poll POLLHUP POLLIN EPOLLIN"),
    "socket": frozenset({"AF_UNIX", "socketpair", "sendmsg"}),
    "time": frozenset({"tzset", "pthread_getcpuclockid"}),
}
"""What the documentation of Python marks as not available on Windows, by module."""


def _asks(depth: int = 2) -> bool:
    """Return True if code of agentview asks."""
    asking = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]
    return asking.f_globals.get("__name__", "").partition(".")[0] == "agentview"


def _disguise(module: ModuleType, hidden: frozenset[str], shown: dict[str, Any]) -> None:
    plain = type(module).__getattribute__

    class Disguised(type(module)):
        def __getattribute__(self, name: str) -> Any:
            if (name in hidden or name in shown) and _asks():
                if name in shown:
                    return shown[name]
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return plain(self, name)

    module.__class__ = Disguised


def _windows_open(path: Any, flags: int, mode: int = 0o777) -> int:
    temporary = flags & O_TEMPORARY
    try:
        fd = os.open(path, flags & ~(O_BINARY | O_NOINHERIT | O_TEMPORARY), mode)
    except NotADirectoryError as error:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path) from error
    if Path(path).is_dir():
        os.close(fd)
        raise PermissionError(errno.EACCES, "Permission denied", path)
    if temporary:
        Path(path).unlink()
    return fd


def _windows_stat(path: Any, **options: Any) -> os.stat_result:
    try:
        return os.stat(path, **options)  # noqa: PTH116
    except NotADirectoryError as error:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path) from error


def _windows_kill(pid: int, number: int) -> None:
    raise AssertionError(f"os.kill({pid}, {number}) ends the process on Windows")


def _windows_select(*_: object) -> None:
    raise OSError("select works for sockets only")


class _Popen(subprocess.Popen[bytes]):
    def __init__(self, *arguments: Any, creationflags: int = 0, **options: Any):
        if options.get("pass_fds") or options.get("preexec_fn"):
            raise ValueError("not supported on Windows platforms")
        super().__init__(*arguments, start_new_session=bool(creationflags), **options)


def _no_reader(*_: object) -> None:
    raise NotImplementedError


O_BINARY, O_NOINHERIT, O_TEMPORARY = 1 << 28, 1 << 29, 1 << 30


def _msvcrt() -> ModuleType:
    module = ModuleType("msvcrt")

    def locking(fd: int, mode: int, count: int) -> None:
        at = os.lseek(fd, 0, os.SEEK_CUR)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, count, at)
        except BlockingIOError as error:
            raise PermissionError(errno.EACCES, "Permission denied") from error

    module.__dict__.update(
        locking=locking,
        LK_NBLCK=2,
        LK_UNLCK=0,
        get_osfhandle=int,
        kbhit=lambda: bool(select.select([0], [], [], 0)[0]),
        getwch=lambda: os.read(0, 1).decode(),
    )
    return module


def _winapi() -> ModuleType:
    module = ModuleType("_winapi")

    def peek(handle: int, _: int) -> tuple[int, int]:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        found = dict(poll.poll(0)).get(handle, 0)
        if found & select.POLLHUP and not found & select.POLLIN:
            raise BrokenPipeError(errno.EPIPE, "The pipe has been ended")
        return (1 if found & select.POLLIN else 0), 0

    def open_process(_: int, __: bool, pid: int) -> int:
        if not Path(f"/proc/{pid}").exists():
            raise OSError(errno.EINVAL, "The parameter is incorrect")
        return pid

    def wait(pid: int, _: int) -> int:
        return 258 if Path(f"/proc/{pid}").exists() else 0

    module.__dict__.update(
        PeekNamedPipe=peek,
        SYNCHRONIZE=0x100000,
        OpenProcess=open_process,
        WAIT_OBJECT_0=0,
        WaitForSingleObject=wait,
        CloseHandle=abs,
    )
    return module


def disguise() -> None:
    """Show code of agentview what Windows has, from now on."""
    stand_ins = {"msvcrt": _msvcrt(), "_winapi": _winapi()}
    loop_processes = ModuleType("asyncio.windows_utils")
    loop_processes.__dict__["Popen"] = subprocess.Popen
    stand_ins["asyncio.windows_utils"] = loop_processes
    plain = builtins.__import__

    def windows_import(name: str, *arguments: Any, **named: Any) -> ModuleType:
        if _asks():
            if name in MODULES:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            if name in stand_ins:
                return stand_ins[name]
        return plain(name, *arguments, **named)

    builtins.__import__ = windows_import
    shown: dict[str, dict[str, Any]] = {
        "os": {
            "O_BINARY": O_BINARY,
            "O_NOINHERIT": O_NOINHERIT,
            "O_TEMPORARY": O_TEMPORARY,
            "open": _windows_open,
            "stat": _windows_stat,
            "kill": _windows_kill,
            "name": "nt",
        },
        "select": {"select": _windows_select},
    }
    for module in (os, signal, select, socket, time):
        _disguise(module, NAMES[module.__name__], shown.get(module.__name__, {}))
    _disguise(subprocess, frozenset(), {"Popen": _Popen})
    _disguise(sys, frozenset(), {"platform": "win32"})
    loop = asyncio.SelectorEventLoop
    for method in ("add_reader", "remove_reader", "add_signal_handler", "remove_signal_handler"):
        setattr(loop, method, _unless_asked(getattr(loop, method)))


def _unless_asked(method: Any) -> Any:
    def called(*arguments: Any) -> Any:
        return (_no_reader if _asks() else method)(*arguments)

    return called


def import_all() -> int:
    """Import every module of the package; returns how many there are."""
    package = importlib.import_module("agentview")
    names = [each.name for each in pkgutil.walk_packages(package.__path__, "agentview.")]
    for name in names:
        if not name.endswith("__main__"):
            importlib.import_module(name)
    return len(names)


if __name__ == "__main__":
    disguise()
    if sys.argv[1:] == ["import"]:
        print(import_all())  # noqa: T201
    else:
        sys.exit(importlib.import_module("agentview.cli").main(sys.argv[1:]))
