"""Changes of a file: hunks with real line numbers, syntax colours and marks on changed words."""

from itertools import repeat

from textual.strip import Strip

from agentview.timeline.diff.from_call import FileDiff
from agentview.timeline.diff.rows import BETWEEN
from agentview.ui.render.containers import Stack
from agentview.ui.render.diff.split import SplitDiff
from agentview.ui.render.diff.style import DiffInk
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import Rows, fit
from agentview.ui.render.wrap_map import RowMap


def diff_body(diff: FileDiff, space: RenderContext, *, fold: bool = True) -> LazyLines:
    """The hunks of one file, side by side where that is wanted and there is something on each.

    `fold` lays long lines out over several rows where the space does; otherwise they are cut.
    """
    fold = fold and space.wrap
    parts: list[LazyLines] = [_note(note, space) for note in _notes(diff)]
    if diff.hunks:
        ink = DiffInk(diff, space)
        if space.shows_split and not ink.one_sided:
            parts.append(SplitDiff(ink, space, fold=fold))
        else:
            parts.append(_Unified(ink, space, fold=fold))
    return Stack(parts)


def _notes(diff: FileDiff) -> list[str]:
    notes = list(diff.notes)
    if not diff.known:
        notes.append("the log does not have the change")
    if diff.coarse:
        notes.append("compared coarsely: too much has changed")
    return notes


class _Unified:
    """Old lines above the new ones that took their place."""

    def __init__(self, ink: DiffInk, space: RenderContext, *, fold: bool) -> None:
        self._ink = ink
        self._space = space
        self._fold = fold
        self._side = " " if ink.both_numbers else ""
        room = max(1, space.width - ink.gutter_width(self._side))
        tall = ink.tall(room) if fold else {}
        count = len(ink.lines)
        self._map = RowMap(count, map(tall.get, range(count), repeat(1)) if tall else None)

    @property
    def height(self) -> int:
        """Number of rows."""
        return self._map.height

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Rows `start` to `stop`, clipped to what there is."""
        rows = range(max(0, start), min(stop, self.height))
        return [self._row(*self._map.at(row)) for row in rows]

    def _row(self, index: int, part: int) -> Strip:
        ink, width = self._ink, self._space.width
        if ink.lines.signs[index] == BETWEEN:
            return fit(ink.between(index), width, self._space.glyphs.ellipsis)
        strip = Strip(*ink.row(index, part, side=self._side, width=width, fold=self._fold))
        # Where even the numbers have no room.
        return strip if strip.cell_length <= width else strip.crop(0, width)


def _note(text: str, space: RenderContext) -> LazyLines:
    return Rows([[(text, space.palette.dim)]], space)
