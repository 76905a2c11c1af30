"""Rows under a title line, which are counted first and made only when they are seen.

A body may say by `row_text(row, cell)` which part of a row is text, without numbers, gutters and
margins, and how it continues the row above. `cell` is where the reader began to select, which
chooses a column of those side by side. `Stack`, `Cropped`, `Indented` and `Section` ask what they
hold.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, runtime_checkable

from rich.style import Style
from textual.strip import Strip

from agentview.domain.value import Value
from agentview.settings.values import TimeFormat
from agentview.ui.render.collapsible import NO_FOLDS, Folds
from agentview.ui.render.style.glyphs import UNICODE, Glyphs
from agentview.ui.render.style.highlight_matches import SelectedCells, laid_over
from agentview.ui.render.style.palette import Palette

_SPLIT_FROM = 110
"""Cells of a body from which diffs are side by side when nobody asks for either."""
_READABLE_FROM = 84
"""Cells from which two columns can be read at all."""


class RenderContext(Value):
    """Room and looks for a body: `width` in cells.

    `split` asks for diffs side by side where they can be read, False for old text above new; None
    leaves it to the width.
    Lines longer than the width are folded, without `wrap` cut at the edge.
    """

    width: int
    palette: Palette
    split: bool | None = None
    glyphs: Glyphs = UNICODE
    wrap: bool = True
    times: TimeFormat = TimeFormat.SECONDS
    folds: Folds = NO_FOLDS
    """Which parts of the activity are open."""
    story: bool = False
    """Rows of a session read one after the other: prose without labels, marks by family."""
    sliced: bool = False
    """Whoever shows the body continues with what takes long: see `unfinished`."""

    @property
    def shows_split(self) -> bool:
        """True if diffs are shown side by side in it."""
        if self.split is None:
            return self.width >= _SPLIT_FROM
        return self.split and self.width >= _READABLE_FROM


class LazyLines(Protocol):
    """Rows of cells. Making one must be cheap: counting rows, not rendering them."""

    @property
    def height(self) -> int:
        """Number of rows at the width that the body was made for."""
        ...

    def strips(self, start: int, stop: int) -> Sequence[Strip]:
        """Rows `start` to `stop` (clipped to the height), each at most the width in cells.

        Nothing but printable text and styles is in them: no control character of the log is left.
        """
        ...


class RowText(Value):
    """Text of a row, in cells from `start` to `stop` (None: to the end of the row)."""

    start: int = 0
    stop: int | None = None
    joint: str = "\n"
    """The separator from the row above: nothing or spaces where one line was wrapped."""

    def behind(self, cells: int) -> "RowText":
        """Return the same for a row that is set in by some cells."""
        stop = None if self.stop is None else self.stop + cells
        return RowText(self.start + cells, stop, self.joint)


@runtime_checkable
class HasRowText(Protocol):
    """A body that knows which part of its rows is text."""

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Return the text of a row; None for words about the text, such as what is left out."""
        ...


_WHOLE = RowText()


def row_text(body: object, row: int, cell: int) -> RowText | None:
    """Return which part of a row of a body is text; all of it where the body does not say."""
    return body.row_text(row, cell) if isinstance(body, HasRowText) else _WHOLE


def selected_span(
    body: object, row: int, strip: Strip, selected: SelectedCells
) -> tuple[int, int, str] | None:
    """Return the selected cells of a row, drawn as `strip`, and what separates them from above."""
    first, last = selected.first, selected.last
    if (first is not None and row < first[0]) or (last is not None and row > last[0]):
        return None
    text = row_text(body, row, selected.cell)
    if text is None:
        return None
    start, stop = text.start, strip.cell_length
    if text.stop is not None:
        stop = min(stop, text.stop)
    if first is not None and row == first[0]:
        start = max(start, first[1])
    if last is not None and row == last[0]:
        stop = min(stop, last[1])
    blank = strip.crop(start, max(start, stop)).text
    stop -= len(blank) - len(blank.rstrip())
    return start, max(start, stop), text.joint


def joined(parts: Iterable[tuple[str, str]]) -> str:
    """Return the text of rows, each with what separates it from the one above."""
    texts: list[str] = []
    for joint, text in parts:
        if texts:
            texts.append(joint)
        texts.append(text)
    return "".join(texts)


def selected_text(
    body: object, rows: range, strip: Callable[[int], Strip], selected: SelectedCells
) -> Iterable[tuple[str, str]]:
    """Yield the selected text of rows of a body, each with what separates it from the one above."""
    for row in rows:
        drawn = strip(row)
        span = selected_span(body, row, drawn, selected)
        if span is not None:
            yield span[2], drawn.crop(span[0], span[1]).text


def mark_selected(
    body: object, row: int, strip: Strip, selected: SelectedCells, style: Style
) -> Strip:
    """The row of a body with `style` over what is selected of it."""
    span = selected_span(body, row, strip, selected)
    return strip if span is None or span[0] >= span[1] else laid_over(strip, *span[:2], style)
