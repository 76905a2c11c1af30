"""A whole session for formats of other programs: its joined lines, and each counted response."""

from collections.abc import Callable, Mapping, Sequence

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.facts.usage.claims import SessionClaims
from agentview.facts.usage.price_table import vendor_of
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import SessionUsageReader
from agentview.facts.usage.report import CountedResponse, SessionUsage
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.redaction.values import masked_value
from agentview.reports.export.events import Fields
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import SessionFeed
from agentview.reports.export.masking import masked_line


class SessionData(Value, gc=True):
    """Events and usage of a session, as `agentview events` and `agentview stats` print them."""

    ref: SessionRef
    label: str
    """The name of the client, for people."""
    lines: Sequence[Fields]
    """Joined lines, also those of abandoned branches and those that another one replaced."""
    usage: SessionUsage
    responses: Sequence[CountedResponse]
    agent_labels: Mapping[str, str]
    """Types or descriptions of agents by the ids of their streams."""
    vendor: Callable[[str | None], str | None] = vendor_of
    """Whose model one of this name is; None where that is not known."""


def read_session(
    ref: SessionRef,
    prices: PriceList,
    claims: SessionClaims | None = None,
    *,
    agents: bool = True,
    mask: bool = True,
) -> SessionData:
    """Read a session and the agents that it started. Raises AgentViewError where that fails.

    With `mask`, secrets in what was said and done are masked. `claims` let a response that several
    sessions have count once.
    """
    with reading(ref):
        return _read(ref, prices, claims, agents=agents, mask=mask)


def _read(
    ref: SessionRef, prices: PriceList, claims: SessionClaims | None, *, agents: bool, mask: bool
) -> SessionData:
    provider = load_provider(ref.provider)
    feed = SessionFeed(provider, ref, JoinedLines(provider, every=True), subagents=agents)
    lines = tuple(feed.read())
    reader = SessionUsageReader(ref, prices, claims, agents=agents, each=True)
    reader.poll(over=True)
    labels = {log.ref.stream.id: log.ref.label for log in feed.logs if log.ref.label}
    return SessionData(
        ref=ref,
        label=provider.label,
        lines=tuple(map(masked_line, lines)) if mask else lines,
        usage=masked_value(reader.usage()) if mask else reader.usage(),
        responses=tuple(reader.responses()),
        agent_labels=masked_value(labels) if mask else labels,
    )
