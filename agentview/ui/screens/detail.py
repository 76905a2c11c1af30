"""The detail screen: one activity, rendered, as its input and result, its bytes and its events."""

from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.domain.activity import Activity, row_kind
from agentview.domain.tools import ToolCall
from agentview.store.changes import RowsChanged
from agentview.timeline.header import OpenSession
from agentview.timeline.levels import DetailLevel
from agentview.timeline.quantities import counted
from agentview.timeline.texts import blocks_text, output_text, subject_text
from agentview.ui.activity import ActivityView, widget_for
from agentview.ui.messages import CopyAsked
from agentview.ui.render.body import Body, Space
from agentview.ui.render.folds import NO_FOLDS, Folds
from agentview.ui.render.lines import text_rows
from agentview.ui.render.looks import detail_space
from agentview.ui.render.raw import events_body, json_body, raw_body
from agentview.ui.render.sides import is_split
from agentview.ui.render.stack import Stack
from agentview.ui.screens.diff_mode import diff_mode_turned
from agentview.ui.screens.session_looks import Looks
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.tab_bar import TabBar

TABS = ("Rendered", "Input", "Result", "Raw", "Event")
RAW_TAB = TABS.index("Raw")

_ACTIVITY = Binding.Group("Activity")
_TABS = Binding.Group("Tabs")
_SCREEN = Binding.Group("Screen")


class DetailScreen(Screen[int]):
    """One activity of a session; ends with the number of the row that was looked at last."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab,l,right", "tab(1)", "next tab", key_display="tab", id="detail.next_tab",
                group=_TABS, tooltip="Next tab"),
        Binding("shift+tab,h,left", "tab(-1)", "previous tab", show=False,
                id="detail.previous_tab", group=_TABS, tooltip="Previous tab"),
        *(
            Binding(str(index + 1), f"to_tab({index})", name.lower(), show=False,
                    id=f"detail.{name.lower()}", group=_TABS, tooltip=f"Tab {name}")
            for index, name in enumerate(TABS)
        ),
        Binding("r", f"to_tab({RAW_TAB})", "raw", show=False, id="detail.to_raw", group=_TABS,
                tooltip="Tab Raw: bytes, JSON and events"),
        Binding("n,J,right_square_bracket", "activity(1)", "next", key_display="n/p",
                id="detail.next", group=_ACTIVITY, tooltip="Next activity"),
        Binding("p,K,left_square_bracket", "activity(-1)", "previous", show=False,
                id="detail.previous", group=_ACTIVITY, tooltip="Previous activity"),
        Binding("d", "diff_mode", "diffs", show=False, id="detail.diff_mode", group=_ACTIVITY,
                tooltip="Show old and new text of diffs side by side, or one below the other"),
        Binding("z", "fold", "fold", show=False, id="detail.fold", group=_ACTIVITY,
                tooltip="Fold all files or parts of it, or open them; click one for it alone"),
        Binding("y", "copy_subject", "copy", id="detail.copy", group=_ACTIVITY,
                tooltip="Copy what it is about: command, path or text"),
        Binding("Y", "copy_output", "copy output", show=False, id="detail.copy_output",
                group=_ACTIVITY, tooltip="Copy its output"),
        Binding("escape,q,o", "leave", "back", key_display="esc", id="detail.back", group=_SCREEN,
                tooltip="Back to the timeline"),
    ]  # fmt: skip
    AUTO_FOCUS = "#content"

    def __init__(
        self,
        session: OpenSession,
        row: int,
        looks: Looks,
        next_row: Callable[[int, int], int | None],
    ) -> None:
        """`next_row` gives the activity that the timeline shows after (1) or before (-1) a row."""
        super().__init__()
        self.session = session
        self.row = row
        self._looks = looks
        self._next_row = next_row
        self._pager = Pager(id="content")
        self._title = Pager(id="title")
        self._title.can_focus = False
        self._tabs = TabBar(TABS)
        self._status = StatusLine()
        self._folds = NO_FOLDS
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        """Title, tabs, content, status."""
        yield self._title
        yield self._tabs
        yield self._pager
        yield self._status

    def on_mount(self) -> None:
        """Show the activity, and show it anew when it changes."""
        self._unsubscribe = self.session.subscribe(self._rows_changed)
        raw = self._looks.raw or self._looks.settings.debug.raw_by_default
        self._tabs.choose(RAW_TAB if raw else 0)
        self._show()

    def on_unmount(self) -> None:
        """Take part in nothing any more."""
        if self._unsubscribe is not None:
            self._unsubscribe()

    def set_looks(self, looks: Looks) -> None:
        """Show everything in other colours, by other settings."""
        self._looks = looks
        self._status.forget_keys()
        self._show(keep_place=True)

    def _space(self, width: int) -> Space:
        space = detail_space(self._looks.settings, self._looks.palette, width)
        return replace(space, folds=self._folds)

    def _rows_changed(self, change: RowsChanged) -> None:
        if change.reset:
            self.dismiss(self.row)
        elif self.row in change.updated:
            self._show(keep_place=True)

    def _show(self, *, keep_place: bool = False) -> None:
        activity = self.session.activity(self.row)
        chosen = self._tabs.chosen
        clock = self._looks.clock
        self._title.show(
            lambda width: ActivityView(activity, DetailLevel.TITLE, self._space(width), clock=clock)
        )
        place = self._pager.scroll_offset.y if keep_place else 0
        self._pager.show(lambda width: self._body(activity, chosen, self._space(width)))
        if place:
            self._pager.scroll_to(y=place, animate=False, immediate=True)

    def _body(self, activity: Activity, tab: int, space: Space) -> Body:
        match TABS[tab]:
            case "Input":
                return _input(activity, space)
            case "Result":
                return _result(activity, space)
            case "Raw":
                return raw_body(activity, self._looks.unused_keys, space)
            case "Event":
                return events_body(activity, space)
            case _:
                return _rendered(activity, space)

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        self.action_to_tab(event.index)

    def action_tab(self, step: int) -> None:
        """Show the tab beside this one."""
        self.action_to_tab(self._tabs.chosen + step)

    def action_to_tab(self, index: int) -> None:
        """Show a tab."""
        self._tabs.choose(index)
        self._show()

    def action_activity(self, step: int) -> None:
        """Show the next or previous activity of the timeline, in the same tab."""
        row = self._next_row(self.row, step)
        if row is None:
            self._status.say("this is the last one" if step > 0 else "this is the first one")
            return
        self.row = row
        self._folds = NO_FOLDS
        self._show()

    @on(Pager.PartClicked)
    def _part_clicked(self, event: Pager.PartClicked) -> None:
        event.stop()
        self._fold(self._folds.toggle(event.key))

    def action_fold(self) -> None:
        """Fold all parts of what is shown, or open them."""
        self._fold(self._folds.toggle_all())

    def _fold(self, folds: Folds) -> None:
        self._folds = folds
        self._show(keep_place=True)

    def action_diff_mode(self) -> None:
        """Show diffs side by side, or one below the other."""
        width = self._pager.scrollable_content_region.width
        split = is_split(self._space(width))
        self.post_message(diff_mode_turned(split=split, say=self._status.say))

    def action_copy_subject(self) -> None:
        """Copy what the activity is about."""
        self._copy(subject_text(self.session.activity(self.row)))

    def action_copy_output(self) -> None:
        """Copy the output of the activity."""
        self._copy(output_text(self.session.activity(self.row)))

    def _copy(self, text: str) -> None:
        if text:
            self.post_message(CopyAsked(text))
        self._status.say(f"copied {counted(len(text), 'character')}" if text else "nothing to copy")

    def action_leave(self) -> None:
        """Go back to the timeline, at the activity that was looked at last."""
        self.dismiss(self.row)


def _rendered(activity: Activity, space: Space) -> Body:
    """What the timeline shows in full, across the whole screen."""
    body = widget_for(row_kind(activity.body)).body(activity, DetailLevel.FULL, space)
    if body is None or not body.height:
        return text_rows("its title says it all", space, space.palette.dim)
    return body


def _input(activity: Activity, space: Space) -> Body:
    """Arguments as they were recorded: as JSON, or the text itself where it is none."""
    body = activity.body
    if not isinstance(body, ToolCall):
        return text_rows(subject_text(activity), space, space.palette.text)
    name = text_rows(body.provider_name, space, space.palette.strong)
    if body.args is not None:
        return Stack([name, json_body(body.args, space)])
    error = text_rows(body.args_error or "", space, space.palette.warning)
    return Stack([name, error, text_rows(body.args_json, space, space.palette.text)])


def _result(activity: Activity, space: Space) -> Body:
    """What came back, block by block, and the typed result made of it."""
    body = activity.body
    palette = space.palette
    if not isinstance(body, ToolCall):
        text = output_text(activity)
        return text_rows(text or "this activity has no result", space, palette.text)
    parts: list[Body] = []
    if body.error:
        parts.append(text_rows(body.error, space, palette.error))
    text = blocks_text(body.output) or activity.progress or ""
    if text and text != body.error:
        parts.append(text_rows(text, space, palette.text))
    if body.result is not None:
        parts.append(text_rows(" ", space, palette.dim))
        parts.append(json_body(body.result, space))
    if not parts:
        word = "no result yet" if body.ok is None else "no output"
        parts.append(text_rows(word, space, palette.dim))
    return Stack(parts)
