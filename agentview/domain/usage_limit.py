"""How much of a limit of the service is used, and when it is reset, as a log states it."""

from collections.abc import Iterable

from agentview.domain.value import Value

_LONGEST = 400 * 86_400.0
"""Seconds ahead after which a time is none of a reset."""
_LEAST_PASSED = 0.1
"""Part of a window that must have passed before it shows how use continues."""


class UsageLimit(Value):
    """State of one limit by a log; None is unknown. A limit is of an account, not of a session."""

    group: str
    """The provider's id of what is limited; all limits of a group are stated together."""
    name: str | None = None
    """The provider's name of it, where its window does not say that."""
    window: float | None = None
    """Seconds that the limit is counted over."""
    used: float | None = None
    """Used part, 0 to 1."""
    resets: float | None = None
    """When it is reset, epoch seconds."""
    at: float | None = None
    """When the log said so, epoch seconds."""

    @property
    def left(self) -> float | None:
        """The part that is not used, 0 to 1."""
        return None if self.used is None else 1.0 - self.used

    @property
    def until(self) -> float | None:
        """The time until which the figure can be true, epoch seconds; None where that is unknown.

        A limit without a time of its reset is reset after its window at the latest.
        """
        if self.resets is not None or self.at is None or self.window is None:
            return self.resets
        return self.at + self.window

    @property
    def full_at(self) -> float | None:
        """When all of it is used if use continues as since the window began, epoch seconds.

        None where that is after the reset, is not known, or would be a guess from a few minutes.
        """
        if not self.used or self.used >= 1.0 or not self.window:
            return None
        if self.resets is None or self.at is None:
            return None
        began = self.resets - self.window
        passed = self.at - began
        if passed < _LEAST_PASSED * self.window:
            return None
        full = began + passed / self.used
        return full if full < self.resets else None


UsageLimits = tuple[UsageLimit, ...]


def merged(before: UsageLimits, later: UsageLimits) -> UsageLimits:
    """All limits, of each group as it was stated last."""
    groups = {limit.group for limit in later}
    return (*(limit for limit in before if limit.group not in groups), *later)


def current(limits: Iterable[UsageLimit], now: float) -> UsageLimits:
    """The limits whose figures can still be true at the time `now`, epoch seconds.

    One that was reset since it was stated is unknown, as is one that says nothing of its reset.
    """
    return tuple(
        limit
        for limit in limits
        if limit.used is not None and limit.until is not None and now < limit.until < now + _LONGEST
    )
