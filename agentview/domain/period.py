"""A stretch of time that sessions and what happened in them are selected by."""

from agentview.domain.value import Value


class Period(Value):
    """From `after` until just before `before`, epoch seconds; None is without an end there."""

    after: float | None = None
    before: float | None = None

    @property
    def is_all(self) -> bool:
        """True for all of time, in which is also what has no known time."""
        return self.after is None and self.before is None

    def has(self, time: float | None) -> bool:
        """Return True if a moment is in it; an unknown one is in no period with an end."""
        if time is None:
            return self.is_all
        return (self.after is None or time >= self.after) and (
            self.before is None or time < self.before
        )

    def has_all(self, first: float, last: float) -> bool:
        return self.has(first) and self.has(last)

    def has_none(self, first: float, last: float) -> bool:
        """Return True if it has nothing of what happened from one moment to another."""
        ended = self.after is not None and last < self.after
        return ended or (self.before is not None and first >= self.before)


ALL_TIME = Period()
