"""Printed lines of a session that is followed, so that only new and changed ones are printed."""

from array import array

from agentview.domain.events import Event
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.events import Fields

Place = tuple[int, int]
"""Offset of a record, and the number of an event in it."""

_PLACES = frozenset({"records", "source"})
"""Keys of a line that say where its records are."""
_HIDDEN = "hidden"
"""Type of the line of what is not shown."""


def without_places(line: Fields) -> Fields:
    """The line without the places of its records, which move as a document is written again."""
    return {key: value for key, value in line.items() if key not in _PLACES}


class PrintedLines:
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

    def revision(self, key: int | Place, event: Event) -> int:
        """The last printed revision of the line of an event, 0 for one that was not printed."""
        _ = event
        return self._known(key)

    def _known(self, key: int | Place) -> int:
        if isinstance(key, int):
            return self._revisions[key] if key < len(self._revisions) else 0
        return self._loose.get(key, (0, 0))[1]

    def next(self, key: int | Place, line: Fields) -> int | None:
        """The revision that a line is to have now; None when it says what was printed last."""
        digest, known = hash(to_json_line(line)), self._known(key)
        if known and digest == (self._hashes[key] if isinstance(key, int) else self._loose[key][0]):
            return None
        revision = (known or self._heirs.pop(key, 0)) + 1
        self._set(key, digest, revision)
        return revision

    def hand_over(self, key: int | Place, heir: int | Place) -> None:
        """Let another row continue with the id of a printed line."""
        self._heirs[heir] = self._known(key)
        self._set(key, 0, 0)

    def _set(self, key: int | Place, digest: int, revision: int) -> None:
        if isinstance(key, int):
            self._hashes[key], self._revisions[key] = digest, revision
        else:
            self._loose[key] = digest, revision


class PrintedIds:
    """Printed lines of a log that may be written again, by their ids.

    Rows and places change then, so that they name nothing. A line that
    says the same as before from another place is not printed again.
    """

    def __init__(self) -> None:
        self._said: dict[str, tuple[int, int]] = {}
        self._left: set[str] = set()
        self._hidden: set[str] = set()

    def reserve(self, end: int) -> None:
        """Nothing: ids need no room before they are printed."""

    def compare(self) -> None:
        """Look from now on which of the printed lines come again.

        What is not shown is not looked for: a client may take back what it noted for itself.
        """
        self._left = self._said.keys() - self._hidden

    def left(self) -> bool:
        """Return True if a printed line has not come again since `compare`."""
        return bool(self._left)

    def revision(self, key: int | Place, event: Event) -> int:
        """The last printed revision of the line of an event, 0 for one that was not printed."""
        _ = key
        return self._said.get(event.id, (0, 0))[1]

    def next(self, key: int | Place, line: Fields) -> int | None:
        """The revision that a line is to have now; None when it says what was printed last."""
        _ = key
        own, digest = str(line["id"]), hash(to_json_line(without_places(line)))
        before, revision = self._said.get(own, (0, 0))
        self._left.discard(own)
        if revision and digest == before:
            return None
        self._said[own] = digest, revision + 1
        if line["type"] == _HIDDEN:
            self._hidden.add(own)
        else:
            self._hidden.discard(own)
        return revision + 1

    def hand_over(self, key: int | Place, heir: int | Place) -> None:
        """Nothing: who continues with the id has what was printed under it."""
