"""Pieces of title lines: paths as people read them, counts of changes, first arguments."""

from collections.abc import Iterable, Mapping

from agentview.domain.activity import Activity
from agentview.domain.value import Value
from agentview.normalize.project_path import project_path
from agentview.timeline.view.sanitize import one_line


class Parts(Value):
    """Label, subject and detail of a title, not yet cleaned."""

    label: str
    subject: str
    detail: str = ""


def cwd_of(activity: Activity) -> str | None:
    """Working directory that the events of an activity state, else that of the session."""
    for event in activity.events:
        if event.facts is not None and event.facts.cwd:
            return event.facts.cwd
    return activity.cwd


def shown_path(path: str, cwd: str | None) -> str:
    """A path relative to the working directory when it is in it, else as it is."""
    if not cwd or len(cwd) < 2:
        return path
    if not path.startswith("/"):
        path, cwd = project_path(path), project_path(cwd)
    base = cwd.rstrip("/\\")
    if path.rstrip("/\\") == base:
        return "."
    if path.startswith(base) and path[len(base)] in "/\\":
        return path[len(base) + 1 :]
    return path


def several(names: Iterable[str]) -> str:
    """The first name and how many more there are: `a.py and 2 more`."""
    known = list(names)
    if len(known) < 2:
        return known[0] if known else ""
    return f"{known[0]} and {len(known) - 1} more"


def first_arguments(args: Mapping[str, object] | None, limit: int = 160) -> str:
    """The arguments in short: `path: a.py, depth: 2`; a lone text is separate."""
    if not args:
        return ""
    values = [(key, _short(value)) for key, value in args.items()]
    if len(values) == 1 and isinstance(next(iter(args.values())), str):
        return values[0][1][:limit]
    return ", ".join(f"{key}: {value}" for key, value in values[:6])[:limit]


def _short(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        text = one_line(value[:200])
        return text if len(text) <= 60 else text[:59] + "…"
    if isinstance(value, Mapping):
        return _items(len(value), "field")  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return _items(len(value), "item")  # pyright: ignore[reportUnknownArgumentType]
    return one_line(str(value)[:60])


def _items(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
