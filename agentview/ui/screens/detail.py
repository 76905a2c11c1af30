"""The detail screen: one activity, rendered, as its input and result, its bytes and its events."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

import orjson
from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.domain.activity import Activity, row_kind
from agentview.domain.tools import ToolCall
from agentview.errors import AgentViewError
from agentview.redaction.secrets import masked
from agentview.sources.open_file import read_at
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.activity.activity_text import (
    PART,
    blocks_text,
    output_text,
    part_count,
    part_of,
    subject_text,
)
from agentview.timeline.view.activity.clipboard_text import copied_output, copied_subject
from agentview.timeline.view.activity.file_location import file_place
from agentview.timeline.view.activity.raw_record import raw_records
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.header import OpenSession
from agentview.ui.activity_widget import RowLayout, widget_for
from agentview.ui.clipboard import LIMIT
from agentview.ui.messages import CopyRequested, EditRequested
from agentview.ui.render.collapsible import NO_FOLDS, Folds
from agentview.ui.render.containers import Stack
from agentview.ui.render.json_tree import json_tree
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.raw import events_body, json_body, raw_body
from agentview.ui.render.render_options import detail_space
from agentview.ui.render.text_lines import prose_rows, text_rows
from agentview.ui.screens.diff_mode import diff_mode_turned
from agentview.ui.screens.session.options import ViewOptions
from agentview.ui.widgets.pager import Pager
from agentview.ui.widgets.pager_search import PageSearch
from agentview.ui.widgets.status_line import StatusLine
from agentview.ui.widgets.tab_bar import TabBar

# The tabs of the detail screen: one activity rendered, as input, result, bytes and events.


def input_text(activity: Activity) -> str:
    """Input as text to be copied: arguments as they were recorded, or the words."""
    body = activity.body
    return body.args_json if isinstance(body, ToolCall) else subject_text(activity)


def result_text(activity: Activity) -> str:
    """Return the output as text to be copied."""
    body = activity.body
    if not isinstance(body, ToolCall):
        return output_text(activity)
    return blocks_text(body.output) or body.error or activity.progress or ""


def input_parts(activity: Activity) -> int:
    """How many parts the input is shown in."""
    body = activity.body
    return 1 if isinstance(body, ToolCall) and body.args else part_count(input_text(activity))


def result_parts(activity: Activity) -> int:
    return part_count(result_text(activity))


def input_body(activity: Activity, space: RenderContext, part: int) -> LazyLines:
    """Arguments as they were recorded: as JSON, or the text itself where it is none."""
    body = activity.body
    text = part_of(input_text(activity), part)
    if not isinstance(body, ToolCall):
        return text_rows(text, space, space.palette.text)
    name = text_rows(body.provider_name, space, space.palette.strong)
    if body.args is not None:
        long = len(body.args_json) > PART
        return Stack([name, (json_tree if long else json_body)(body.args, space)])
    error = text_rows(body.args_error or "", space, space.palette.warning)
    return Stack([name, error, text_rows(text, space, space.palette.text)])


def result_body(activity: Activity, space: RenderContext, part: int) -> LazyLines:
    """Return the output block by block, and the typed result made of it."""
    body = activity.body
    palette = space.palette
    text = part_of(result_text(activity), part)
    if not isinstance(body, ToolCall):
        return text_rows(text or "this activity has no result", space, palette.text)
    parts: list[LazyLines] = []
    if body.error and not part and body.error.strip() not in text:
        parts.append(prose_rows(body.error, space, palette.error))
    if text:
        failed = body.ok is False and body.error is not None
        parts.append(prose_rows(text, space, palette.error if failed else palette.text))
    if body.result is not None and result_parts(activity) == 1:
        parts.append(text_rows(" ", space, palette.dim))
        parts.append(json_body(body.result, space))
    if not parts:
        word = "no result yet" if body.ok is None else "no output"
        parts.append(text_rows(word, space, palette.dim))
    return Stack(parts)


def events_text(events: Sequence[object]) -> str:
    return "\n".join(
        orjson.dumps(event, default=_plain, option=orjson.OPT_INDENT_2).decode() for event in events
    )


def _plain(value: object) -> object:
    names: Sequence[str] = getattr(type(value), "__struct_fields__", ())
    if not names:
        return str(value)
    found = {name: getattr(value, name) for name in names}
    return {"type": type(value).__name__} | {
        name: item for name, item in found.items() if item is not None and item != ()
    }


TABS = ("Rendered", "Input", "Result", "Raw", "Event")
RAW_TAB = TABS.index("Raw")

_ACTIVITY = Binding.Group("Activity")
_TABS = Binding.Group("Tabs")
_FIND = Binding.Group("Find")
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
        Binding("J,right_square_bracket", "activity(1)", "next", key_display="J/K",
                id="detail.next", group=_ACTIVITY, tooltip="Next activity"),
        Binding("K,left_square_bracket", "activity(-1)", "previous", show=False,
                id="detail.previous", group=_ACTIVITY, tooltip="Previous activity"),
        Binding("slash", "search", "search", id="detail.search", group=_FIND,
                tooltip="Search in what is shown"),
        Binding("n", "match(1)", "next match", show=False, id="detail.next_match", group=_FIND,
                tooltip="Next match"),
        Binding("N", "match(-1)", "previous match", show=False, id="detail.previous_match",
                group=_FIND, tooltip="Previous match"),
        Binding("greater_than_sign", "part(1)", "next part", show=False, id="detail.next_part",
                group=_TABS, tooltip="Next part of a long text"),
        Binding("less_than_sign", "part(-1)", "previous part", show=False,
                id="detail.previous_part", group=_TABS, tooltip="Previous part of a long text"),
        Binding("d", "diff_mode", "diffs", show=False, id="detail.diff_mode", group=_ACTIVITY,
                tooltip="Split or unified diffs"),
        Binding("z", "fold", "fold", show=False, id="detail.fold", group=_ACTIVITY,
                tooltip="Fold or unfold all its files or parts; a click folds one"),
        Binding("y", "copy", "copy", id="detail.copy", group=_ACTIVITY,
                tooltip="Copy what is selected with the mouse, else what the tab shows"),
        Binding("Y", "copy_output", "copy output", show=False, id="detail.copy_output",
                group=_ACTIVITY, tooltip="Copy its output"),
        Binding("v", "edit", "edit", show=False, id="detail.edit", group=_ACTIVITY,
                tooltip="Open its file in $VISUAL or $EDITOR, at the line"),
        Binding("escape", "dismiss_or_leave", "back", show=False, id="detail.dismiss",
                group=_SCREEN, tooltip="Close the search, else back to the timeline"),
        Binding("q,o", "leave", "back", id="detail.back", group=_SCREEN,
                tooltip="Back to the timeline"),
    ]  # fmt: skip
    AUTO_FOCUS = "#content"

    def __init__(
        self,
        session: OpenSession,
        row: int,
        options: ViewOptions,
        next_row: Callable[[int, int], int | None],
    ) -> None:
        """`next_row` gives the activity that the timeline shows after (1) or before (-1) a row."""
        super().__init__()
        self.session = session
        self.row = row
        self._options = options
        self._next_row = next_row
        self._pager = Pager(id="content")
        self._title = Pager(id="title")
        self._title.can_focus = False
        self._tabs = TabBar(TABS)
        self._status = StatusLine()
        self._folds = NO_FOLDS
        self._search = PageSearch(self._pager, self._status)
        self._places: dict[int, tuple[int, int]] = {}
        self._part = 0
        self._parts = 1
        self._unsubscribe: Callable[[], None] | None = None

    def compose(self) -> ComposeResult:
        """Title, tabs, content, status."""
        yield self._title
        yield self._tabs
        yield self._pager
        yield self._search
        yield self._status

    def on_mount(self) -> None:
        """Show the activity, and show it again when it changes."""
        self._unsubscribe = self.session.store.subscribe(self._rows_changed)
        raw = self._options.raw or self._options.settings.debug.raw_by_default
        self._tabs.choose(RAW_TAB if raw else 0)
        self._status.show_masking(self._options.masking)
        self._show()

    def on_unmount(self) -> None:
        if self._unsubscribe is not None:
            self._unsubscribe()

    def set_options(self, options: ViewOptions) -> None:
        """Show everything in other colours, by other settings."""
        self._options = options
        self._status.forget_keys()
        self._status.show_masking(options.masking)
        self._show(self._pager.place)

    def _space(self, width: int) -> RenderContext:
        space = detail_space(self._options.settings, self._options.palette, width)
        return replace(space, folds=self._folds)

    def _rows_changed(self, change: RowsChanged) -> None:
        if change.reset:
            self.dismiss(self.row)
        elif self.row in change.updated:
            self._show(self._pager.place)

    @property
    def _activity(self) -> Activity:
        return self._options.seen(self.session.store.activity(self.row))

    def _show(self, place: int = 0) -> None:
        """Show the chosen tab from a row on."""
        activity = self._activity
        clock = self._options.clock
        self._parts = self._part_count(activity)
        self._part = min(self._part, self._parts - 1)
        part = f"part {self._part + 1} of {self._parts}, < > turn" if self._parts > 1 else None
        self._status.show_jump(part)
        self._pager.take_palette(self._options.palette)
        self._title.show(
            lambda width: RowLayout(activity, DetailLevel.TITLE, self._space(width), clock=clock)
        )
        self._pager.show(lambda width: self._body(activity, self._space(width)), place)
        self._search.look_again()

    def _part_count(self, activity: Activity) -> int:
        counts = {"Input": input_parts, "Result": result_parts}
        count = counts.get(TABS[self._tabs.chosen])
        return 1 if count is None else count(activity)

    def _body(self, activity: Activity, space: RenderContext) -> LazyLines:
        options = self._options
        match TABS[self._tabs.chosen]:
            case "Input":
                return input_body(activity, space, self._part)
            case "Result":
                return result_body(activity, space, self._part)
            case "Raw":
                return raw_body(activity, options.unused_keys, space, masking=options.masking)
            case "Event":
                return events_body(activity, space, masking=options.masking)
            case _:
                return _rendered(activity, space)

    @on(Pager.Finished)
    def _pager_finished(self, event: Pager.Finished) -> None:
        event.stop()
        self._search.look_again()

    @on(TabBar.Chosen)
    def _tab_chosen(self, event: TabBar.Chosen) -> None:
        event.stop()
        self.action_to_tab(event.index)

    def action_tab(self, step: int) -> None:
        self.action_to_tab(self._tabs.chosen + step)

    def action_to_tab(self, index: int) -> None:
        """Show a tab, from where it was left."""
        self._places[self._tabs.chosen] = (self._part, self._pager.place)
        self._tabs.choose(index)
        self._part, place = self._places.get(self._tabs.chosen, (0, 0))
        self._show(place)

    def action_activity(self, step: int) -> None:
        """Show the next or previous activity of the timeline, in the same tab."""
        row = self._next_row(self.row, step)
        if row is None:
            self._status.say("this is the last one" if step > 0 else "this is the first one")
            return
        self.row = row
        self._folds = NO_FOLDS
        self._part = 0
        self._places.clear()
        self._show()

    @on(Pager.PartClicked)
    def _part_clicked(self, event: Pager.PartClicked) -> None:
        event.stop()
        self._fold(self._folds.toggle(event.key))

    def action_fold(self) -> None:
        self._fold(self._folds.toggle_all())

    def _fold(self, folds: Folds) -> None:
        self._folds = folds
        self._show(self._pager.place)

    def action_diff_mode(self) -> None:
        """Show diffs side by side, or one below the other."""
        width = self._pager.scrollable_content_region.width
        split = self._space(width).shows_split
        self.post_message(diff_mode_turned(split=split, say=self._status.say))

    def action_part(self, step: int) -> None:
        """Show the next or previous part of a long text."""
        part = self._part + step
        if 0 <= part < self._parts:
            self._part = part
            self._show()
        else:
            self._status.say("no part after this" if step > 0 else "no part before this")

    async def action_search(self) -> None:
        await self._search.ask()

    def action_match(self, direction: int) -> None:
        self._search.step(direction)

    def action_copy(self) -> None:
        """Copy what is selected, else what the tab shows."""
        selected = self.get_selected_text()
        if selected:
            self._copy("selection", selected)
        else:
            self._copy(*self._shown_part())

    def _shown_part(self) -> tuple[str, str]:
        activity = self._activity
        match TABS[self._tabs.chosen]:
            case "Input":
                return "input", input_text(activity)
            case "Result":
                return "result", result_text(activity)
            case "Raw":
                return "raw records", self._raw_text(activity)
            case "Event":
                text = events_text(activity.events)
                return "events", masked(text) if self._options.masking else text
            case _:
                return copied_subject(activity)

    def _raw_text(self, activity: Activity) -> str:
        """The records as they are written, as far as they are copied."""
        parts: list[str] = []
        room = LIMIT
        for record in raw_records(activity):
            source = record.source
            try:
                data = read_at(Path(source.path), source.offset, min(source.length, room))
            except AgentViewError as error:
                self._status.say(str(error))
                return ""
            room = max(0, room - len(data))
            text = data.decode("utf-8", "replace").rstrip("\r\n")
            parts.append(masked(text) if self._options.masking else text)
        return "\n".join(parts)

    def action_copy_output(self) -> None:
        self._copy(*copied_output(self._activity))

    def _copy(self, what: str, text: str) -> None:
        if text:
            self.post_message(CopyRequested(text, what, self._status.say))
        else:
            self._status.say("nothing to copy")

    def action_edit(self) -> None:
        """Open the file that the activity is about in the person's editor."""
        place = file_place(self.session.store.activity(self.row))
        if place is None:
            self._status.say("no file is named here")
        else:
            self.post_message(EditRequested(place, self._status.say))

    def action_dismiss_or_leave(self) -> None:
        if not self._search.dismiss():
            self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(self.row)


def _rendered(activity: Activity, space: RenderContext) -> LazyLines:
    """Return the rows that the timeline shows at full level, across the whole screen."""
    body = widget_for(row_kind(activity.body)).body(activity, DetailLevel.FULL, space)
    if body is None or not body.height:
        return text_rows("(no further content)", space, space.palette.dim)
    return body
