"""Tries what can go wrong around agentview, many times over: `python -m tests.reliability`."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.reliability import caches, follow, limits, mutations, signals
from tests.reliability.outcome import Outcome, Plan

GROUPS: dict[str, Callable[[Plan, Path], Iterator[Outcome]]] = {
    "mutations": mutations.run,
    "follow": follow.run,
    "caches": caches.run,
    "signals": signals.run,
    "limits": limits.run,
}
"""What is tried, by the name of its group, the most valuable first."""
