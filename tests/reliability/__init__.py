"""Tries what can go wrong around agentview, many times over: `python -m tests.reliability`."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.reliability import (
    caches,
    children,
    follow,
    instances,
    limits,
    live,
    long,
    mutations,
    opens,
    signals,
    storage,
    terminals,
)
from tests.reliability.outcome import Outcome, Plan

GROUPS: dict[str, Callable[[Plan, Path], Iterator[Outcome]]] = {
    "mutations": mutations.run,
    "follow": follow.run,
    "caches": caches.run,
    "children": children.run,
    "signals": signals.run,
    "terminals": terminals.run,
    "limits": limits.run,
    "storage": storage.run,
    "instances": instances.run,
    "opens": opens.run,
    "long": long.run,
    "live": live.run,
}
"""What is tried, by the name of its group, the most valuable first."""
