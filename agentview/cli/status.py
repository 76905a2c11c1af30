"""`agentview status`: the state of all live sessions, as a table, as JSON or in a line."""

import argparse
import re
import sys
import time
from collections.abc import Mapping, Sequence

from agentview.cli.session_query import all_sessions, in_project
from agentview.cli.session_rows import session_rows
from agentview.cli.session_table import table_lines
from agentview.cli.terminal import columns as columns_of_terminal
from agentview.errors import UsageError, choices_hint
from agentview.export.encoding import to_json_document
from agentview.library.live_list import WithState, counts, live_sessions
from agentview.library.session_list import distinct_names
from agentview.timeline.format_numbers import UNKNOWN, span
from agentview.timeline.sanitize import one_line

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")


def run(options: argparse.Namespace) -> int:
    """Print the states; no live session is an answer too."""
    now = time.time()
    project: str | None = options.project
    found = [
        live
        for live in live_sessions(all_sessions(options.provider), now)
        if project is None or in_project(live.facts.info, project)
    ]
    if options.format is not None:
        print(formatted(options.format, counts([live.status for live in found])))
    elif options.json:
        sys.stdout.buffer.write(to_json_document(session_rows(found)))
    else:
        print("\n".join(_table(found, now)) if found else "No session is live now.")
    return 0


def formatted(form: str, fields: Mapping[str, int]) -> str:
    """The line with its fields filled in. Raises UsageError for a field that there is not."""

    def value(found: re.Match[str]) -> str:
        name: str | None = found.group(1)
        if name is None:
            return found.group()[0]
        if name not in fields:
            raise UsageError(f"--format has no field {name!r}.", choices_hint(name, fields))
        return str(fields[name])

    return _FIELD.sub(value, form)


_LEAST = {"PROJECT": 8, "TITLE": 16, "ABOUT": 16}
_SPARE = ("PROVIDER", "PROJECT", "TITLE")


def _table(found: Sequence[WithState], now: float) -> list[str]:
    infos = [live.facts.info for live in found]
    names = distinct_names({info.project for info in infos if info.project})
    columns = {
        "STATE": [live.status.label for live in found],
        "SINCE": [
            UNKNOWN if live.status.since is None else span(now - live.status.since)
            for live in found
        ],
        "PROVIDER": [info.ref.provider for info in infos],
        "PROJECT": [one_line(names.get(info.project or "", UNKNOWN)) for info in infos],
        "TITLE": [one_line(info.title or UNKNOWN) for info in infos],
        "ABOUT": [one_line(live.status.about or "") for live in found],
    }
    headed = {title: [title, *cells] for title, cells in columns.items()}
    return table_lines(headed, columns_of_terminal(), _LEAST, _SPARE)
