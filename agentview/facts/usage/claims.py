"""Lets each response count once: for the first log and the first session that has it.

A session that continues in a new log takes its past along, and so does an agent that begins with
the conversation of its session: both logs have the same responses. They are the same by their ids
where these are the vendor's, else by their ids and times. A client may write a response of an agent
to the agent's own log and to that of the session.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from itertools import repeat

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.providers import load_provider

Claim = Callable[[str, float | None, Stream | None], bool]
"""Says of a response (its id, its time, its stream unless it is the log's own) that this log may
count it, and remembers that."""


def always(_response: str, _time: float | None, _stream: Stream | None) -> bool:
    return True


class ResponseKeys:
    """A `Claim` that allows all responses of a log and keeps their keys, in order."""

    def __init__(self, log: SessionRef) -> None:
        self._log = log
        self.shared = array("Q")
        """Keys by which logs have the same response; 0 for one that no other log can have."""
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
        """Which log counts a response, by either key."""
        self.counted: set[int] = set()
        """Keys of what this session has counted."""
        self.repeated: set[int] = set()
        """Keys of what it has too, and earlier sessions have counted."""

    def of(self, log: SessionRef) -> Claim:
        """The claim of one of its logs."""

        def claim(response: str, time: float | None, stream: Stream | None) -> bool:
            shared = _shared_key(self._provider, response, time)
            return self._may(shared, _owned_key(log, response, stream), log.path)

        return claim

    def refused(self, log: SessionRef, shared: "array[int]", owned: "array[int]") -> list[int]:
        """Claim all responses of a log by their keys; gives places of those it may not count.

        `owned` may be empty where no key is an agent's.
        """
        new = self._owners.keys().isdisjoint(shared) and (self._earlier or set()).isdisjoint(shared)
        if new and not any(owned):
            self._owners.update(dict.fromkeys(shared, log.path))
            self._owners.pop(0, None)
            self.counted.update(shared)
            self.counted.discard(0)
            return []
        keys = enumerate(zip(shared, owned or repeat(0), strict=False))
        return [at for at, (key, own) in keys if not self._may(key, own, log.path)]

    def _may(self, shared: int, owned: int, path: str) -> bool:
        for key in (owned, shared):
            if key and self._owners.setdefault(key, path) != path:
                return False
        if shared:
            if self._earlier is not None and shared in self._earlier:
                self.repeated.add(shared)
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
        self._settle()
        self._last = SessionClaims(provider, self._earlier)
        return self._last

    def has_same(self, counted: Iterable[int], repeated: Iterable[int]) -> bool:
        """Return True if a session would count the same again: none of `counted` is, all others."""
        self._settle()
        return self._earlier.isdisjoint(counted) and self._earlier.issuperset(repeated)

    def note(self, counted: Iterable[int]) -> None:
        """Note what a session has counted that is not asked again."""
        self._settle()
        self._earlier.update(counted)

    def _settle(self) -> None:
        if self._last is not None:
            self._earlier |= self._last.counted
            self._last = None


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


_VENDORS_ID = re.compile(r"(?:msg|resp|chatcmpl|gen)[_-][A-Za-z0-9_-]{16,}")
"""Ids of responses as Anthropic, OpenAI and OpenRouter make them."""


def _shared_key(provider: str, response: str, time: float | None) -> int:
    if load_provider(provider).has_vendor_response_ids or _VENDORS_ID.fullmatch(response):
        return _key(response)
    return 0 if time is None else _key(f"{provider}\x00{response}\x00{time!r}")


def _owned_key(log: SessionRef, response: str, stream: Stream | None) -> int:
    whose = stream or log.stream
    return 0 if whose.kind is StreamKind.MAIN else _key(f"{whose.id}\x00{response}")


def _key(name: str) -> int:
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") or 1
