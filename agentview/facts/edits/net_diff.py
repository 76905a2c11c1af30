"""Net result of all steps on a file: the difference between its text before them and now."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from agentview.domain.tool_results import Hunk
from agentview.domain.value import Value
from agentview.facts.edits.apply import Replay
from agentview.facts.edits.operations import FileStep, Uncertainty
from agentview.facts.edits.partial_file import FileVersion, Item, UnknownRange
from agentview.timeline.view.diff.patience import changed_blocks

CONTEXT = 3

_NO_END = "\n"
"""Stands at the end of a last line that has no line end, while lines are compared."""
_NO_END_NOTE = "\\ No newline at end of file"
_UNSURE_PLACE = "where in the file its lines stand is not known; git looks for them"
_UNKNOWN_BEHIND = "the lines below those that it changed are not known"


class ChangeMark(StrEnum):
    """The kind of a net change."""

    READ = "read"
    """It was only looked at."""
    NEW = "new"
    CHANGED = "changed"
    MOVED = "moved"
    DELETED = "deleted"
    SAME = "same"
    """It was changed, and is as it was before."""
    UNKNOWN = "unknown"
    """The result is not known."""


class FileNet(Value):
    """Net change of one file. Paths are absolute, or relative where no directory is known.

    `hunks` are empty, and `added` and `removed` are None, where the difference is not known: then
    `missing` says because of which steps. `remarks` are what to know of a difference that is.
    """

    path: str
    origin: str
    """Its path before the session."""
    mark: ChangeMark
    hunks: tuple[Hunk, ...] = ()
    added: int | None = None
    removed: int | None = None
    missing: tuple[Uncertainty, ...] = ()
    remarks: tuple[Uncertainty, ...] = ()
    unsure: tuple[Uncertainty, ...] = ()
    """Commands since which the file may be another."""
    modes: tuple[str, str] | None = None
    numbered: bool = True
    """True if all line numbers are those of the file."""

    @property
    def known(self) -> bool:
        return not self.missing


def net_of(replay: Replay, last: FileStep) -> FileNet:
    """The difference that the steps on a file made; `last` is the last one that changed it."""
    missing = tuple(_missing(replay))
    hunks: tuple[Hunk, ...] = ()
    numbered = True
    if not missing:
        hunks, numbered, blind = _hunks(replay)
        if blind:
            missing = (Uncertainty(last, _UNKNOWN_BEHIND),)
    if missing:
        return FileNet(
            replay.path,
            replay.origin,
            ChangeMark.UNKNOWN,
            missing=missing,
            unsure=tuple(replay.unsure),
        )
    remarks = list(replay.remarks)
    if not numbered and hunks:
        remarks.append(Uncertainty(last, _UNSURE_PLACE))
    return FileNet(
        replay.path,
        replay.origin,
        _mark(replay, hunks),
        hunks,
        sum(line[:1] == "+" for hunk in hunks for line in hunk.lines),
        sum(line[:1] == "-" for hunk in hunks for line in hunk.lines),
        remarks=tuple(remarks),
        unsure=tuple(replay.unsure),
        modes=replay.modes,
        numbered=numbered,
    )


def _mark(replay: Replay, hunks: Sequence[Hunk]) -> ChangeMark:
    if not replay.exists:
        return ChangeMark.DELETED if replay.existed else ChangeMark.SAME
    if replay.existed is False:
        return ChangeMark.NEW
    if replay.path != replay.origin:
        return ChangeMark.MOVED
    moded = replay.modes is not None and replay.modes[0] != replay.modes[1]
    return ChangeMark.CHANGED if hunks or moded else ChangeMark.SAME


def _missing(replay: Replay) -> Iterator[Uncertainty]:
    """Steps for which it is not known what they changed."""
    if replay.unknown_origin is not None:
        if replay.exists:
            yield replay.unknown_origin
        return
    if replay.existed is None and replay.unsure:
        yield from replay.unsure[:1]
        return
    if not replay.existed and not replay.exists:
        return
    old, new = replay.draft.old.gaps(), replay.draft.new.gaps()
    lost = [gap for gap in old if not _among(gap, new)]
    strange = [gap for gap in new if not _among(gap, old)]
    causes = [gap.cause for gap in (*lost, *strange) if gap.cause is not None]
    yield from dict.fromkeys(causes)


def _among(gap: UnknownRange, gaps: Iterable[UnknownRange]) -> bool:
    return any(gap is other for other in gaps)


def _hunks(replay: Replay) -> tuple[tuple[Hunk, ...], bool, bool]:
    """The hunks, whether their line numbers are known, and whether one ends where nothing is."""
    old = replay.draft.old if replay.existed else FileVersion([], True)
    new = replay.draft.new if replay.exists else FileVersion([], True)
    found: list[Hunk] = []
    numbered, counted, blind = True, True, False
    at_old = at_new = 1
    for left, right, gap in _segments(_marked(old), _marked(new)):
        for hunk in _compared(left, right, at_old, at_new):
            blind = blind or (gap is not None and hunk.lines[-1][:1] != " ")
            found.append(hunk)
            numbered = counted
        at_old, at_new = at_old + len(left), at_new + len(right)
        if gap is None:
            continue
        if gap.count is None:
            # A line number of 1 would mean to git that no lines are above.
            counted = False
            at_old, at_new = at_old + 1, at_new + 1
        else:
            at_old, at_new = at_old + gap.count, at_new + gap.count
    return tuple(found), numbered, blind


def _marked(side: FileVersion) -> list[Item]:
    """The items; a last line without an end is marked, so that it differs from one with."""
    items = list(side.items)
    if items and side.ended is False and isinstance(items[-1], str):
        items[-1] += _NO_END
    return items


def _segments(
    old: Sequence[Item], new: Sequence[Item]
) -> Iterator[tuple[list[str], list[str], UnknownRange | None]]:
    """Lines between two gaps in the old and in the new text, and the gap that follows."""
    at = 0
    left: list[str] = []
    for item in (*old, None):
        if isinstance(item, str):
            left.append(item)
            continue
        right: list[str] = []
        while at < len(new) and new[at] is not item:
            line = new[at]
            if isinstance(line, str):
                right.append(line)
            at += 1
        at += 1
        yield left, right, item
        left = []


def _compared(
    before: Sequence[str], after: Sequence[str], at_old: int, at_new: int
) -> Iterator[Hunk]:
    limit = min(len(before), len(after))
    start = 0
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if not left and not right:
        return
    blocks, _ = changed_blocks(left, right)
    groups: list[list[tuple[int, int, int, int]]] = []
    for a, b, c, d in blocks:
        block = (a + start, b + start, c + start, d + start)
        if groups and block[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(block)
        else:
            groups.append([block])
    for group in groups:
        yield _hunk(before, after, group, at_old, at_new)


def _hunk(
    before: Sequence[str],
    after: Sequence[str],
    group: Sequence[tuple[int, int, int, int]],
    at_old: int,
    at_new: int,
) -> Hunk:
    first, last = group[0], group[-1]
    start = max(0, first[0] - CONTEXT)
    stop = min(len(before), last[1] + CONTEXT)
    lines: list[str] = []
    position = start
    for a, b, c, d in group:
        lines += [" " + line for line in before[position:a]]
        lines += ["-" + line for line in before[a:b]]
        lines += ["+" + line for line in after[c:d]]
        position = b
    lines += [" " + line for line in before[position:stop]]
    new_start = first[2] - (first[0] - start)
    new_stop = last[3] + (stop - last[1])
    shown = [part for line in lines for part in _with_end(line)]
    old_count, new_count = stop - start, new_stop - new_start
    return Hunk(
        at_old + start - (not old_count),
        old_count,
        at_new + new_start - (not new_count),
        new_count,
        tuple(shown),
    )


def _with_end(line: str) -> tuple[str, ...]:
    return (line[:-1], _NO_END_NOTE) if line.endswith(_NO_END) else (line,)
