"""Changes of a file: hunks with real line numbers, syntax colours and marks on changed words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from rich.style import Style
from textual.strip import Strip

from agentview.domain.results import Hunk
from agentview.domain.value import Value
from agentview.timeline.hunks import FileDiff
from agentview.timeline.plain import clean
from agentview.ui.render.body import Body, Space
from agentview.ui.render.lines import LineRows, Piece, Rows, over
from agentview.ui.render.palette import Palette
from agentview.ui.render.sides import is_split
from agentview.ui.render.stack import Stack
from agentview.ui.render.syntax import Highlighter

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_MAX_LINE = 2_000
_MAX_WORDS = 300
_ALIKE = 0.4
"""Share of a line's words in common from which two lines count as versions of one."""

Spans = tuple[tuple[int, int], ...]


class _Line(Value):
    """One line of a hunk; `place` is its index among the old or new lines of all hunks.

    `number` is its line number in the new file, in the old one for a removed line, and `old_number`
    that of a kept line in the old file. `partner` is the index of the line it is a version of.
    """

    sign: str
    text: str
    place: int
    number: int | None
    partner: int | None = None
    old_number: int | None = None


def diff_body(diff: FileDiff, space: Space, *, fold: bool = True) -> Body:
    """The hunks of one file: side by side when `space.split` asks for it and there is room."""
    parts: list[Body] = []
    if not diff.known:
        parts.append(_note("the log does not have the change", space))
    if diff.coarse:
        parts.append(_note("compared coarsely: too much has changed", space))
    if diff.hunks:
        source = _Source(diff, space.palette)
        if is_split(space):
            parts.append(_SideBySide(source, space))
        else:
            parts.append(_unified(source, space, fold=fold))
    return Stack(parts)


class _Source:
    """The lines of a diff with their looks."""

    def __init__(self, diff: FileDiff, palette: Palette) -> None:
        self.lines = list(_lines(diff))
        self.numbered = diff.numbered
        self._palette = palette
        old = [line.text for line in self.lines if line.sign in " -"]
        new = [line.text for line in self.lines if line.sign in " +"]
        self._old = Highlighter(old, diff.path, palette)
        self._new = Highlighter(new, diff.move_to or diff.path, palette)
        last = max((line.number or 0 for line in self.lines), default=0)
        self.digits = len(str(last)) if diff.numbered else 0

    def pieces(self, index: int) -> list[Piece]:
        """The clean text of a line with syntax colours and word marks."""
        line, palette = self.lines[index], self._palette
        if line.sign == "@":
            return [("", palette.dim)]
        if line.sign == "\\":
            return [(clean(line.text), palette.dim)]
        if line.sign == " ":
            return self._new.line(line.place)
        side = self._old if line.sign == "-" else self._new
        word = palette.removed_word if line.sign == "-" else palette.added_word
        if palette.shaded or not palette.colored:
            pieces = side.line(line.place)
        else:
            # Without a background of its own, colour is all that tells the line.
            flat = palette.removed if line.sign == "-" else palette.added
            pieces = [(clean(line.text), flat)]
        return over(pieces, self._marks(line), word)

    def fill(self, index: int) -> Style | None:
        """Background of a line."""
        sign = self.lines[index].sign
        if not self._palette.shaded or sign not in "+-":
            return None
        return self._palette.added if sign == "+" else self._palette.removed

    def gutter(
        self, index: int, glyph: str, *, first: bool = True, old: bool = False
    ) -> list[Piece]:
        """Line number and sign of a line; the number of the old file for a kept line if `old`."""
        line, palette = self.lines[index], self._palette
        style = {"+": palette.added_gutter, "-": palette.removed_gutter}.get(line.sign, palette.dim)
        sign = line.sign if line.sign in "+-" and first else " "
        if line.sign == "@":
            return [(f"{glyph:>{self.digits}} " if self.digits else glyph, palette.dim)]
        if not self.digits:
            return [(f"{sign} ", style)]
        known = line.old_number if old and line.sign == " " else line.number
        number = "" if known is None or not first else str(known)
        return [(f"{number:>{self.digits}} {sign} ", style)]

    @property
    def gutter_width(self) -> int:
        """Cells of number and sign."""
        return self.digits + 3 if self.digits else 2

    def _marks(self, line: _Line) -> Spans:
        if line.partner is None:
            return ()
        other = self.lines[line.partner].text
        old, new = (line.text, other) if line.sign == "-" else (other, line.text)
        changed = changed_words(clean(old), clean(new))
        return () if changed is None else changed[0 if line.sign == "-" else 1]


def changed_words(old: str, new: str) -> tuple[Spans, Spans] | None:
    """Spans of the words that differ in each of two lines; None when little is in common."""
    if len(old) > _MAX_LINE or len(new) > _MAX_LINE:
        return None
    left, right = _WORDS.findall(old), _WORDS.findall(new)
    if len(left) > _MAX_WORDS or len(right) > _MAX_WORDS:
        return None
    codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    same = sum(
        len(word) for tag, a, b, _, _ in codes if tag == "equal" for word in left[a:b]
    ) - sum(word.isspace() for word in left)
    if same < _ALIKE * max(len(old.strip()), len(new.strip())) * 0.8:
        return None
    changed = [code for code in codes if code[0] != "equal"]
    return (
        _spans(left, [(a, b) for _, a, b, _, _ in changed]),
        _spans(right, [(c, d) for _, _, _, c, d in changed]),
    )


def _spans(words: Sequence[str], ranges: Sequence[tuple[int, int]]) -> Spans:
    """Word ranges as character spans, spans joined where only a space is between them."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    spans: list[tuple[int, int]] = []
    for first, last in ranges:
        if first == last:
            continue
        start, end = starts[first], starts[last]
        if spans and "".join(words)[spans[-1][1] : start].isspace():
            start = spans.pop()[0]
        spans.append((start, end))
    return tuple(spans)


def _lines(diff: FileDiff) -> Iterator[_Line]:
    """All lines in order, hunks after the first behind a separator, versions of a line paired."""
    old_place = new_place = index = 0
    for number, hunk in enumerate(diff.hunks):
        if number:
            yield _Line("@", "", 0, None)
            index += 1
        partners = _partners(hunk, index)
        old_line = hunk.old_start if diff.numbered else None
        new_line = hunk.new_start if diff.numbered else None
        for offset, line in enumerate(hunk.lines):
            sign = line[:1] if line[:1] in ("+", "-", "\\") else " "
            text = line[1:] if line else ""
            if sign == "\\":
                yield _Line(sign, text.strip(), 0, None)
                index += 1
                continue
            place = old_place if sign == "-" else new_place
            shown = old_line if sign == "-" else new_line
            yield _Line(sign, text, place, shown, partners.get(offset), old_line)
            index += 1
            if sign in " -":
                old_place += 1
                old_line = None if old_line is None else old_line + 1
            if sign in " +":
                new_place += 1
                new_line = None if new_line is None else new_line + 1


def _partners(hunk: Hunk, first: int) -> dict[int, int]:
    """Offsets of removed lines and of the added ones that took their places, both ways."""
    partners: dict[int, int] = {}
    for removed, added in _blocks(hunk):
        for old, new in zip(removed, added, strict=False):
            partners[old] = first + new
            partners[new] = first + old
    return partners


def _blocks(hunk: Hunk) -> Iterator[tuple[list[int], list[int]]]:
    """Runs of removed lines with the run of added lines right behind each."""
    removed: list[int] = []
    added: list[int] = []
    for offset, line in enumerate(hunk.lines):
        sign = line[:1]
        if (sign == "-" and added) or sign not in ("+", "-", "\\"):
            yield removed, added
            removed, added = [], []
        if sign == "-":
            removed.append(offset)
        elif sign == "+":
            added.append(offset)
    yield removed, added


def _unified(source: _Source, space: Space, *, fold: bool) -> Body:
    return LineRows(
        len(source.lines),
        lambda index: clean(source.lines[index].text),
        source.pieces,
        space,
        prefix=lambda index, first: source.gutter(index, space.glyphs.hunk, first=first),
        prefix_width=source.gutter_width,
        fold=fold,
        fill=source.fill,
    )


class _SideBySide:
    """Old text on the left, new on the right; a pair takes the rows of its longer side."""

    def __init__(self, source: _Source, space: Space) -> None:
        self._space = space
        half = (space.width - 3) // 2
        self._left = half
        self._pairs = list(_pairs(source.lines))
        self._sides = tuple(
            _column(source, [pair[side] for pair in self._pairs], space, half, old=side == 0)
            for side in (0, 1)
        )
        self._rows: list[tuple[int, int]] = []
        for pair in range(len(self._pairs)):
            tall = max(side.rows_of(pair) for side in self._sides)
            self._rows += [(pair, part) for part in range(tall)]

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self._rows)

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, clipped to what there is."""
        palette, glyphs = self._space.palette, self._space.glyphs
        rule = Rows([[(f" {glyphs.column} ", palette.border)]], self._space).strips(0, 1)[0]
        left, right = self._sides
        return [
            Strip.join(
                [left.row(pair, part).adjust_cell_length(self._left), rule, right.row(pair, part)]
            )
            for pair, part in self._rows[max(0, start) : max(0, stop)]
        ]


class _Column:
    """One side: each pair's line, or nothing, folded at half the width."""

    def __init__(self, rows: Sequence[LineRows | None]) -> None:
        self._rows = rows

    def rows_of(self, pair: int) -> int:
        """Rows that the line of a pair takes, 0 for none."""
        body = self._rows[pair]
        return body.height if body else 0

    def row(self, pair: int, part: int) -> Strip:
        """One row of a pair's line; empty beyond its end."""
        body = self._rows[pair]
        if body is None or part >= body.height:
            return Strip([], 0)
        return body.strips(part, part + 1)[0]


def _column(
    source: _Source, indexes: Sequence[int | None], space: Space, half: int, *, old: bool
) -> _Column:
    narrow = replace(space, width=half, split=False)

    def rows(index: int) -> LineRows:
        return LineRows(
            1,
            lambda _: clean(source.lines[index].text),
            lambda _: source.pieces(index),
            narrow,
            prefix=lambda _, first: source.gutter(index, space.glyphs.hunk, first=first, old=old),
            prefix_width=source.gutter_width,
            fill=lambda _: source.fill(index),
        )

    return _Column([None if index is None else rows(index) for index in indexes])


def _pairs(lines: Sequence[_Line]) -> Iterator[tuple[int | None, int | None]]:
    """Indexes of the lines that stand side by side."""
    for index, line in enumerate(lines):
        if line.sign == "+":
            if line.partner is None:
                yield None, index
        elif line.sign == "-":
            yield index, line.partner
        else:
            yield index, index


def _note(text: str, space: Space) -> Body:
    return Rows([[(text, space.palette.dim)]], space)
