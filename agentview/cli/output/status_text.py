"""The states of live sessions as text: a table, or a line of counts. Imports little."""

from collections.abc import Mapping, Sequence

from agentview.errors import UsageError, choices_hint
from agentview.timeline.view.format_numbers import UNKNOWN, span

_LEAST = {"PROJECT": 8, "TITLE": 16, "ABOUT": 16}
_SPARE = ("PROVIDER", "PROJECT", "TITLE")

TableRow = tuple[str, float | None, *tuple[str, ...]]
"""State, since when in epoch seconds, provider, project, title and subject, all clean; where other
machines were asked, also the machine."""


def formatted(form: str, fields: Mapping[str, int]) -> str:
    """The line with its fields filled in. Raises UsageError for a field that there is not.

    A brace that is written twice is one brace, and a single brace is text.
    """
    done: list[str] = []
    at = 0
    while at < len(form):
        end = form.find("}", at)
        name = form[at + 1 : end]
        if form[at] in "{}" and form[at : at + 2] == 2 * form[at]:
            done.append(form[at])
            at += 2
        elif form[at] == "{" and end > at and "{" not in name:
            done.append(_value(name, fields))
            at = end + 1
        else:
            done.append(form[at])
            at += 1
    return "".join(done)


def _value(name: str, fields: Mapping[str, int]) -> str:
    if name not in fields:
        raise UsageError(f"--format has no field {name!r}.", choices_hint(name, fields))
    return str(fields[name])


def table_text(rows: Sequence[TableRow], now: float, width: int | None) -> str:
    """The table at the time `now`, or a sentence that no session is live."""
    if not rows:
        return "No session is live now."
    # It takes as long to import as all else; a line of counts does without.
    from agentview.cli.output.table import table_lines

    states = [state for state, *_ in rows]
    passed = [UNKNOWN if since is None else span(now - since) for _, since, *_ in rows]
    rest = zip(*(texts for _, _, *texts in rows), strict=True)
    titles = "STATE", "SINCE", "PROVIDER", "PROJECT", "TITLE", "ABOUT", "HOST"
    cells = zip(titles, (states, passed, *rest), strict=False)
    return "\n".join(
        table_lines({name: [name, *row] for name, row in cells}, width, _LEAST, _SPARE)
    )
