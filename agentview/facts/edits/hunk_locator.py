"""Hunks without line numbers: what they replace, and its position in the known text."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

from agentview.domain.tool_inputs import TextEdit
from agentview.domain.tool_results import Hunk
from agentview.domain.value import Value
from agentview.facts.edits.partial_file import PartialFile

_NO_END = "\\"

_LOOSER: tuple[Callable[[str], str], ...] = (str.rstrip, str.strip)
"""How lines may differ and still be meant, as tools that apply such hunks compare them."""


class Chunk(Value):
    """Lines that take the place of other lines; `heading` is a line somewhere above them.

    `old_ended` and `new_ended` are False where the last line has no end, None where it is not
    known.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    heading: str = ""
    old_ended: bool | None = None
    new_ended: bool | None = None
    last: bool = False
    """Nothing stands behind its lines in the file."""

    # A step looks at the same hunk several times.
    @staticmethod
    @lru_cache(maxsize=32)
    def of_hunk(hunk: Hunk) -> "Chunk":
        """The lines of a hunk before and after."""
        marked = [line[:1] or " " for line in hunk.lines]
        open_ends = {sign for sign, mark in pairwise((" ", *marked)) if mark == _NO_END}
        has_mark = bool(open_ends)
        signs = "".join(marked).replace(_NO_END, "")
        pairs = [*zip(marked, hunk.lines, strict=True)]
        above = len(signs) - len(signs.lstrip(" "))
        below = len(signs) - len(signs.rstrip(" "))
        return Chunk(
            tuple([line[1:] for sign, line in pairs if sign in " -"]),
            tuple([line[1:] for sign, line in pairs if sign in " +"]),
            hunk.heading,
            not open_ends & {" ", "-"} if has_mark else None,
            not open_ends & {" ", "+"} if has_mark else None,
            # Who writes hunks leaves as many lines below a change as above it, if there are any.
            last=has_mark or (hunk.old_start > 0 and below < above),
        )

    @staticmethod
    def of_edit(edit: TextEdit) -> "Chunk":
        """An edit whose texts are whole lines."""
        old, new = edit.old.removesuffix("\n"), edit.new.removesuffix("\n")
        return Chunk(tuple(old.split("\n")), tuple(new.split("\n")))


def chunks_of(edit: TextEdit) -> Chunk | None:
    """The whole lines that an edit of a text changes; None when it may change parts of lines.

    The text may begin and end in the middle of a line: only lines between are known as a whole.
    """
    old, new = edit.old.split("\n"), edit.new.split("\n")
    if len(old) < 2 or len(new) < 2 or old[0] != new[0] or old[-1] != new[-1]:
        return None
    return Chunk(tuple(old[1:-1]), tuple(new[1:-1])) if old[1:-1] else None


def place_of(draft: PartialFile, chunk: Chunk, after: int) -> int | None:
    """Index of the item that the old lines of a chunk begin with, at or behind `after`.

    Lines that are known nowhere are put where they may stand. None when they stand nowhere.
    """
    whole = draft.new.lines()
    if not chunk.old:
        return _end_of(draft, chunk, after) if whole is not None else None
    start = after
    if chunk.heading:
        above = _found(draft, (chunk.heading,), after)
        start = after if above is None else above + 1
    for begin in dict.fromkeys((start, after, 0)):
        index = _found(draft, chunk.old, begin)
        if index is not None:
            return index
    if whole is not None:
        return None
    if draft.attach(chunk.old):
        return draft.find(chunk.old)
    return draft.place_anywhere(chunk.old, after)


def _found(draft: PartialFile, lines: Sequence[str], start: int) -> int | None:
    index = draft.find(lines, start)
    if index is not None:
        return index
    items = draft.new.items
    if not draft.can_compare(len(items) * min(len(lines), 100)):
        return None
    for loosen in _LOOSER:
        wanted = [loosen(line) for line in lines]
        for at in range(start, len(items) - len(wanted) + 1):
            there = items[at : at + len(wanted)]
            if all(
                isinstance(line, str) and loosen(line) == want
                for line, want in zip(there, wanted, strict=True)
            ):
                return at
    return None


def _end_of(draft: PartialFile, chunk: Chunk, after: int) -> int:
    """Where lines are added that replace none: below the heading, else at the end."""
    if chunk.heading:
        above = _found(draft, (chunk.heading,), after)
        if above is not None:
            return above + 1
    return len(draft.new.items)
