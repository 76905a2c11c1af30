"""Lines to what the assembler needs of them, without what it takes to show them."""

from collections.abc import Sequence

from agentview.domain.outline import RecordFacts
from agentview.domain.session import SessionRef
from agentview.domain.source import SourceRef
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.store.decoding import oversize_event
from agentview.store.facts import reduce_record
from agentview.tailing import Line


def reduce_lines(session: SessionRef, lines: Sequence[Line]) -> list[RecordFacts]:
    """Facts of each line: the same as those of its decoded events, and quicker to have."""
    provider = load_provider(session.provider)
    return [_reduce(provider, session, line) for line in lines]


def _reduce(provider: Provider, session: SessionRef, line: Line) -> RecordFacts:
    source = SourceRef(session.path, line.offset, line.length)
    if line.data is None:
        events = [oversize_event(session, source, line.head)]
        return reduce_record(line.offset, line.length, events, session.stream)
    found = provider.outline(line.data, source, session)
    if isinstance(found, list):
        return reduce_record(line.offset, line.length, found, session.stream)
    return RecordFacts(line.offset, line.length, found)
