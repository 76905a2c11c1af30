"""Plots of one line: bars, and sparklines."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

_EIGHTHS = " ▏▎▍▌▋▊▉█"
LEVELS = "▁▂▃▄▅▆▇█"
ASCII_LEVELS = "_.-=+*#@"
"""Eight heights, the lowest first."""
_ASCII_COLUMN = ".:#"


def bar(part: float, whole: float, width: int, *, unicode: bool = True) -> str:
    """A bar of at most `width` cells; what is more than nothing always shows."""
    if part <= 0 or whole <= 0:
        return ""
    filled = min(1.0, part / whole) * width
    if not unicode:
        return "#" * max(1, round(filled))
    eighths = max(1, round(filled * 8))
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def sparkline(values: Sequence[int], width: int, *, unicode: bool = True) -> str:
    """Values from left to right, each the highest of its cell, on a scale from 0 to the highest."""
    if not values:
        return ""
    levels = LEVELS if unicode else ASCII_LEVELS
    cells = min(width, len(values))
    edges = [at * len(values) // cells for at in range(cells + 1)]
    highest = [max(values[edges[at] : edges[at + 1]]) for at in range(cells)]
    scale = max(*highest, 1)
    return "".join(levels[max(0, value) * (len(levels) - 1) // scale] for value in highest)


def height_sign(height: float, *, unicode: bool = True) -> str:
    """A height from 1 to 8 as one cell; what is less than 1 is nothing."""
    levels = LEVELS if unicode else ASCII_LEVELS
    return levels[min(round(height), len(levels)) - 1] if height >= 1 else " "


def resampled(
    values: Sequence[float], width: int, joined: Callable[[Iterable[float]], float] = max
) -> list[float]:
    """Values as `width` cells: several in one are joined, too few are widened."""
    count = len(values)
    if not count or width <= 0:
        return []
    edges = [cell * count // width for cell in range(width + 1)]
    return [joined(values[start : max(stop, start + 1)]) for start, stop in pairwise(edges)]


def columns(
    cells: Sequence[float], highest: float, height: int, *, unicode: bool = True
) -> list[str]:
    """Cells as columns of up to `height` rows, the top row first; what is anything is seen."""
    levels = f" {LEVELS if unicode else _ASCII_COLUMN}"
    steps = len(levels) - 1
    whole = height * steps
    filled = [max(1, round(value / highest * whole)) if value > 0 else 0 for value in cells]
    return [
        "".join(levels[min(max(each - row * steps, 0), steps)] for each in filled)
        for row in range(height - 1, -1, -1)
    ]
