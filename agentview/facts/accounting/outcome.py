"""Fates of records: each has exactly one, and none is dropped silently."""

from collections.abc import Mapping
from enum import StrEnum


class RecordOutcome(StrEnum):
    """The fate of a record, or of a row; the value is its name for other programs."""

    EVENT = "event"
    """It is in the timeline, in a row of its own or as a part of another one."""
    PARTIAL = "partial"
    """It is in the timeline, but a part of it could not be read."""
    TWIN = "twin"
    """An earlier record says the same."""
    REPLACED = "replaced"
    """A later record took its place."""
    ABANDONED = "abandoned"
    """The conversation went back to before it."""
    HIDDEN = "hidden"
    """Bookkeeping of the client, or counts and titles that have no row; a reason is known."""
    UNKNOWN = "unknown"
    """Well-formed, but nothing knows its type."""
    MALFORMED = "malformed"
    """It could not be read."""
    OVERSIZE = "oversize"
    """Too long to be read at once; its bytes are read on demand."""


SHOWN = frozenset({RecordOutcome.EVENT, RecordOutcome.PARTIAL})
"""Outcomes of records that are in the timeline."""

TROUBLE = frozenset(
    {RecordOutcome.PARTIAL, RecordOutcome.UNKNOWN, RecordOutcome.MALFORMED, RecordOutcome.OVERSIZE}
)
"""Outcomes that a reader should look at."""

_LABELS: Mapping[RecordOutcome, tuple[str, str]] = {
    RecordOutcome.EVENT: ("shown", "in the timeline"),
    RecordOutcome.PARTIAL: ("shown in part", "in the timeline, but a part could not be read"),
    RecordOutcome.TWIN: ("duplicate", "repeats an earlier record"),
    RecordOutcome.REPLACED: ("replaced", "a later record took its place"),
    RecordOutcome.ABANDONED: ("abandoned", "the conversation went back to before it"),
    RecordOutcome.HIDDEN: ("bookkeeping", "not shown; the reason is known"),
    RecordOutcome.UNKNOWN: ("unknown type", "well-formed, but nothing knows its type"),
    RecordOutcome.MALFORMED: ("malformed", "could not be read"),
    RecordOutcome.OVERSIZE: ("oversize", "too long to be read at once"),
}


def label(fate: RecordOutcome) -> str:
    return _LABELS[fate][0]


def meaning(fate: RecordOutcome) -> str:
    return _LABELS[fate][1]
