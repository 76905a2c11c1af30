"""Answers of a provider whose logs have nothing next to them, and no place of their own."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef


def roots(env: Mapping[str, str]) -> Sequence[Path]:
    """None: such logs lie where somebody put them."""
    _ = env
    return ()


def children(ref: SessionRef) -> Sequence[SessionRef]:
    """Return none: the work of other agents is in the log of the one that started them."""
    _ = ref
    return ()


def child_places(ref: SessionRef) -> Sequence[Path]:
    """None, as there are no such files."""
    _ = ref
    return ()


def externalized_output(ref: SessionRef, recorded: str) -> Path | None:
    """None: no output is kept next to the log."""
    _ = ref, recorded
    return None
