"""Messages to the workers that search all sessions and that build the index, and their answers."""

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agentview.domain.session import SessionRef
from agentview.search.indexer import Progress
from agentview.search.results import Options, Told

SEARCHER = "agentview.search.search_worker:serve"
BUILDER = "agentview.search.index_worker:serve"

SEARCHER_NICE = 5
BUILDER_NICE = 19

_CHUNK = 250
"""Logs of a message: packing more would hold the event loop for more than a millisecond."""


class Logs(NamedTuple):
    """Further logs; their numbers go on where those of the last message ended."""

    refs: Sequence[SessionRef]


class Ask(NamedTuple):
    """Search in logs, the newest first, by their numbers as `numbers` packs them.

    It ends the search before it.
    """

    number: int
    line: str
    logs: bytes
    options: Options


class Build(NamedTuple):
    """Bring the index up to date with logs, the newest first."""

    logs: bytes


class Answer(NamedTuple):
    """What the search of that number has to tell."""

    number: int
    result: Told


Message = Logs | Ask | Build | Answer | Progress


def in_chunks(refs: Sequence[SessionRef]) -> Iterator[Logs]:
    """Logs in messages that are quickly packed."""
    for start in range(0, len(refs), _CHUNK):
        yield Logs(refs[start : start + _CHUNK])


def numbers(logs: Sequence[int]) -> bytes:
    """Numbers of logs, packed."""
    return array("I", logs).tobytes()


def numbered(packed_numbers: bytes) -> Sequence[int]:
    """What `numbers` packed."""
    return array("I", packed_numbers)
