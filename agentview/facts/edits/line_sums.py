"""Lines that a session added and removed, in the files as they came to be."""

from agentview.domain.line_sum import LineSum
from agentview.domain.value import Value
from agentview.facts.edits.operations import FileAction
from agentview.facts.edits.patch_files import PatchFile, patch_files
from agentview.facts.edits.session_changes import SessionChanges


class FileLines(Value):
    """Lines of a file that were added and removed; None where they are not known."""

    added: int | None
    removed: int | None
    net: bool = True
    """False where the difference is not known, and the lines of each call are added up."""


def lines_of(file: PatchFile) -> FileLines:
    """Lines of a file that was changed."""
    net = file.net
    if net.added is not None and net.removed is not None:
        return FileLines(net.added, net.removed)
    steps = [step for step in file.touched.steps if step.act is not FileAction.READ]
    counts = [
        (step.added, step.removed)
        for step in steps
        if step.added is not None and step.removed is not None
    ]
    if not counts or len(counts) < len(steps):
        return FileLines(None, None)
    added, removed = (sum(each) for each in zip(*counts, strict=True))
    return FileLines(added, removed, net=False)


def line_sum(changes: SessionChanges) -> LineSum:
    """Lines of a session whose rows, and those of its agents, are all read."""
    changes.finish()
    files = [lines_of(file) for file in patch_files(changes) if file.is_changed]
    known = [file for file in files if file.added is not None]
    return LineSum(
        sum(file.added or 0 for file in known),
        sum(file.removed or 0 for file in known),
        net=all(file.net for file in known),
        whole=len(known) == len(files),
    )
