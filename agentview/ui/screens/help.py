"""The help screen: every key of the screen below, read from its bindings, in groups."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.query.help import rows
from agentview.query.vocabulary import Surface
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import Piece, Rows
from agentview.ui.widgets.key_hints import ActiveBinding
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.responsive_bar import Bar, Part
from agentview.ui.widgets.status_line import StatusLine

_SCREEN = Binding.Group("Screen")
_KEYS = 16
_GAP = 2
_LEAST = 16
"""Cells of a sentence next to its keys; with less room, it stands below them."""
_BELOW = 4
"""Cells by which a sentence below its keys is indented."""

_Rows = list[list[Piece]]


class _Title(Bar):
    """What the help is about."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--mark", "bar--title"}
    DEFAULT_CSS = """
    _Title {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
    }
    """

    def parts(self) -> Sequence[Part]:
        """Mark and title."""
        return (Part(((("◆ ", "bar--mark"), ("Keys", "bar--title")),), 50),)


class HelpScreen(Screen[None]):
    """Keys of another screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark", "dismiss", "back", key_display="esc", id="help.back",
                group=_SCREEN, tooltip="Back"),
    ]  # fmt: skip
    AUTO_FOCUS = "Pager"

    def __init__(
        self, actions: Sequence[ActiveBinding], palette: Palette, queries: Surface | None = None
    ) -> None:
        """`queries`: where the other screen takes queries, if it does."""
        super().__init__()
        self._queries = queries
        self._actions = actions
        self._palette = palette

    def compose(self) -> ComposeResult:
        """Title, keys, status."""
        yield _Title()
        yield Pager()
        yield StatusLine()

    def on_mount(self) -> None:
        """Show the keys."""
        self.set_palette(self._palette)

    def set_palette(self, palette: Palette) -> None:
        """Show everything in these colours."""
        self._palette = palette
        self.query_one(Pager).show(
            lambda width: help_body(
                self._actions, RenderContext(width, self._palette), self._queries
            )
        )


def help_body(
    actions: Sequence[ActiveBinding], space: RenderContext, queries: Surface | None = None
) -> LazyLines:
    """Keys and what they do, a block for each group, in one column or two."""
    groups: dict[str, list[ActiveBinding]] = {}
    for action in actions:
        groups.setdefault(action.group, []).append(action)
    palette = space.palette
    blocks = [
        [[(name or "More", palette.heading)], *(_row(action, palette) for action in group), []]
        for name, group in groups.items()
    ]
    if queries is not None:
        forms = [_pair(form, sentence, palette) for form, sentence in rows(queries)]
        blocks.append([[("Search and filter", palette.heading)], *forms, []])
    left, right = _halves(blocks)
    begin = max(_width(left) + _GAP, space.width // 2)
    if begin + _width(right) <= space.width:
        return Rows(_in_columns(left, right, begin), space)
    narrow = [line for block in blocks for row in block for line in _folded(row, space.width)]
    return Rows(narrow, space)


def _row(action: ActiveBinding, palette: Palette) -> list[Piece]:
    return _pair("  ".join(action.keys), action.sentence, palette)


def _pair(name: str, sentence: str, palette: Palette) -> list[Piece]:
    return [
        (f"  {name}", palette.accent),
        (" " * max(2, _KEYS - cell_len(name)), palette.text),
        (sentence, palette.text),
    ]


def _folded(row: list[Piece], width: int) -> Iterator[list[Piece]]:
    """A row as several where its sentence is too long: next to its keys, or below them."""
    if len(row) < 3:
        yield row
        return
    *names, (sentence, style) = row
    begin = _width([names])
    if width - begin >= _LEAST:
        first, *lines = wrap(sentence, width - begin)
        yield [*names, (first, style)]
    else:
        begin, lines = _BELOW, wrap(sentence, max(_LEAST, width - _BELOW))
        yield names[:1]
    for line in lines:
        yield [(" " * begin, style), (line, style)]


def _halves(blocks: Sequence[_Rows]) -> tuple[_Rows, _Rows]:
    """The blocks in two columns of about the same height, in the order of reading."""
    total = sum(len(block) for block in blocks)
    left: _Rows = []
    right: _Rows = []
    for block in blocks:
        (left if len(left) + len(block) // 2 <= total // 2 and not right else right).extend(block)
    return left, right


def _width(rows: _Rows) -> int:
    return max((cell_len("".join(text for text, _ in row)) for row in rows), default=0)


def _in_columns(left: _Rows, right: _Rows, begin: int) -> _Rows:
    """Two columns, of which the second begins in the cell `begin`."""
    rows: _Rows = []
    for index in range(max(len(left), len(right))):
        row = list(left[index]) if index < len(left) else []
        if index < len(right) and right[index]:
            style = right[index][0][1]
            row.append((" " * (begin - _width([row])), style))
            row.extend(right[index])
        rows.append(row)
    return rows
