"""Keys and shapes of what each client writes in the scenarios of a scripted run."""

from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
"""Holds `<provider>/<scenario>.json`."""


def baseline_files() -> Iterator[Path]:
    """All baselines, in order."""
    yield from sorted(FOLDER.glob("*/*.json"))
