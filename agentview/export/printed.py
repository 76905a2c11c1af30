"""What joined lines are told apart by: what was printed, line numbers, events without a row."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable

from agentview.domain.events import Body, Title, TokenUsage
from agentview.domain.index_entry import RecordFacts
from agentview.export.encoding import to_json_line
from agentview.export.events import Fields

Place = tuple[int, int]
"""Offset of a record, and the number of an event in it."""


class Printed:
    """The last printed form of each line, as a hash, and its revision.

    A line is known by its row, or by its place for an event that has no row.
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._revisions = array("I")
        self._loose: dict[Place, tuple[int, int]] = {}
        self._heirs: dict[int | Place, int] = {}

    def reserve(self, end: int) -> None:
        """Make room for the rows before `end`."""
        missing = bytes(8 * (end - len(self._hashes)))
        self._hashes.frombytes(missing)
        self._revisions.frombytes(missing[: len(missing) // 2])

    def revision(self, key: int | Place) -> int:
        """The last printed revision of a line, 0 for one that was not printed."""
        if isinstance(key, int):
            return self._revisions[key] if key < len(self._revisions) else 0
        return self._loose.get(key, (0, 0))[1]

    def next(self, key: int | Place, line: Fields) -> int | None:
        """The revision that a line is to have now; None when it says what was printed last."""
        digest, known = hash(to_json_line(line)), self.revision(key)
        if known and digest == (self._hashes[key] if isinstance(key, int) else self._loose[key][0]):
            return None
        revision = (known or self._heirs.pop(key, 0)) + 1
        self._set(key, digest, revision)
        return revision

    def hand_over(self, key: int | Place, heir: int | Place) -> None:
        """Let another row go on with the id of a printed line."""
        self._heirs[heir] = self.revision(key)
        self._set(key, 0, 0)

    def _set(self, key: int | Place, digest: int, revision: int) -> None:
        if isinstance(key, int):
            self._hashes[key], self._revisions[key] = digest, revision
        else:
            self._loose[key] = digest, revision


class LineNumbers:
    """1-based numbers of lines by the offsets of their records."""

    def __init__(self) -> None:
        self._offsets = array("Q")
        self._numbers = array("Q")

    def add(self, offset: int, number: int | None) -> None:
        """Take the next record; its number is None where it is not known."""
        if number is not None:
            self._offsets.append(offset)
            self._numbers.append(number)

    def of(self, offset: int) -> int | None:
        """The number of the line that a byte is in."""
        at = bisect_right(self._offsets, offset) - 1
        return self._numbers[at] if at >= 0 else None


class LooseEvents:
    """Counts of tokens and titles, which have no row: which of them is the newest."""

    def __init__(self) -> None:
        self._newest: dict[int, Place] = {}
        self._changed: set[int] = set()

    def take(self, records: Iterable[RecordFacts]) -> None:
        """Take records that follow those before."""
        for record in records:
            for fact in record.events:
                body = fact.usage or fact.title
                if body is None:
                    continue
                key, place = _key(body), (record.offset, fact.sub)
                before = self._newest.get(key)
                if before is not None:
                    self._changed.add(before[0])
                self._newest[key] = place

    def newest(self, body: TokenUsage | Title) -> Place | None:
        """The place of the newest event that counts the same response or gives the same title."""
        return self._newest.get(_key(body))

    def changed(self) -> list[int]:
        """Offsets of records, of whose events one has a newer one now; each is given once."""
        changed, self._changed = sorted(self._changed), set()
        return changed


def is_loose(body: Body) -> bool:
    """True for events that have no row."""
    return isinstance(body, TokenUsage | Title)


def _key(body: TokenUsage | Title) -> int:
    if isinstance(body, Title):
        return hash(("title", body.source, body.target))
    return hash(("total",) if body.total else ("response", body.response_id))
