"""Fates of the rows of a session that is open: counted by their codes, nothing is decoded.

Only rows that could not be read are decoded, a bounded number of them, to get the reason.
"""

from collections.abc import Iterator, Mapping
from typing import Protocol

from agentview.domain.activity import RowKind
from agentview.domain.events import Unparsed
from agentview.domain.index_entry import KINDS, Flag
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.sources.line_splitter import DEFAULT_LIMIT
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.rows_protocol import CodedRows, LogRows

CHUNK = 8192
"""Rows that are counted together."""

LOOKED_AT = 512
"""Most unreadable rows of which the reason is found: the newest ones."""


class RowOutcomes(CodedRows, LogRows, Protocol):
    """Rows of a log that are known by codes."""

    def joined_codes(self, start: int, stop: int) -> tuple[bytes, bytes]:
        """Codes of rows whatever of them a reader sees."""
        ...


_CODES = (
    RecordOutcome.EVENT,
    RecordOutcome.TWIN,
    RecordOutcome.REPLACED,
    RecordOutcome.ABANDONED,
    RecordOutcome.HIDDEN,
)
UNREAD = len(_CODES)
"""Code of a row that could not be read."""
_EVENT, _TWIN, _REPLACED, _ABANDONED, _HIDDEN = range(UNREAD)
_JOINED, _JOINED_HIDDEN = 6, 7
"""Shown as a part of another row."""
_HIDDEN_KIND, _UNREAD_KIND = 1, 2


def _of_flags(flags: int) -> int:
    for flag, code in ((Flag.TWIN, _TWIN), (Flag.REPLACED, _REPLACED), (Flag.REWOUND, _ABANDONED)):
        if flags & flag:
            return code
    if flags & Flag.JOINED:
        return _JOINED_HIDDEN if flags & Flag.BOOKKEEPING else _JOINED
    return _HIDDEN if flags & Flag.BOOKKEEPING else _EVENT


def _combined(code: int) -> int:
    """The code that flags (low bits) and kind (high bits) make."""
    flags, kind = code & 15, code >> 4
    if flags == _ABANDONED and kind == _HIDDEN_KIND:
        return _HIDDEN
    if flags in (_ABANDONED, _TWIN) and kind == _UNREAD_KIND:
        # Of equal records that could not be read, the first has the row; none was read.
        return UNREAD
    if flags in (_TWIN, _REPLACED, _ABANDONED):
        return flags
    if flags in (_HIDDEN, _JOINED_HIDDEN) and kind != _HIDDEN_KIND:
        # No bookkeeping by its kind: the whole history was replaced, and this row with it.
        return _REPLACED
    if flags in (_JOINED, _JOINED_HIDDEN):
        return _EVENT
    if kind == _HIDDEN_KIND:
        return _HIDDEN
    return UNREAD if kind == _UNREAD_KIND else _EVENT


def _of_kind(code: int) -> int:
    kind = KINDS[code] if code < len(KINDS) else RowKind.HIDDEN
    if kind is RowKind.HIDDEN:
        return _HIDDEN_KIND << 4
    return _UNREAD_KIND << 4 if kind is RowKind.UNPARSED else 0


_FROM_FLAGS = bytes(_of_flags(flags) for flags in range(256))
_FROM_KIND = bytes(_of_kind(code) for code in range(256))
_STANDS = bytes(not flags & Flag.BOOKKEEPING for flags in range(256))
_COMBINED = bytes(_combined(code) for code in range(256))


def fate_codes(kinds: bytes, flags: bytes) -> bytes:
    """The fate of each row, a byte each: `UNREAD`, or what `fate_of_code` takes.

    Takes what `CodedRows.codes` gives.
    """
    ours = int.from_bytes(kinds.translate(_FROM_KIND), "big")
    theirs = int.from_bytes(flags.translate(_FROM_FLAGS), "big")
    return (ours | theirs).to_bytes(len(kinds), "big").translate(_COMBINED)


def fate_of_code(code: int) -> RecordOutcome:
    """The fate of a row by its code; not for `UNREAD`, which has several."""
    return _CODES[code]


class LiveOutcomes:
    """Counts rows by fate. Call `changed` for every change, also while nobody looks."""

    def __init__(self, rows: RowOutcomes) -> None:
        self._rows = rows
        self._chunks: dict[int, tuple[int, ...]] = {}
        """Number of a chunk -> rows of each code in it, as long as none of them has changed."""
        self._sorted: dict[int, tuple[RecordOutcome, str]] = {}
        self._witness: int | None = None
        """A row that says by becoming bookkeeping that a history was replaced."""

    def changed(self, change: RowsChanged) -> None:
        """Note what is to be counted again."""
        rows = self._rows
        if change.reset:
            self._chunks.clear()
            self._sorted.clear()
            self._witness = None
            return
        for row in change.updated:
            self._chunks.pop(row // CHUNK, None)
            self._sorted.pop(row, None)
        for start, stop in (
            (rows.first, rows.first + change.prepended),
            (rows.end - change.appended, rows.end),
        ):
            for chunk in _chunks(start, stop):
                self._chunks.pop(chunk, None)

    def counts(self) -> Mapping[RecordOutcome, int]:
        """How many rows have each fate; those that could not be read as far as it is known why."""
        totals = self._totals()
        counts = dict.fromkeys(RecordOutcome, 0)
        for fate, count in zip(_CODES, totals, strict=False):
            counts[fate] = count
        for row in [row for row in self._sorted if not self._is_unread(row)]:
            del self._sorted[row]
        for fate, _ in self._sorted.values():
            counts[fate] += 1
        return counts

    @property
    def unsorted(self) -> int:
        return self._totals()[UNREAD] - sum(1 for row in self._sorted if self._is_unread(row))

    def sorting(self) -> Iterator[None]:
        for row in self._places(UNREAD, LOOKED_AT):
            if row not in self._sorted:
                self._sorted[row] = self._look(row)
                yield

    def places(self, fate: RecordOutcome, limit: int = 200) -> list[int]:
        """Rows of a fate, the newest first."""
        if fate in _CODES:
            return self._places(_CODES.index(fate), limit)
        found = (row for row, (known, _) in self._sorted.items() if known is fate)
        return sorted((row for row in found if self._is_unread(row)), reverse=True)[:limit]

    def reason(self, row: int) -> str | None:
        """Why a row could not be read; None when nobody has looked."""
        known = self._sorted.get(row)
        return None if known is None else known[1]

    def _look(self, row: int) -> tuple[RecordOutcome, str]:
        length = self._rows.source(row).length
        body = self._rows.body(row)
        reason = body.reason if isinstance(body, Unparsed) else ""
        if length > DEFAULT_LIMIT:
            return RecordOutcome.OVERSIZE, reason
        unknown = isinstance(body, Unparsed) and not body.malformed
        return (RecordOutcome.UNKNOWN if unknown else RecordOutcome.MALFORMED), reason

    def _is_unread(self, row: int) -> bool:
        if not self._rows.first <= row < self._rows.end:
            return False
        return fate_codes(*self._rows.joined_codes(row, row + 1))[0] == UNREAD

    def _totals(self) -> list[int]:
        rows = self._rows
        self._look_for_replacement()
        totals = [0] * (len(_CODES) + 1)
        for chunk in _chunks(rows.first, rows.end):
            known = self._chunks.get(chunk)
            if known is None:
                codes = self._codes(chunk)
                known = tuple(codes.count(code) for code in range(len(totals)))
                self._chunks[chunk] = known
            totals = [total + count for total, count in zip(totals, known, strict=True)]
        return totals

    def _look_for_replacement(self) -> None:
        """Count all again when a history was replaced, which concerns rows that no change names."""
        rows, witness = self._rows, self._witness
        if witness is not None and rows.first <= witness < rows.end:
            if not rows.joined_codes(witness, witness + 1)[1][0] & Flag.BOOKKEEPING:
                return
            self._chunks.clear()
        start = max(rows.first, rows.end - CHUNK)
        at = rows.joined_codes(start, rows.end)[1].translate(_STANDS).rfind(1)
        self._witness = start + at if at >= 0 else None

    def _codes(self, chunk: int) -> bytes:
        rows = self._rows
        start, stop = max(chunk * CHUNK, rows.first), min((chunk + 1) * CHUNK, rows.end)
        return fate_codes(*rows.joined_codes(start, stop))

    def _places(self, code: int, limit: int) -> list[int]:
        self._totals()
        found: list[int] = []
        rows = self._rows
        for chunk in reversed(_chunks(rows.first, rows.end)):
            if not self._chunks[chunk][code]:
                continue
            codes = self._codes(chunk)
            start = max(chunk * CHUNK, rows.first)
            at = codes.rfind(code)
            while at >= 0 and len(found) < limit:
                found.append(start + at)
                at = codes.rfind(code, 0, at)
            if len(found) >= limit:
                break
        return found


def _chunks(start: int, stop: int) -> range:
    """Numbers of the chunks that hold the rows from `start` to `stop`, negative ones too."""
    return range(start // CHUNK, -(-stop // CHUNK)) if stop > start else range(0)
