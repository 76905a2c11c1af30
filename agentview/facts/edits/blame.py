"""Which recorded step wrote each line of a file: its steps, newest first, against its text."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from agentview.domain.value import Value
from agentview.facts.edits.partial_file import FileChange, Item, UnknownRange
from agentview.timeline.view.diff.patience import changed_blocks

_GAP = "\x00"
"""Begins what stands for lines that are not known: no line of a log has it."""


class Claim(Value):
    """The step that wrote a line, by its place among the changes that were given.

    `exact` is False where the text before the step, or after a later one, is not known: the step
    wrote the line, and another may have written it too.
    """

    change: int
    exact: bool


class _Line(Value):
    """A line whose writer is looked for: its place in the file, and its text.

    `sure` is False behind a step of which it is not known whether the line was there after it.
    """

    at: int
    text: str
    sure: bool = True


def blame(lines: Sequence[str], changes: Sequence[FileChange]) -> list[Claim | None]:
    """The claim for each line of a file; None for a line that no recorded step wrote.

    `changes` are those of the file, oldest first. A line counts for the newest step that added it
    and after which it stayed: where the text after a step is known and does not have the line,
    something else has written it since.
    """
    claims: list[Claim | None] = [None] * len(lines)
    wanted = [_Line(at, text) for at, text in enumerate(lines)]
    for number in range(len(changes) - 1, -1, -1):
        if not wanted:
            break
        change = changes[number]
        there, left = _places(wanted, change)
        added, unsure = _added(change)
        for line, place in there:
            if place not in added:
                left.append(line)
            elif place in unsure:
                # An older step may have written it first.
                claims[line.at] = claims[line.at] or Claim(number, exact=False)
                left.append(line)
            else:
                claims[line.at] = Claim(number, line.sure)
        wanted = sorted(left, key=lambda line: line.at)
    return claims


def _places(
    wanted: Sequence[_Line], change: FileChange
) -> tuple[list[tuple[_Line, int]], list[_Line]]:
    """Lines with their places in the text after a change, and those that it may have."""
    kept = {id(item) for item in change.before if isinstance(item, UnknownRange)}
    names = _names(change.after, {})
    there: list[tuple[_Line, int]] = []
    unseen: list[_Line] = []
    at = place = 0
    blocks, coarse = changed_blocks([line.text for line in wanted], names)
    for a, b, c, d in (*blocks, (len(wanted), len(wanted), len(names), len(names))):
        there += zip(wanted[at:a], range(place, c), strict=True)
        gaps = [item for item in change.after[c:d] if isinstance(item, UnknownRange)]
        if gaps or coarse:
            untouched = not coarse and all(id(gap) in kept for gap in gaps)
            unseen += [replace(line, sure=line.sure and untouched) for line in wanted[a:b]]
        at, place = b, d
    return there, unseen


def _added(change: FileChange) -> tuple[set[int], set[int]]:
    """Places of the lines that a step added, and of those that may have been there before."""
    before, after, recorded = change.before, change.after, change.added
    known: dict[int, str] = {}
    blocks, coarse = changed_blocks(_names(before, known), _names(after, known))
    added: set[int] = set()
    unsure: set[int] = set()
    for a, b, c, d in blocks:
        added.update(range(c, d))
        if coarse or any(isinstance(item, UnknownRange) for item in before[a:b]):
            unsure.update(range(c, d))
    if recorded is not None:
        added = {place for place in added if after[place] in recorded}
        unsure.clear()
    return added, unsure


def _names(items: Iterable[Item], known: dict[int, str]) -> list[str]:
    return [
        item if isinstance(item, str) else known.setdefault(id(item), f"{_GAP}{len(known)}")
        for item in items
    ]
