"""Requests to the worker that searches one session, and its answers."""

from typing import NamedTuple

from agentview.domain.session import SessionRef
from agentview.query.parser import Term
from agentview.search.log_scan import Hit

HANDLER = "agentview.search.session_worker:serve"


class Request(NamedTuple):
    """Look for a term in the first `end` bytes of a log, outward from byte `origin`."""

    number: int
    session: SessionRef
    term: Term | None = None
    """None has the worker get ready."""
    places: tuple[str, ...] = ()
    """The values of `in:`."""
    origin: int = 0
    end: int = 0


class Answer(NamedTuple):
    """What was found for a request since the last answer to it."""

    number: int
    hits: list[Hit]
    fraction: float
    """Part that has been looked at, 0 to 1; 1 is the last answer."""
    trouble: str | None = None
    """Why the search could not go on; the last answer."""
