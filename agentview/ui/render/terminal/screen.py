"""The final screen of output that goes back and writes over itself."""

import re
from functools import lru_cache

from rich.cells import get_character_cell_size

from agentview.timeline.view.sanitize import ESCAPES
from agentview.ui.render.terminal.sgr import after, sequence

TAB_SIZE = 8

SGR = re.compile(r"(?:\x1b\[|\x9b)([\d;:]*)m")
ROWS = 200
"""Rows above the lowest one that can still be written over: as many as a large terminal has."""
LIMIT = 150_000
"""Characters, counted from the end, that are looked at for moves up and down."""

_CELL_MOVES = re.compile(r"[\r\x08]|(?:\x1b\[|\x9b)\d*[CDGKPX@`]")
_ROW_MOVES = re.compile(r"(?:\x1b\[|\x9b)[\d;]*[ABEFHJdefsu]|\x1b[78DEMc]")
_TOKEN = re.compile(r"[\r\n\t\x08]|" + ESCAPES)
_MOVE = re.compile(r"(?:\x1b\[|\x9b)(\d*)(?:;(\d*))?[\d;]*([@-~])")
_MAX_COLUMN = 1_000
_MAX_JUMP = 100
"""Empty rows that a move down may make; one that goes farther only asks where the end is."""
_MAX_UPDATES = 500
_SINGLE = {
    "\n": ("\n", 0, 0),
    "\r": ("\r", 0, 0),
    "\t": ("\t", 0, 0),
    "\x08": ("<", 1, 0),
    "\x1bD": ("B", 1, 0),
    "\x1bE": ("\n", 0, 0),
    "\x1bM": ("A", 1, 0),
    "\x1b7": ("s", 0, 0),
    "\x1b8": ("u", 0, 0),
    "\x1bc": ("c", 0, 0),
}
"""Controls without numbers, by what they do."""
_CSI = {**{final: final for final in "ABCEFGHJKPX@desu"}, "D": "<", "f": "H", "`": "G"}
"""Final letters of sequences with numbers, by what they do."""
_TO_PLACES = frozenset("ABCEFGHde<\t")


def moves_in_line(line: str) -> bool:
    """True when a line was written over: a CR before its end, a backspace, an erased part."""
    return _CELL_MOVES.search(line.rstrip("\r")) is not None


def line_left(line: str, state: str) -> str:
    """Return the final form of a line that was written over, colours as SGR; begun in `state`.

    Of a line that was written over very often only the last times are looked at.
    """
    screen = _Screen(state)
    if line.count("\r") > _MAX_UPDATES:
        kept = "\r".join(line.split("\r")[-_MAX_UPDATES:])
        for match in SGR.finditer(line, 0, len(line) - len(kept)):
            screen.state = after(screen.state, match[1])
        line = kept
    screen.write(line)
    return screen.shown()


@lru_cache(maxsize=4)
def text_left(text: str) -> str:
    """Output with all moves up and down carried out; without such moves it is given back as it is.

    What was cleared from the screen stands above what came next, as if it had scrolled away.
    Parts without moves are left untouched, with the escape sequences in them.
    """
    if "\x1b" not in text and "\x9b" not in text:
        return text
    first = _ROW_MOVES.search(text, max(0, len(text) - LIMIT))
    if first is None:
        return text
    start = _rows_before(text, first.start())
    screen = _Screen(_state_at(text, start))
    last = first.end()
    for match in _ROW_MOVES.finditer(text, last):
        last = match.end()
    screen.write(text[start:last])
    # From where the cursor is below all rows again, lines follow one another as they do in a file.
    while last < len(text) and not screen.at_end:
        line = text.find("\n", last) + 1 or len(text)
        screen.write(text[last:line])
        last = line
    return text[:start] + screen.shown() + text[last:]


def _rows_before(text: str, position: int) -> int:
    """Start of the line as many rows above a position as a screen has."""
    for _ in range(ROWS + 1):
        position = text.rfind("\n", 0, position)
        if position < 0:
            return 0
    return position + 1


def _state_at(text: str, position: int) -> str:
    state = ""
    resets = (text.rfind("\x1b[0m", 0, position), text.rfind("\x1b[m", 0, position), 0)
    for match in SGR.finditer(text, max(resets), position):
        state = after(state, match[1])
    return state


class _Screen:
    """Rows of cells with a cursor; rows that are too far up can no longer be reached."""

    def __init__(self, state: str) -> None:
        self._begun = state
        self.state = state
        self._chars: list[list[str]] = [[]]
        self._states: list[list[str]] = [[]]
        self._row = 0
        self._column = 0
        self._top = 0
        self._saved = (0, 0)

    @property
    def at_end(self) -> bool:
        """True when the cursor is at the start of a new row below all others."""
        last = len(self._chars) - 1
        return self._row == last and not self._column and not self._chars[last]

    def shown(self) -> str:
        """All rows as text whose only escape sequences are SGR."""
        parts: list[str] = []
        state = self._begun
        for row, chars in enumerate(self._chars):
            if row:
                parts.append("\n")
            states, start, size = self._states[row], 0, len(chars)
            while start < size:
                if states[start] != state:
                    state = states[start]
                    parts.append(sequence(state))
                end = start + 1
                while end < size and states[end] == state:
                    end += 1
                parts += chars[start:end]
                start = end
        if state != self.state:
            parts.append(sequence(self.state))
        return "".join(parts)

    def write(self, text: str) -> None:
        """Take output as a terminal does."""
        position = 0
        for match in _TOKEN.finditer(text):
            if match.start() > position:
                self._put(text[position : match.start()])
            position = match.end()
            self._control(match[0])
        if position < len(text):
            self._put(text[position:])

    def _put(self, text: str) -> None:
        chars, states = self._chars[self._row], self._states[self._row]
        self._reach(self._column)
        if text.isascii():
            end = self._column + len(text)
            self._free(end)
            chars[self._column : end] = text
            states[self._column : end] = [self.state] * len(text)
            self._column = end
            return
        for char in text:
            size = get_character_cell_size(char)
            if not size and self._column:
                before = self._column - (2 if chars[self._column - 1] == "" else 1)
                chars[before] += char
                continue
            size = max(1, size)
            self._free(self._column + size)
            chars[self._column : self._column + size] = [char, ""][:size]
            states[self._column : self._column + size] = [self.state] * size
            self._column += size

    def _reach(self, column: int) -> None:
        """Have cells up to a column; half of a wide character becomes a space."""
        chars, states = self._chars[self._row], self._states[self._row]
        missing = column - len(chars)
        if missing > 0:
            chars.extend(" " * missing)
            states.extend([""] * missing)
        if column < len(chars) and chars[column] == "":
            chars[column - 1] = " "

    def _free(self, end: int) -> None:
        chars = self._chars[self._row]
        if end < len(chars) and chars[end] == "":
            chars[end] = " "

    def _control(self, control: str) -> None:
        kind, first, second = _read(control)
        if kind == "\n":
            self._go(self._row + 1, 0)
        elif kind == "\r":
            self._column = 0
        elif kind == "m":
            codes = SGR.fullmatch(control)
            self.state = after(self.state, codes[1] if codes else "")
        elif kind == "K":
            self._erase_row(first)
        elif kind in _TO_PLACES:
            self._go(*self._place(kind, first, second))
        elif kind:
            self._edit(kind, first)

    def _place(self, kind: str, first: int, second: int) -> tuple[int, int]:
        """Where a move leads to; 0 is a number left out."""
        row, column, count = self._row, self._column, max(1, first)
        if kind == "H":
            return self._top + count - 1, max(1, second) - 1
        if kind == "\t":
            return row, (column // TAB_SIZE + 1) * TAB_SIZE
        vertical = {"A": -count, "F": -count, "B": count, "e": count, "E": count}
        horizontal = {"C": column + count, "<": column - count, "G": count - 1, "E": 0, "F": 0}
        if kind == "d":
            row = self._top + count - 1
        return row + vertical.get(kind, 0), horizontal.get(kind, column)

    def _edit(self, kind: str, first: int) -> None:
        if kind == "J":
            self._erase_rows(first)
        elif kind == "s":
            self._saved = (self._row, self._column)
        elif kind == "u":
            self._go(*self._saved)
        elif kind == "c":
            self.state = ""
            self._clear()
        else:
            self._edit_row(kind, max(1, first))

    def _go(self, row: int, column: int) -> None:
        """Set the cursor; rows below the lowest are made, rows above the top not reached."""
        if row > len(self._chars) + _MAX_JUMP:
            row = len(self._chars) - 1
        row = max(row, self._top)
        self._column = min(max(column, 0), max(_MAX_COLUMN, self._column))
        for _ in range(row + 1 - len(self._chars)):
            self._chars.append([])
            self._states.append([])
        self._row = row
        self._top = max(self._top, len(self._chars) - ROWS)

    def _erase_row(self, what: int) -> None:
        chars, states = self._chars[self._row], self._states[self._row]
        if what == 0:
            del chars[self._column :], states[self._column :]
        elif what == 1:
            end = min(self._column + 1, len(chars))
            self._free(end)
            chars[:end], states[:end] = [" "] * end, [""] * end
        elif what == 2:
            chars.clear()
            states.clear()

    def _erase_rows(self, what: int) -> None:
        if what == 2:
            self._clear()
        elif what == 0:
            self._erase_row(0)
            del self._chars[self._row + 1 :], self._states[self._row + 1 :]
        elif what == 1:
            self._erase_row(1)
            for row in range(self._top, self._row):
                self._chars[row], self._states[row] = [], []

    def _clear(self) -> None:
        while len(self._chars) > self._top and not self._chars[-1]:
            self._chars.pop()
            self._states.pop()
        self._top = len(self._chars)
        self._go(self._top, 0)
        self._column = 0

    def _edit_row(self, final: str, count: int) -> None:
        chars, states = self._chars[self._row], self._states[self._row]
        at, end = self._column, min(self._column + count, len(chars))
        if at >= len(chars):
            return
        self._reach(at)
        self._free(end)
        if final == "P":
            del chars[at:end], states[at:end]
        elif final == "X":
            chars[at:end], states[at:end] = [" "] * (end - at), [""] * (end - at)
        else:
            count = min(count, _MAX_COLUMN)
            chars[at:at], states[at:at] = [" "] * count, [""] * count


@lru_cache(maxsize=1_024)
def _read(control: str) -> tuple[str, int, int]:
    """Return the effect of a control and its two numbers; an empty text where it has none here."""
    if control in _SINGLE:
        return _SINGLE[control]
    if SGR.fullmatch(control):
        return "m", 0, 0
    match = _MOVE.fullmatch(control)
    if match is None or match[3] not in _CSI:
        return "", 0, 0
    return _CSI[match[3]], _count(match[1]), _count(match[2])


def _count(text: str | None) -> int:
    if not text:
        return 0
    return min(int(text), _MAX_COLUMN) if len(text) < 9 else _MAX_COLUMN
