"""Totals of logs as they are now, kept for the next list of sessions."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.usage.pricing import PriceList
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.providers.session_logs import session_logs
from agentview.sessions.library.live_list import WithState
from agentview.sessions.library.log_totals import totals_of_log
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import catalogue
from agentview.system.progress import in_turn


def with_totals(facts: SessionFacts, pricing: PriceList) -> SessionFacts:
    """The facts with totals of the log as it is; as they are where it cannot be read."""
    if facts.is_current or facts.info.ref.is_remote:
        return facts
    try:
        with reading(facts.info.ref):
            totals = totals_of_log(facts.info, pricing)
    except AgentViewError:
        return facts
    catalogue().put_totals([(facts.info.ref.path, totals)])
    return replace(facts, totals=totals)


def with_current_totals(found: Iterable[WithState]) -> Iterator[WithState]:
    """The same sessions with totals of them and their agents as their logs are now."""
    pricing = PriceList()
    for each in found:
        agents = tuple(with_totals(agent, pricing) for agent in each.agents)
        yield replace(each, facts=with_totals(each.facts, pricing), agents=agents)


def with_known_totals(found: Sequence[WithState]) -> list[WithState]:
    """The sessions with totals of those that are live or were indexed before.

    To count all the others would take minutes the first time.
    """
    chosen = [each for each in found if each.live or each.facts.totals is not None]
    counted = with_current_totals(in_turn("counting", chosen, len(chosen), "sessions"))
    by_path = {each.facts.info.ref.path: each for each in counted}
    return [by_path.get(each.facts.info.ref.path, each) for each in found]


def agents_of(ref: SessionRef) -> tuple[SessionFacts, ...]:
    """The agents that a session started, at all levels; none where they cannot be found."""
    provider = load_provider(ref.provider)
    try:
        with reading(ref):
            infos = [provider.info(log) for log in session_logs(provider.discovery, ref)[1:]]
    except AgentViewError:
        return ()
    known = (catalogue().get(info.ref.path) for info in infos)
    return tuple(
        SessionFacts(info, facts and facts.totals) for info, facts in zip(infos, known, strict=True)
    )
