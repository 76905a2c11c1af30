"""Lines to what the assembler needs of them, without what it takes to show them."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from agentview.domain.activity import RowKind
from agentview.domain.events import Event
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, RecordFacts, Role, make
from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.providers.base import Provider
from agentview.sources.line_splitter import Line
from agentview.store.decode_line import decode_line
from agentview.store.index_entry import reduce_record

_USER = KIND_CODES[RowKind.USER]


def reduce_lines(
    session: SessionRef, lines: Sequence[Line], *, calls: bool = False
) -> list[RecordFacts]:
    """Facts of each line: the same as those of its decoded events, and quicker to have.

    With `calls` the facts of all calls have their `call`, which takes longer. Of a stream in a
    shared log only those that are its own, as if it were the main one; of a branch its records.
    """
    if session.shared:
        return list(_of_stream(session, reduce_lines(session.log, lines, calls=calls)))
    provider = load_provider(session.provider)
    outline = provider.reading.outline(session) or _nothing
    reduced: list[RecordFacts] = []
    for line in lines:
        events = outline(line.data) if line.data is not None else None
        if events is None or (calls and any(fact.role == Role.CALL for fact in events)):
            reduced.append(_decoded(provider, session, line))
        else:
            reduced.append(make(RecordFacts, (line.offset, line.length, events)))
    return reduced


def reduce_decoded(
    session: SessionRef, lines: Sequence[Line], take: Callable[[Line, Sequence[Event]], None]
) -> list[RecordFacts]:
    """The same as with `calls`, where somebody takes the events of each line too."""
    provider = load_provider(session.provider)
    reduced: list[RecordFacts] = []
    for line in lines:
        events = decode_line(provider, session, line)
        take(line, events)
        reduced.append(reduce_record(line.offset, line.length, events, session.stream))
    return reduced


def _of_stream(session: SessionRef, records: Iterable[RecordFacts]) -> Iterator[RecordFacts]:
    branch = session.stream == session.log.stream
    for record in records:
        if branch:
            # What the other streams did is nested in it, as in the log.
            if record.offset in session.records:
                yield record
            continue
        if session.records:
            listed = record.offset in session.records
            own = [fact for fact in record.events if listed and fact.stream is not None]
        else:
            own = [fact for fact in record.events if fact.stream == session.stream]
        if own:
            yield record._replace(events=tuple(map(_as_main, own)))


def _as_main(fact: EventFact) -> EventFact:
    turn = Flag.TURN if fact.kind == _USER else 0
    return fact._replace(stream=None, flags=fact.flags & ~Flag.SIDE | turn)


def _nothing(_record: bytes) -> tuple[EventFact, ...] | None:
    return None


def _decoded(provider: Provider, session: SessionRef, line: Line) -> RecordFacts:
    events = decode_line(provider, session, line)
    return reduce_record(line.offset, line.length, events, session.stream)
