"""The table of all figures, for people."""

from collections.abc import Sequence

from benchmarks.figures import Figure, Group, goal_text, shown

_HEAD = ("figure", "floor", "ours", "ratio", "to reach", "reached")


def lines(groups: Sequence[Group]) -> list[str]:
    """The table as lines of equal columns; notes stand below the rows."""
    rows = [(group, [_cells(figure) for figure in group.figures]) for group in groups]
    widths = [
        max(len(row[at]) for row in [_HEAD, *(cells for _, found in rows for cells in found)])
        for at in range(len(_HEAD))
    ]
    found = [_line(_HEAD, widths), "  ".join("─" * width for width in widths)]
    for group, cells in rows:
        found.append(f"[{group.name}]")
        for figure, row in zip(group.figures, cells, strict=True):
            found.append(_line(row, widths))
            if figure.note:
                found.append(f"    {figure.note}")
    return found


def tally(groups: Sequence[Group]) -> str:
    """How many of the figures are reached."""
    judged = [figure for group in groups for figure in group.figures if figure.goals]
    reached = sum(figure.reached is True for figure in judged)
    return f"{reached} of {len(judged)} figures reached"


def times(groups: Sequence[Group]) -> str:
    """The seconds that each group took, the longest first."""
    ranked = sorted(groups, key=lambda group: -group.seconds)
    return ", ".join(f"{group.name} {group.seconds:.0f} s" for group in ranked)


def _cells(figure: Figure) -> tuple[str, ...]:
    ratio = figure.ratio
    floor = ""
    if figure.floor is not None:
        floor = f"{shown(figure.floor, figure.unit)} {figure.floor_name}".rstrip()
    goals = " and ".join(goal_text(goal, figure.unit) for goal in figure.goals)
    verdict = {True: "yes", False: "NOT REACHED", None: ""}[figure.reached]
    return (
        figure.name,
        floor,
        shown(figure.ours, figure.unit),
        f"{ratio:.2f} ×" if ratio is not None else "",
        goals,
        verdict,
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
