"""Marks laid over finished rows: what a search found, and that a row is bookmarked."""

import re
from collections.abc import Iterator
from typing import Protocol

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentview.domain.value import Value
from agentview.ui.render.strip import strip_of, width_of


class TextPattern(Protocol):
    """Finds in a text what is to be marked; a regular expression does."""

    def search(self, string: str, /) -> object: ...

    def finditer(self, string: str, /) -> Iterator[re.Match[str]]: ...


class SelectedCells(Value):
    """A selection in rows: from a row and cell to a row and cell, which is not part of it.

    None is the beginning or end of what it is in. `cell` is where the reader began to select.
    """

    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    cell: int = 0


class Highlights(Value, gc=True):
    """Marks in the rows of an activity."""

    found: TextPattern | None = None
    bookmarked: bool = False
    timed: bool = True
    """The time of the first row is shown."""
    selected: SelectedCells | None = None
    """The selection of rows by the mouse."""


def mark_found(strip: Strip, found: TextPattern, style: Style, first: int, end: int) -> Strip:
    """The strip with `style` over what is found between two cells; as wide as it was."""
    text = strip.text
    spans = [match.span() for match in found.finditer(text) if match.end() > match.start()]
    if not spans:
        return strip
    if text.isascii():
        cells = spans
    else:
        cells = [(width_of(text[:start]), width_of(text[:stop])) for start, stop in spans]
    for start, stop in cells:
        if start >= first and stop <= end:
            strip = laid_over(strip, start, stop, style)
    return strip


def laid_over(strip: Strip, start: int, stop: int, style: Style) -> Strip:
    """The strip with `style` over the cells from `start` to `stop`."""
    width = strip.cell_length
    before, inside, after = (
        strip.crop(*span) for span in ((0, start), (start, stop), (stop, width))
    )
    over = [Segment(text, (under or Style.null()) + style) for text, under, _ in inside]
    return Strip.join([before, strip_of(over, inside.cell_length), after])


def mark_bookmark(strip: Strip, column: int, sign: str, style: Style) -> Strip:
    """The title row with a sign in its first cell; the mark at `column` reversed without room."""
    if column == 0:
        return laid_over(strip, 0, min(1, strip.cell_length), Style(reverse=True))
    rest = strip.crop(1, strip.cell_length)
    return Strip.join([strip_of([Segment(sign, style)], 1), rest])
