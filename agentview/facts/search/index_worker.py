"""Brings the index up to date in a worker; messages of this worker and of `search_worker`."""

import time
from array import array
from collections.abc import Iterator, Mapping, Sequence

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.search.fts_index import index_path
from agentview.facts.search.indexer import Progress, build_index
from agentview.facts.search.results import Options, SearchUpdate
from agentview.system.workers.connection import Connection

SEARCHER = "agentview.facts.search.search_worker:serve"
BUILDER = "agentview.facts.search.index_worker:serve"

_CHUNK = 250
"""Logs of a message: packing more would hold the event loop for more than a millisecond."""


class Logs(Value):
    """Further logs; their numbers continue where those of the last message ended."""

    refs: Sequence[SessionRef]


class Titles(Value):
    """Titles of sessions by the numbers of their logs, instead of those that were sent before."""

    titles: Mapping[int, Sequence[str]]


class Ask(Value):
    """Search in logs, the newest first, by their numbers as `numbers` packs them.

    It ends the search before it.
    """

    number: int
    line: str
    logs: bytes
    options: Options


class Build(Value):
    """Bring the index up to date with logs, the newest first."""

    logs: bytes


class Answer(Value, gc=True):
    """An update of the search of that number."""

    number: int
    result: SearchUpdate


Message = Logs | Titles | Ask | Build | Answer | Progress


def in_chunks(refs: Sequence[SessionRef]) -> Iterator[Logs]:
    for start in range(0, len(refs), _CHUNK):
        yield Logs(refs[start : start + _CHUNK])


def titles_in_chunks(titles: Mapping[int, Sequence[str]]) -> Iterator[Titles]:
    """Titles in messages that are quickly packed."""
    items = list(titles.items())
    for start in range(0, len(items), _CHUNK):
        yield Titles(dict(items[start : start + _CHUNK]))


def numbers(logs: Sequence[int]) -> bytes:
    return array("I", logs).tobytes()


def numbered(packed_numbers: bytes) -> Sequence[int]:
    return array("I", packed_numbers)


_STEP = 0.1
"""Seconds between two reports."""


def serve(connection: Connection) -> None:
    """Build as the messages say, until it is done or the parent is gone."""
    refs: list[SessionRef] = []
    while isinstance(message := connection.receive(), Logs):
        refs.extend(message.refs)
    if not isinstance(message, Build):
        return
    due, last = 0.0, None
    # Nothing more is said to it: what can be read is the end of the parent.
    wanted = [refs[number] for number in numbered(message.logs)]
    for progress in build_index(index_path(), wanted, connection.waiting):
        last = progress
        now = time.monotonic()
        if now >= due:
            due, last = now + _STEP, None
            connection.send(progress)
    if last is not None:
        connection.send(last)
