"""Figures: what was measured, the floor next to it, what is to be reached, and whether it is."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any, Literal

Unit = Literal["ms", "µs", "s", "MB", "MB/s", "kB", "B", "%", "x", "rows", "frames", "frames/s"]

_DIGITS: dict[str, int] = {
    "s": 2,
    "MB": 1,
    "MB/s": 1,
    "kB": 1,
    "B": 1,
    "%": 2,
    "ms": 1,
    "µs": 1,
    "x": 1,
    "frames/s": 1,
    "frames": 2,
}


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound: on the value itself, or on its ratio to the floor."""

    bound: float
    of: Literal["ratio", "value"] = "ratio"
    least: bool = False
    """The value must not be less, instead of not more."""

    def met(self, value: float) -> bool:
        """Whether a value or ratio keeps within the bound."""
        return value >= self.bound if self.least else value <= self.bound


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table. `ours` is None when it could not be measured: `note` says why.

    A figure without goals is shown for comparison.
    """

    name: str
    ours: float | None
    unit: Unit
    goals: Sequence[Goal] = ()
    floor: float | None = None
    floor_name: str = ""
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours to the floor; None without both."""
        if self.ours is None or not self.floor:
            return None
        return self.ours / self.floor

    @property
    def reached(self) -> bool | None:
        """Whether all goals are met; None when there are none. What is not measured is not met."""
        if not self.goals:
            return None
        return all(self._met(goal) for goal in self.goals)

    def _met(self, goal: Goal) -> bool:
        value = self.ratio if goal.of == "ratio" else self.ours
        return value is not None and goal.met(value)

    def as_json(self) -> dict[str, Any]:
        """For results.json."""
        return {**asdict(self), "ratio": self.ratio, "reached": self.reached}


@dataclass(slots=True)
class Group:
    """Figures of one row of the table, or of something that only some look at."""

    name: str
    figures: list[Figure] = field(default_factory=list[Figure])
    number: int | None = None
    """Of the row; None outside the table."""

    @property
    def reached(self) -> bool | None:
        """Whether all goals of all figures are met; None when there are none."""
        verdicts = [each.reached for each in self.figures if each.reached is not None]
        return all(verdicts) if verdicts else None


def at_most(bound: float, of: Literal["ratio", "value"] = "ratio") -> Goal:
    """Not more than so much, or so many times the floor."""
    return Goal(bound, of)


def at_least(bound: float) -> Goal:
    """Not less than so much."""
    return Goal(bound, "value", least=True)


def middle(values: Sequence[float]) -> float:
    """The median. Raises ValueError when there are no values."""
    return median(values)


def percentile(values: Sequence[float], part: float) -> float:
    """The smallest value that `part` (0 to 1) of all values do not exceed.

    Raises ValueError when there are no values.
    """
    if not values:
        raise ValueError("no values")
    ranked = sorted(values)
    # 0.99 of 100 values is the 99th: a float a hair above that must not make it the last.
    rank = max(1, -int(-(round(part * len(ranked), 9)) // 1))
    return ranked[rank - 1]


def shown(value: float | None, unit: Unit) -> str:
    """A value with its unit."""
    if value is None:
        return "–"
    return f"{value:,.{_DIGITS.get(unit, 0)}f} {unit}".strip()


def goal_text(goal: Goal, unit: Unit) -> str:
    """A goal as the table shows it."""
    sign = "≥" if goal.least else "≤"
    return f"{sign} {goal.bound:g} ×" if goal.of == "ratio" else f"{sign} {goal.bound:g} {unit}"
