"""The title of neighbouring activities that are folded into one row."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from agentview.domain.activity import Activity, Kind, RowKind, row_kind
from agentview.domain.tool_inputs import GrepPayload, Payload, ReadPayload
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.looks import looks_of
from agentview.timeline.view.sanitize import one_line
from agentview.timeline.view.titles.title import StatusIcon, Title

_NAMES = 6
"""Files and patterns that are named at most."""
_PATTERN = 30
_NOUNS: dict[Kind, str] = {
    ToolKind.READ: "file",
    ToolKind.GREP: "search",
    ToolKind.SEM_SEARCH: "search",
    ToolKind.GLOB: "listing",
    ToolKind.LS: "listing",
    ToolKind.READ_LINTS: "check",
    ToolKind.WEB_FETCH: "page",
    ToolKind.WEB_SEARCH: "web search",
    ToolKind.MCP: "resource",
    RowKind.REASONING: "thought",
    RowKind.NOTICE: "notice",
}
"""Nouns of the counted calls, in the order of the title."""


def look_fold_title(activities: Sequence[Activity]) -> Title:
    """How many files, searches and thoughts are in a fold, and the names of some.

    A file that is read twice counts once.
    """
    counts: Counter[str] = Counter()
    files: set[str] = set()
    names: dict[str, None] = {}
    for activity in activities:
        body = activity.body
        if not isinstance(body, ToolCall):
            counts[_NOUNS[row_kind(body)]] += 1
            continue
        for kind, payload in looks_of(body):
            if isinstance(payload, ReadPayload):
                counts["file"] += payload.path not in files
                files.add(payload.path)
            else:
                counts[_NOUNS[kind]] += 1
            if name := _name(payload):
                names[name] = None
    calls = any(isinstance(activity.body, ToolCall) for activity in activities)
    nouns = dict.fromkeys(_NOUNS.values())
    first, last = activities[0].started, activities[-1].ended or activities[-1].started
    return Title(
        kind=RowKind.NOTICE,
        label="Looked" if calls else "Folded",
        subject=", ".join(counted(counts[noun], noun) for noun in nouns if counts[noun]),
        detail=_listed(list(names)),
        mark=StatusIcon.FOLD,
        time=first,
        duration=max(0.0, last - first) if first is not None and last is not None else None,
    )


def _name(payload: Payload) -> str:
    if isinstance(payload, ReadPayload):
        return one_line(PurePosixPath(payload.path.replace("\\", "/")).name, 60)
    if isinstance(payload, GrepPayload):
        pattern = one_line(payload.pattern, _PATTERN + 1)
        cut = pattern[: _PATTERN - 1] + "…" if len(pattern) > _PATTERN else pattern
        return f'"{cut}"'
    return ""


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMES])} and {len(names) - _NAMES} more"
