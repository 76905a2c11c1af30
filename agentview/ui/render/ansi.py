"""Terminal output as rows: its colours kept, its lines as they last stood, all else dropped."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from rich.color import Color
from rich.style import Style

from agentview.timeline.plain import clean
from agentview.ui.render.body import Space
from agentview.ui.render.lines import LineRows, Piece, split_lines

TAB_SIZE = 8

# CSI, OSC, and DCS, SOS, PM, APC sequences as ECMA-48 has them, cut off at the end of the line;
# then all other escape sequences, and what acts on the cursor or a speaker.
_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]?"
    r"|\x9b[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c\n]*(?:\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
    r"|[\x00\x05\x07\x0e\x0f\x7f\x9c]"
)
_LEFT = re.compile(r"[\x00\x05\x07\x0e\x0f\x1b\x7f\x90\x98\x9b\x9d-\x9f]")
_MARK = "\x9c"
_SGR = re.compile(r"(?:\x1b\[|\x9b)([\d;:]*)m")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_MOVES = re.compile(r"[\r\x08]|(?:\x1b\[|\x9b)\d*[CDGK]")
_MOVE = re.compile(r"(?:\x1b\[|\x9b)(\d*)([CDGK])")
_RESET = re.compile(r"(?:\x1b\[|\x9b)0*m")
_TOKEN = re.compile(r"[\r\x08]|" + _ESCAPE.pattern)
_MAX_COLUMN = 1_000
_MAX_UPDATES = 500
_NULL = Style.null()

_ATTRIBUTES: dict[int, Style] = {
    1: Style(bold=True),
    2: Style(dim=True),
    3: Style(italic=True),
    4: Style(underline=True),
    7: Style(reverse=True),
    9: Style(strike=True),
    22: Style(bold=False, dim=False),
    23: Style(italic=False),
    24: Style(underline=False),
    27: Style(reverse=False),
    29: Style(strike=False),
    39: Style(color="default"),
    49: Style(bgcolor="default"),
}


def ansi_rows(text: str, space: Space, base: Style | None = None, *, fold: bool = True) -> LineRows:
    """Output of a terminal program; styles are made for visible rows only.

    Lines are folded at the width, or cropped to it, which needs no look at any that is not seen.
    """
    output = _Output(text, space.palette.text if base is None else base, space.palette.colored)
    return LineRows(output.count, output.plain, output.paint, space, fold=fold)


class _Output:
    """Lines of output; the style that a line begins with is found when the line is painted."""

    def __init__(self, text: str, base: Style, colored: bool) -> None:
        self._lines = split_lines(text)
        self._base = base
        self._colored = colored
        self._styled = "\x1b" in text or "\x9b" in text
        self._text = text
        self._moving = False
        self._stripped: list[str] | None = None
        self._last: tuple[int, str] = (-1, "")
        self._starts: dict[int, Style] = {0: _NULL}
        self._known = [0]
        self.count = len(self._lines)

    def plain(self, index: int) -> str:
        """Text of a line as it last stood, clean."""
        if self._last[0] == index:
            return self._last[1]
        if self._stripped is None:
            self._stripped = self._strip()
        if self._moving and _moves(self._lines[index]):
            text = "".join(text for text, _ in self.paint(index))
        else:
            text = clean(self._stripped[index].rstrip("\r"), TAB_SIZE)
        self._last = (index, text)
        return text

    def paint(self, index: int) -> list[Piece]:
        """The line in pieces of one style."""
        line = self._lines[index]
        style = self._start(index) if self._styled and self._colored else _NULL
        if not _CONTROL.search(line):
            return [(clean(line, TAB_SIZE), self._base + style)]
        if _moves(line):
            return [(text, self._base + s) for text, s in _settled(line, style, self._colored)]
        pieces = _pieces(line.rstrip("\r"), style, self._colored)
        # Cleaned as a whole, because tab stops count from the start of the line.
        return _recut(pieces, self._base)

    def _strip(self) -> list[str]:
        """All lines without escape sequences: several times as fast as line by line."""
        text = self._text.replace("\r\n", "\n")
        if self._styled:
            # The mark keeps apart what stood around a sequence; it ends others as an escape would.
            text = _SGR.sub(_MARK, text)
        escapes = "\x1b" in text or "\x9b" in text
        self._moving = "\r" in text or "\x08" in text or (escapes and bool(_MOVES.search(text)))
        text = _ESCAPE.sub("", text) if _LEFT.search(text) else text.replace(_MARK, "")
        return text.split("\n")

    def _start(self, index: int) -> Style:
        """Style in force at the start of a line: from the nearest line where it is known."""
        place = bisect_right(self._known, index) - 1
        known = self._known[place]
        style = self._starts[known]
        first = index
        while first > known and not _RESET.search(self._lines[first - 1]):
            first -= 1
        if first > known:
            style = _NULL
            first -= 1
        for line in range(first, index):
            for match in _SGR.finditer(self._lines[line]):
                style = _after(style, match[1])
        if index not in self._starts:
            self._starts[index] = style
            self._known.insert(place + 1, index)
        return style


def _moves(line: str) -> bool:
    """True when the line was written over: a CR before its end, a backspace, an erased part."""
    return _MOVES.search(line.rstrip("\r")) is not None


def _pieces(line: str, style: Style, colored: bool) -> list[Piece]:
    pieces: list[Piece] = []
    position = 0
    for match in _ESCAPE.finditer(line):
        if match.start() > position:
            pieces.append((line[position : match.start()], style))
        position = match.end()
        codes = _SGR.fullmatch(match[0])
        if codes and colored:
            style = _after(style, codes[1])
    if position < len(line):
        pieces.append((line[position:], style))
    return pieces


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


def _settled(line: str, style: Style, colored: bool) -> list[Piece]:
    """What a line with carriage returns, backspaces and erasing shows in the end.

    Of a line that was written over very often only the last times are looked at.
    """
    cells: list[tuple[str, Style]] = []
    if line.count("\r") > _MAX_UPDATES:
        updates = line.split("\r")
        kept = "\r".join(updates[-_MAX_UPDATES:])
        for match in _SGR.finditer(line, 0, len(line) - len(kept)):
            style = _after(style, match[1]) if colored else style
        line = kept
    column = 0
    position = 0
    for match in _TOKEN.finditer(line):
        column = _write(cells, column, line[position : match.start()], style)
        position = match.end()
        control = match[0]
        codes = _SGR.fullmatch(control)
        if codes:
            style = _after(style, codes[1]) if colored else style
        else:
            column = _moved(cells, column, control)
    _write(cells, column, line[position:], style)
    return _runs(cells)


def _write(cells: list[tuple[str, Style]], column: int, text: str, style: Style) -> int:
    if not text:
        return column
    text = clean(text, TAB_SIZE)
    if column > len(cells):
        cells.extend([(" ", _NULL)] * (column - len(cells)))
    cells[column : column + len(text)] = [(char, style) for char in text]
    return column + len(text)


def _moved(cells: list[tuple[str, Style]], column: int, control: str) -> int:
    """The column after a control; an erasing one shortens or blanks the cells."""
    if control == "\r":
        return 0
    if control == "\x08":
        return max(0, column - 1)
    move = _MOVE.fullmatch(control)
    if not move:
        return column
    count = min(int(move[1] or 0), _MAX_COLUMN) if len(move[1]) < 9 else _MAX_COLUMN
    if move[2] == "C":
        return min(column + max(1, count), _MAX_COLUMN)
    if move[2] == "D":
        return max(0, column - max(1, count))
    if move[2] == "G":
        return max(0, count - 1)
    if count == 0:
        del cells[column:]
    elif count == 1:
        cells[: column + 1] = [(" ", _NULL)] * min(column + 1, len(cells))
    else:
        cells.clear()
    return column


def _runs(cells: Sequence[tuple[str, Style]]) -> list[Piece]:
    pieces: list[Piece] = []
    start = 0
    for index in range(1, len(cells) + 1):
        if index == len(cells) or cells[index][1] is not cells[start][1]:
            pieces.append(("".join(char for char, _ in cells[start:index]), cells[start][1]))
            start = index
    return _recut(pieces, _NULL)


def _after(style: Style, codes: str) -> Style:
    """The style after a sequence of SGR codes; codes without a meaning here change nothing."""
    numbers = [int(part) if len(part) < 4 and part else 0 for part in re.split("[;:]", codes)]
    index = 0
    while index < len(numbers):
        code = numbers[index]
        if code in (38, 48, 58):
            color, used = _extended(numbers[index + 1 :])
            index += used
            if color is not None and code != 58:
                style += Style(color=color) if code == 38 else Style(bgcolor=color)
        elif code == 0:
            style = _NULL
        else:
            style += _simple(code)
        index += 1
    return style


def _simple(code: int) -> Style:
    if code in _ATTRIBUTES:
        return _ATTRIBUTES[code]
    for first, offset, back in ((30, 0, False), (40, 0, True), (90, 8, False), (100, 8, True)):
        if first <= code < first + 8:
            color = Color.from_ansi(code - first + offset)
            return Style(bgcolor=color) if back else Style(color=color)
    return _NULL


def _extended(numbers: Sequence[int]) -> tuple[Color | None, int]:
    """Colour of `5;n` or `2;r;g;b` and how many numbers it took."""
    if len(numbers) >= 2 and numbers[0] == 5:
        return Color.from_ansi(min(255, numbers[1])), 2
    if len(numbers) >= 4 and numbers[0] == 2:
        red, green, blue = (min(255, number) for number in numbers[1:4])
        return Color.from_rgb(red, green, blue), 4
    return None, len(numbers)


def without_escapes(text: str) -> str:
    """The text without escape sequences; other control characters stay as they are."""
    return _ESCAPE.sub("", text) if "\x1b" in text or "\x9b" in text else text
