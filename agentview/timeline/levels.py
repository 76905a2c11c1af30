"""How much of an activity is shown, and what the reader prefers for each kind."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolKind
from agentview.domain.value import Value


class DetailLevel(StrEnum):
    """How much of an activity is shown."""

    TITLE = "title"
    """One line."""
    SUMMARY = "summary"
    """The line and a short body."""
    FULL = "full"
    """Everything."""


__all__ = ["DEFAULT_LEVELS", "DetailLevel", "DetailPreferences", "Kind", "RowKind"]

_TITLE = (
    ToolKind.READ,
    ToolKind.GLOB,
    ToolKind.GREP,
    ToolKind.LS,
    ToolKind.SEM_SEARCH,
    ToolKind.READ_LINTS,
    ToolKind.MCP,
    RowKind.REASONING,
    RowKind.NOTICE,
    RowKind.ATTACHMENT,
    RowKind.HIDDEN,
    RowKind.BRANCH,
)
_FULL = (
    ToolKind.TODOS,
    ToolKind.PLAN,
    ToolKind.ASK,
    RowKind.USER,
    RowKind.MESSAGE,
)

DEFAULT_LEVELS: Mapping[Kind, DetailLevel] = {
    **dict.fromkeys(_TITLE, DetailLevel.TITLE),
    **dict.fromkeys(_FULL, DetailLevel.FULL),
}
_CYCLE: Mapping[DetailLevel, DetailLevel] = {
    DetailLevel.TITLE: DetailLevel.SUMMARY,
    DetailLevel.SUMMARY: DetailLevel.FULL,
    DetailLevel.FULL: DetailLevel.TITLE,
}


class DetailPreferences(Value):
    """Level by name of a tool and by kind, and what expanding a row leads to.

    The first of these that says something: `default`, for all kinds; `by_name`, what the reader set
    for the tool; `chosen`, for the kind; `others`, for all kinds that the reader did not name;
    `by_tool`; else summary.
    """

    default: DetailLevel | None = None
    by_tool: Mapping[Kind, DetailLevel] = field(default_factory=lambda: dict(DEFAULT_LEVELS))
    by_name: Mapping[str, DetailLevel] = field(default_factory=dict[str, DetailLevel])
    others: DetailLevel | None = None
    chosen: Mapping[Kind, DetailLevel] = field(default_factory=dict[Kind, DetailLevel])
    expanded: DetailLevel | None = None
    """Level that a row is expanded to; None goes from title to summary to full."""
    expanded_by_kind: Mapping[Kind, DetailLevel] = field(default_factory=dict[Kind, DetailLevel])
    expanded_by_name: Mapping[str, DetailLevel] = field(default_factory=dict[str, DetailLevel])

    @property
    def has_names(self) -> bool:
        """Whether names of tools matter, which only their records tell."""
        return bool(self.by_name or self.expanded_by_name)

    def level(self, kind: Kind, names: Iterable[str] = ()) -> DetailLevel:
        """The level that a row of this kind, of a tool with these names, is shown at at first."""
        named = next((self.by_name[name] for name in names if name in self.by_name), None)
        chosen = self.default or named or self.chosen.get(kind) or self.others
        return chosen or self.by_tool.get(kind, DetailLevel.SUMMARY)

    def after(self, level: DetailLevel, kind: Kind, names: Sequence[str] = ()) -> DetailLevel:
        """The level that expanding a row leads to; at the end of its way the row closes again."""
        by_name = self.expanded_by_name
        named = next((by_name[name] for name in names if name in by_name), None)
        target = named or self.expanded_by_kind.get(kind) or self.expanded
        if target is None:
            return _CYCLE[level]
        if level is not target:
            return target
        resting = self.level(kind, names)
        return resting if resting is not target else DetailLevel.TITLE
