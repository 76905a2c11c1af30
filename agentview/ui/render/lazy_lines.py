"""Rows under a title line, which are counted first and made only when they are seen."""

from collections.abc import Sequence
from typing import Protocol

from textual.strip import Strip

from agentview.domain.value import Value
from agentview.settings.values import TimeFormat
from agentview.ui.render.collapsible import NO_FOLDS, Folds
from agentview.ui.render.style.glyphs import UNICODE, Glyphs
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
