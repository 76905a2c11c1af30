"""What the children that search and that build the index are told, and what they say."""

import pickle
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from agentview.domain.session import SessionRef
from agentview.search.indexer import Progress
from agentview.search.results import Options, Told

HEADER = 8
"""Bytes of the length before each message."""


class Logs(NamedTuple):
    """Further logs; their numbers go on where those of the last message ended."""

    refs: Sequence[SessionRef]


class Ask(NamedTuple):
    """Search in logs, the newest first, by their numbers as `numbers` packs them.

    It ends the search before it.
    """

    number: int
    line: str
    fields: frozenset[str]
    typing: bool
    logs: bytes
    options: Options


class Build(NamedTuple):
    """Bring the index up to date with logs, the newest first."""

    logs: bytes


class Answer(NamedTuple):
    """What the search of that number has to tell."""

    number: int
    told: Told


Message = Logs | Ask | Build | Answer | Progress


def numbers(logs: Sequence[int]) -> bytes:
    """Numbers of logs, packed."""
    return array("I", logs).tobytes()


def numbered(packed_numbers: bytes) -> Sequence[int]:
    """What `numbers` packed."""
    return array("I", packed_numbers)


def packed(message: Message) -> bytes:
    """A message as it goes through a pipe."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(HEADER, "big") + data
