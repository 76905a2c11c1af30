"""Long texts in parts, each of which is laid out in no time."""

PART = 200_000
"""Characters of a part, but for the rest of its last line."""

_LONGEST = 20_000
"""Characters of a line that a part is made longer by, so that it ends with a line."""


def part_count(text: str) -> int:
    """Number of parts, at least one."""
    return max(1, -(-len(text) // PART))


def part_of(text: str, number: int) -> str:
    """A part of the text, from 0; all parts together are the text."""
    return text[_cut(text, number) : _cut(text, number + 1)]


def _cut(text: str, number: int) -> int:
    place = number * PART
    if place <= 0:
        return 0
    if place >= len(text):
        return len(text)
    end = text.find("\n", place - 1, place + _LONGEST)
    return place if end < 0 else end + 1
