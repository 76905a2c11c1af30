"""Sessions as the table of `agentview ls`."""

import time
from collections.abc import Callable, Iterable, Sequence

from agentview.cli.output.table import table_lines
from agentview.domain.session import HERE, SessionInfo
from agentview.sessions.library.live_list import WithState
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.targets.session_line import home_relative, short_ids
from agentview.sources.packed_file import is_archived
from agentview.timeline.view.format_numbers import UNKNOWN, ago
from agentview.timeline.view.sanitize import one_line

# Least wide that a column may become; those that are not named keep their width.
_LEAST = {"TITLE": 16, "PROJECT": 8, "BRANCH": 6}
# What is left out on a narrow terminal, first to last.
_SPARE = ("BRANCH", "PROVIDER", "PROJECT", "STATE")


def table(
    found: Sequence[WithState], ids: Iterable[str], width: int | None, *, hosts: bool = False
) -> list[str]:
    """The sessions as a table with a header, in lines of at most `width` cells, if any.

    `ids` are those of all sessions, from which a shown one has to differ. With `hosts` there is a
    column of the machines that they are on.
    """
    now = time.time()
    short = short_ids([*ids, *(each.facts.info.ref.own_id for each in found)])
    columns = {
        title: _column(title, [value(each, each.facts.info, now) for each in found])
        for title, value in _VALUES.items()
        if hosts or title != _HOST
    }
    columns["ID"] = _column("ID", [short[each.facts.info.ref.own_id] for each in found])
    return table_lines(columns, width, _LEAST, _SPARE)


def _column(title: str, values: Sequence[str | None]) -> list[str]:
    """The heading and the cells; what many sessions have in common is written once."""
    text = home_relative if title == "PROJECT" else _text
    cells = {value: one_line(text(value)) for value in set(values)}
    return [title, *map(cells.__getitem__, values)]


def _text(value: str | None) -> str:
    return value or UNKNOWN


def _state(found: WithState) -> str:
    if is_archived(found.facts.info.ref.path):
        return "archived"
    return f"● {found.status.label}" if found.live else found.status.label


_HOST = "HOST"
_VALUES: dict[str, Callable[[WithState, SessionInfo, float], str | None]] = {
    "STATE": lambda each, _, _now: _state(each),
    _HOST: lambda _, info, _now: info.ref.host or HERE,
    "ID": lambda _, _info, _now: "",
    "PROVIDER": lambda _, info, _now: info.ref.provider,
    "TITLE": lambda each, _, _now: each.facts.starred_title,
    "PROJECT": lambda _, info, _now: info.project,
    "BRANCH": lambda _, info, _now: info.branch,
    "ACTIVITY": lambda _, info, now: ago(activity_time(info) or None, now),
}
