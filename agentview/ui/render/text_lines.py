"""Text as rows of cells: cropped, folded or wrapped, made only for the rows that are asked for."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import cast

from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentview.timeline.view.sanitize import clean
from agentview.ui.render.lazy_lines import LazyLines, RenderContext, RowText
from agentview.ui.render.strip import strip_of, width_of

_SPACES = re.compile("( +)")
COUNTED = 16_384
"""Cells that are counted one by one in a line; after them, rows with wide characters are half full.

Counting takes about 0.1 µs a cell; rows of ASCII are cut without it.
"""

Piece = tuple[str, Style]
"""Text of one style; not yet cleaned."""

_new = cast(
    "Callable[[type[Segment], tuple[str, Style, None]], Segment]",
    tuple.__new__,  # pyright: ignore[reportUnknownMemberType]
)


def segments_of(pieces: Iterable[Piece]) -> list[Segment]:
    # 0.2 µs each, where the constructor takes 0.7.
    return [_new(Segment, (text, style, None)) for text, style in pieces if text]


def fit(pieces: Iterable[Piece], width: int, ellipsis: str = "…") -> Strip:
    """One row: the pieces cleaned, and cut with an ellipsis when they are wider than `width`."""
    segments: list[Segment] = []
    used = 0
    for raw, style in pieces:
        # More than this never fits, even where half of it has no width of its own.
        text = clean(raw[: 4 * width + 64] if len(raw) > 4 * width + 64 else raw)
        if not text:
            continue
        size = width_of(text)
        if used + size > width or len(raw) > 4 * width + 64:
            cut = head(text, width - used - 1)
            segments.append(Segment(cut, style))
            segments.append(Segment(ended(cut, ellipsis)[len(cut) :], style))
            return _cut(segments, width)
        segments.append(Segment(text, style))
        used += size
    return strip_of(segments, used)


def ended(text: str, ellipsis: str) -> str:
    """A text that was cut, with one ellipsis behind it, also where it had one."""
    return text if text.rstrip().endswith(ellipsis) else text + ellipsis


def head(text: str, width: int) -> str:
    """As much of a clean text as fits in `width` cells."""
    if width <= 0:
        return ""
    if text.isascii():
        return text[:width]
    used = 0
    for index, char in enumerate(text):
        used += get_character_cell_size(char)
        if used > width:
            return text[:index]
    return text


def tail(text: str, width: int) -> str:
    """The end of a clean text that fits in `width` cells."""
    if width <= 0:
        return ""
    if text.isascii():
        return text[-width:]
    used = 0
    for index in range(len(text) - 1, -1, -1):
        used += get_character_cell_size(text[index])
        if used > width:
            return text[index + 1 :]
    return text


def fold_count(line: str, width: int) -> int:
    """Rows that a clean line takes when it is cut wherever a row is full; at least 1."""
    size = len(line)
    if line.isascii():
        return max(1, -(-size // width))
    if 2 * size <= width:
        return 1
    return len(fold_cuts(line, width)) + 1


def fold_cuts(line: str, width: int) -> list[int]:
    """Indexes at which a clean line is cut so that each part fits in `width` cells."""
    if line.isascii():
        return list(range(width, len(line), width))
    cuts: list[int] = []
    start, counted = 0, 0
    while True:
        row = line[start : start + width + 1]
        if row.isascii():
            size = width
        elif counted < COUNTED:
            size = _fitting(line, start, width)
            counted += max(size, width)
        else:
            size = max(1, width // 2)
        start += size
        if start >= len(line):
            return cuts
        cuts.append(start)


def _fitting(line: str, start: int, width: int) -> int:
    """Characters from `start` on that fit in a row of `width` cells; at least 1."""
    used = 0
    # A row of characters without a width ends too.
    end = min(len(line), start + 4 * width + 64)
    for index in range(start, end):
        size = get_character_cell_size(line[index])
        if used + size > width and used:
            return index - start
        used += size
    return end - start


def slice_pieces(pieces: Iterable[Piece], start: int, stop: int | None) -> list[Piece]:
    """The pieces between two indexes of their joined text."""
    parts: list[Piece] = []
    position = 0
    for text, style in pieces:
        end = position + len(text)
        if end > start and (stop is None or position < stop):
            left = max(0, start - position)
            right = len(text) if stop is None else min(len(text), stop - position)
            parts.append((text[left:right], style))
        position = end
    return parts


def over(pieces: Iterable[Piece], spans: Iterable[tuple[int, int]], style: Style) -> list[Piece]:
    """The pieces with `style` laid over the spans (start, end) of their joined text."""
    source = list(pieces)
    result: list[Piece] = []
    position = 0
    for start, end in spans:
        result += slice_pieces(source, position, start)
        result += [(text, under + style) for text, under in slice_pieces(source, start, end)]
        position = end
    return result + slice_pieces(source, position, None)


class LineRows:
    """Lines laid out one below another behind an optional prefix, folded or cropped to the width.

    They are folded when `fold` and the space both ask for it.

    `plain(i)` is the clean text of line i, `paint(i)` the same text in pieces, `prefix(i, first)`
    what stands before each row of it in `prefix_width` cells. Only `plain` is called to count rows,
    and only when lines are folded; `paint` is called for visible lines alone.
    """

    def __init__(
        self,
        count: int,
        plain: Callable[[int], str],
        paint: Callable[[int], Sequence[Piece]],
        space: RenderContext,
        *,
        prefix: Callable[[int, bool], Sequence[Piece]] | None = None,
        prefix_width: int = 0,
        fold: bool = True,
        fill: Callable[[int], Style | None] | None = None,
    ) -> None:
        self._plain = plain
        self._paint = paint
        self._space = space
        self._prefix = prefix
        self._fill = fill
        self._prefix_width = prefix_width
        self._room = max(1, space.width - prefix_width)
        self.count = count
        self._ends: list[int] | None = None
        if fold and space.wrap:
            room = self._room
            self._ends = list(accumulate(fold_count(plain(line), room) for line in range(count)))

    @property
    def height(self) -> int:
        """Number of rows."""
        if self._ends is None:
            return self.count
        return self._ends[-1] if self._ends else 0

    def line(self, index: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """Prefix of a line, and all of the line in pieces, not cut and not folded."""
        before = self._prefix(index, True) if self._prefix is not None else ()
        return before, self._paint(index)

    def row_text(self, row: int, cell: int) -> RowText:
        """Text behind the prefix, joined to the row above where a line was folded."""
        del cell
        line = row if self._ends is None else bisect_right(self._ends, row)
        above = 0 if not line or self._ends is None else self._ends[line - 1]
        folded = self._ends is not None and row > above
        return RowText(self._prefix_width, joint="" if folded else "\n")

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, clipped to what there is."""
        rows = range(max(0, start), min(stop, self.height))
        if self._ends is None:
            return [self._cropped(line) for line in rows]
        strips: list[Strip] = []
        row, line = rows.start, bisect_right(self._ends, rows.start)
        first = self._ends[line - 1] if line else 0
        while row < rows.stop:
            end = self._ends[line]
            last = min(rows.stop, end)
            if end - first == 1:
                strip = _plain_strip(self._paint(line), self._room)
                strips.append(self._finish(line, strip, first=True))
            else:
                strips += self._folded(line, row - first, last - first)
            row, first, line = last, end, line + 1
        return strips

    def _cropped(self, line: int) -> Strip:
        strip = fit(self._paint(line), self._room, self._space.glyphs.ellipsis)
        return self._finish(line, strip, first=True)

    def _folded(self, line: int, start: int, stop: int) -> list[Strip]:
        cuts = [0, *fold_cuts(self._plain(line), self._room), None]
        pieces = self._paint(line)
        return [
            self._finish(
                line,
                _plain_strip(slice_pieces(pieces, cuts[part] or 0, cuts[part + 1]), self._room),
                first=part == 0,
            )
            for part in range(start, stop)
        ]

    def _finish(self, line: int, strip: Strip, *, first: bool) -> Strip:
        if self._prefix is not None:
            strip = strip_of([*segments_of(self._prefix(line, first)), *strip])
        fill = self._fill(line) if self._fill else None
        if fill is not None:
            strip = strip.extend_cell_length(self._space.width).apply_style(fill)
        return strip if strip.cell_length <= self._space.width else strip.crop(0, self._space.width)


def text_rows(text: str, space: RenderContext, style: Style, *, fold: bool = True) -> LineRows:
    """Plain text in one style, its lines folded at the width or cropped to it."""
    lines = split_lines(text)

    def plain(index: int) -> str:
        return clean(lines[index])

    def paint(index: int) -> list[Piece]:
        return [(plain(index) if fold else lines[index], style)]

    return LineRows(len(lines), plain, paint, space, fold=fold)


def split_lines(text: str) -> list[str]:
    """Lines of a text: CRLF counts as one end, and the last line's own end adds no empty line."""
    if not text:
        return []
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


class WrappedRow(list[Piece]):
    """A row that continues the one above it; `joint` are the spaces at which it was wrapped."""

    __slots__ = ("joint",)

    def __init__(self, pieces: Iterable[Piece], joint: str) -> None:
        super().__init__(pieces)
        self.joint = joint


class Rows:
    """Rows that are known already, each as pieces; cropped to the width when they are shown."""

    def __init__(self, rows: Sequence[Sequence[Piece]], space: RenderContext) -> None:
        self._rows = rows
        self._space = space

    @property
    def height(self) -> int:
        return len(self._rows)

    def row_text(self, row: int, cell: int) -> RowText:
        """The whole row, joined to the one above where it was wrapped."""
        del cell
        pieces = self._rows[row]
        return RowText(joint=pieces.joint if isinstance(pieces, WrappedRow) else "\n")

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, clipped to what there is."""
        width, ellipsis = self._space.width, self._space.glyphs.ellipsis
        return [fit(row, width, ellipsis) for row in self._rows[max(0, start) : max(0, stop)]]


def wrap(pieces: Iterable[Piece], width: int) -> list[list[Piece]]:
    """Pieces broken at spaces into rows of at most `width` cells; a longer word is folded.

    Pieces are cleaned; a line feed in them ends a row, and spaces after it are kept. Gives at
    least one row. Neighbors of one style are one piece.
    """
    width = max(1, width)
    rows: list[list[Piece]] = []
    for line in _lines(pieces):
        if sum([width_of(text) for text, _ in line]) <= width:
            rows.append(line)
        else:
            rows += _broken(line, width)
    return rows


def _lines(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The clean pieces of each line, without the spaces at its end."""
    lines: list[list[Piece]] = [[]]
    for piece, style in pieces:
        for number, raw in enumerate(piece.split("\n")):
            if number:
                lines.append([])
            text = clean(raw)
            if text:
                lines[-1].append((text, style))
    for line in lines:
        while line and line[-1][0][-1] == " ":
            text, style = line.pop()
            text = text.rstrip(" ")
            if text:
                line.append((text, style))
    return [line if len(line) < 2 else _merged(line) for line in lines]


def _merged(line: Sequence[Piece]) -> list[Piece]:
    merged: list[Piece] = []
    texts: list[str] = []
    for text, style in line:
        if texts and style is not merged[-1][1]:
            merged[-1] = ("".join(texts), merged[-1][1])
            texts = []
        if not texts:
            merged.append(("", style))
        texts.append(text)
    if texts:
        merged[-1] = ("".join(texts), merged[-1][1])
    return merged


def _broken(line: Iterable[Piece], width: int) -> list[list[Piece]]:
    """The rows of a line that is too long for one."""
    rows: list[list[Piece]] = [[]]
    used = 0
    gap: Piece | None = None
    for word in _words(line):
        if word[0][0].startswith(" "):
            gap = word[0]
            continue
        size = sum([width_of(text) for text, _ in word])
        room = len(gap[0]) if gap else 0
        if used + room + size <= width:
            rows[-1] += [gap, *word] if gap else word
            used += room + size
        else:
            if used:
                rows.append(WrappedRow([], gap[0] if gap else ""))
            parts = _fold_word(word, width)
            rows[-1] += parts[0]
            rows += [WrappedRow(part, "") for part in parts[1:]]
            used = sum([width_of(text) for text, _ in rows[-1]])
        gap = None
    for row in rows:
        row[:] = _merged(row)
    return rows


def _words(line: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Words as pieces without a space, runs of spaces as one piece."""
    word: list[Piece] = []
    for text, style in line:
        for part in _SPACES.split(text):
            if not part:
                continue
            if part[0] != " ":
                word.append((part, style))
                continue
            if word:
                yield word
                word = []
            yield [(part, style)]
    if word:
        yield word


def _fold_word(word: Sequence[Piece], width: int) -> list[list[Piece]]:
    text = "".join(part for part, _ in word)
    cuts = [0, *(fold_cuts(text, width) if width_of(text) > width else ()), None]
    return [slice_pieces(word, start or 0, stop) for start, stop in pairwise(cuts)]


def _plain_strip(pieces: Iterable[Piece], width: int) -> Strip:
    segments = segments_of(pieces)
    strip = strip_of(segments)
    return strip if strip.cell_length <= width else _cut(segments, width)


def _cut(segments: list[Segment], width: int) -> Strip:
    strip = strip_of(segments)
    return strip if strip.cell_length <= width else strip.crop(0, max(0, width))


MAX_SIZE = 50_000
"""Characters from which lines are folded at the width, which needs no look at the words."""


def prose_rows(text: str, space: RenderContext, style: Style) -> LazyLines:
    """The text with its own line ends kept; no rows for an empty text."""
    if not text:
        return Rows([], space)
    if len(text) > MAX_SIZE:
        return text_rows(text, space, style)
    return Rows(wrap([(text.replace("\r\n", "\n"), style)], space.width), space)
