"""How one line of a diff looks: number and sign, syntax colours, marks on what changed in it.

Also which row shows which part of which line, where most lines take one row.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import accumulate

from rich.segment import Segment
from rich.style import Style

from agentview.timeline.view.diff.from_call import FileDiff
from agentview.timeline.view.diff.rows import BETWEEN, DiffLines
from agentview.timeline.view.diff.word_diff import Spans, changed_space, changed_words
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import TAB_SIZE, clean
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.strip import width_of
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import (
    COUNTED,
    Piece,
    fit,
    fold_count,
    fold_cuts,
    over,
    slice_pieces,
)

_BOTH_NUMBERS_FROM = 64
"""Cells of text next to which there is room for the numbers of both files."""
_KEPT = 512
"""Lines whose marks, and folded lines whose pieces, are kept for their other rows."""

_READ_WHOLE = 512
"""Lines of a hunk up to which it is read from its first line."""
_SECTION = 192
"""Lines of a longer hunk that are read together, and so many in front of them: what they are in,
such as a text of several lines, may begin there."""
_RUN_UP = 32

_NO_STYLE = Style.null()
_CHUNK = 512
"""Lines that are examined together for those that take several rows."""

_Folded = tuple[list[Piece], list[int]]


class DiffInk:
    """The lines of a diff with their looks; a line is read only when it is drawn."""

    def __init__(self, diff: FileDiff, space: RenderContext) -> None:
        self.space = space
        self.lines = DiffLines(diff.hunks, numbered=diff.numbered)
        self._diff = diff
        returns, self._mixed_ends = _returns(self.lines.raw)
        self._cut_returns = returns and not self._mixed_ends
        self._readers: dict[tuple[int, str], Highlighter] = {}
        self._changed: OrderedDict[int, Spans] = OrderedDict()
        self._folded: OrderedDict[tuple[int, int], _Folded] = OrderedDict()
        self._filled: dict[tuple[Style, Style], Style] = {}
        self.digits = _digits(diff) if diff.numbered else 0

    @property
    def one_sided(self) -> bool:
        """True if all lines were added, or all removed."""
        signs = self.lines.signs
        return " " not in signs and ("-" not in signs or "+" not in signs)

    @property
    def both_numbers(self) -> bool:
        """True if a line that stands below others has room for the numbers of both files."""
        if self.one_sided or not self.digits:
            return False
        return self.space.width - 2 * self.digits - 4 >= _BOTH_NUMBERS_FROM

    def tall(self, room: int) -> dict[int, int]:
        """Lines that take several rows of `room` cells, with the number of them."""
        signs, signed = self.lines.signs, self.lines.raw
        if self._cut_returns:
            signed = [line.removesuffix("\r") for line in signed]
        tall = tall_lines(signed, room)
        if "\\" in signs:
            # Notes are cut.
            tall = {at: rows for at, rows in tall.items() if signs[at] != "\\"}
        return tall

    def gutter(self, index: int, *, side: str, first: bool) -> Piece:
        """Numbers and sign of a line, nothing on its further rows.

        `side` is '-' or '+' for the number of that file alone, ' ' for both, empty for the one
        that the line is in.
        """
        lines, palette = self.lines, self.space.palette
        sign = lines.signs[index]
        style = {"+": palette.added_gutter, "-": palette.removed_gutter}.get(sign, palette.dim)
        shown = sign if first and sign in "+-" else " "
        digits = self.digits
        if not digits:
            return f"{shown} ", style
        numbers = lines.numbers(index) if first else (None, None)
        old, new = ("" if number is None else str(number) for number in numbers)
        if side == " ":
            return f"{old:>{digits}} {new:>{digits}} {shown} ", style
        number = {"-": old, "+": new}.get(side, new or old)
        return f"{number:>{digits}} {shown} ", style

    def gutter_width(self, side: str) -> int:
        """Cells of numbers and sign."""
        if not self.digits:
            return 2
        return (2 * self.digits + 4) if side == " " else self.digits + 3

    def row(
        self, index: int, part: int, *, side: str, width: int, fold: bool
    ) -> tuple[list[Segment], int]:
        """One row of a line, and how wide it is: `width` where it has a background of its own."""
        gutter = self.gutter(index, side=side, first=part == 0)
        room = max(1, width - self.gutter_width(side))
        pieces = self._part(index, part, room) if fold else self.pieces(index)
        used = len(gutter[0])
        size = sum([width_of(text) for text, _ in pieces])
        if size > room:
            pieces = [
                (text, style or _NO_STYLE)
                for text, style, _ in fit(pieces, room, "" if fold else self.space.glyphs.ellipsis)
            ]
            size = sum([width_of(text) for text, _ in pieces])
        used += size
        fill = self._fill(index)
        if fill is None:
            return [Segment(*gutter), *[Segment(text, style) for text, style in pieces]], used
        over = self._over
        found = [Segment(text, over(fill, style)) for text, style in (gutter, *pieces)]
        if used < width:
            found.append(Segment(" " * (width - used), fill))
        return found, max(used, width)

    def between(self, index: int) -> list[Piece]:
        """Return the gap above a hunk, and the context of the hunk."""
        palette, dots = self.space.palette, self.space.glyphs.hunk
        count = self.lines.left_out(index)
        heading = clean(self.lines.hunks[self.lines.hunk(index)].heading)
        before = f"{dots:>{max(1, self.digits)}}"
        if count:
            before += f" {counted(count, 'unchanged line')} {dots}"
        row: list[Piece] = [(before, palette.dim)]
        if heading:
            row.append((f"  {heading}", palette.comment))
        return row

    def pieces(self, index: int) -> list[Piece]:
        """The clean text of a line with syntax colours and marks."""
        palette, sign = self.space.palette, self.lines.signs[index]
        if sign == BETWEEN:
            return self.between(index)
        if sign == "\\":
            return [(clean(self.lines.text(index).strip()), palette.dim)]
        if sign == " ":
            return self._read(index, "+")
        if palette.shaded or not palette.colored:
            pieces = self._read(index, sign)
        else:
            # Without a background of its own, only colour marks the line.
            pieces = [
                (self._clean(index), palette.removed if sign == "-" else palette.added),
            ]
        word = palette.removed_word if sign == "-" else palette.added_word
        marks = self._marks(index)
        return over(pieces, marks, word) if marks else pieces

    def _part(self, index: int, part: int, room: int) -> list[Piece]:
        kept = self._folded.get((index, room))
        if kept is None:
            pieces = self.pieces(index)
            cuts = fold_cuts("".join([text for text, _ in pieces]), room)
            if not cuts:
                return pieces
            kept = self._folded[index, room] = pieces, [0, *cuts]
            if len(self._folded) > _KEPT:
                self._folded.popitem(last=False)
        pieces, cuts = kept
        stop = cuts[part + 1] if part + 1 < len(cuts) else None
        return slice_pieces(pieces, cuts[part], stop)

    def _read(self, index: int, side: str) -> list[Piece]:
        """A line read as part of the old or new text of its hunk, or of a section of a long one."""
        lines = self.lines
        number = lines.hunk(index)
        first = lines.start(number)
        stop = first + len(lines.hunks[number].lines)
        if stop - first > _READ_WHOLE:
            section = (index - first) // _SECTION
            stop = min(stop, first + (section + 1) * _SECTION)
            first = max(first, first + section * _SECTION - _RUN_UP)
        reader = self._readers.get((first, side))
        if reader is None:
            reader = self._readers[first, side] = self._reader(first, stop, side)
        return reader.line(lines.place(index, side, first))

    def _reader(self, first: int, stop: int, side: str) -> Highlighter:
        other = "+" if side == "-" else "-"
        raw = self.lines.raw[first:stop]
        text = [line[1:] for line in raw if line[:1] not in (other, "\\")]
        if self._cut_returns:
            text = [line.removesuffix("\r") for line in text]
        name = self._diff.path if side == "-" else self._diff.move_to or self._diff.path
        return Highlighter(text, name, self.space.palette, late=self.space.sliced)

    def _fill(self, index: int) -> Style | None:
        palette, sign = self.space.palette, self.lines.signs[index]
        if not palette.shaded or sign not in "+-":
            return None
        return palette.added if sign == "+" else palette.removed

    def _over(self, fill: Style, style: Style) -> Style:
        key = fill, style
        found = self._filled.get(key)
        if found is None:
            found = self._filled[key] = fill + style
        return found

    def _clean(self, index: int) -> str:
        text = self.lines.text(index)
        return clean(text.removesuffix("\r") if self._cut_returns else text)

    def _marks(self, index: int) -> Spans:
        """Changed parts of a removed or added line; white space that an added one ends with."""
        if index not in self._changed:
            partner = self.lines.partner(index)
            if partner is None:
                self._changed[index] = self._ended(index, ())
            else:
                removed, added = sorted((index, partner))
                changed = _changes(self._clean(removed), self._clean(added))
                self._changed[removed] = changed[0]
                self._changed[added] = self._ended(added, changed[1])
            while len(self._changed) > _KEPT:
                self._changed.popitem(last=False)
        return self._changed[index]

    def _ended(self, index: int, spans: Spans) -> Spans:
        return _with_end(spans, self._clean(index)) if self.lines.signs[index] == "+" else spans


def _changes(old: str, new: str) -> tuple[Spans, Spans]:
    if old == new:
        return changed_space(old), changed_space(new)
    return changed_words(old, new) or ((), ())


def _with_end(spans: Spans, text: str) -> Spans:
    """The spans and the white space at the end of a line."""
    end = len(text.rstrip())
    if end == len(text):
        return spans
    return (*[(a, min(b, end)) for a, b in spans if a < end], (end, len(text)))


def _digits(diff: FileDiff) -> int:
    last = max(max(h.old_start + h.old_lines, h.new_start + h.new_lines) for h in diff.hunks)
    return len(str(max(1, last - 1)))


def _returns(signed: Sequence[str]) -> tuple[bool, bool]:
    """Return True if lines end with a carriage return, and whether others do not."""
    if "\r" not in "".join(signed):
        return False, False
    lines = [line for line in signed if line[:1] not in (BETWEEN, "\\")]
    count = sum(line.endswith("\r") for line in lines)
    return count > 0, 0 < count < len(lines)


class RowMap:
    """Rows of `count` lines, of which each takes one unless `heights` says how many it takes."""

    def __init__(self, count: int, heights: Iterable[int] | None = None) -> None:
        self._ends = None if heights is None else list(accumulate(heights))
        self.height = count if self._ends is None else self._ends[-1] if self._ends else 0

    def at(self, row: int) -> tuple[int, int]:
        """The line that a row shows, and which of the line's rows it is, from 0."""
        if self._ends is None:
            return row, 0
        line = bisect_right(self._ends, row)
        return line, row - (self._ends[line - 1] if line else 0)


def tall_lines(signed: Sequence[str], room: int) -> dict[int, int]:
    """Rows, by index, of the lines that do not fit in one row of `room` cells.

    Each line has a sign in front that takes no room. Lines of plain ASCII cost next to nothing.
    """
    tall: dict[int, int] = {}
    limit = room + 1
    for first in range(0, len(signed), _CHUNK):
        chunk = signed[first : first + _CHUNK]
        text = "".join(chunk)
        sizes = list(map(len, chunk))
        # Control characters become signs that are one cell wide.
        if text.isascii() and "\t" not in text and max(sizes) <= COUNTED:
            if max(sizes) > limit:
                long = [index for index, size in enumerate(sizes) if size > limit]
                tall.update([(first + index, -(-(sizes[index] - 1) // room)) for index in long])
            continue
        for index, line in enumerate(chunk, first):
            if _most_cells(line) > room:
                rows = fold_count(clean(line[1:]), room)
                if rows > 1:
                    tall[index] = rows
    return tall


def _most_cells(signed: str) -> int:
    """Cells that a line takes at most, however it is cleaned."""
    size = len(signed) - 1
    return (size if signed.isascii() else 2 * size) + (TAB_SIZE - 1) * signed.count("\t")
