"""Where sessions are looked for, and what is found there.

Needed for the first frame, so it knows no provider: to import them all takes as long as that.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.sessions.library.session_record import SessionFacts
from agentview.sources.packed_file import archive_folder

Roots = Sequence[tuple[str, Path]]
"""Provider and directory of each place where sessions may lie."""


Take = Callable[[Sequence[SessionInfo], Sequence[str]], None]
"""Takes what is known of logs that have changed, and the paths of those that are gone."""


class SearchRoots(Value):
    """Where sessions are looked for: the usual places of clients, and those of the settings.

    To find out which those are takes as long as a first frame, so it is left to who looks there:
    `roots_of` of `scan`.
    """

    provider: str | None = None
    """The only one whose sessions are wanted."""
    more: Mapping[str, Sequence[str]] = MappingProxyType({})
    """Directories by provider next to those that it is known to write to."""
    fixed: Roots | None = None
    """The places, where they are known."""

    def test(self) -> Callable[[SessionRef], bool]:
        """Return a test whether a session that was found once is likely to be found again."""
        if self.fixed is not None:
            inside = lies_under(self.fixed)
            return lambda ref: inside(ref.path)
        named = (str(Path(place).expanduser()) for places in self.more.values() for place in places)
        home = os.environ.get("HOME") or os.environ.get("USERPROFILE") or ""
        above = tuple(f"{place}{os.sep}" for place in (home, *named))
        wanted = self.provider
        return lambda ref: ref.path.startswith(above) and wanted in (None, ref.provider)


class DeletionRule(Value):
    """How long a client keeps the logs below a directory before it deletes them."""

    provider: str
    label: str
    """The name of the client, for people."""
    root: str
    days: float
    """Days after the last change of a log."""
    setting: str
    """The name of the setting that decides."""
    path: str
    """The file that it is in, which need not exist."""


class ScanBatch(Value):
    """The sessions that a scan has found since the last batch."""

    facts: tuple[SessionFacts, ...]
    """New ones, and others whose facts have changed."""
    total: int
    """Logs there are, as far as is known."""
    checked: int = 0
    """How many of them are known to be as they were given."""
    gone: tuple[str, ...] = ()
    """Paths of logs that are there no longer, or lie elsewhere."""
    done: bool = False
    """True if this is the last batch."""
    rules: tuple[DeletionRule, ...] = ()
    """With the last batch: which logs clients delete."""


def lies_under(roots: Roots) -> Callable[[str], bool]:
    """Return a test whether a path is in one of the places, or is archived of one's provider."""
    kept = archive_folder()
    places = (
        *(f"{root}{os.sep}" for _, root in roots),
        *(f"{kept}/{name}/" for name in dict.fromkeys(name for name, _ in roots)),
    )
    return lambda path: path.startswith(places)
