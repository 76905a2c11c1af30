"""The views of the rows in view and of those last seen, each at the level it was asked for."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind
from agentview.domain.session import MAIN_STREAM
from agentview.domain.value import Value
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.look_fold import look_fold_title
from agentview.ui.activity_widget import ActivityWidget, RowLayout, widget_for
from agentview.ui.render.collapsible import NO_FOLDS, Folds
from agentview.ui.render.lazy_lines import RenderContext

MakeView = Callable[[Activity, DetailLevel, RenderContext], RowLayout]

_LIMIT = 200


def fold_layout(activities: Sequence[Activity], space: RenderContext, note: str = "") -> RowLayout:
    """The row of activities that only looked, with the person's note on them."""
    title = look_fold_title(activities)
    return RowLayout(activities[0], DetailLevel.TITLE, space, title=title, note=note)


def stream_indent(activity: Activity) -> int:
    return 0 if activity.first.stream == MAIN_STREAM else 2


class RowViewFactory(Value, gc=True):
    """How a row becomes a card: `raw_view` is for one that is turned over."""

    raw_view: MakeView
    view: MakeView = RowLayout
    widget_for: Callable[[Kind], type[ActivityWidget]] = widget_for
    indent: Callable[[Activity], int] = stream_indent
    """Cells by which the row is indented."""
    fold: Callable[[Sequence[Activity], RenderContext], RowLayout] = fold_layout
    """Lays out several activities as one row."""


class CachedRowView(Value, gc=True):
    """A row laid out: its view, `indent` cells from the left."""

    view: RowLayout
    indent: int
    ticking: bool
    """Its duration grows as time goes by."""


class RowViewCache:
    """At most 200 cards; the one that was not asked for the longest goes first."""

    def __init__(self, activity: Callable[[int], Activity], makers: RowViewFactory) -> None:
        self.activity = activity
        self._makers = makers
        self._cards: OrderedDict[tuple[int, DetailLevel, bool], CachedRowView] = OrderedDict()
        self._folds: dict[int, Folds] = {}
        self._folded: OrderedDict[Sequence[int], CachedRowView] = OrderedDict()

    def card(
        self, row: int, level: DetailLevel, space: RenderContext, *, raw: bool
    ) -> CachedRowView:
        """The row at this level; decoded only when no such card exists yet.

        `space` must be the same until `clear` is called.
        """
        key = row, level, raw
        card = self._cards.get(key)
        if card is not None:
            self._cards.move_to_end(key)
            return card
        activity = self.activity(row)
        indent = min(self._makers.indent(activity), space.width // 4)
        folds = self._folds.get(row, NO_FOLDS)
        changed = indent or folds != NO_FOLDS
        inner = replace(space, width=space.width - indent, folds=folds) if changed else space
        make = self._makers.raw_view if raw else self._makers.view
        ticking = activity.live and activity.started is not None and activity.ended is None
        card = self._cards[key] = CachedRowView(make(activity, level, inner), indent, ticking)
        if len(self._cards) > _LIMIT:
            self._cards.popitem(last=False)
        return card

    def folded(self, rows: Sequence[int], space: RenderContext) -> CachedRowView:
        """Several rows laid out as one."""
        card = self._folded.get(rows)
        if card is None:
            activities = [self.activity(row) for row in rows]
            indent = min(self._makers.indent(activities[0]), space.width // 4)
            inner = replace(space, width=space.width - indent) if indent else space
            view = self._makers.fold(activities, inner)
            card = self._folded[rows] = CachedRowView(view, indent, ticking=False)
            if len(self._folded) > _LIMIT:
                self._folded.popitem(last=False)
        return card

    def fold(self, row: int, key: str | None) -> None:
        """Fold or open a part of a row, None all of them; kept until `forget`."""
        folds = self._folds.get(row, NO_FOLDS)
        self._folds[row] = folds.toggle_all() if key is None else folds.toggle(key)
        self.drop(row)

    def unfold(self, row: int, every: bool) -> None:
        """Open all parts of a row, or leave each as it begins; kept until `forget`."""
        self._folds[row] = Folds(every=True) if every else NO_FOLDS
        self.drop(row)

    def folds(self, row: int) -> Folds:
        return self._folds.get(row, NO_FOLDS)

    def set_folds(self, row: int, folds: Folds) -> None:
        if folds != self.folds(row):
            self._folds[row] = folds
            self.drop(row)

    def forget(self) -> None:
        """Lay out other rows from now on: no part of them is folded or opened."""
        self._folds.clear()
        self.clear()

    def drop(self, row: int) -> None:
        """Lay the row out again when it is asked for again."""
        for level in DetailLevel:
            self._cards.pop((row, level, False), None)
            self._cards.pop((row, level, True), None)
        for rows in [rows for rows in self._folded if row in rows]:
            del self._folded[rows]

    def clear(self) -> None:
        """Lay every row out again."""
        self._cards.clear()
        self._folded.clear()
