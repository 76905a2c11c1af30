"""A part of a body under a line of its own, which folds it away and opens it."""

from collections.abc import Callable, Sequence

from textual.strip import Strip

from agentview.ui.render.lazy_lines import LazyLines, RenderContext, RowText, row_text
from agentview.ui.render.text_lines import Piece, Rows

_SIGN = 2
"""Cells of the sign in front of a head."""


class Section:
    """A head line and, while it is open, a body below it.

    `make` gives the body and is called only when the section is open; `key` is what the space's
    folds know the section by, `begins` whether it is open unasked.
    """

    def __init__(
        self,
        key: str,
        head: Sequence[Piece],
        make: Callable[[], LazyLines],
        space: RenderContext,
        *,
        begins: bool,
    ) -> None:
        is_open = space.folds.is_open(key, begins)
        sign = space.glyphs.unfolded if is_open else space.glyphs.folded
        self._key = key
        self.head = head
        self._head = Rows([[(f"{sign} ", space.palette.dim), *head]], space)
        self.body = make() if is_open else None

    @property
    def height(self) -> int:
        return 1 + (self.body.height if self.body is not None else 0)

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`."""
        strips = self._head.strips(start, stop)
        if self.body is not None and stop > 1:
            strips += self.body.strips(max(0, start - 1), stop - 1)
        return strips

    def fold_at(self, row: int) -> str | None:
        return self._key if row == 0 else None

    def row_text(self, row: int, cell: int) -> RowText | None:
        return RowText(_SIGN) if row == 0 else row_text(self.body, row - 1, cell)
