"""The states of live sessions as text: a table, or a line of counts. Imports little."""

import re
from collections.abc import Mapping, Sequence

from agentview.errors import UsageError, choices_hint
from agentview.timeline.format_numbers import UNKNOWN, span

_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
_LEAST = {"PROJECT": 8, "TITLE": 16, "ABOUT": 16}
_SPARE = ("PROVIDER", "PROJECT", "TITLE")

TableRow = tuple[str, float | None, str, str, str, str]
"""State, since when in epoch seconds, provider, project, title and subject, all clean."""


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


def table_text(rows: Sequence[TableRow], now: float, width: int | None) -> str:
    """The table at the time `now`, or a sentence that no session is live."""
    if not rows:
        return "No session is live now."
    # It takes as long to import as all else; a line of counts does without.
    from agentview.cli.output.table import table_lines

    states, times, *rest = zip(*rows, strict=True)
    passed = [UNKNOWN if since is None else span(now - since) for since in times]
    titles = "STATE", "SINCE", "PROVIDER", "PROJECT", "TITLE", "ABOUT"
    cells = zip(titles, (states, passed, *rest), strict=True)
    return "\n".join(
        table_lines({name: [name, *row] for name, row in cells}, width, _LEAST, _SPARE)
    )
