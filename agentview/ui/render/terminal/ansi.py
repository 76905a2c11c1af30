"""Terminal output as rows: its colours kept, its lines as they last stood, all else dropped."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from rich.style import Style

from agentview.timeline.view.sanitize import ESCAPES, clean
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.terminal.screen import (
    SGR,
    TAB_SIZE,
    line_left,
    moves_in_line,
    text_left,
)
from agentview.ui.render.terminal.sgr import after, seen_style, style_of, unseen_ink
from agentview.ui.render.text_lines import LineRows, Piece, split_lines

_ESCAPE = re.compile(ESCAPES)
_LEFT = re.compile(r"[\x00\x05\x07\x0e\x0f\x1b\x7f\x90\x98\x9b\x9d-\x9f]")
_MARK = "\x9c"
_FIRST_ODD = "\u0300"
"""Printable text of characters below this one is harmless as it is."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_RESET = re.compile(r"(?:\x1b\[|\x9b)0*m")


def ansi_rows(
    text: str, space: RenderContext, base: Style | None = None, *, fold: bool = True
) -> LineRows:
    """Output of a terminal program; styles are made for visible rows only.

    Lines are folded at the width, or cropped to it, which needs no look at any that is not seen.
    """
    palette = space.palette
    output = _Output(text, palette.text if base is None else base, palette.colored)
    output.unseen = unseen_ink(palette.text)
    plain = output.plain_lines() if fold and space.wrap else output.plain
    return LineRows(output.count, plain, output.paint, space, fold=fold)


class _Output:
    """Lines of output; the state that a line begins in is found when the line is painted."""

    def __init__(self, text: str, base: Style, colored: bool) -> None:
        text = text_left(text)
        self._lines = split_lines(text)
        self._base = base
        self._colored = colored
        self._styled = "\x1b" in text or "\x9b" in text
        self._text = text
        self._moving = False
        self._clean = False
        self.unseen: frozenset[int] = frozenset()
        self._stripped: list[str] | None = None
        self._last: tuple[int, str] = (-1, "")
        self._starts: dict[int, str] = {0: ""}
        self._known = [0]
        self.count = len(self._lines)

    def plain_lines(self) -> Callable[[int], str]:
        """Return a function that gives the text of a line: quick where all lines are clean."""
        if self._stripped is None:
            self._stripped = self._strip()
        return self._stripped.__getitem__ if self._clean else self.plain

    def plain(self, index: int) -> str:
        """Text of a line as it last stood, clean."""
        if self._last[0] == index:
            return self._last[1]
        if self._stripped is None:
            self._stripped = self._strip()
        if self._moving and moves_in_line(self._lines[index]):
            text = clean(_ESCAPE.sub("", line_left(self._lines[index], "")), TAB_SIZE)
        else:
            text = clean(self._stripped[index].rstrip("\r"), TAB_SIZE)
        self._last = (index, text)
        return text

    def paint(self, index: int) -> list[Piece]:
        """The line in pieces of one style."""
        line = self._lines[index]
        state = self._start(index) if self._styled and self._colored else ""
        if not _CONTROL.search(line):
            return [(clean(line, TAB_SIZE), self._base + self._style(state))]
        line = line_left(line, state) if moves_in_line(line) else line.rstrip("\r")
        # Cleaned as a whole, because tab stops count from the start of the line.
        return _recut(self._pieces(line, state), self._base)

    def _pieces(self, line: str, state: str) -> list[Piece]:
        pieces: list[Piece] = []
        position = 0
        for match in _ESCAPE.finditer(line):
            if match.start() > position:
                pieces.append((line[position : match.start()], self._style(state)))
            position = match.end()
            codes = SGR.fullmatch(match[0])
            if codes and self._colored:
                state = after(state, codes[1])
        if position < len(line):
            pieces.append((line[position:], self._style(state)))
        return pieces

    def _style(self, state: str) -> Style:
        return seen_style(style_of(state), self.unseen) if self.unseen else style_of(state)

    def _strip(self) -> list[str]:
        """All lines without escape sequences: several times as fast as line by line."""
        text = self._text.replace("\r\n", "\n")
        if self._styled:
            # The mark keeps apart what stood around a sequence; it ends others as an escape would.
            text = SGR.sub(_MARK, text)
        bare = text.replace(_MARK, "")
        printed = bare.replace("\n", "")
        if printed.isprintable():
            self._clean = printed.isascii() or max(printed) < _FIRST_ODD
            return bare.split("\n")
        self._moving = moves_in_line(text)
        text = _ESCAPE.sub("", text) if _LEFT.search(text) else bare
        return text.split("\n")

    def _start(self, index: int) -> str:
        """State in force at the start of a line: from the nearest line where it is known."""
        place = bisect_right(self._known, index) - 1
        known = self._known[place]
        state = self._starts[known]
        first = index
        while first > known and not _RESET.search(self._lines[first - 1]):
            first -= 1
        if first > known:
            state = ""
            first -= 1
        for line in range(first, index):
            for match in SGR.finditer(self._lines[line]):
                state = after(state, match[1])
        if index not in self._starts:
            self._starts[index] = state
            self._known.insert(place + 1, index)
        return state


def _recut(pieces: Sequence[Piece], base: Style) -> list[Piece]:
    text = "".join(part for part, _ in pieces)
    whole = clean(text, TAB_SIZE)
    if len(whole) == len(text):
        cut: list[Piece] = []
        position = 0
        for part, style in pieces:
            cut.append((whole[position : position + len(part)], base + style))
            position += len(part)
        return cut
    cut, done, raw = [], 0, ""
    for part, style in pieces:
        raw += part
        end = len(clean(raw, TAB_SIZE)) if raw != text else len(whole)
        cut.append((whole[done:end], base + style))
        done = max(done, end)
    return cut
