"""The steps that a session took on a file, what each did to it, and what that leaves unknown."""

from collections.abc import Sequence
from enum import StrEnum

from agentview.domain.session import Stream
from agentview.domain.tool_inputs import TextEdit
from agentview.domain.tool_results import Hunk
from agentview.domain.value import Value
from agentview.timeline.view.diff.patience import changed_blocks


class FileAction(StrEnum):
    """The action of a step on a file."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    NOTEBOOK = "notebook edit"
    DELETE = "delete"
    MOVE = "move"
    COMMAND = "command"
    """A shell command that seems to have written to it, nobody knows what."""
    TOOL = "tool"
    """A tool of another server that seems to have written to it, nobody knows what."""


class FileStep(Value):
    """One thing that a call did to one file; `row` is that of the call in the log of `stream`.

    `path` is absolute, or relative where no directory is known. `start` and `limit` are the lines
    that were read: the first one, 1-based, and how many.
    """

    number: int
    """Among all steps of its file, from 1."""
    act: FileAction
    path: str
    row: int
    stream: Stream
    time: float | None = None
    """Epoch seconds UTC."""
    move_to: str | None = None
    start: int | None = None
    limit: int | None = None
    words: str = ""
    """The command, for one that is not understood; the tool of another server."""
    added: int | None = None
    removed: int | None = None
    """Lines that this step alone added and removed, where the log has them."""


class Uncertainty(Value):
    """The uncertainty that a step causes, as half a sentence."""

    step: FileStep
    reason: str


class ReadEffect(Value):
    """A text was read: the whole file, or its lines from `start` on (1-based)."""

    text: str
    start: int = 1
    whole: bool = True
    exact: bool = False
    """The end of the last line is as it is in the file; else a missing one may have been cut
    off by who printed it."""


class MissingFile(Value):
    """Somebody looked for the file, and there was none."""


class Written(Value):
    """The whole file was written. `before` is its text before, None where the log has none.

    `created`: whether there was no file before; None where the log does not say.
    """

    after: str
    before: str | None = None
    created: bool | None = None


class Edited(Value):
    """Texts in the file were replaced, one after the other.

    `before` and `after` are the whole file where `whole`, else the part that was replaced. `hunks`
    are what was recorded of it; `numbered` ones have line numbers, others follow each other.
    `by_person`: what was replaced is not what was asked for, only what was recorded counts.
    """

    edits: tuple[TextEdit, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    numbered: bool = False
    before: str | None = None
    after: str | None = None
    by_person: bool = False
    whole: bool = False


class Appended(Value):
    """A text was added at the end of the file."""

    text: str


class Removed(Value):
    """The file was deleted. `before` is its text, None where the log does not have it."""

    before: str | None = None


class Moved(Value):
    """The file has another path from now on."""

    to: str


class ModeChanged(Value):
    """The file has other permission bits, in git's words: `100755`."""

    old: str
    new: str


class UnknownEffect(Value):
    """The file was changed; `reason` is half a sentence that says what is missing.

    `certain` is False for what a command may have done.
    """

    reason: str
    certain: bool = True
    moved_to: str | None = None
    """Where a command may have moved what is at the path: to this name, or into this directory."""


class PathMove(Value):
    """A file, or a directory with all that is below it, that has another path from now on."""

    path: str
    to: str
    time: float | None
    certain: bool
    """False for a command whose words do not show whether it renamed a file or a directory."""


Effect = (
    ReadEffect
    | MissingFile
    | Written
    | Edited
    | Appended
    | Removed
    | Moved
    | ModeChanged
    | UnknownEffect
)


def line_counts(effect: Effect | None) -> tuple[int | None, int | None]:
    """Lines that an effect adds and removes, as far as it shows."""
    if isinstance(effect, Edited) and effect.hunks:
        signs = [line[:1] for hunk in effect.hunks for line in hunk.lines]
        return signs.count("+"), signs.count("-")
    if isinstance(effect, Edited) and effect.edits and not effect.by_person:
        return _counts_of(effect.edits)
    if isinstance(effect, Written) and effect.created:
        return _line_count(effect.after), 0
    if isinstance(effect, Written) and effect.before is not None:
        return _counts_of((TextEdit(effect.before, effect.after),))
    if isinstance(effect, Removed) and effect.before is not None:
        return 0, _line_count(effect.before)
    if isinstance(effect, Moved | ModeChanged):
        return 0, 0
    return None, None


def _line_count(text: str) -> int:
    return text.count("\n") + (text[-1:] not in ("", "\n"))


def _counts_of(edits: Sequence[TextEdit]) -> tuple[int | None, int | None]:
    """Lines of texts that replace others; unknown where one does so wherever it is found."""
    added = removed = 0
    for edit in edits:
        if edit.replace_all:
            return None, None
        blocks, _ = changed_blocks(edit.old.splitlines(), edit.new.splitlines())
        removed += sum(end - start for start, end, _, _ in blocks)
        added += sum(end - start for _, _, start, end in blocks)
    return added, removed
