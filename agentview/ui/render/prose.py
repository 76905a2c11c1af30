"""Text that people or models wrote without markup: wrapped at words."""

from rich.style import Style

from agentview.ui.render.lazy_lines import Body, Space
from agentview.ui.render.text_lines import Rows, text_rows, wrap

MAX_SIZE = 50_000
"""Characters from which lines are folded at the width, which needs no look at the words."""


def prose_rows(text: str, space: Space, style: Style) -> Body:
    """The text with its own line ends kept; no rows for an empty text."""
    if not text:
        return Rows([], space)
    if len(text) > MAX_SIZE:
        return text_rows(text, space, style)
    return Rows(wrap([(text.replace("\r\n", "\n"), style)], space.width), space)
