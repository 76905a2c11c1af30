"""The signs that stand next to text, in Unicode and in ASCII."""

from collections.abc import Mapping

from rich.style import Style

from agentview.domain.tool_inputs import TodoStatus
from agentview.domain.value import Value
from agentview.timeline.view.titles.title import ASCII_ICONS, UNICODE_ICONS, StatusIcon, icon_color
from agentview.ui.render.style.palette import Palette


class Glyphs(Value):
    """One-cell signs; `marks` by state, `todos` by status."""

    marks: Mapping[StatusIcon, str]
    todos: Mapping[TodoStatus, str]
    gutter: str
    bar: str
    """Stands before what a person said."""
    ellipsis: str
    bullet: str
    rule: str
    cross: str
    """Where a rule and a column meet."""
    column: str
    hunk: str
    chosen: str
    open: str
    arrow: str
    bookmark: str
    note: str
    folded: str
    """Before the line of a part that can be opened."""
    unfolded: str


UNICODE = Glyphs(
    marks=UNICODE_ICONS,
    todos={
        TodoStatus.PENDING: "○",
        TodoStatus.IN_PROGRESS: "●",
        TodoStatus.COMPLETED: "✓",
        TodoStatus.CANCELLED: "⊘",
        TodoStatus.DELETED: "✗",
        TodoStatus.UNKNOWN: "·",
    },
    gutter="│",
    bar="▎",
    ellipsis="…",
    bullet="•",
    rule="─",
    cross="┼",
    column="│",
    hunk="…",
    chosen="●",
    open="○",
    arrow="→",
    bookmark="»",
    note="✎",
    folded="▸",
    unfolded="▾",
)

ASCII = Glyphs(
    marks=ASCII_ICONS,
    todos={
        TodoStatus.PENDING: "o",
        TodoStatus.IN_PROGRESS: "*",
        TodoStatus.COMPLETED: "v",
        TodoStatus.CANCELLED: "-",
        TodoStatus.DELETED: "x",
        TodoStatus.UNKNOWN: ".",
    },
    gutter="|",
    bar="|",
    ellipsis="~",
    bullet="*",
    rule="-",
    cross="+",
    column="|",
    hunk=":",
    chosen="*",
    open="o",
    arrow=">",
    bookmark=">",
    note="#",
    folded="+",
    unfolded="-",
)


def icon_style(icon: StatusIcon, palette: Palette) -> Style:
    """Return the style of the icon of a state."""
    match icon_color(icon):
        case "success":
            return palette.success
        case "error":
            return palette.error
        case "running":
            return palette.running
        case "warning":
            return palette.warning
        case "dim":
            return palette.dim


_PLAIN_SIGNS = str.maketrans(
    {
        "◆": "*", "●": "*", "◌": "~", "○": "o", "⊘": "-", "◷": "%", "✓": "v", "✗": "x", "━": "=",
        "▼": "v", "▲": "^", "↑": "in ", "↓": "out ", "⏎": "enter", "›": ">", "·": "-", "–": "-",
        "…": "~", "—": "-", "▾": "v", "▴": "^", "→": ">", "•": "*", "‹": "<", "★": "*", "✎": "#",
    }
)  # fmt: skip
_PLAIN_CELLS = {sign: plain for sign, plain in _PLAIN_SIGNS.items() if len(plain) == 1}


def plain_cells(text: str) -> str:
    """The text with ASCII in place of signs, as many cells wide as it was."""
    return text if text.isascii() else text.translate(_PLAIN_CELLS)


def plain_signs(text: str) -> str:
    """The text with ASCII in place of the signs that bars and notices have; it may be longer."""
    return text if text.isascii() else text.translate(_PLAIN_SIGNS)
