"""Which records describe one call, and which call a result belongs to.

An id is unique only as far as its format promises: for a response, a turn, or not at all. So a call
is an occurrence, and its id only narrows down what can belong to it:

- A record that amends a call (`amends` without a `path`) belongs to the newest one with its id.
- Where a format records each call by several paths (`path`: by the response and by an event, or
  streamed and whole), a record belongs to the first call of the newest response that was not yet
  recorded by its path. Any other record is a new call.
- A record of a call that is not over before it (`OPEN`) belongs to a call that waits: by this path
  alone to the newest, by one that begins with it to the first that was not yet recorded by that or
  by one that extends it. Two calls of one record are not the same.
- A record that may only say again what another one says (`REPEATED`) belongs to the newest as well.
- A result belongs to the newest response with a call of its id that has no result by this path;
  there to the first such call, since results of parallel calls come in the order of the calls. Then
  to the newest older call without any result. Calls of its own stream come before others.
- A result beyond these is one more of the newest call. One in front of all calls with its id
  belongs to the first.
- Progress and a request for permission belong to the call that a result would belong to.
- An outcome reported later belongs to the newest call whose result says that it began what the
  outcome names (`RUNS`), else to the newest call.

Calls of a response have its id. Where there is none, calls whose records are neighbors are of one,
and drafts (`amends`) of which no whole call was recorded yet.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Self, TypeVar, cast

from msgspec import Struct
from msgspec.structs import astuple

from agentview.domain.events import OPEN, REPEATED, RUNS
from agentview.domain.index_entry import EventFact, Role
from agentview.domain.session import Stream
from agentview.domain.value import Value

NO_PATHS = frozenset[str]()
MOST = 256
"""Calls with one id of one response, and older ones among which the call of a result is found."""


class Entry(Struct, eq=False, gc=False, array_like=True, omit_defaults=True):
    """Facts of a record that decide which call of its key it belongs to."""

    row: int
    role: int
    path: str = ""
    amends: bool = False
    replaces: str | None = None
    stream: Stream | None = None
    response: str | None = None
    signal: int = 0
    child: Stream | None = None
    begins: bool = False
    """A call that begins a response when nothing before it was open: what follows is its own."""

    took_over: bool = False
    """It takes the place of the record before it."""
    sub: int = 0
    """Its place in its record."""

    @classmethod
    def request(cls, row: int, fact: EventFact) -> Self:
        return cls(row, Role.REQUEST, stream=fact.stream, sub=fact.sub)

    @property
    def takes_over(self) -> bool:
        """True for a record that takes the place of an earlier one of the same call."""
        return self.replaces is not None and not self.amends

    def same_record(self, before: "Entry") -> bool:
        return self.row - before.row == self.sub - before.sub

    @classmethod
    def of(cls, row: int, fact: EventFact) -> Self:
        return cls(
            row, fact.role, fact.path, fact.amends, fact.replaces, fact.stream, fact.response,
            fact.signal, fact.child, sub=fact.sub,
        )  # fmt: skip


State = tuple[Any, ...]
"""The calls of an id, for another process or for a file."""


class OpenCall(Value):
    """A call without a result, or that began what runs on, as another process takes it over."""

    key: str
    row: int
    signal: int
    stream: Stream | None
    response: str | None
    paths: tuple[str, ...]
    replaces: str | None
    results: tuple[str, ...]


class Occurrence(Struct, eq=False, gc=False):
    """A call: the row that it stands at, and by which paths it was recorded and answered.

    `calls` is None where only the row is known: no path is missing then.
    """

    row: int
    stream: Stream | None
    response: str | None
    calls: frozenset[str] | None
    results: frozenset[str] = NO_PATHS
    replaces: str | None = None

    @property
    def waits(self) -> bool:
        return not self.results and self.calls is not None

    @property
    def runs(self) -> bool:
        """True for a call that began what runs on, also when the end of that was reported."""
        return any(path.startswith(RUNS) for path in self.results)

    def answer(self, path: str) -> None:
        """Take a result."""
        self.results = _with(self.results, path)
        if path.startswith(RUNS):
            self.results = _with(self.results, "")


class SameId(Struct, gc=False):
    """The calls that have one id."""

    newest: tuple[Occurrence, ...] = ()
    """Those of the newest response, in order."""
    older: list[Occurrence] | tuple[()] = ()
    """Those of earlier responses that have no result, in order."""
    running: tuple[Occurrence, ...] = ()
    """Those of earlier responses that began what runs on, in order."""
    early: list[Entry] | tuple[()] = ()
    """Entries before the first call."""
    last: Entry | None = None
    """The newest record of a call."""
    latest: tuple[Occurrence, ...] = ()
    """The calls that it describes, in order."""

    @property
    def end(self) -> int:
        """The newest row of which something is known."""
        if self.last is not None:
            return self.last.row
        known = (*self.newest, *self.older[-1:], *self.early[-1:])
        return max((each.row for each in known), default=-1)

    def state(self) -> "State":
        """The calls in tuples, and what came before the first."""
        last = None if self.last is None else (self.last.row, self.last.sub)
        calls = (self.newest, self.older, self.running)
        return (
            *(tuple(map(_state, each)) for each in calls),
            last,
            tuple(map(astuple, self.early)),
        )

    @classmethod
    def of(cls, state: "State", by: int = 0) -> Self:
        """The calls of a state, with rows numbered `by` higher."""
        newest, older, running, last, early = state
        made = cls(
            _occurrences(newest, by),
            _with_more((), [*_occurrences(older, by)]),
            _occurrences(running, by),
        )
        if last is not None:
            row, sub = last
            made.last = Entry(row + by, Role.CALL, sub=sub)
        made.early = _with_more((), [Entry(row + by, *rest) for row, *rest in early])
        return made

    def copy(self) -> "SameId":
        """One that may change on its own."""
        copies = {id(call): _copy(call) for call in (*self.newest, *self.older, *self.running)}
        newest = tuple(copies[id(call)] for call in self.newest)
        older = _with_more((), [copies[id(call)] for call in self.older])
        running = tuple(copies[id(call)] for call in self.running)
        latest = tuple(copies.get(id(call)) or _copy(call) for call in self.latest)
        return SameId(newest, older, running, _with_more((), [*self.early]), self.last, latest)

    @property
    def idle(self) -> bool:
        """True when the next record belongs to none before it, unless it is an end by name."""
        return not (self.older or self.early or any(call.waits for call in self.newest))

    @property
    def begun(self) -> tuple[Occurrence, ...]:
        """The calls that began what runs on, in order."""
        return (*self.running, *(call for call in self.newest if call.runs))

    def began(self, path: str) -> Occurrence | None:
        """The newest call that began what an end names by its path."""
        named = (call for call in reversed(self.begun) if path and path in call.results)
        return next(named, None)

    @property
    def open_calls(self) -> list[Occurrence]:
        """The calls without a result, and those that began what runs on, each in order."""
        newest = (call for call in self.newest if call.waits or call.runs)
        return [*self.older, *self.running, *newest]

    def take(self, entry: Entry) -> int | None:
        """The row of the call that the next record belongs to: its own for a new call.

        None for one that comes before all calls; `early` has it until the first call.
        """
        if entry.role == Role.CALL:
            return self._call(entry)
        if not self.newest and not self.older:
            self.early = _with_more(self.early, [entry])
            return None
        if entry.role == Role.OUTCOME:
            calls = cast("Sequence[Occurrence]", self.newest or self.older)
            return (self.began(entry.path) or calls[-1]).row
        found = self._answered_by(entry)
        if entry.role == Role.RESULT:
            found.answer(entry.path)
            self._drop_answered(found)
        return found.row

    def adopt(self) -> Sequence[Entry]:
        """Give the first call the records that came before it."""
        early, self.early = self.early, ()
        for entry in early:
            if entry.role == Role.RESULT:
                self.newest[0].answer(entry.path)
        return early

    def same_response(self, entry: Entry) -> bool:
        """Return True if a new call is of the same response as the newest ones."""
        if not self.newest:
            return False
        last = self.newest[-1]
        if last.stream != entry.stream:
            return False
        if last in self._said_by(entry):
            return True
        if last.response is None or entry.response is None:
            near = self.last is not None and entry.row - self.last.row <= 1
            return near or (
                entry.amends and last.calls == _with(NO_PATHS, entry.path) and last.waits
            )
        return last.response == entry.response

    def partner(self, entry: Entry) -> Occurrence | None:
        """The known call that another record of a call describes; None for a new one."""
        calls: Sequence[Occurrence] = self.newest or self.older[-1:]
        if not calls:
            return None
        if entry.path == REPEATED:
            return _last(calls, entry.stream)
        if entry.path.startswith(OPEN):
            return self._open(entry)
        if entry.replaces is not None and not entry.path:
            latest = (*self.newest, *islice(reversed(self.older), MOST))
            same = (each for each in latest if each.replaces == entry.replaces)
            known = next(same, None)
            if known is not None or entry.amends:
                return known
        elif entry.amends and not entry.path:
            return _last(calls, entry.stream)
        return next((each for each in calls if _lacks(each, entry)), None)

    def _open(self, entry: Entry) -> Occurrence | None:
        """The call that waits and that a record describes which shows that it is not over."""
        older = islice(reversed(self.older), MOST)
        newest = reversed(self.newest) if entry.path == OPEN else self.newest
        waiting = (each for each in (*newest, *older) if each.waits and each.stream == entry.stream)
        said = self._said_by(entry)
        unsaid = (each for each in waiting if each not in said)
        return next((each for each in unsaid if not _says_more(each, entry.path)), None)

    def _said_by(self, entry: Entry) -> tuple[Occurrence, ...]:
        return self.latest if self.last is not None and entry.same_record(self.last) else ()

    def _call(self, entry: Entry) -> int:
        known = self.partner(entry)
        near, entry.begins = self.same_response(entry), False
        if known is not None:
            before = known.row
            self._describes(entry, known)
            known.calls = None if known.calls is None else _with(known.calls, entry.path)
            entry.took_over = entry.takes_over and entry.replaces == known.replaces
            if entry.took_over:
                known.row = entry.row
            known.replaces = entry.replaces or known.replaces
            return before
        if not near or len(self.newest) >= MOST:
            entry.begins = self.idle
            self.older = _with_more(self.older, [call for call in self.newest if call.waits])
            self.running = self.begun[-MOST:]
            self.newest = ()
        own = Occurrence(
            entry.row, entry.stream, entry.response, _with(NO_PATHS, entry.path),
            replaces=entry.replaces,
        )  # fmt: skip
        self.newest = (*self.newest, own)
        self._describes(entry, own)
        return entry.row

    def _describes(self, entry: Entry, call: Occurrence) -> None:
        if self.last is None or not entry.same_record(self.last):
            self.latest = ()
        self.last = entry
        latest = (*self.latest[1 - MOST :], call)
        self.latest = self.newest if latest == self.newest else latest

    def _answered_by(self, entry: Entry) -> Occurrence:
        if self.last is not None and entry.same_record(self.last):
            missing = (call for call in self.latest if _misses(call, entry.path))
            return next(missing, self.latest[-1])
        for own in (True, False):
            for call in self.newest:
                if (call.stream == entry.stream) == own and _misses(call, entry.path):
                    return call
            for call in islice(reversed(self.older), MOST):
                if (call.stream == entry.stream) == own:
                    return call
        return _last(self.newest or self.older, entry.stream)

    def _drop_answered(self, call: Occurrence) -> None:
        if not self.older:
            return
        for at in range(len(self.older) - 1, max(-1, len(self.older) - 1 - MOST), -1):
            if self.older[at] is call:
                del self.older[at]
                return


Each = TypeVar("Each")


def _with_more(known: list[Each] | tuple[()], more: list[Each]) -> list[Each] | tuple[()]:
    """A list with more in it: most ids have none of their own."""
    if not known:
        return more or ()
    known.extend(more)
    return known


def _last(calls: Sequence[Occurrence], stream: Stream | None) -> Occurrence:
    """The newest call, of a stream if it has one."""
    own = (each for each in islice(reversed(calls), MOST) if each.stream == stream)
    return next(own, calls[-1])


def _lacks(call: Occurrence, entry: Entry) -> bool:
    """Return True if a call was not yet recorded by the path of a record."""
    if call.calls is None:
        return bool(entry.path)
    return entry.path not in call.calls and call.stream == entry.stream


def _says_more(call: Occurrence, path: str) -> bool:
    return path != OPEN and any(known.startswith(path) for known in call.calls or ())


def _misses(call: Occurrence, path: str) -> bool:
    own = "" if path.startswith(RUNS) else path
    return call.calls is not None and own not in call.results


@lru_cache(maxsize=1024)
def _with(paths: frozenset[str], path: str) -> frozenset[str]:
    """The paths with one more; the same object each time, since most calls have the same few."""
    return paths | {path}


def _copy(call: Occurrence) -> Occurrence:
    return Occurrence(call.row, call.stream, call.response, call.calls, call.results, call.replaces)


def _state(call: Occurrence) -> tuple[Any, ...]:
    paths = None if call.calls is None else tuple(sorted(call.calls))
    results = tuple(sorted(call.results))
    return call.row, call.stream, call.response, paths, results, call.replaces


def _occurrences(states: Iterable[tuple[Any, ...]], by: int) -> tuple[Occurrence, ...]:
    return tuple(
        Occurrence(
            row + by, stream, response, None if paths is None else frozenset(paths),
            frozenset(results), replaces,
        )
        for row, stream, response, paths, results, replaces in states
    )  # fmt: skip


def known_only(row: int) -> Occurrence:
    return Occurrence(row, None, None, None)


def replay(known: SameId, entries: Iterable[Entry]) -> tuple[list[tuple[Entry, int | None]], bool]:
    """Take records behind those that are `known`: what each belongs to, as far as that may be new.

    Also whether all were taken; from where none was, all is as if nothing were in front.
    """
    taken: list[tuple[Entry, int | None]] = []
    for entry in entries:
        if (
            entry.begins
            and known.idle
            and not known.same_response(entry)
            and known.partner(entry) is None
        ):
            return taken, False
        first = not known.newest and not known.older
        target = known.take(entry)
        taken.append((entry, target))
        if first and entry.role == Role.CALL:
            taken += [(each, entry.row) for each in known.adopt()]
    return taken, True
