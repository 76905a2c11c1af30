"""Lets each response count once: for the first log and the first session that has it.

A session that continues in a new log takes its past along: both logs have the same responses, with
the same ids and times. A client may write a response of an agent to the agent's own log and to that
of the session.
"""

from array import array
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import repeat

from agentview.domain.session import SessionRef, Stream, StreamKind

Claim = Callable[[str, float | None, Stream | None], bool]
"""Says of a response (its id, its time, its stream unless it is the log's own) that this log may
count it, and remembers that."""


def always(_response: str, _time: float | None, _stream: Stream | None) -> bool:
    """Let a log count all its responses, whoever has counted them already."""
    return True


class ResponseKeys:
    """A `Claim` that allows all responses of a log and keeps their keys, in order."""

    def __init__(self, log: SessionRef) -> None:
        self._log = log
        self.shared = array("Q")
        """Keys by which sessions have the same response; 0 without a time, which matches none."""
        self.owned = array("Q")
        """Keys by which logs of one session have the same response of an agent; 0 for others."""

    def __call__(self, response: str, time: float | None, stream: Stream | None) -> bool:
        """Note a response."""
        self.shared.append(_shared_key(self._log.provider, response, time))
        self.owned.append(_owned_key(self._log, response, stream))
        return True


class SessionClaims:
    """Which responses the logs of one session may count.

    `earlier` are keys of what other sessions have counted; None where there are no others.
    """

    def __init__(self, provider: str, earlier: set[int] | None = None) -> None:
        self._provider, self._earlier = provider, earlier
        self._owners: dict[int, str] = {}
        """Which log counts a response of an agent."""
        self.counted: set[int] = set()
        """Keys of what this session has counted."""

    def of(self, log: SessionRef) -> Claim:
        """The claim of one of its logs."""

        def claim(response: str, time: float | None, stream: Stream | None) -> bool:
            key = 0 if self._earlier is None else _shared_key(self._provider, response, time)
            return self._may(key, _owned_key(log, response, stream), log.path)

        return claim

    def refused(self, log: SessionRef, shared: "array[int]", owned: "array[int]") -> list[int]:
        """Claim all responses of a log by their keys; gives places of those it may not count.

        `owned` may be empty where no key is an agent's.
        """
        if not any(owned) and (self._earlier is None or self._earlier.isdisjoint(shared)):
            self.counted.update(shared)
            self.counted.discard(0)
            return []
        keys = enumerate(zip(shared, owned or repeat(0), strict=False))
        return [at for at, (key, own) in keys if not self._may(key, own, log.path)]

    def _may(self, shared: int, owned: int, path: str) -> bool:
        if owned and self._owners.setdefault(owned, path) != path:
            return False
        if shared and self._earlier is not None:
            if shared in self._earlier:
                return False
            self.counted.add(shared)
        return True


class ResponseDedupe:
    """Lets each response count for the first of several sessions that has it."""

    def __init__(self) -> None:
        self._earlier: set[int] = set()
        self._last: SessionClaims | None = None

    def of(self, provider: str) -> SessionClaims:
        """The claims of the next session, of a provider."""
        if self._last is not None:
            self._earlier |= self._last.counted
        self._last = SessionClaims(provider, self._earlier)
        return self._last


def all_but(refused: Sequence[int]) -> Claim:
    """A claim of all responses but those at some places."""
    left = iter([*refused, -1])
    at, next_refused = -1, next(left)

    def claim(_response: str, _time: float | None, _stream: Stream | None) -> bool:
        nonlocal at, next_refused
        at += 1
        if at != next_refused:
            return True
        next_refused = next(left)
        return False

    return claim


def _shared_key(provider: str, response: str, time: float | None) -> int:
    return 0 if time is None else _key(f"{provider}\x00{response}\x00{time!r}")


def _owned_key(log: SessionRef, response: str, stream: Stream | None) -> int:
    whose = stream or log.stream
    return 0 if whose.kind is StreamKind.MAIN else _key(f"{whose.id}\x00{response}")


def _key(name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1
