"""Lines to what the assembler needs of them."""

from collections.abc import Sequence

from agentview.domain.outline import RecordFacts
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.store.decoding import decode_line
from agentview.store.facts import reduce_record
from agentview.tailing import Line


def reduce_lines(session: SessionRef, lines: Sequence[Line]) -> list[RecordFacts]:
    """Decode lines and keep what joins them with others."""
    provider = load_provider(session.provider)
    return [
        reduce_record(
            line.offset, line.length, decode_line(provider, session, line), session.stream
        )
        for line in lines
    ]
