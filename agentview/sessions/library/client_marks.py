"""Clients by two letters that distinguish them."""

import re
from collections.abc import Iterator, Mapping

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
CELLS = 2
"""Cells of a mark."""


def client_marks(labels: Mapping[str, str]) -> dict[str, str]:
    """Two letters for each provider, by its name, of what people call it.

    They are the initials of two words, else the first letter with a later one, and differ as far as
    the letters do. A provider keeps its letters unless another comes in front of it by name.
    """
    marks: dict[str, str] = {}
    for provider in sorted(labels, key=lambda each: (labels[each].casefold(), each)):
        choices = list(_choices(labels[provider]))
        taken = set(marks.values())
        marks[provider] = next((mark for mark in choices if mark not in taken), choices[0])
    return marks


def _choices(label: str) -> Iterator[str]:
    parts: list[str] = _PARTS.findall(label)
    if len(parts) > 1:
        yield (parts[0][0] + parts[1][0]).upper()
    letters = "".join(parts)
    yield from (f"{letters[0].upper()}{letter.lower()}" for letter in letters[1:])
    # Letters of other scripts may be twice as wide.
    yield (label[: CELLS if label.isascii() else 1] or "?").ljust(CELLS)
