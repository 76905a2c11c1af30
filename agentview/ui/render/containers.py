"""Bodies put together: one below another, cropped with a word about the rest, or set in.

A body that takes longer to lay out than a frame may is shown as far as it is, then whole.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentview.ui.render.collapsible import fold_at
from agentview.ui.render.lazy_lines import LazyLines, RenderContext, RowText, row_text
from agentview.ui.render.strip import strip_of
from agentview.ui.render.text_lines import Piece, fit, prose_rows

_LABEL = 11
"""Columns of a label with the space behind it."""


class Stack:
    """Bodies one below another."""

    def __init__(self, bodies: Sequence[LazyLines]) -> None:
        self.bodies = [body for body in bodies if body.height]
        self._ends = list(accumulate(body.height for body in self.bodies))

    @property
    def height(self) -> int:
        return self._ends[-1] if self._ends else 0

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`; bodies outside are not asked."""
        start, stop = max(0, start), min(stop, self.height)
        strips: list[Strip] = []
        while start < stop:
            index = bisect_right(self._ends, start)
            first = self._ends[index - 1] if index else 0
            end = min(stop, self._ends[index])
            strips += self.bodies[index].strips(start - first, end - first)
            start = end
        return strips

    def fold_at(self, row: int) -> str | None:
        """Key of the part that the line at a row folds."""
        if not 0 <= row < self.height:
            return None
        return fold_at(*self._at(row))

    def row_text(self, row: int, cell: int) -> RowText | None:
        return row_text(*self._at(row), cell)

    def _at(self, row: int) -> tuple[LazyLines, int]:
        """Return the body that has a row, and which of its rows it is."""
        index = bisect_right(self._ends, row)
        return self.bodies[index], row - (self._ends[index - 1] if index else 0)


class RepeatedTitle(Stack):
    """A text that the title may say as well, and what is below it."""

    def __init__(self, text: LazyLines, rest: LazyLines) -> None:
        super().__init__([text, rest])
        self.text = text
        self.rest = rest


class LayoutWork(Protocol):
    """Laying out that continues between keys and frames."""

    def continue_for(self, seconds: float) -> bool:
        """Lay out more, for about so long; true when that was all."""
        ...


class IncrementalBody(Stack):
    """A body as far as it is laid out. Made again when its `work` is done, it is whole."""

    def __init__(self, bodies: list[LazyLines], work: LayoutWork) -> None:
        super().__init__(bodies)
        self.work = work


def work_of(body: object) -> LayoutWork | None:
    """Return the remaining work of a body; None for one that is whole."""
    return body.work if isinstance(body, IncrementalBody) else None


class Cropped:
    """The first rows of a body and a line that says how much more there is.

    `what` names what is counted ("lines"); `total` is the true number of them where it is not the
    height of the body. With `tail`, so many of the rows are taken from the end. A body that is
    only one row too long is shown whole, since the line would take as much room.
    """

    def __init__(
        self,
        body: LazyLines,
        rows: int,
        what: str,
        space: RenderContext,
        *,
        tail: int = 0,
        total: int | None = None,
    ) -> None:
        self._body = body
        self._space = space
        self._what = what
        height = body.height
        self._hidden = max(0, height - rows)
        if self._hidden == 1 and total is None:
            self._hidden = 0
        self._shown = height - self._hidden
        self._tail = min(tail, self._shown) if self._hidden else 0
        unseen = 0 if total is None else max(0, total - height)
        self._more = self._hidden + unseen

    @property
    def height(self) -> int:
        return self._shown + (1 if self._more else 0)

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`; what is left out is not rendered."""
        start, stop = max(0, start), min(stop, self.height)
        head = self._shown - self._tail
        strips = list(self._body.strips(start, min(stop, head)) if start < head else ())
        if self._more and start <= head < stop:
            strips.append(self._rest())
        first = head + (1 if self._more else 0)
        if stop > first and self._tail:
            shift = self._hidden - (1 if self._more else 0)
            strips += self._body.strips(max(start, first) + shift, stop + shift)
        return strips

    def fold_at(self, row: int) -> str | None:
        """Key of the part that the line at a row folds."""
        inside = self._row_of(row)
        return None if inside is None else fold_at(self._body, inside)

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Text of the body; None for the line about the rest."""
        inside = self._row_of(row)
        return None if inside is None else row_text(self._body, inside, cell)

    def _row_of(self, row: int) -> int | None:
        """Return which row of the body is shown; None for the line about the rest."""
        head = self._shown - self._tail
        if row < head:
            return row
        rest = 1 if self._more else 0
        return None if row < head + rest else row + self._hidden - rest

    def _rest(self) -> Strip:
        glyphs, dim = self._space.glyphs, self._space.palette.dim
        what = self._what.removesuffix("s") if self._more == 1 else self._what
        text = f"{glyphs.ellipsis} {self._more:,} more {what}"
        return fit([(text, dim)], self._space.width, glyphs.ellipsis)


class Indented:
    """A body behind a prefix of fixed width on each row."""

    def __init__(
        self, body: LazyLines, prefix: Sequence[Piece], first: Sequence[Piece] | None = None
    ) -> None:
        self.body = body
        self._prefix = strip_of([Segment(text, style) for text, style in prefix])
        self._first = (
            self._prefix
            if first is None
            else strip_of([Segment(text, style) for text, style in first])
        )

    @property
    def sign(self) -> Strip | None:
        """Prefix of the first row alone, such as the number of an item; None for nothing."""
        return None if self._first is self._prefix else self._first

    @property
    def height(self) -> int:
        return self.body.height

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, each behind the prefix."""
        start = max(0, start)
        return [
            strip_of([*(self._prefix if start + number else self._first), *strip])
            for number, strip in enumerate(self.body.strips(start, stop))
        ]

    def fold_at(self, row: int) -> str | None:
        return fold_at(self.body, row)

    def row_text(self, row: int, cell: int) -> RowText | None:
        """Text of the body; the sign of an item belongs to its text, and so its indentation."""
        width = self._prefix.cell_length
        text = row_text(self.body, row, max(0, cell - width))
        if text is None:
            return None
        kept = self.sign is not None and text.joint == "\n" and not text.start
        return RowText(0, joint=text.joint) if kept else text.behind(width)


def labelled(label: str, text: str, space: RenderContext, style: Style | None = None) -> LazyLines:
    """The text, in as many rows as it takes, right of its label."""
    inner = replace(space, width=max(1, space.width - _LABEL))
    body = prose_rows(text, inner, style or space.palette.text)
    first = [(f"{label[: _LABEL - 1]:<{_LABEL}}", space.palette.dim)]
    return Indented(body, [(" " * _LABEL, space.palette.dim)], first)
