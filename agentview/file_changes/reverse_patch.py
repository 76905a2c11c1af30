"""What a file was before a change, told by the change and by what it came to."""

from collections.abc import Sequence

from agentview.file_changes.hunk_locator import Chunk
from agentview.file_changes.operations import Edited, Effect, Written
from agentview.file_changes.partial_file import split_text


def text_before(
    effect: Effect, lines: Sequence[str], ended: bool | None
) -> tuple[list[str], bool | None] | None:
    """Lines before an effect that led to `lines`, and whether the last one had an end.

    None where the effect does not tell.
    """
    if isinstance(effect, Written):
        return split_text(effect.before) if effect.before is not None else None
    if not isinstance(effect, Edited):
        return None
    if effect.numbered:
        return _without_hunks([Chunk.of_hunk(hunk) for hunk in effect.hunks], effect, lines, ended)
    if effect.before is not None and effect.after is not None:
        whole = split_text(effect.after)[0] == list(lines)
        return split_text(effect.before) if whole else None
    return None


def _without_hunks(
    chunks: Sequence[Chunk], effect: Edited, lines: Sequence[str], ended: bool | None
) -> tuple[list[str], bool | None] | None:
    found = list(lines)
    for hunk, chunk in reversed(list(zip(effect.hunks, chunks, strict=True))):
        start = hunk.new_start - 1 if chunk.new else hunk.new_start
        if start < 0 or found[start : start + len(chunk.new)] != list(chunk.new):
            return None
        found[start : start + len(chunk.new)] = chunk.old
        if chunk.old_ended is not None:
            ended = chunk.old_ended
    return found, ended
