"""The table of all figures, for people."""

from collections.abc import Sequence

from benchmarks.figures import Figure, Group, goal_text, shown

_VERDICTS = {True: "yes", False: "NOT REACHED", None: ""}
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
        found.append(_title(group, sum(widths[:-1]) + 2 * (len(widths) - 1)))
        for figure, row in zip(group.figures, cells, strict=True):
            found.append(_line(row, widths))
            if figure.note:
                found.append(f"        {figure.note}")
    return found


def _title(group: Group, width: int) -> str:
    """A row's number and name, and its verdict behind so many columns."""
    number = "" if group.number is None else f"{group.number}. "
    return (f"{number}{group.name}".ljust(width) + _VERDICTS[group.reached]).rstrip()


def tally(groups: Sequence[Group]) -> str:
    """How many of the rows are reached: those all of whose figures are."""
    verdicts = [group.reached for group in groups if group.reached is not None]
    return f"{sum(verdicts)} of {len(verdicts)} rows reached"


def _cells(figure: Figure) -> tuple[str, ...]:
    ratio = figure.ratio
    floor = ""
    if figure.floor is not None:
        floor = f"{shown(figure.floor, figure.unit)} {figure.floor_name}".rstrip()
    goals = " and ".join(goal_text(goal, figure.unit) for goal in figure.goals)
    return (
        f"    {figure.name}",
        floor,
        shown(figure.ours, figure.unit),
        f"{ratio:.2f} ×" if ratio is not None else "",
        goals,
        _VERDICTS[figure.reached],
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
