"""Whether old and new text of a diff stand side by side."""

from agentview.ui.render.lazy_lines import Space

SPLIT_FROM = 110
"""Cells of a body from which they do when nobody asks for either."""

READABLE_FROM = 84
"""Cells from which two columns can be read at all."""


def is_split(space: Space) -> bool:
    """Whether diffs stand side by side in this space."""
    if space.split is None:
        return space.width >= SPLIT_FROM
    return space.split and space.width >= READABLE_FROM
