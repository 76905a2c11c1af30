"""`agentview stats --budget`: what was spent of each budget, as lines or as JSON."""

import argparse
import os
import sys
import time
from collections.abc import Sequence

from rich.cells import cell_len

from agentview.cli.output.progress import Progress
from agentview.cli.output.terminal import writes_unicode
from agentview.errors import UsageError
from agentview.reports.export.encoding import Object, shown_cost_fields, to_json_document
from agentview.sessions.spending.budgets import LEVELS, Spending, spending
from agentview.sessions.targets.session_query import all_sessions, catalogue
from agentview.settings.reading import read_settings
from agentview.timeline.view.format_numbers import dollars
from agentview.timeline.view.sparkline import bar

EXIT_CODES = dict(zip(LEVELS, (11, 10), strict=True))
"""By the highest level that a budget has reached."""

_BAR = 20
_OTHERS = ("targets", "by", "after", "before", "no_subagents", "provider", "project")


def print_budgets(options: argparse.Namespace) -> int:
    """Print what was spent; the exit code is that of the budget of which most is used.

    Raises UsageError where no budget is set, or together with what selects sessions.
    """
    settings = read_settings(os.environ).settings.budget
    if any(getattr(options, name, None) for name in _OTHERS):
        raise UsageError(
            "--budget is about all sessions.", "Leave out targets and other options than --json."
        )
    if not settings.any:
        raise UsageError(
            "No budget is set.", "budget.day = 20 in the settings sets one; see docs/settings.md."
        )
    with Progress():
        found = spending(settings, all_sessions(), catalogue(), time.time(), reads=True).budgets
    if options.json:
        sys.stdout.buffer.write(to_json_document([_object(each) for each in found]))
    elif found:
        print("\n".join(_lines(found, unicode=writes_unicode())))
    else:
        print("No session of today has used 80 % of its budget.")
    reached = [each.level for each in found if each.level is not None]
    return EXIT_CODES[max(reached)] if reached else 0


def _lines(found: Sequence[Spending], *, unicode: bool) -> list[str]:
    rows = [
        (each.label, each.cost.text(), dollars(each.limit), f"{each.used:.0%}",
         bar(each.used, 1.0, _BAR, unicode=unicode))
        for each in found
    ]  # fmt: skip
    widths = [max(cell_len(row[at]) for row in rows) for at in range(4)]

    def filled(text: str, at: int) -> str:
        return " " * (widths[at] - cell_len(text))

    return [
        f"{name}{filled(name, 0)}  {filled(cost, 1)}{cost} of {filled(limit, 2)}{limit}"
        f"  {filled(used, 3)}{used}  {plot}"
        for name, cost, limit, used, plot in rows
    ]


def _object(each: Spending) -> Object:
    return {
        "kind": each.kind.value,
        "name": each.name,
        "begun": each.begun,
        "provider": each.ref.provider if each.ref is not None else None,
        "path": each.ref.path if each.ref is not None else None,
        "limit": each.limit,
        **shown_cost_fields(each.cost),
        "used": each.used,
        "level": each.level,
    }
