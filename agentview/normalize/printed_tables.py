"""Tables in what a command printed, recognized by their form: psql, docker, kubectl, ls -l, CSV.

Caution goes first: where one line does not fit, the lines are left as they were printed.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from agentview.domain.value import Value

_LONGEST = 60_000
"""Characters of an output in which tables are looked for."""
_MOST_COLUMNS = 40
_RULE = re.compile(r"\s*[|+]?(?:\s*:?[-=]+:?\s*[|+])+(?:\s*:?[-=]+:?\s*[|+]?)?\s*")
"""A line below a heading or around a table whose columns are separated by bars."""
_BAR = re.compile(r"(?<!\\)\|")
_UNDERLINES = re.compile(r" *[-=]{2,}(?: +[-=]{2,})+ *")
"""A line below a heading with a stroke for each column."""
_STROKE = re.compile(r"[-=]+")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9%#/()_.:-]*(?: [A-Z0-9%#/()_.:-]+)*(?: {2,}|\t|$)")
_NAME = re.compile(r"\S+(?: \S+)*")
_LONG_LISTING = re.compile(
    r"([-bcdlps][-rwxsStT]{9}[.+@]?) +(\d+) +(\S+) +(\S+) +"
    r"(\d[\d.,]*[KMGTP]?|\d+, *\d+) +"
    r"([A-Z]\w\w +\d+ +[\d:]+|\d{4}-\d\d-\d\d \d\d:\d\d(?::\S+)?(?: [-+]\d{4})?) (.+)"
)
_LISTING_QUIET = frozenset({0, 1, 2, 3, 5})
_NUMBER = re.compile(r"[-+]?[$€£]?\d[\d,]*(?:\.\d+)?\s?(?:%|[A-Za-z]{1,3})?")
_SEPARATORS = (
    (re.compile(r"\.tsv\b|[-=\s]tsv\b", re.IGNORECASE), "\t"),
    (re.compile(r"\.csv\b|[-=\s]csv\b", re.IGNORECASE), ","),
)
"""Words of a command that prints separated values."""


class PrintedTable(Value):
    """Cells without the spaces around them; every row has the same number of them."""

    head: tuple[str, ...]
    """Names of the columns; empty where the command printed none."""
    rows: tuple[tuple[str, ...], ...]
    quiet: frozenset[int] = frozenset()
    """Columns that matter less."""

    @property
    def numeric(self) -> frozenset[int]:
        """Columns that have numbers only."""
        columns = enumerate(zip(*self.rows, strict=True))
        return frozenset(
            number
            for number, cells in columns
            if any(cells) and all(not cell or _NUMBER.fullmatch(cell) for cell in cells)
        )


class OutputPart(Value):
    """Neighbouring lines of an output: a table, or lines as they were printed."""

    lines: tuple[str, ...]
    table: PrintedTable | None = None


# The heights of a body ask for it, then the body.
@lru_cache(maxsize=8)
def printed_tables(text: str, command: str) -> tuple[OutputPart, ...]:
    """Return the parts of an output in their order; nothing of one without tables.

    An output with escape sequences is left as it is, since the colors of a command say more.
    """
    if len(text) > _LONGEST or "\x1b" in text or "\n" not in text.strip("\n"):
        return ()
    lines = text.rstrip("\n").replace("\r\n", "\n").split("\n")
    table = _separated(lines, command)
    parts = [OutputPart(tuple(lines), table)] if table is not None else list(_parts(lines))
    return tuple(parts) if any(part.table is not None for part in parts) else ()


def _parts(lines: list[str]) -> Iterator[OutputPart]:
    begin = at = 0
    while at < len(lines):
        found = _table_at(lines, at)
        if found is None:
            at += 1
            continue
        table, end = found
        if begin < at:
            yield OutputPart(tuple(lines[begin:at]))
        yield OutputPart(tuple(lines[at:end]), table)
        begin = at = end
    if begin < at:
        yield OutputPart(tuple(lines[begin:]))


def _table_at(lines: list[str], at: int) -> tuple[PrintedTable, int] | None:
    """Return the table that begins at a line, and the first line behind it."""
    line, following = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
    if "|" in following and _RULE.fullmatch(line) and "+" in line:
        return _barred(lines, at + 1, bordered=True)
    if "|" in line and _RULE.fullmatch(following):
        return _barred(lines, at, bordered=False)
    if _UNDERLINES.fullmatch(following) and line.strip():
        starts = [stroke.start() for stroke in _STROKE.finditer(following)]
        return _aligned(lines, at, starts, at + 2)
    if _CAPITALS.match(line) and _is_heading(line):
        starts = [name.start() for name in _names(line)]
        return _aligned(lines, at, starts, at + 1)
    if _LONG_LISTING.fullmatch(line):
        return _listing(lines, at)
    return None


def _barred(lines: list[str], at: int, *, bordered: bool) -> tuple[PrintedTable, int] | None:
    """A table whose columns are separated by bars, from its heading on."""
    head, end = _cells(lines[at]), at + 2
    if not 2 <= len(head) <= _MOST_COLUMNS or not _RULE.fullmatch(lines[at + 1] if end else ""):
        return None
    rows: list[tuple[str, ...]] = []
    while end < len(lines) and "|" in lines[end]:
        if not _RULE.fullmatch(lines[end]):
            rows.append(_cells(lines[end]))
        end += 1
    if not rows or any(len(row) != len(head) for row in rows):
        return None
    if bordered:
        if end == len(lines) or not _RULE.fullmatch(lines[end]):
            return None
        end += 1
    return PrintedTable(head, tuple(rows)), end


def _cells(line: str) -> tuple[str, ...]:
    inner = line.strip()
    if inner.startswith("|"):
        inner = inner[1:]
        inner = inner.removesuffix("|")
    return tuple(cell.strip() for cell in _BAR.split(inner))


def _names(line: str) -> Iterator[re.Match[str]]:
    return _NAME.finditer(line)


def _is_heading(line: str) -> bool:
    """Return True for two or more names in capitals, with at least two spaces between them."""
    names = [name[0] for name in _names(line)]
    letters = [name for name in names if sum(map(str.isalpha, name)) > 1]
    return 2 <= len(names) <= _MOST_COLUMNS and len(letters) == len(names) and line == line.upper()


def _aligned(
    lines: list[str], at: int, starts: Sequence[int], first: int
) -> tuple[PrintedTable, int] | None:
    """A table whose columns begin in the same cell of each line, up to the first that does not."""
    head = _sliced(lines[at], starts)
    if head is None or not 2 <= len(starts) <= _MOST_COLUMNS:
        return None
    rows: list[tuple[str, ...]] = []
    end = first
    while end < len(lines):
        row = _sliced(lines[end], starts)
        if row is None:
            break
        rows.append(row)
        end += 1
    return (PrintedTable(head, tuple(rows)), end) if rows else None


def _sliced(line: str, starts: Sequence[int]) -> tuple[str, ...] | None:
    """The cells of a line; None for an empty line and where a text crosses a column's start."""
    if not line.strip() or "\t" in line:
        return None
    if any(start and line[start - 1 : start].strip() for start in starts):
        return None
    ends = [*starts[1:], len(line)]
    return tuple(line[start:end].strip() for start, end in zip(starts, ends, strict=True))


def _listing(lines: list[str], at: int) -> tuple[PrintedTable, int] | None:
    """The lines of a long listing of files, of which there is no heading."""
    rows: list[tuple[str, ...]] = []
    for line in lines[at:]:
        found = _LONG_LISTING.fullmatch(line)
        if found is None:
            break
        rows.append(found.groups())
    if len(rows) < 2:
        return None
    return PrintedTable((), tuple(rows), _LISTING_QUIET), at + len(rows)


def _separated(lines: list[str], command: str) -> PrintedTable | None:
    """Values separated by commas or tabs, as the words of the command say."""
    for words, separator in _SEPARATORS:
        if not words.search(command) or separator not in lines[0]:
            continue
        try:
            rows = [tuple(row) for row in csv.reader(lines, delimiter=separator, strict=True)]
        except csv.Error:
            return None
        sizes = {len(row) for row in rows}
        if len(rows) > 1 and len(sizes) == 1 and 2 <= sizes.pop() <= _MOST_COLUMNS:
            return PrintedTable(tuple(map(str.strip, rows[0])), tuple(rows[1:]))
    return None
