"""`python -m tests.reliability [GROUP ...] [--fast]`: one table, exit code 1 on any failure."""

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.reliability import GROUPS
from tests.reliability.outcome import Outcome, Plan

_SHOWN = 12
"""Failures of a line that are printed."""
_HEAD = "| group | done | how many | failures | seconds |\n|---|---|---:|---:|---:|\n"


def main(arguments: Sequence[str]) -> int:
    """Run the groups that are named, or all; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument("group", nargs="*", choices=[[], *GROUPS], default=[])
    parser.add_argument("--fast", action="store_true", help="a small share of everything")
    parser.add_argument("--count", type=int, help="mutated records for each provider")
    parser.add_argument("--first", type=int, default=0, help="number of the first batch")
    parser.add_argument("--provider", action="append", default=[], help="mutations of these only")
    parser.add_argument("--minutes", type=float, default=10.0, help="of the group long")
    options = parser.parse_args(arguments)
    count = options.count or (200 if options.fast else 50_000)
    plan = Plan(options.fast, count, options.first, tuple(options.provider), options.minutes)
    sys.stdout.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n\n{_HEAD}")
    outcomes: list[Outcome] = []
    for group in options.group or GROUPS:
        with tempfile.TemporaryDirectory(prefix=f"agentview-{group}-") as folder:
            for outcome in GROUPS[group](plan, Path(folder)):
                outcomes.append(outcome)
                sys.stdout.write(_line(outcome))
                sys.stdout.flush()
    sys.stdout.write("\n" + "\n".join(_details(outcomes)))
    return int(any(outcome.failures for outcome in outcomes))


def _line(outcome: Outcome) -> str:
    done = outcome.done + (f" ({outcome.note})" if outcome.note else "")
    return (
        f"| {outcome.group} | {done} | {outcome.count:,} {outcome.unit}"
        f" | {len(outcome.failures)} | {outcome.seconds:,.0f} |\n"
    )


def _details(outcomes: Iterable[Outcome]) -> Iterable[str]:
    for outcome in outcomes:
        for failure in outcome.failures[:_SHOWN]:
            yield f"{outcome.group}: {failure}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
