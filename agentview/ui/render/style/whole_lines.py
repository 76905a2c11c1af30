"""Lines that are drawn whole do not hold themselves: with the line its segments go, at once.

Textual keeps with a line the pieces that it was divided into. A line that nothing lies over is its
own only piece, so that only the garbage collector could undo it: ten thousand objects a second
while a log grows, for which it would hold the event loop for 20 to 70 ms every now and then.
"""

from collections.abc import Iterable, Sequence

from textual.strip import Strip

_divide = Strip.divide


def _divided(self: Strip, cuts: Iterable[int]) -> Sequence[Strip]:
    """The pieces of a line between cuts, as Textual gives them."""
    # They ascend: where the first is the end, all others are beyond it.
    cuts = list(cuts)
    return (self,) if cuts and cuts[0] == self.cell_length else _divide(self, cuts)


def keep_lines_from_holding_themselves() -> None:
    """For all lines of this process, from now on."""
    Strip.divide = _divided
