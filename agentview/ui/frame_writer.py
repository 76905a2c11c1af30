"""Writes a frame to the terminal: only cells that differ from what it shows.

Textual writes each line of what may have changed, with all codes of each piece. Over a network that
is most of the time of a key.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from rich.cells import get_character_cell_size
from rich.console import Console
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

_PIECE = re.compile(r"\x1b\[([0-9;]*)m([^\x1b]*)\x1b\[0m|([^\x1b]+)")
"""A piece of a rendered strip: its codes and text, or text without codes."""
_UNKNOWN = "?"
"""Codes of a cell of which it is not known what it shows."""
_GAP = 6
"""Cells up to which what stays is written again: to move the cursor takes as many characters."""
_LEAST_MOVED = 4
"""Lines that must be at their place after scrolling, which takes some 20 characters."""
_EDGE = 2
"""Cells at the right edge, of a scroll bar, that need not move with their line."""

Chop = tuple[int, str]
"""A part of a line: its first cell, and the strip as it is rendered."""


class _Line:
    __slots__ = ("chars", "codes")

    def __init__(self, width: int) -> None:
        self.chars = [" "] * width
        self.codes = [_UNKNOWN] * width

    @property
    def text(self) -> str:
        return "".join(self.chars[:-_EDGE])


class FrameWriter:
    """Knows what the terminal shows, and writes what a frame changes."""

    def __init__(self) -> None:
        self._lines: list[_Line] = []
        self._width = 0

    def forget(self) -> None:
        """Something else wrote to the terminal, or it has another size."""
        self._lines = []

    def update(self, found: CompositorUpdate) -> CompositorUpdate:
        return _Update(self, found) if isinstance(found, ChopsUpdate | LayoutUpdate) else found

    def written(self, found: CompositorUpdate, console: Console) -> str:
        """The characters that bring the update onto the terminal."""
        if isinstance(found, LayoutUpdate):
            # All of a screen is written again, whatever the terminal has made of it.
            self.forget()
            lines = _layout(found, console)
        else:
            lines = _chops(found, console) if isinstance(found, ChopsUpdate) else {}
        self._fit(console)
        pen = _Pen()
        self._scroll(lines, pen)
        for y, chops in lines.items():
            if y < len(self._lines):
                for x, rendered in chops:
                    self._write(y, x, rendered, pen)
        return pen.taken()

    def _fit(self, console: Console) -> None:
        size = console.size
        if (self._width, len(self._lines)) != (size.width, size.height):
            self._width = size.width
            self._lines = [_Line(size.width) for _ in range(size.height)]

    def _write(self, y: int, x: int, rendered: str, pen: "_Pen") -> None:
        if x >= self._width:
            # The terminal became smaller after the frame was made.
            return
        line = self._lines[y]
        cells = _cells(rendered)
        if cells is None:
            pen.whole(y, x, rendered)
            line.codes[x:] = [_UNKNOWN] * (self._width - x)
            return
        chars, codes = cells
        end = min(x + len(chars), self._width)
        chars, codes = chars[: end - x], codes[: end - x]
        known, painted = line.chars[x:end], line.codes[x:end]
        if known == chars and painted == codes:
            return
        changed = [
            at
            for at, (char, code) in enumerate(zip(chars, codes, strict=True))
            if char != known[at] or code != painted[at]
        ]
        for start, stop in _runs(changed):
            pen.cells(y, x + start, chars[start:stop], codes[start:stop])
        line.chars[x:end], line.codes[x:end] = chars, codes

    def _scroll(self, lines: dict[int, list[Chop]], pen: "_Pen") -> None:
        """Move lines that are there already, but at another place."""
        rows = sorted(y for y in lines if y < len(self._lines))
        if len(rows) < 2 * _LEAST_MOVED:
            return
        top, bottom = rows[0], rows[-1]
        # A terminal moves whole lines: also cells that the update does not have.
        if bottom - top + 1 != len(rows) or not all(self._whole(lines[y]) for y in rows):
            return
        before = [line.text for line in self._lines[top : bottom + 1]]
        after = [self._text_of(y, lines[y]) for y in rows]
        step = _step(before, after)
        if step == 0:
            return
        pen.scroll(top, bottom, step)
        moved = self._lines[top : bottom + 1]
        fresh = [_Line(self._width) for _ in range(abs(step))]
        self._lines[top : bottom + 1] = moved[step:] + fresh if step > 0 else fresh + moved[:step]

    def _whole(self, chops: Sequence[Chop]) -> bool:
        return sum(len(cells[0]) for _, text in chops if (cells := _cells(text))) >= self._width

    def _text_of(self, y: int, chops: Sequence[Chop]) -> str:
        chars = list(self._lines[y].chars)
        for x, rendered in chops:
            cells = _cells(rendered)
            if cells is not None:
                chars[x : x + len(cells[0])] = cells[0]
        return "".join(chars[: self._width - _EDGE])


class _Update(CompositorUpdate):
    """An update that is written by a writer, at the moment when it is."""

    def __init__(self, writer: FrameWriter, found: CompositorUpdate) -> None:
        self._writer = writer
        self._found = found

    def render_segments(self, console: Console) -> str:
        return self._writer.written(self._found, console)


class _Pen:
    """Writes cells, and knows where the cursor is and which codes are set."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._codes = ""
        self._at: tuple[int, int] | None = None

    def cells(self, y: int, x: int, chars: Sequence[str], codes: Sequence[str]) -> None:
        """Write cells of one line."""
        self._move(y, x)
        start = 0
        for at in range(1, len(codes) + 1):
            if at == len(codes) or codes[at] != codes[start]:
                self._set(codes[start])
                self._parts.append("".join(chars[start:at]))
                start = at
        self._at = y, x + len(codes)

    def whole(self, y: int, x: int, rendered: str) -> None:
        """Write a strip as it is: the terminal decides how many cells its characters take."""
        self._set("")
        self._at = None
        self._move(y, x)
        self._parts.append(rendered)
        self._at = None

    def scroll(self, top: int, bottom: int, step: int) -> None:
        """Move the lines between two by so many up, or down where it is negative."""
        self._set("")
        # Deletes lines at the top of these, or inserts some there.
        lines = f"{step}M" if step > 0 else f"{-step}L"
        self._parts.append(f"\x1b[{top + 1};{bottom + 1}r\x1b[{top + 1};1H\x1b[{lines}\x1b[r")
        self._at = None

    def taken(self) -> str:
        """All that is written; no codes stay set."""
        self._set("")
        return "".join(self._parts)

    def _move(self, y: int, x: int) -> None:
        if self._at is not None and self._at[0] == y and self._at[1] <= x:
            if self._at[1] < x:
                self._parts.append(f"\x1b[{x - self._at[1]}C")
        else:
            self._parts.append(f"\x1b[{y + 1};{x + 1}H")

    def _set(self, codes: str) -> None:
        if codes != self._codes:
            self._parts.append(_change(self._codes, codes))
            self._codes = codes


def _chops(found: ChopsUpdate, console: Console) -> dict[int, list[Chop]]:
    """The parts of each line that may have changed."""
    lines: dict[int, list[Chop]] = {}
    for y, x1, x2 in found.spans:
        line = lines.setdefault(y, [])
        for end, (x, strip) in zip(found.chop_ends[y], found.chops[y].items(), strict=False):
            # Chops between the spans of a line are None.
            if strip is None or x > x2 or end <= x1:
                continue
            shown = strip if x1 <= x and end <= x2 else strip.crop(0, min(end, x2) - x)
            line.append((x, shown.render(console)))
    return lines


def _layout(found: LayoutUpdate, console: Console) -> dict[int, list[Chop]]:
    lines: dict[int, list[Chop]] = {}
    for y, strips in enumerate(found.strips, found.region.y):
        strip = Strip.join(list(strips))
        lines[y] = [(found.region.x, strip.render(console))]
    return lines


@lru_cache(maxsize=2048)
def _cells(rendered: str) -> tuple[list[str], list[str]] | None:
    """The character and the codes of each cell of a rendered strip.

    None where a character takes another number of cells than one, or the strip has links.
    """
    chars: list[str] = []
    codes: list[str] = []
    end = 0
    for piece in _PIECE.finditer(rendered):
        if piece.start() != end:
            return None
        end = piece.end()
        text = piece[2] if piece[3] is None else piece[3]
        if not text.isascii() and any(get_character_cell_size(char) != 1 for char in text):
            return None
        if not text.isprintable():
            return None
        chars += text
        codes += [piece[1] or ""] * len(text)
    return (chars, codes) if end == len(rendered) else None


def _runs(changed: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last cell, the latter exclusive, of what is written at once."""
    start = last = changed[0]
    for at in changed:
        if at - last > _GAP:
            yield start, last + 1
            start = at
        last = at
    yield start, last + 1


def _step(before: Sequence[str], after: Sequence[str]) -> int:
    """By how many lines most of them moved up; 0 where scrolling saves nothing."""
    places: dict[str, list[int]] = {}
    for y, text in enumerate(before):
        if not text.isspace():
            places.setdefault(text, []).append(y)
    votes: dict[int, int] = {}
    for y, text in enumerate(after):
        for place in places.get(text, ())[:_LEAST_MOVED]:
            votes[place - y] = votes.get(place - y, 0) + 1
    step = max(votes, key=lambda step: (votes[step], -abs(step)), default=0)
    return step if votes.get(step, 0) >= votes.get(0, 0) + _LEAST_MOVED else 0


@lru_cache(maxsize=4096)
def _change(old: str, new: str) -> str:
    """The sequence that changes the codes that are set."""
    if not new:
        return "\x1b[0m"
    before, after = _kinds(old), _kinds(new)
    if before.keys() - after.keys():
        return f"\x1b[0;{new}m"
    parts = [codes for kind, codes in after.items() if before.get(kind) != codes]
    return f"\x1b[{';'.join(parts)}m"


def _kinds(codes: str) -> dict[str, str]:
    """Codes by what they set: ink, shade, and each attribute by itself."""
    found: dict[str, str] = {}
    parts = iter(codes.split(";") if codes else ())
    for part in parts:
        if part in ("38", "48"):
            found["ink" if part == "38" else "shade"] = ";".join((part, *_color(parts)))
        elif part in ("39", "49") or (len(part) > 1 and part[:-1] in ("3", "4", "9", "10")):
            found["shade" if part[:-1] in ("4", "10") else "ink"] = part
        else:
            found[part] = part
    return found


def _color(parts: Iterator[str]) -> Iterable[str]:
    kind = next(parts)
    return (kind, *(next(parts) for _ in range(3 if kind == "2" else 1)))
