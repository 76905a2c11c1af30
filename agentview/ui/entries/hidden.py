"""A record that is not shown unless all are: bookkeeping of the client, and what counts tokens."""

from typing import ClassVar

from msgspec.structs import asdict

from agentview.domain.activity import Activity, Kind, RowKind
from agentview.domain.value import Value
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.containers import Cropped
from agentview.ui.render.json_tree import json_tree
from agentview.ui.render.lazy_lines import LazyLines, RenderContext

_SUMMARY_ROWS = 4


class HiddenEntry(ActivityWidget):
    """The fact, member by member."""

    KINDS: ClassVar[tuple[Kind, ...]] = (RowKind.HIDDEN,)

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """All that the record said, as far as it was read."""
        tree = json_tree(_members(activity.body), space)
        if level is not DetailLevel.FULL:
            return Cropped(tree, _SUMMARY_ROWS, "lines", space)
        return tree


def _members(value: object) -> object:
    if isinstance(value, Value):
        return {name: _members(member) for name, member in asdict(value).items()}
    return value
