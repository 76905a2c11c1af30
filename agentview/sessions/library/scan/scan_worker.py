"""Scans for sessions and indexes them in a worker."""

import gc
from collections.abc import Callable, Iterator

from agentview.providers import load_provider
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.indexer import index_sessions
from agentview.sessions.library.scan.messages import pack_found, unpack_request
from agentview.sessions.library.scan.scanner import roots_here, roots_of, scan_sessions
from agentview.sessions.library.search_roots import Roots, ScanBatch
from agentview.sources.files import is_directory
from agentview.system.workers.connection import Connection

_CYCLES = 10_000
"""Objects after which cycles are looked for."""

Work = Callable[[Roots, Callable[[], bool], SessionCache], Iterator[ScanBatch]]


def scan(connection: Connection) -> None:
    _serve(connection, scan_sessions)


def index(connection: Connection) -> None:
    _serve(connection, index_sessions)


def _serve(connection: Connection, work: Work) -> None:
    # Nearly all that is made here goes with its last reference.
    gc.freeze()
    gc.set_threshold(_CYCLES)
    body = connection.receive()
    if body is None:
        return
    with SessionCache() as catalogue:
        roots = roots_of(unpack_request(body))
        there = [name for name, root in roots_here(roots) if is_directory(root)]
        catalogue.put_labels({name: load_provider(name).label for name in there})
        # The parent sends nothing more: what can be read is its end.
        for found in work(roots, connection.waiting, catalogue):
            connection.send(pack_found(found))
