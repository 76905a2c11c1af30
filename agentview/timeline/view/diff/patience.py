"""Lines compared: anchored on lines that are unique in both texts, so that long ones are quick."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

Block = tuple[int, int, int, int]
"""Old lines [a, b) became new lines [c, d)."""

MAX_LINES = 12_000
"""Lines, old and new together, up to which texts are compared at all."""

MAX_PAIRS = 60_000
"""Old times new lines up to which parts are compared one by one, all parts together."""

MAX_PART = 400
"""Lines between two anchors, old and new together, up to which they are compared one by one."""


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> tuple[list[Block], bool]:
    """Blocks that differ, in order, and whether some part was too long to be compared.

    Such a part is one block: all of its old lines became all of its new ones.
    """
    if len(old) + len(new) > MAX_LINES:
        return [(0, len(old), 0, len(new))], True
    blocks: list[Block] = []
    coarse = False
    pairs = 0
    for part in _parts(old, new):
        a, b, c, d = _trimmed(old, new, part)
        if a == b or c == d:
            blocks += [(a, b, c, d)] if a < b or c < d else []
        elif set(old[a:b]).isdisjoint(new[c:d]):
            blocks.append((a, b, c, d))
        elif b - a + d - c > MAX_PART or (pairs := pairs + (b - a) * (d - c)) > MAX_PAIRS:
            blocks.append((a, b, c, d))
            coarse = True
        else:
            matcher = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
            blocks += [
                (a + i, a + j, c + k, c + m)
                for tag, i, j, k, m in matcher.get_opcodes()
                if tag != "equal"
            ]
    return blocks, coarse


def _parts(old: Sequence[str], new: Sequence[str]) -> Iterator[Block]:
    """The stretches between anchors; the anchors themselves are equal."""
    a = c = 0
    for i, k in _anchors(old, new):
        yield a, i, c, k
        a, c = i + 1, k + 1
    yield a, len(old), c, len(new)


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of lines that stand once in each text, the longest run of them in common order."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {line: k for k, line in enumerate(new) if new_counts[line] == 1}
    pairs = [
        (i, places[line]) for i, line in enumerate(old) if old_counts[line] == 1 and line in places
    ]
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, k) in enumerate(pairs):
        pile = bisect_left(tops, k)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [k]
        piles[pile : pile + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = piles[-1] if piles else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _trimmed(old: Sequence[str], new: Sequence[str], part: Block) -> Block:
    """The part without equal lines at its start and end."""
    a, b, c, d = part
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return a, b, c, d
