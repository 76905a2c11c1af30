"""What the library says of itself in words: how far it has come, how it stands, what is missing."""

from agentview.domain.sort_order import Grouping
from agentview.library.sort_group import Arranged, Wanted
from agentview.timeline.format_numbers import counted
from agentview.ui.screens.library.source import Progress

_GROUPS = {Grouping.PROJECT: "by project", Grouping.DAY: "by day"}


def live_words(arranged: Arranged, sign: str) -> str:
    """How many are live."""
    return f"{sign} {arranged.live} live" if arranged.live else ""


def arrangement_words(wanted: Wanted) -> str:
    """How the list stands, where that is not as usual."""
    return _GROUPS.get(wanted.group, "")


def work_words(progress: Progress) -> str:
    """What is under way in the background."""
    if progress.scanning:
        if not progress.total:
            return "looking"
        return f"reading {progress.checked:,} of {progress.total:,}"
    if progress.indexing:
        return f"indexed {progress.indexed:,} of {progress.to_index:,}"
    return ""


def untold_words(arranged: Arranged) -> list[str]:
    """How many of the sessions that are left out may yet pass, in a line if there are any."""
    return [f"{arranged.untold:,} of them are not indexed yet"] if arranged.untold else []


def count_words(arranged: Arranged, progress: Progress, *, filtered: bool) -> str:
    """How many are listed, and what the list cannot tell yet."""
    if filtered:
        words = f"{arranged.sessions:,} match"
        missing = arranged.untold
    else:
        words = counted(arranged.sessions, "session")
        missing = 0 if progress.indexing else arranged.unindexed
    if missing and not (progress.scanning and not filtered):
        words += f", {missing:,} not indexed yet"
    return words
