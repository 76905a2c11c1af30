"""Totals of logs that a command has read anyway, kept for the next list of sessions."""

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.usage.pricing import PriceList
from agentview.providers.contained import reading
from agentview.sessions.library.log_totals import LogTotals, totals_of_log
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import catalogue


def with_totals(facts: SessionFacts, pricing: PriceList) -> SessionFacts:
    """The facts with totals of the log as it is; as they are where it cannot be read."""
    if facts.is_current:
        return facts
    try:
        with reading(facts.info.ref):
            totals = totals_of_log(facts.info, pricing)
    except AgentViewError:
        return facts
    catalogue().put_totals([(facts.info.ref.path, totals)])
    return replace(facts, totals=totals)


class TotalsToKeep:
    """Adds up the logs that a command reads anyway, of which the catalogue has no totals."""

    def __init__(self, pricing: PriceList) -> None:
        self._pricing = pricing
        self._taken: dict[str, LogTotals] = {}

    def watch(self, log: SessionRef) -> LogTotals | None:
        """What takes the records of a log, if its totals are wanted."""
        facts = catalogue().get(log.path)
        if facts is None or facts.is_current:
            return None
        self._taken[log.path] = totals = LogTotals(facts.info, self._pricing)
        return totals

    def keep(self) -> None:
        """Keep the totals of the logs that were read to their end."""
        catalogue().put_totals(
            [(path, totals.totals()) for path, totals in self._taken.items() if totals.ended]
        )
        self._taken.clear()
