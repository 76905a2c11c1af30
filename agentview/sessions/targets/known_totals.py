"""Totals of logs that a command has read anyway, kept for the next list of sessions."""

from msgspec.structs import replace

from agentview.errors import AgentViewError
from agentview.facts.usage.pricing import PriceList
from agentview.providers.contained import reading
from agentview.sessions.library.log_totals import totals_of_log
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
