"""A value behind its label, both in columns of their own."""

from msgspec.structs import replace
from rich.style import Style

from agentview.ui.render.containers import Indented
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.text_lines import prose_rows

_LABEL = 11
"""Columns of a label with the space behind it."""


def labelled(label: str, text: str, space: RenderContext, style: Style | None = None) -> LazyLines:
    """The text, in as many rows as it takes, right of its label."""
    inner = replace(space, width=max(1, space.width - _LABEL))
    body = prose_rows(text, inner, style or space.palette.text)
    first = [(f"{label[: _LABEL - 1]:<{_LABEL}}", space.palette.dim)]
    return Indented(body, [(" " * _LABEL, space.palette.dim)], first)
