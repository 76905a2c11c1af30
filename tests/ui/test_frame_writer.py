"""A frame is the same on the terminal, and takes far fewer bytes than Textual writes for it."""

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pyte
from rich.console import Console, ConsoleDimensions
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from agentview.ui.frame_writer import FrameWriter

WIDTH, HEIGHT = 40, 14
_STYLES = [
    Style.parse(text)
    for text in (
        "default", "bold red", "#aabbcc on #112233", "italic #aabbcc on #445566", "underline red",
        "green link https://host.example",
    )
]  # fmt: skip
_WORDS = ("price", " ", "   ", "→ a", "日本", "é", "e\u0301x", "│", "0123456789")


def _console() -> Console:
    return Console(
        width=WIDTH, height=HEIGHT, color_system="truecolor", force_terminal=True, _environ={}
    )


def _line(chance: Random) -> Strip:
    segments: list[Segment] = []
    while sum(len(segment.text) for segment in segments) < WIDTH:
        segments.append(Segment(chance.choice(_WORDS), chance.choice(_STYLES)))
    return Strip(segments).adjust_cell_length(WIDTH)


class _Terminals:
    """Two terminals: one gets what Textual writes, one what we write."""

    def __init__(self) -> None:
        self.console = _console()
        self.screens = [pyte.Screen(WIDTH, HEIGHT) for _ in range(2)]
        self.streams = [pyte.Stream(screen) for screen in self.screens]
        self.writer = FrameWriter()
        self.sizes = (0, 0)

    def show(self, update: ChopsUpdate | LayoutUpdate) -> None:
        theirs = update.render_segments(self.console)
        ours = self.writer.update(update).render_segments(self.console)
        self.sizes = len(theirs), len(ours)
        for stream, text in zip(self.streams, (theirs, ours), strict=True):
            # Each line is moved to: a line end would scroll where a line is wider than said.
            stream.feed(text.replace("\n", "") if text is theirs else text)
        first, second = (_cells(screen) for screen in self.screens)
        assert first == second

    def lines(
        self,
        shown: Sequence[Strip],
        rows: Sequence[int] | None = None,
        first: int = 0,
        last: int = WIDTH,
    ) -> None:
        """Show lines; with `rows` only these may have changed, and of them only some cells."""
        if rows is None:
            self.show(LayoutUpdate([[line] for line in shown], Region(0, 0, WIDTH, HEIGHT)))
            return
        cuts = sorted({0, first, last, WIDTH})
        chops = [{x: line.crop(x, end) for x, end in pairwise(cuts)} for line in shown]
        self.show(ChopsUpdate(chops, [(y, first, last) for y in rows], [cuts[1:]] * HEIGHT))


def _cells(screen: pyte.Screen) -> list[list[object]]:
    return [[screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]


def test_the_terminal_shows_what_textual_would_have_it_show() -> None:
    for seed in range(12):
        chance = Random(seed)  # noqa: S311
        terminals = _Terminals()
        shown = [_line(chance) for _ in range(HEIGHT)]
        terminals.lines(shown)
        for _ in range(12):
            rows = sorted(chance.sample(range(HEIGHT), chance.randrange(1, HEIGHT)))
            for y in rows:
                shown[y] = _line(chance) if chance.random() < 0.5 else shown[y]
            first = chance.choice((0, 0, 7, 20))
            terminals.lines(shown, rows, first, chance.choice((25, WIDTH - 1, WIDTH)))


def _text(text: str, style: str) -> Strip:
    return Strip([Segment(text.ljust(WIDTH), Style.parse(style))])


def test_lines_that_move_are_scrolled() -> None:
    for step in (1, 3, -1, -4):
        terminals = _Terminals()
        texts = [_text(f"line {number} of the log", "#aabbcc on #112233") for number in range(60)]
        terminals.lines(texts[20 : 20 + HEIGHT])
        start = 20 + step
        terminals.lines(texts[start : start + HEIGHT], range(HEIGHT))
        theirs, ours = terminals.sizes
        assert ours < theirs / 3
        rows = range(2, HEIGHT - 1)
        terminals.lines([*texts[start : start + 2], *texts[start + 2 + step :][:HEIGHT]], rows)


def test_lines_do_not_scroll_beside_what_stays() -> None:
    terminals = _Terminals()
    texts = [_text(f"line {number} of the log", "#aabbcc on #112233") for number in range(60)]
    terminals.lines(texts[20 : 20 + HEIGHT])
    terminals.lines(texts[23 : 23 + HEIGHT], range(HEIGHT), 0, WIDTH - 4)
    terminals.lines(texts[26 : 26 + HEIGHT], range(HEIGHT), 10, WIDTH)
    terminals.lines(texts[26 : 26 + HEIGHT], range(HEIGHT))


def test_a_line_that_is_chosen_takes_its_own_cells_only() -> None:
    terminals = _Terminals()
    shown = [_text(f"line {number}", "#aabbcc on #112233") for number in range(HEIGHT)]
    terminals.lines(shown)
    terminals.lines(shown, range(HEIGHT))
    assert terminals.sizes[1] == 0
    shown[3] = _text("line 3", "#aabbcc on #445566")
    terminals.lines(shown, range(HEIGHT))
    assert terminals.sizes[1] < WIDTH + 60


def test_what_something_else_wrote_is_written_over() -> None:
    terminals = _Terminals()
    shown = [_text(f"line {number}", "red") for number in range(HEIGHT)]
    terminals.lines(shown)
    terminals.streams[1].feed("\x1b[2J\x1b[1;1Hsomething else")
    terminals.writer.forget()
    terminals.lines(shown, range(HEIGHT))


def test_a_frame_that_was_made_for_a_larger_terminal_writes_what_is_in_this_one() -> None:
    shown = [_text("a" * WIDTH, "red") for _ in range(HEIGHT)]
    cuts = [0, WIDTH - 15, WIDTH]
    chops = [{x: line.crop(x, end) for x, end in pairwise(cuts)} for line in shown]
    update = ChopsUpdate(chops, [(y, 0, WIDTH) for y in range(HEIGHT)], [cuts[1:]] * HEIGHT)
    console = _console()
    console.size = ConsoleDimensions(WIDTH - 20, HEIGHT - 2)
    screen = pyte.Screen(WIDTH - 20, HEIGHT - 2)
    pyte.Stream(screen).feed(FrameWriter().update(update).render_segments(console))
    assert screen.display == ["a" * (WIDTH - 20)] * (HEIGHT - 2)
