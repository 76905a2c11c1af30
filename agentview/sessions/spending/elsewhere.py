"""What sessions of other machines used, as these count it, or as their copies here show it."""

from collections.abc import Callable, Iterator, Sequence

from agentview.domain.period import Period
from agentview.domain.session import SessionInfo
from agentview.sessions.fleet.connection import HostFailure, all_answers
from agentview.sessions.fleet.hosts import Machines
from agentview.sessions.fleet.protocol import UsageRequest
from agentview.sessions.fleet.spools import usage_of_spools
from agentview.sessions.fleet.usage import outcome_of
from agentview.sessions.library.counted_sessions import SessionOutcome

Counted = tuple[SessionOutcome, SessionInfo]

_SAME = 60.0
"""Seconds by which two periods differ that a moment of a few keys apart has begun."""
_ALIKE = 3_600.0
"""Seconds by which the period may differ of what is shown until machines have answered."""


class Elsewhere:
    """Asks machines; keeps their last answers."""

    def __init__(self, machines: Machines, provider: str | None) -> None:
        self._machines = machines
        self._provider = provider
        self._period: Period | None = None
        self._answers: Sequence[Counted] = ()
        self.failures: tuple[str, ...] = ()
        """Why machines did not answer, a sentence each."""

    @property
    def any(self) -> bool:
        return bool(self._machines.hosts or self._machines.spools)

    def is_known(self, period: Period) -> bool:
        """True if the last answers are for this period, as it is now."""
        return self._is_like(period, _SAME)

    def before(self, period: Period) -> Sequence[Counted] | None:
        """The last answers, if they are for about this period; None for none."""
        return self._answers if self._is_like(period, _ALIKE) else None

    def answers(self, period: Period, stopped: Callable[[], bool]) -> Iterator[Counted]:
        """Ask all machines; each answer as it comes, until `stopped` says so."""
        request = UsageRequest(self._provider, after=period.after, before=period.before)
        found, failures = list[Counted](), list[str]()
        for _, answer in all_answers(self._machines.hosts, request, outcome_of, stopped):
            if isinstance(answer, HostFailure):
                failures.append(f"{answer.message} {answer.hint or ''}".rstrip())
            else:
                found.append(answer)
                yield answer
        for answer in usage_of_spools(self._machines.spools, request):
            if stopped():
                return
            found.append(answer)
            yield answer
        if not stopped():
            self._period, self._answers, self.failures = period, found, tuple(failures)

    def _is_like(self, period: Period, seconds: float) -> bool:
        known = self._period
        if known is None:
            return False
        ends = ((known.after, period.after), (known.before, period.before))
        return all(
            one == other or (one is not None and other is not None and abs(one - other) < seconds)
            for one, other in ends
        )
