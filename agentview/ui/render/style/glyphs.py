"""The signs that stand next to text, in Unicode and in ASCII."""

from collections.abc import Mapping
from enum import StrEnum

from rich.style import Style

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tool_inputs import TodoStatus
from agentview.domain.tools import CHANGING, ToolKind
from agentview.domain.value import Value
from agentview.timeline.view.looks import PLAIN_LOOKS
from agentview.timeline.view.titles.title import ASCII_ICONS, UNICODE_ICONS, StatusIcon, icon_color
from agentview.ui.render.style.palette import Palette


class Family(StrEnum):
    """Purpose of a call, whatever its tool is called."""

    LOOK = "look"
    CHANGE = "change"
    RUN = "run"
    ASK = "ask"
    DELEGATE = "delegate"
    OTHER = "other"


_FAMILIES: Mapping[Kind, Family] = {
    **dict.fromkeys(PLAIN_LOOKS, Family.LOOK),
    ToolKind.TOOL_SEARCH: Family.LOOK,
    **dict.fromkeys(CHANGING, Family.CHANGE),
    ToolKind.SHELL: Family.RUN,
    ToolKind.ASK: Family.ASK,
    ToolKind.PLAN: Family.ASK,
    RowKind.REQUEST: Family.ASK,
    ToolKind.SUBAGENT_TASK: Family.DELEGATE,
}


def family_of(kind: Kind) -> Family:
    return _FAMILIES.get(kind, Family.OTHER)


def family_style(family: Family, palette: Palette) -> Style:
    return {
        Family.LOOK: palette.dim,
        Family.CHANGE: palette.success,
        Family.ASK: palette.warning,
        Family.DELEGATE: palette.user,
    }.get(family, palette.accent)


class Glyphs(Value):
    """One-cell signs; `marks` by state, `todos` by status."""

    marks: Mapping[StatusIcon, str]
    families: Mapping[Family, str]
    """Signs of calls that ended well."""
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
    families=dict(zip(Family, "◦±$?⇢✓", strict=True)),
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
    families=dict(zip(Family, ":=$?>v", strict=True)),
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
        "…": "~", "—": "-", "−": "-", "×": "x", "▾": "v", "▴": "^", "→": ">", "•": "*",
        "‹": "<", "★": "*", "✎": "#",
    }
)  # fmt: skip
_PLAIN_CELLS = {sign: plain for sign, plain in _PLAIN_SIGNS.items() if len(plain) == 1}


def plain_cells(text: str) -> str:
    """The text with ASCII in place of signs, as many cells wide as it was."""
    return text if text.isascii() else text.translate(_PLAIN_CELLS)


def plain_signs(text: str) -> str:
    """The text with ASCII in place of the signs that bars and notices have; it may be longer."""
    return text if text.isascii() else text.translate(_PLAIN_SIGNS)
