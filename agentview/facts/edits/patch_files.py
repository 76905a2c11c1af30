"""The files that a session changed as a patch names them."""

from collections.abc import Iterator

from agentview.domain.value import Value
from agentview.facts.edits.git_patch import file_lines, with_returns
from agentview.facts.edits.net_diff import ChangeMark, FileNet
from agentview.facts.edits.session_changes import SessionChanges, TouchedFile


class PatchFile(Value, gc=True):
    """A file of the session, what it came to, and how it is named before and now."""

    touched: TouchedFile
    net: FileNet
    old: str | None
    """None for a path that no patch may name."""
    new: str | None

    @property
    def name(self) -> str:
        return self.new if self.new is not None else self.net.path

    @property
    def is_changed(self) -> bool:
        """Return whether the session changed it, or may have."""
        return self.net.mark not in (ChangeMark.READ, ChangeMark.SAME)

    @property
    def in_patch(self) -> bool:
        """Return whether the patch includes it."""
        known = self.is_changed and self.net.mark is not ChangeMark.UNKNOWN
        return known and self.old is not None and self.new is not None

    def lines(self) -> Iterator[str]:
        """Lines of its patch, each with its end; none where no patch may name it."""
        if self.old is not None and self.new is not None:
            yield from file_lines(self.net, self.old, self.new)


def patch_files(changes: SessionChanges, *, crlf: bool = False) -> Iterator[PatchFile]:
    """All files that were touched; with `crlf` those that were there have Windows' line ends."""
    for touched in changes.files.values():
        if touched.steps:
            net = with_returns(changes.net(touched)) if crlf else changes.net(touched)
            yield PatchFile(touched, net, changes.place(net.origin), changes.place(net.path))
