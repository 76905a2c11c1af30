"""The help screen: every key of the screen below, read from its bindings, in groups and columns."""

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import ClassVar

from rich.cells import cell_len
from textual import on
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
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.responsive_bar import Bar, Part
from agentview.ui.widgets.status_line import StatusLine

_SCREEN = Binding.Group("Screen")
_KEYS = 16
_GAP = 2
_COLUMN = 62
"""Cells of a column at least, where there is room for several."""
_TWO = 96
"""Cells from which there are two columns, though narrower ones: most sentences still fit."""
_LEAST = 16
"""Cells of a sentence next to its keys; with less room, it stands below them."""
_BELOW = 4
"""Cells by which a sentence below its keys is indented."""

_Rows = list[list[Piece]]


class _Title(Bar):
    """Subject of the help."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--mark", "bar--title"}
    DEFAULT_CSS = """
    _Title {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
    }
    """

    def parts(self) -> Sequence[Part]:
        return (Part(((("◆ ", "bar--mark"), ("Keys", "bar--title")),), 50),)


class HelpScreen(Screen[None]):
    """Keys of another screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", "filter", id="help.filter", group=_SCREEN,
                tooltip="Show the keys whose description has these words"),
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
        self._words = ""

    def compose(self) -> ComposeResult:
        """Title, keys, status."""
        yield _Title()
        yield Pager()
        yield StatusLine()

    def on_mount(self) -> None:
        self.set_palette(self._palette)

    def set_palette(self, palette: Palette) -> None:
        """Show everything in these colours."""
        self._palette = palette
        self._show()

    def _show(self) -> None:
        self.query_one(Pager).show(
            lambda width: help_body(
                self._actions, RenderContext(width, self._palette), self._queries, self._words
            )
        )

    async def action_filter(self) -> None:
        """Let the person type words; only keys that have them are shown."""
        if not self.query(InputLine):
            line = InputLine("/", hint="words; esc shows all", id="filter")
            await self.mount(line, before=self.query_one(StatusLine))
        self.query_one(InputLine).start()

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        self._words = event.value
        self._show()

    @on(InputLine.Submitted)
    def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        self.set_focus(self.query_one(Pager))

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        self._words = ""
        self._show()
        self.set_focus(self.query_one(Pager))
        await event.line.remove()


def help_body(
    actions: Sequence[ActiveBinding],
    space: RenderContext,
    queries: Surface | None = None,
    words: str = "",
) -> LazyLines:
    """Keys and what they do, a block for each group, in as many columns as there is room for.

    Only rows that have all of the `words` are in it.
    """
    groups: dict[str, list[ActiveBinding]] = {}
    for action in actions:
        groups.setdefault(action.group, []).append(action)
    palette = space.palette
    blocks = [
        [[(name or "More", palette.heading)], *(_row(action, palette) for action in group)]
        for name, group in groups.items()
    ]
    if queries is not None:
        forms = [_pair(form, sentence, palette) for form, sentence in rows(queries)]
        blocks.append([[("Search and filter", palette.heading)], *forms])
    blocks = [kept for block in blocks if len(kept := _with_words(block, words)) > 1]
    if not blocks:
        return Rows([[("No key has these words.", palette.dim)]], space)
    count = min(len(blocks), max(space.width // _COLUMN, 2 if space.width >= _TWO else 1))
    width = (space.width - _GAP * (count - 1)) // count
    folded = [[*(line for row in block for line in _folded(row, width)), []] for block in blocks]
    return Rows(_in_columns(_columns(folded, count), width + _GAP), space)


def _with_words(block: _Rows, words: str) -> _Rows:
    """The heading of a block, and its rows that have all of the words."""
    wanted = words.lower().split()
    texts = ["".join(text for text, _ in row).lower() for row in block]
    return [
        row
        for number, row in enumerate(block)
        if not number or all(word in texts[number] for word in wanted)
    ]


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


def _columns(blocks: Sequence[_Rows], count: int) -> list[_Rows]:
    """The blocks in columns of about the same height, in the order of reading."""
    height = sum(len(block) for block in blocks) / count
    columns: list[_Rows] = [[]]
    for block in blocks:
        full = len(columns[-1]) + len(block) / 2 > height
        if full and columns[-1] and len(columns) < count:
            columns.append([])
        columns[-1].extend(block)
    return columns


def _width(rows: _Rows) -> int:
    return max((cell_len("".join(text for text, _ in row)) for row in rows), default=0)


def _in_columns(columns: Sequence[_Rows], step: int) -> _Rows:
    """The rows of all columns, each of which begins `step` cells after the one before."""
    rows: _Rows = []
    for index in range(max(map(len, columns))):
        row: list[Piece] = []
        for number, column in enumerate(columns):
            if index < len(column) and column[index]:
                style = column[index][0][1]
                row.append((" " * (number * step - _width([row])), style))
                row.extend(column[index])
        rows.append(row)
    return rows
