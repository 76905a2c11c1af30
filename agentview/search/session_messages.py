"""Requests to the worker that searches one session, and its answers."""

from typing import NamedTuple

from agentview.domain.session import SessionRef
from agentview.search.log_scan import Hit
from agentview.timeline.search import Field

HANDLER = "agentview.search.session_worker:serve"


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
