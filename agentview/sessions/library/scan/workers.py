"""Scans and indexes in a worker, so that a screen never waits."""

from collections.abc import Callable, Iterator

from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.messages import pack_request, unpack_found
from agentview.sessions.library.scan.scanner import roots_of, scan_sessions
from agentview.sessions.library.search_roots import ScanBatch, SearchRoots
from agentview.system.workers.process import BACKGROUND, messages_of

_SCAN = "agentview.sessions.library.scan.scan_worker:scan"
_INDEX = "agentview.sessions.library.scan.scan_worker:index"


def scan_in_worker(
    places: SearchRoots, stopped: Callable[[], bool] = lambda: False
) -> Iterator[ScanBatch]:
    """Run `scan_sessions` in a worker, with the catalogue of this user.

    For a thread, which waits most of the time. Where no process can be started, or it fails, the
    thread does the work itself.
    """
    done = False
    for body in messages_of(_SCAN, pack_request(places), stopped):
        found = unpack_found(body)
        done = found.done
        yield found
    if not done and not stopped():
        with SessionCache() as catalogue:
            yield from scan_sessions(roots_of(places), stopped, catalogue)


def index_in_worker(
    places: SearchRoots, stopped: Callable[[], bool] = lambda: False
) -> Iterator[ScanBatch]:
    """Run `index_sessions` in a worker that lets all others go first.

    Without a last batch when it could not come to its end.
    """
    for body in messages_of(_INDEX, pack_request(places), stopped, nice=BACKGROUND):
        yield unpack_found(body)
