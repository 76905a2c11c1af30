"""Lines to what the assembler needs of them, without what it takes to show them."""

from collections.abc import Sequence

from agentview.domain.outline import EventFact, RecordFacts, make
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.store.decoding import decode_line
from agentview.store.facts import reduce_record
from agentview.tailing import Line


def reduce_lines(session: SessionRef, lines: Sequence[Line]) -> list[RecordFacts]:
    """Facts of each line: the same as those of its decoded events, and quicker to have."""
    provider = load_provider(session.provider)
    outline = provider.outliner(session) if provider.outliner is not None else _nothing
    reduced: list[RecordFacts] = []
    for line in lines:
        offset, length, data, *_ = line
        events = outline(data) if data is not None else None
        if events is None:
            reduced.append(_decoded(provider, session, line))
        else:
            reduced.append(make(RecordFacts, (offset, length, events)))
    return reduced


def _nothing(_record: bytes) -> tuple[EventFact, ...] | None:
    return None


def _decoded(provider: Provider, session: SessionRef, line: Line) -> RecordFacts:
    events = decode_line(provider, session, line)
    return reduce_record(line.offset, line.length, events, session.stream)
