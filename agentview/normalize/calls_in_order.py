"""Which call each record of a log describes or answers, for consumers without rows."""

from typing import TypeVar

from agentview.domain.events import Event, ToolProgress, ToolResult
from agentview.domain.index_entry import NO_ROW, REQUEST, EventFact, Role
from agentview.domain.session_times import row_code
from agentview.domain.value import Value
from agentview.normalize.call_occurrences import Entry, SameId

Key = TypeVar("Key")
Item = TypeVar("Item")

_REMEMBERED = 4096
"""Ids of which it is known what belongs together; one that comes again later is a new call."""


class CallRecord(Value):
    """A record of a call; `call` is the number of the call."""

    call: int
    new: bool
    """True for its first record."""
    asks: bool = False
    """True for a request for permission to make it, and for the answer: no result of the call."""


class CallsById:
    """The calls of each id, for those ids that came last."""

    def __init__(self) -> None:
        self._ids: dict[str, SameId] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._ids

    def of(self, key: str) -> SameId:
        return _keep(self._ids, key, self._ids.pop(key, None) or SameId())


class JoinedCall(Value):
    """The call that an event describes or answers, by the row that stands for it."""

    row: int
    before: int | None
    """The row that stood for it before the event; None for a new call."""


class _Joins:
    """The rule of `call_occurrences` for records that come in file order."""

    def __init__(self) -> None:
        self._row: int = -1
        self._ids = CallsById()

    def _called(self, entry: Entry, call_id: str) -> JoinedCall:
        same = self._ids.of(call_id)
        row = same.take(entry)
        same.early = ()
        if row is None or row == entry.row:
            return JoinedCall(entry.row, None)
        return JoinedCall(entry.row if entry.took_over else row, row)

    def _taken(self, entry: Entry, call_id: str) -> int | None:
        same = self._ids.of(call_id)
        row = same.take(entry)
        same.early = ()
        return row


class CallsOfEvents(_Joins):
    """Takes the events of a log in file order, with the rule of `call_occurrences`."""

    def __init__(self) -> None:
        super().__init__()
        self._offset = -1
        self._sub = 0

    def count(self, event: Event) -> None:
        """Count an event; only the last one that was counted may be joined."""
        self._sub = self._sub + 1 if event.source.offset == self._offset else 0
        self._offset = event.source.offset
        self._row += row_code(event.body) != NO_ROW

    def called(self, event: Event, call_id: str) -> JoinedCall:
        return self._called(self._entry(event, Role.CALL), call_id)

    def answered(self, event: Event, body: ToolResult | ToolProgress) -> int | None:
        """The row of the call that a result or progress belongs to; None before all calls."""
        role = Role.RESULT if isinstance(body, ToolResult) else Role.PROGRESS
        return self._taken(self._entry(event, role), body.call_id)

    def asked(self, event: Event, call_id: str) -> int | None:
        """The row of the call that a request for permission names; None before all calls."""
        return self._taken(self._entry(event, Role.REQUEST), call_id)

    def _entry(self, event: Event, role: int) -> Entry:
        return Entry(
            self._row, role, event.path, event.amends, event.replaces, event.stream,
            event.response_id, sub=self._sub,
        )  # fmt: skip

    def newest(self, call_id: str) -> int | None:
        """The row of the newest call with an id."""
        calls = self._ids.of(call_id).latest
        return calls[-1].row if calls else None


class CallsOfFacts(_Joins):
    """The same for light events, whose `sub` says where in its record each is."""

    def count(self, fact: EventFact) -> None:
        """Count an event; only the last one that was counted may be joined."""
        self._row += fact.kind != NO_ROW

    def called(self, fact: EventFact, call_id: str) -> JoinedCall:
        return self._called(Entry.of(self._row, fact), call_id)

    def answered(self, fact: EventFact, call_id: str) -> int | None:
        """The row of the call that a result or progress belongs to; None before all calls."""
        return self._taken(Entry.of(self._row, fact), call_id)

    def asked(self, fact: EventFact, call_id: str) -> int | None:
        """The row of the call that a request for permission names; None before all calls."""
        return self._taken(Entry.request(self._row, fact), call_id)


class CallsInOrder:
    """Takes the events of a log in file order, with the rule of `call_occurrences`."""

    def __init__(self) -> None:
        self._row = -1
        self._ids = CallsById()
        self._numbers: dict[int, int] = {}
        """Numbers of calls whose record was written again, by the row of its newest form."""
        self._requests: dict[str, int] = {}
        """The calls that requests for permission name, by the ids of the requests."""
        self._seen: set[int] = set()
        """Hashes of ids, of marks of repeated events, and of keys of rows that are rewritten."""

    def take(self, fact: EventFact) -> CallRecord | None:
        """Return the call that a call, a result, or a request for permission belongs to.

        None for all other events, for repetitions, and for what comes before its call.
        """
        if fact.kind != NO_ROW:
            self._row += 1
        key = fact.key
        if key is None or fact.role not in (Role.CALL, Role.RESULT) or self._says_again(fact):
            return None
        if fact.kind == REQUEST or (fact.role == Role.RESULT and key in self._requests):
            return self._ask(fact, key)
        entry = Entry.of(self._row, fact)
        if fact.role == Role.CALL and self._is_forgotten(entry, key):
            return None
        call = self._ids.of(key).take(entry)
        if call is None:
            return None
        if fact.role == Role.CALL:
            self._ids.of(key).adopt()
            if call == entry.row:
                again = fact.replaces is not None and self._note("replaces", fact.replaces)
                return None if again else CallRecord(call, new=True)
        number = self._numbers.get(call, call)
        if entry.took_over:
            self._numbers.pop(call, None)
            _keep(self._numbers, entry.row, number)
        return CallRecord(number, new=False)

    def _ask(self, fact: EventFact, key: str) -> CallRecord | None:
        """Take a request for permission, or what was decided on it."""
        if fact.kind == REQUEST and fact.asked_for is not None:
            call = self._ids.of(fact.asked_for).take(Entry.request(self._row, fact))
            if call is not None:
                _keep(self._requests, key, call)
        named = self._requests.get(key)
        if named is None:
            return None
        return CallRecord(self._numbers.get(named, named), new=False, asks=True)

    def _says_again(self, fact: EventFact) -> bool:
        return fact.dedupe is not None and self._note("says", fact.dedupe)

    def _is_forgotten(self, entry: Entry, key: str) -> bool:
        """Return True for one more record of a call that is too long ago."""
        known = self._note("call", key)
        more = bool(entry.path) or entry.amends or entry.replaces is not None
        return known and more and key not in self._ids

    def _note(self, what: str, key: str) -> bool:
        mark = hash((what, key))
        known = mark in self._seen
        self._seen.add(mark)
        return known


def _keep(kept: dict[Key, Item], key: Key, value: Item) -> Item:
    kept[key] = value
    if len(kept) > _REMEMBERED:
        del kept[next(iter(kept))]
    return value
