"""How much of an activity is shown, and what the reader prefers for each kind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolKind


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


@dataclass(frozen=True, slots=True)
class DetailPreferences:
    """Level by kind: `default` for all kinds when set, else `by_kind`, else summary."""

    default: DetailLevel | None = None
    by_kind: Mapping[Kind, DetailLevel] = field(default_factory=lambda: dict(DEFAULT_LEVELS))

    def level(self, kind: Kind) -> DetailLevel:
        """The level that a row of this kind is shown at unless the reader changed it."""
        if self.default is not None:
            return self.default
        return self.by_kind.get(kind, DetailLevel.SUMMARY)
