"""What the search screen says of a query and of what came of it."""

from agentview.search.query import Query
from agentview.search.results import Account
from agentview.timeline.format_numbers import counted
from agentview.ui.screens.search.source import Results

HINT = 'words  "a phrase"  retr*  -word  in:command  kind:shell  project:  after:7d  regex:/…/'
HELP = (
    'words of one activity · "a phrase" · retr* begins so · -word without it',
    "in:prompt message reasoning command path args result · kind:shell edit user …",
    "project: provider: model: tool: file: state: before: after: choose sessions",
    "regex:/…/ looks at records as they are written",
    "↓ ↑ choose, ⏎ opens, tab goes to the list, esc back",
)
"""What a line can say, for somebody who has typed nothing yet."""


def report_words(query: Query, results: Results, *, searching: bool) -> str:
    """What has come of the line, at its end."""
    if query.error is not None:
        return "not a pattern"
    if query.empty:
        return ""
    if not results.groups:
        return "searching…" if searching else "nothing found"
    more = "+" if results.account.more else ""
    sessions = f"{len(results.groups):,}{more} session"
    plural = "" if len(results.groups) == 1 and not more else "s"
    least = "+" if any(group.least for group in results.groups) else ""
    hits = f"{results.hits:,}{least} hits" if least else counted(results.hits, "hit")
    return f"{hits} in {sessions}{plural}{' …' if searching else ''}"


def remark(account: Account, untold: int, trouble: str | None) -> str | None:
    """What was not looked at, and why; None when all was."""
    told: list[str] = []
    if account.late:
        told.append(f"time was up: {counted(account.late, 'session')} not read")
    if account.undecided:
        told.append(f"{counted(account.undecided, 'record')} took the pattern too long")
    if account.too_long:
        told.append(f"{counted(account.too_long, 'record')} over 16 MB not looked at")
    if account.unreadable:
        told.append(f"{counted(account.unreadable, 'session')} not readable")
    if untold:
        told.append(f"{counted(untold, 'session')} left out: not read yet")
    if trouble is not None:
        told.append(trouble)
    return " · ".join(told) or None
