"""Deleted sessions as the table and the JSON of `agentview ls --deleted`."""

import time
from collections.abc import Sequence

from agentview.cli.output.table import table_lines
from agentview.reports.export.encoding import Object, iso_time
from agentview.sessions.targets.deleted_sessions import DeletedSession
from agentview.sessions.targets.session_line import home_relative, short_ids
from agentview.timeline.view.format_numbers import UNKNOWN, ago
from agentview.timeline.view.sanitize import one_line


def deleted_table(found: Sequence[DeletedSession], width: int | None) -> list[str]:
    """A header and a line for each, of at most `width` cells, if any."""
    now = time.time()
    ids = short_ids(each.kept.session_id for each in found)
    columns = {
        "STATE": [each.label for each in found],
        "ID": [one_line(ids[each.kept.session_id]) for each in found],
        "PROVIDER": [each.provider for each in found],
        "FIRST PROMPT": [one_line(each.kept.prompts[0][1]) or UNKNOWN for each in found],
        "PROJECT": [one_line(home_relative(each.kept.project)) for each in found],
        "ACTIVITY": [ago(each.last, now) for each in found],
    }
    cells = {title: [title, *values] for title, values in columns.items()}
    return table_lines(cells, width, {"FIRST PROMPT": 16, "PROJECT": 8}, ("PROVIDER", "PROJECT"))


def deleted_rows(found: Sequence[DeletedSession]) -> list[Object]:
    return [
        {
            "id": each.kept.session_id,
            "provider": each.provider,
            "project": each.kept.project,
            "last_activity": iso_time(each.last),
            "prompts": [
                {"time": iso_time(moment), "text": text} for moment, text in each.kept.prompts
            ],
        }
        for each in found
    ]
