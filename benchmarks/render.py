"""What drawing costs: bodies at full against reading the same text, and the longest step of it."""

import gc
import time
from collections.abc import Callable
from itertools import groupby

from pygments.lexers.python import PythonLexer  # pyright: ignore[reportMissingTypeStubs]

from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import Hunk
from agentview.timeline.view.diff.from_call import FileDiff, compare
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.style.palette import palette_of
from agentview.ui.themes import DEFAULT_THEME, load_theme, theme_directories
from benchmarks.bench import Bench
from benchmarks.figures import Figure, Group, at_most
from benchmarks.render_json import json_figures
from benchmarks.render_prose import prose_figures
from benchmarks.render_shell import shell_figures

_WIDTH = 120
_SCREENFUL = 40
_LONG = 20_000
"""Lines of the diff whose opening must not hold the event loop."""


def measure(bench: Bench) -> list[Group]:
    """All figures of the group, each from several runs of which the quickest counts."""
    group = Group("render")
    # As the application does once it has started.
    gc.collect()
    gc.freeze()
    runs = bench.plan.runs
    group.figures += _diffs(runs)
    group.figures += json_figures(runs, space())
    group.figures += shell_figures(runs, space())
    group.figures += prose_figures(runs, space())
    return [group]


def space(width: int = _WIDTH) -> RenderContext:
    """Room and looks as on a wide terminal."""
    return RenderContext(width, palette_of(load_theme(DEFAULT_THEME, theme_directories())))


def drawn(make: Callable[[], LazyLines]) -> float:
    """CPU seconds to make a body and all of its rows."""
    began = time.process_time()
    body = make()
    body.strips(0, body.height)
    return time.process_time() - began


def opened(make: Callable[[], LazyLines]) -> float:
    """CPU seconds to make a body and a screenful of it: one step of the event loop."""
    began = time.process_time()
    body = make()
    body.strips(0, min(_SCREENFUL, body.height))
    return time.process_time() - began


def _diffs(runs: int) -> list[Figure]:
    text = _source(1_000)
    other = text.replace("wait", "pause").replace("return", "yield")
    hunks, _ = compare(text, other)
    diff = FileDiff("retry.py", hunks=hunks)
    lines = "".join(f"{line[1:]}\n" for hunk in hunks for line in hunk.lines)
    lexer = PythonLexer()
    room = space()
    whole = min(drawn(lambda: diff_body(diff, room)) for _ in range(runs))
    floor = min(_lexed(lexer, lines) for _ in range(runs))
    return [
        Figure(
            f"diff of {sum(len(hunk.lines) for hunk in hunks):,} lines at full",
            whole * 1000,
            "ms",
            (at_most(3.0),),
            floor * 1000,
            "pygments",
        ),
        *_long_diffs(runs, room),
    ]


def _lexed(lexer: PythonLexer, text: str) -> float:
    began = time.process_time()
    for _ in lexer.get_tokens(text):
        pass
    return time.process_time() - began


def _long_diffs(runs: int, room: RenderContext) -> list[Figure]:
    old = _source(_LONG * 5 // 9)
    new = old.replace("wait", "pause").replace("return", "yield")
    recorded = FileDiff("retry.py", hunks=(_recorded(old, new),))
    count = len(recorded.hunks[0].lines)
    step = at_most(8.0, "value")

    text = _source(_LONG)

    def created() -> LazyLines:
        compare.cache_clear()
        hunks, _ = compare("", text)
        return diff_body(FileDiff("retry.py", FileOperation.CREATE, hunks=hunks), room)

    return [
        Figure(
            f"longest step while a recorded diff of {count:,} lines opens",
            min(opened(lambda: diff_body(recorded, room)) for _ in range(runs)) * 1000,
            "ms",
            (step,),
        ),
        Figure(
            f"longest step while a new file of {_LONG:,} lines opens",
            min(opened(created) for _ in range(runs)) * 1000,
            "ms",
            (step,),
        ),
    ]


def _recorded(old: str, new: str) -> Hunk:
    """What a client writes down of a change that leaves the count of lines as it was."""
    lines: list[str] = []
    pairs = zip(old.splitlines(), new.splitlines(), strict=True)
    for kept, run in groupby(pairs, lambda pair: pair[0] == pair[1]):
        part = list(run)
        if kept:
            lines += [f" {line}" for line, _ in part]
        else:
            lines += [f"-{line}" for line, _ in part] + [f"+{line}" for _, line in part]
    count = old.count("\n")
    return Hunk(1, count, 1, count, tuple(lines))


def _source(lines: int) -> str:
    """Python text of so many lines, each unlike the others."""
    parts: list[str] = []
    for number in range(-(-lines // 5)):
        parts += [
            f"def attempt_{number}(base: float, cap: float = {number}.5) -> float:",
            f'    """Seconds to wait before attempt {number} of {lines}."""',
            f"    wait = base * 2 ** {number}  # grows quickly",
            f'    logger.info("waiting for %s: {number}", wait)',
            f"    return min(cap, wait) + {number}",
        ]
    return "\n".join(parts[:lines]) + "\n"
