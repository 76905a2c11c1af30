"""Records as the assembler takes them: their rows, and what they say about the session."""

from collections.abc import Iterable, Sequence

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts
from agentview.domain.index_entry import KIND_CODES, NO_ROW, EventFact, Flag, RecordFacts
from agentview.domain.value import Value
from agentview.timeline.rows.session_summary import Summary
from agentview.timeline.rows.tables.row_table import Place

_HIDDEN = KIND_CODES[RowKind.HIDDEN]
_NOTHING = EventFact(0, _HIDDEN, Flag.BOOKKEEPING)
"""Stands for a record without an event that has a row."""


class AppliedRecord(Value):
    """Records in rows: where each is, what each says, and what is said without a row."""

    places: list[Place]
    facts: list[EventFact]
    loose: list[tuple[int, EventFact]]
    """Each with the index of the row that it stands at."""


Newest = dict[int, tuple[int, Facts]]
"""The last row that says something about the session, by the identity of what it says."""


def take_records(records: Iterable[RecordFacts]) -> AppliedRecord:
    """Rows of the records, at least one for each.

    An event that has no row of its own stands at the first row of its record.
    """
    places: list[Place] = []
    facts: list[EventFact] = []
    loose: list[tuple[int, EventFact]] = []
    for record in records:
        offset, length = record.offset, record.length
        before = len(places)
        for fact in record.events:
            if fact.kind == NO_ROW:
                loose.append((before, fact))
            else:
                facts.append(fact)
                places.append(Place(offset, length, fact.sub, fact.kind, fact.flags, fact.signal))
        if len(places) == before:
            facts.append(_NOTHING)
            places.append(Place(offset, length, 0, _HIDDEN, Flag.BOOKKEEPING))
    return AppliedRecord(places, facts, loose)


def records_of_rows(records: Sequence[RecordFacts], start: int, rows: int) -> int | None:
    """How many records there are up to the one that ends `rows` rows behind record `start`.

    None where no record ends there.
    """
    for at in range(start, len(records)):
        if rows <= 0:
            break
        rows -= sum(fact.kind != NO_ROW for fact in records[at].events) or 1
        start = at + 1
    return start if rows == 0 and start <= len(records) else None


def sum_up(summary: Summary, start: int, taken: AppliedRecord, newest: Newest) -> None:
    """Add what new rows, which begin at `start`, say about the session."""
    summary.spending.begin(start, taken.facts, taken.loose)
    # The newest first: what is older then mostly has nothing to say.
    for index, fact in reversed(taken.loose):
        row = start + index
        summary.take(row, fact)
        if (
            fact.stream is None
            and fact.facts is not None
            and newest.get(id(fact.facts), (row,))[0] <= row
        ):
            newest[id(fact.facts)] = (row, fact.facts)
    for row, facts in newest.values():
        summary.note(row, facts)
    summary.times.take((fact.kind, fact.time) for fact in taken.facts)
    summary.times.take((fact.kind, fact.time) for _, fact in taken.loose)
