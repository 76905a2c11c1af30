"""Unified diffs in what a command printed."""

import re
from collections.abc import Iterator
from functools import lru_cache

from agentview.domain.tool_results import ShellResult
from agentview.domain.value import Value
from agentview.normalize.tools.patch import printed_changes
from agentview.timeline.view.diff.from_call import FileDiff
from agentview.timeline.view.sanitize import without_escapes

_LONGEST = 150_000
"""Characters of an output in which diffs are looked for."""
_BEGINS = re.compile(r"(?m)^(?:\x1b\[[\d;]*m)*(?:diff --git |--- )")


class PrintedPart(Value):
    """A part of an output: lines as they were printed, or the diffs of neighbouring files."""

    text: str
    diffs: tuple[FileDiff, ...] = ()


# The title asks for it, then the body.
@lru_cache(maxsize=8)
def printed_parts(text: str) -> tuple[PrintedPart, ...]:
    """The parts of an output in their order; nothing of an output without diffs."""
    if len(text) > _LONGEST or _BEGINS.search(text) is None:
        return ()
    lines = text.rstrip("\n").split("\n")
    plain = without_escapes(text).rstrip("\n").split("\n")
    if len(plain) != len(lines):
        return ()
    parts = list(_parts(lines, plain))
    return tuple(parts) if any(part.diffs for part in parts) else ()


def _parts(lines: list[str], plain: list[str]) -> Iterator[PrintedPart]:
    diffs: list[FileDiff] = []
    begin = end = 0
    for start, stop, change in printed_changes(plain):
        between = "\n".join(lines[end:start])
        if start > end and (between.strip() or not diffs):
            if diffs:
                yield PrintedPart("\n".join(lines[begin:end]), tuple(diffs))
            yield PrintedPart(between)
            diffs, begin = [], start
        diffs.append(
            FileDiff(
                change.path,
                change.operation,
                change.move_to,
                change.hunks or (),
                notes=change.notes,
            )
        )
        end = stop
    if diffs:
        yield PrintedPart("\n".join(lines[begin:end]), tuple(diffs))
    if end < len(lines):
        yield PrintedPart("\n".join(lines[end:]))


def printed_diffs(result: ShellResult) -> tuple[FileDiff, ...]:
    """The diffs that a command printed, without what stands around them."""
    texts = (result.output, result.stdout)
    return tuple(
        diff for text in texts if text for part in printed_parts(text) for diff in part.diffs
    )
