"""What the search child and its parent say to each other."""

import pickle
from typing import NamedTuple

from agentview.domain.session import SessionRef
from agentview.search.log_scan import Hit
from agentview.timeline.search import Field

HEADER = 8
"""Bytes of the length before each message."""


class Request(NamedTuple):
    """Look for `query` in the first `end` bytes of a log, outward from byte `origin`."""

    number: int
    session: SessionRef
    query: str = ""
    origin: int = 0
    end: int = 0
    field: Field = Field.TEXT
    """Where in an activity `query` is looked for."""


class Answer(NamedTuple):
    """What was found for a request since the last answer to it."""

    number: int
    hits: list[Hit]
    fraction: float
    """Part that has been looked at, 0 to 1; 1 is the last answer."""
    trouble: str | None = None
    """Why the search could not go on; the last answer."""


def packed(message: Request | Answer) -> bytes:
    """A message as it goes through the pipe."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(data).to_bytes(HEADER, "big") + data
