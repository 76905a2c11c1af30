"""Scans and indexes in a child process, so that a screen beside it never waits."""

import select
import subprocess
import sys
from collections.abc import Callable, Iterator

from agentview.library.cache_db import Catalogue
from agentview.library.messages import pack_request, read_message, unpack_found
from agentview.library.scanner import roots_of, scan_sessions
from agentview.library.search_roots import Found, Places

_SCAN = "agentview.library.scan_child"
_INDEX = "agentview.library.index_child"
_LOOK = 0.1
"""Seconds between two looks at whether the work is still wanted."""


def scan_in_child(places: Places, stopped: Callable[[], bool] = lambda: False) -> Iterator[Found]:
    """What `scan_sessions` gives, with the catalogue of this user, found by a child process.

    For a thread, which waits most of the time. Where no process can be started, or it fails, the
    thread does the work itself.
    """
    done = False
    for found in _from_child(_SCAN, places, stopped):
        done = found.done
        yield found
    if not done and not stopped():
        with Catalogue() as catalogue:
            yield from scan_sessions(roots_of(places), stopped, catalogue)


def index_in_child(places: Places, stopped: Callable[[], bool] = lambda: False) -> Iterator[Found]:
    """What `index_sessions` gives, from a child process that lets all others go first.

    Without a last batch when it could not come to its end.
    """
    return _from_child(_INDEX, places, stopped)


def _from_child(program: str, places: Places, stopped: Callable[[], bool]) -> Iterator[Found]:
    try:
        child = subprocess.Popen(  # noqa: S603  (our own program)
            [sys.executable, "-P", "-m", program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return
    try:
        yield from _answers(child, pack_request(places), stopped)
    finally:
        child.kill()
        child.communicate()


def _answers(
    child: "subprocess.Popen[bytes]", request: bytes, stopped: Callable[[], bool]
) -> Iterator[Found]:
    if child.stdin is None or child.stdout is None:
        return
    try:
        child.stdin.write(request)
        child.stdin.flush()
        while not stopped():
            if not select.select([child.stdout], [], [], _LOOK)[0]:
                continue
            body = read_message(child.stdout.fileno())
            if body is None:
                return
            yield unpack_found(body)
    except (OSError, ValueError):
        return
