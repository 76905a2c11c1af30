"""The registry of a format: what makes the events of a record, by its type."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from agentview.domain.activity import RowKind
from agentview.domain.events import Facts, Hidden
from agentview.domain.index_entry import KIND_CODES, EventFact, Flag, Signal
from agentview.providers._kit.typed_records import LightEvent, TypedBuilder

_Builder = TypeVar("_Builder", bound=TypedBuilder[Any])
_Make = Callable[[_Builder], Sequence[LightEvent]]

HIDDEN = KIND_CODES[RowKind.HIDDEN]


class Records(Generic[_Builder]):
    """Functions by types of records: `@records.on("assistant")` registers one.

    `hidden` are types that are not shown, with the reason. All others are unknown.
    """

    def __init__(self, *, hidden: Mapping[str, str]) -> None:
        """Begin with the types that are not shown."""
        self.hidden = hidden
        self.makers: dict[str, _Make[_Builder]] = {}

    def on(self, *types: str) -> Callable[[_Make[_Builder]], _Make[_Builder]]:
        """Register a function that gives the events of records of these types, at least one."""

        def registered(make: _Make[_Builder]) -> _Make[_Builder]:
            self.makers.update(dict.fromkeys(types, make))
            return make

        return registered

    def __call__(self, record: _Builder, record_type: str | None) -> Sequence[LightEvent]:
        """Events of a record of this type; None is a record without one."""
        make = self.makers.get(record_type or "")
        if make is not None:
            return make(record)
        reason = self.hidden.get(record_type or "")
        if reason is None or record_type is None:
            return [record.unknown(record_type or "(none)")]
        return [hidden(record, reason, record_type)]


def hidden(
    record: TypedBuilder[Any],
    reason: str,
    record_type: str,
    *,
    suffix: str = "hidden",
    replaces: str | None = None,
    facts: Facts | None = None,
) -> EventFact:
    """The record, or a part of it, is accounted for, and nothing of it is shown."""
    light = record.part(
        suffix, HIDDEN, Flag.BOOKKEEPING, Hidden, (reason, record_type), replaces=replaces
    )
    if facts is not None:
        light.facts = facts
        light.signal = Signal.ENDED if facts.ended else Signal.NONE
    return light
