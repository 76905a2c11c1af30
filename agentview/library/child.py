"""What the programs of the library's children share: one request, batches in answer, and the end.

The parent writes one request to standard input and keeps it open: its end says that the work is no
longer wanted. Batches come back on standard output, as `messages.py` has them.
"""

import gc
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator

from agentview.library.cache_db import Catalogue
from agentview.library.messages import pack_found, read_message, unpack_request
from agentview.library.scanner import roots_of
from agentview.library.search_roots import Found, Roots
from agentview.providers import load_provider

_CYCLES = 10_000
"""Objects after which cycles are looked for."""

Work = Callable[[Roots, Callable[[], bool], Catalogue], Iterator[Found]]


def run(work: Work, nice: int) -> None:
    """Do the work that the parent asks for, until it is done or the parent is gone."""
    # Interrupts from the terminal are for the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(nice)
    # Nearly all that is made here goes with its last reference.
    gc.freeze()
    gc.set_threshold(_CYCLES)
    try:
        _serve(work)
    except BrokenPipeError:
        # Nothing may be flushed to the closed pipe when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _serve(work: Work) -> None:
    body = read_message(sys.stdin.fileno())
    if body is None:
        return
    with Catalogue() as catalogue:
        roots = roots_of(unpack_request(body))
        catalogue.put_labels({name: load_provider(name).label for name, _ in roots})
        for found in work(roots, _abandoned, catalogue):
            sys.stdout.buffer.write(pack_found(found))
            sys.stdout.buffer.flush()


def _abandoned() -> bool:
    """Whether the parent has closed its end: it never writes a second time."""
    return bool(select.select([sys.stdin], [], [], 0)[0])
