"""Sessions as the table of `agentview ls`."""

import time
from collections.abc import Callable, Iterable, Sequence

from agentview.cli.output.table import table_lines
from agentview.domain.session import SessionInfo
from agentview.sessions.library.liveness import activity_time, current_status, is_live
from agentview.sessions.targets.session_line import home_relative, short_ids
from agentview.sources.packed_file import is_archived
from agentview.timeline.view.format_numbers import UNKNOWN, ago
from agentview.timeline.view.sanitize import one_line

# Least wide that a column may become; those that are not named keep their width.
_LEAST = {"TITLE": 16, "PROJECT": 8, "BRANCH": 6}
# What is left out on a narrow terminal, first to last.
_SPARE = ("BRANCH", "PROVIDER", "PROJECT", "STATE")


def table(infos: Sequence[SessionInfo], ids: Iterable[str], width: int | None) -> list[str]:
    """The sessions as a table with a header, in lines of at most `width` cells, if any.

    `ids` are those of all sessions, from which a shown one has to differ.
    """
    now = time.time()
    short = short_ids([*ids, *(info.ref.session_id for info in infos)])
    columns = {
        title: [title, *(one_line(cell(info, now)) for info in infos)]
        for title, cell in _COLUMNS.items()
    }
    columns["ID"] = ["ID", *(one_line(short[info.ref.session_id]) for info in infos)]
    return table_lines(columns, width, _LEAST, _SPARE)


def _state(info: SessionInfo, now: float) -> str:
    if is_archived(info.ref.path):
        return "archived"
    word = current_status(info, now).label
    return f"● {word}" if is_live(info, now) else word


_COLUMNS: dict[str, Callable[[SessionInfo, float], str]] = {
    "STATE": _state,
    "ID": lambda info, _: info.ref.session_id,
    "PROVIDER": lambda info, _: info.ref.provider,
    "TITLE": lambda info, _: info.title or UNKNOWN,
    "PROJECT": lambda info, _: home_relative(info.project),
    "BRANCH": lambda info, _: info.branch or UNKNOWN,
    "ACTIVITY": lambda info, now: ago(activity_time(info) or None, now),
}
