"""What output of a command costs: 1 MB of it opened at full, a page inside, and bars redrawn."""

import re
import time
from collections.abc import Callable

from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.terminal.screen import text_left
from benchmarks.figures import Figure, at_most

_SCREENFUL = 40
_ESCAPE = re.compile(r"\x1b\[[\d;]*m")


def shell_figures(runs: int, room: RenderContext) -> list[Figure]:
    """Figures of colourful output and of progress bars in several rows."""
    text = _output(1_000_000)
    floor = min(_seconds(lambda: _ESCAPE.sub("", text).split("\n")) for _ in range(runs))
    body = ansi_rows(text, room)
    bars = _bars(150_000)
    return [
        Figure(
            "shell output of 1 MB opens at full",
            min(_seconds(lambda: _page(ansi_rows(text, room), 0)) for _ in range(runs)) * 1000,
            "ms",
            (at_most(4.0),),
            floor * 1000,
            "colours taken out by a pattern",
        ),
        Figure(
            "page within shell output of 1 MB",
            min(_seconds(lambda: _page(body, body.height // 2)) for _ in range(runs)) * 1000,
            "ms",
            (at_most(8.0, "value"),),
        ),
        Figure(
            "progress bars of 150 kB in several rows settle",
            min(_seconds(lambda: _settled(bars)) for _ in range(runs)) * 1000,
            "ms",
        ),
    ]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _page(body: LazyLines, start: int) -> None:
    body.strips(start, start + _SCREENFUL)


def _settled(text: str) -> str:
    text_left.cache_clear()
    return text_left(text)


def _output(size: int) -> str:
    line = "\x1b[32mok\x1b[0m  {0:>7}  tests/test_{0}.py::\x1b[1;31mtest_delay\x1b[0m in 0.0{0}s\n"
    return "".join(line.format(number) for number in range(size // (len(line) + 12)))


def _bars(size: int) -> str:
    rows = "".join(f"\x1b[2Klayer {row}  \x1b[32m{{0:>3}}%\x1b[0m\r\n" for row in range(5))
    return "\n" * 5 + "".join(
        "\x1b[5A" + rows.format(step % 101) for step in range(size // len(rows))
    )
