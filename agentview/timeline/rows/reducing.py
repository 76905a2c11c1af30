"""Lines to what the assembler needs of them, without what it takes to show them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy

from msgspec.structs import replace

from agentview.domain.activity import RowKind
from agentview.domain.events import Event
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, LightEvent, RecordFacts
from agentview.domain.session import SessionRef
from agentview.normalize.light_events import reduce_record
from agentview.providers import load_provider
from agentview.sources.line_splitter import Line
from agentview.timeline.rows.reading import decode_light

_USER = KIND_CODES[RowKind.USER]


Keep = Callable[[Line, Sequence[LightEvent]], bool]
"""Takes the light events of a line, for who asks for their bodies soon; False if it has enough."""


def reduce_lines(
    session: SessionRef,
    lines: Sequence[Line],
    *,
    calls: bool = False,
    keep: Keep | None = None,
) -> list[RecordFacts]:
    """Facts of each line; no body is made that its decoder can leave open.

    With `calls` the facts of all calls have their `call`, which takes longer. Of a stream in a
    shared log only those that are its own, as if it were the main one; of a branch its records.
    """
    provider, log = load_provider(session.provider), session.log
    records: list[RecordFacts] = []
    for line in lines:
        light = decode_light(provider, log, line)
        if keep is not None and not keep(line, [*map(_whole, light)]):
            keep = None
        records.append(reduce_record(line.offset, line.length, light, calls=calls))
    return own_records(session, records)


def _whole(light: EventFact) -> LightEvent:
    """A light event that stays when its facts are reduced."""
    return light.origin if isinstance(light.origin, Event) else copy(light)


def own_records(session: SessionRef, records: list[RecordFacts]) -> list[RecordFacts]:
    """Of the records of the log of a session, those that are its own; see `reduce_lines`."""
    return list(_of_stream(session, records)) if session.shared else records


def reduce_decoded(
    session: SessionRef, lines: Sequence[Line], take: Callable[[Line, Sequence[Event]], None]
) -> list[RecordFacts]:
    """The same as with `calls`, where somebody takes the events of each line too."""
    provider = load_provider(session.provider)
    reduced: list[RecordFacts] = []
    for line in lines:
        light = decode_light(provider, session, line)
        take(line, [each.event() for each in light])
        reduced.append(reduce_record(line.offset, line.length, light))
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
            yield replace(record, events=tuple(map(_as_main, own)))


def _as_main(fact: EventFact) -> EventFact:
    turn = Flag.TURN if fact.kind == _USER else 0
    return replace(fact, stream=None, flags=fact.flags & ~Flag.SIDE | turn)
