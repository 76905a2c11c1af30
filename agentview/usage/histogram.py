"""How much was used when: sums by stretches of time, which get longer as the session does."""

from collections.abc import Iterator

from agentview.usage.report import HistogramBucket

POINTS = 512
"""Stretches at most."""

_FIRST = 15.0
"""Seconds of a stretch at the beginning."""


class TokenHistogram:
    """Tokens and dollars by the time of each response; one without a time does not count."""

    def __init__(self) -> None:
        self.seconds = _FIRST
        self.sums: dict[int, tuple[int, float]] = {}
        """By whole stretches since the epoch."""

    def add(self, time: float | None, tokens: int, cost: float) -> None:
        """Count a response; `time` in epoch seconds."""
        if time is not None:
            self._put(int(time // self.seconds), tokens, cost)

    def merge(self, other: "TokenHistogram") -> None:
        """Count all that another has counted."""
        while self.seconds < other.seconds:
            self._double()
        for at, (tokens, cost) in other.sums.items():
            self._put(int(at * other.seconds // self.seconds), tokens, cost)

    def points(self) -> Iterator[HistogramBucket]:
        """All stretches from the first in which something was used to the last."""
        if self.sums:
            for at in range(min(self.sums), max(self.sums) + 1):
                tokens, cost = self.sums.get(at, (0, 0.0))
                yield HistogramBucket(at * self.seconds, self.seconds, tokens, cost)

    def _put(self, at: int, tokens: int, cost: float) -> None:
        known = self.sums.get(at, (0, 0.0))
        self.sums[at] = (known[0] + tokens, known[1] + cost)
        if len(self.sums) > 1 and known == (0, 0.0):
            while max(self.sums) - min(self.sums) >= POINTS:
                self._double()

    def _double(self) -> None:
        sums, self.sums = self.sums, {}
        self.seconds *= 2
        for at, (tokens, cost) in sums.items():
            known = self.sums.get(at >> 1, (0, 0.0))
            self.sums[at >> 1] = (known[0] + tokens, known[1] + cost)
