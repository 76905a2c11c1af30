"""The effect of a call on one file, from the recorded results and the arguments."""

import re
from collections.abc import Iterator, Sequence

from agentview.domain.tool_inputs import FileEdit, FileOperation, ReadPayload
from agentview.domain.tool_results import Hunk, ReadResult
from agentview.domain.value import Value
from agentview.facts.edits.operations import (
    Edited,
    Effect,
    FileAction,
    ModeChanged,
    Moved,
    ReadEffect,
    Removed,
    UnknownEffect,
    Written,
)
from agentview.timeline.view.diff.from_call import patch_hunks

_SHORTENED = re.compile(r"\[truncated\]|… \[|\.\.\. \[truncated")
_PAGE = 2000
"""Lines after which tools stop to read a file without saying so."""
_MODE = re.compile(r"mode changed from (\d{6}) to (\d{6})")
_BINARY = "it is binary, and the log does not have its bytes"
CHANGE_UNKNOWN = "the log says that it changed it, but not how"


class CallOutcome(Value):
    """The effect of a call on one file; `path` is as the call names it, relative to `cwd`."""

    path: str
    act: FileAction
    effect: Effect | None
    """None for what leaves the file as it is and shows nothing of it."""
    cwd: str | None = None
    start: int | None = None
    limit: int | None = None
    words: str = ""


def seen_in(payload: ReadPayload, result: ReadResult, *, exact: bool) -> ReadEffect | None:
    """Return the lines that were read, if their position in the file is known.

    Tools that number lines give an empty last one a number too, where the line before it has an
    end, so that what they print is `exact`; others, and commands, may have that end cut off.
    """
    text = result.content
    if text is None or result.unchanged or result.media or payload.pages is not None:
        return None
    if _SHORTENED.search(text):
        return None
    count = text.count("\n") + (not text.endswith("\n"))
    total = result.total_lines
    # An empty line at the end may be missing from what was printed.
    short = payload.limit is not None and count < payload.limit - 1
    begins = (result.start or 1) <= 1 and (payload.start or 1) <= 1
    ends = not result.truncated and (payload.limit is None or short)
    ends = ends and (total is None or (result.line_count or count) >= total)
    ends = ends and (total is not None or short or not count or count % _PAGE != 0)
    if begins and ends:
        return ReadEffect(text, whole=True, exact=exact)
    if result.start is None or result.start < 1:
        return None
    return ReadEffect(text, result.start, whole=False)


def text_added(hunks: Sequence[Hunk]) -> str:
    """The text of a file that a patch adds."""
    lines = [line for hunk in hunks for line in hunk.lines]
    text = "".join(line[1:] + "\n" for line in lines if line[:1] in ("+", " "))
    return text.removesuffix("\n") if lines and lines[-1].startswith("\\") else text


def text_created(hunks: Sequence[Hunk] | None, asked: FileEdit | None) -> str | None:
    """The text of a file that was made; None where neither patch nor call has it."""
    if hunks:
        return text_added(hunks)
    if asked is None:
        return None
    if asked.patch is not None:
        return text_added(patch_hunks(asked.patch))
    return asked.edits[0].new if asked.edits else None


def noted(path: str, notes: Sequence[str]) -> Iterator[CallOutcome]:
    for note in notes:
        mode = _MODE.fullmatch(note)
        if mode is not None:
            yield CallOutcome(path, FileAction.EDIT, ModeChanged(mode[1], mode[2]))
        elif note.startswith("binary"):
            yield CallOutcome(path, FileAction.EDIT, UnknownEffect(_BINARY))


def asked_for(asked: FileEdit) -> Iterator[CallOutcome]:
    """Return the effect of a change, judged by its arguments."""
    path = asked.path
    if not path:
        return
    if asked.operation is FileOperation.CREATE:
        text = text_created(None, asked)
        effect = (
            Written(text, "", created=True) if text is not None else UnknownEffect(CHANGE_UNKNOWN)
        )
        yield CallOutcome(path, FileAction.WRITE, effect)
        return
    if asked.operation is FileOperation.DELETE:
        before = asked.edits[0].old if asked.edits else None
        yield CallOutcome(path, FileAction.DELETE, Removed(before or None))
        return
    yield from noted(path, asked.notes)
    hunks = patch_hunks(asked.patch) if asked.patch is not None else ()
    new_text = asked.edits[0].new if len(asked.edits) == 1 and not hunks else None
    if new_text is not None and not asked.edits[0].old:
        # Tools create a file by replacing nothing.
        yield CallOutcome(path, FileAction.WRITE, Written(new_text, "", created=True))
    elif hunks or asked.edits:
        edits = () if hunks else asked.edits
        # Line numbers that a model wrote are not those of the file.
        yield CallOutcome(path, FileAction.EDIT, Edited(edits=edits, hunks=hunks))
    elif asked.operation is FileOperation.UPDATE and not asked.move_to and not asked.notes:
        yield CallOutcome(path, FileAction.EDIT, UnknownEffect(CHANGE_UNKNOWN))
    if asked.move_to:
        yield CallOutcome(path, FileAction.MOVE, Moved(asked.move_to))
