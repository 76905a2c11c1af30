"""The side panel: the names of its tabs, and the one in front."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

from msgspec.structs import replace
from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from agentview.domain.value import Value
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import OpenSession
from agentview.ui.render.strip import strip_of
from agentview.ui.widgets.panel.agents import AgentsTab
from agentview.ui.widgets.panel.background import BackgroundTab
from agentview.ui.widgets.panel.problems import ProblemsTab
from agentview.ui.widgets.panel.tab import PanelTab, PanelView
from agentview.ui.widgets.panel.todos import TodosTab
from agentview.ui.widgets.panel.turns import TurnsTab
from agentview.ui.widgets.panel.usage import UsageTab

# The names of the panel's tabs in one row, as much of each as there is room for.


_LEAST_WORD = 5


class TabNames(Widget):
    """One of the names is chosen; a click on another one asks for it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"names--other", "names--chosen"}

    DEFAULT_CSS = """
    TabNames {
        height: 1;
        width: 1fr;
        background: $background;
        .names--other { color: $text-muted; }
        .names--chosen { color: $accent; text-style: bold underline; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants another tab."""

        index: int

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = tuple(names)
        self._chosen = 0

    def choose(self, index: int) -> None:
        """Mark another name as the chosen one."""
        self._chosen = index
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The names, with a blank before each where there is room for it."""
        width = self.content_size.width
        if y or width <= 0:
            return Strip.blank(max(0, width), self.rich_style)
        segments: list[Segment] = []
        end = 0
        for index, start, name in self._laid_out(width):
            segments.append(Segment(" " * (start - end), self.rich_style))
            style = "names--chosen" if index == self._chosen else "names--other"
            segments.append(Segment(name, self.get_component_rich_style(style)))
            end = start + len(name)
        return strip_of(segments).adjust_cell_length(width, self.rich_style)

    def _laid_out(self, width: int) -> Iterator[tuple[int, int, str]]:
        """Index, first cell and text of each name: those that are not chosen are cut first."""
        chosen, names = self._chosen, self._names
        longest = max(map(len, names))
        forms = [(2, longest), *((1, size) for size in range(longest, 0, -1))]
        for gap, size in forms:
            cut = [name if at == chosen else _short(name, size) for at, name in enumerate(names)]
            if sum(map(len, cut)) + gap * len(cut) <= width:
                break
        else:
            gap, cut = 0, [names[at] if at == chosen else "" for at in range(len(names))]
        start = 0
        for index, name in enumerate(cut):
            start += gap
            yield index, start, name
            start += len(name)

    def on_click(self, event: events.Click) -> None:
        """Choose the name that was clicked on."""
        event.stop()
        for index, start, name in self._laid_out(self.content_size.width):
            if start <= event.x < start + len(name):
                self.post_message(self.Chosen(index))


def _short(name: str, size: int) -> str:
    """A name in so many cells, with a period where it is cut and still a word."""
    if len(name) <= size:
        return name
    return f"{name[: size - 1]}." if size > _LEAST_WORD else name[:size]


class TabKind(Value, gc=True):
    """A tab, made when it is asked for."""

    name: str
    make: Callable[[OpenSession, PanelView], PanelTab]


def _files(session: OpenSession, view: PanelView) -> PanelTab:
    # What follows the changes of files takes 2 MB and 20 ms, which nothing else here does.
    from agentview.ui.widgets.panel.files import FilesTab

    return FilesTab(session, view)


TABS: tuple[TabKind, ...] = (
    TabKind(TurnsTab.NAME, TurnsTab),
    TabKind("Files", _files),
    *(
        TabKind(tab.NAME, tab)
        for tab in (TodosTab, AgentsTab, BackgroundTab, UsageTab, ProblemsTab)
    ),
)
"""All tabs, in the order of their names."""

_PANEL = Binding.Group("Side panel")
_DEAR = "agentview.ui.widgets.panel.files"
"""Imported when the panel is first opened, next to what continues."""
_SOON = 0.05
"""Seconds for which changes are gathered before the tab gets them."""


class SidePanel(Widget):
    """Tabs over one session. A tab is made when it is first asked for, and works only in front."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right_square_bracket,tab", "tab(1)", "next tab", key_display="[ ]",
                id="panel.next_tab", group=_PANEL, tooltip="Next tab of the panel"),
        Binding("left_square_bracket,shift+tab", "tab(-1)", "previous tab", show=False,
                id="panel.previous_tab", group=_PANEL, tooltip="Previous tab of the panel"),
        Binding("escape", "leave", "leave", show=False, id="panel.leave", group=_PANEL,
                tooltip="Back to the timeline; the panel stays where there is room for both"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    SidePanel {
        layout: vertical;
        background: $background;
    }
    """

    class Left(Message):
        """The person wants to go back to the timeline."""

    def __init__(
        self,
        session: OpenSession,
        view: Callable[[], PanelView],
        tabs: Sequence[TabKind] = TABS,
    ) -> None:
        """`view` says how things are shown at the moment."""
        super().__init__()
        self._session = session
        self._view = view
        self._kinds = tuple(tabs)
        self._names = TabNames([kind.name for kind in tabs])
        self._tabs: dict[int, PanelTab] = {}
        self._chosen = 0
        self._shown = False
        self._selected: int | None = None
        self._gathered: RowsChanged | None = None
        self._gathering = False

    def compose(self) -> ComposeResult:
        yield self._names

    def on_mount(self) -> None:
        asyncio.get_running_loop().run_in_executor(None, import_module, _DEAR)

    @property
    def tab(self) -> PanelTab | None:
        """The tab in front; None while the panel is away."""
        return self._tabs.get(self._chosen) if self._shown else None

    # What the screen does

    async def open(self, selected: int | None) -> None:
        """Show the panel with the tab that was in front before, and give it the keys."""
        self.display = True
        self._shown = True
        self._selected = selected
        await self.show_tab(self._chosen)

    def close(self) -> None:
        """Put the panel away: nothing in it continues."""
        if (tab := self.tab) is not None:
            self.leave_keys()
            tab.put_away()
        self._shown = False
        self.display = False

    async def show_tab(self, index: int) -> None:
        """Bring a tab to the front, and give it the keys."""
        before = self.tab
        self._chosen = index % len(self._kinds)
        self._names.choose(self._chosen)
        tab = self._tabs.get(self._chosen)
        if before is not None and before is not tab:
            before.put_away()
        if tab is None:
            kind = self._kinds[self._chosen]
            tab = self._tabs[self._chosen] = kind.make(self._session, self._view())
            await self.mount(tab)
        if self.tab is not tab:
            # Put away, or another one asked for, while this one was mounted.
            tab.put_away()
            return
        self._gathered = None
        if not tab.visible_now:
            tab.bring_to_front(self._selected)
        self.take_keys()

    @property
    def has_keys(self) -> bool:
        return self.tab is not None and self.tab.has_focus

    def take_keys(self) -> None:
        if (tab := self.tab) is not None:
            tab.can_focus = True
            tab.focus()

    def leave_keys(self) -> None:
        if (tab := self.tab) is not None:
            tab.can_focus = False
            tab.blur()

    def rows_changed(self, change: RowsChanged) -> None:
        """Pass changes to the tab in front, at most every 50 milliseconds."""
        tab = self.tab
        if tab is None:
            return
        if change.reset:
            # At once: the rows that its lines are about are gone.
            self._gathered = None
            tab.begin()
            return
        self._gathered = change if self._gathered is None else _together(self._gathered, change)
        if not self._gathering:
            self._gathering = True
            self.set_timer(_SOON, self._pass_on)

    def _pass_on(self) -> None:
        self._gathering = False
        change, self._gathered = self._gathered, None
        tab = self.tab
        if change is not None and tab is not None and tab.visible_now:
            tab.take(change)

    def selection_changed(self, row: int | None) -> None:
        """Pass the selected row of the timeline to the tab in front."""
        self._selected = row
        if (tab := self.tab) is not None and tab.visible_now:
            tab.selected(row)

    def refresh_view(self) -> None:
        for tab in self._tabs.values():
            tab.set_view(self._view())

    # Keys and mouse

    async def action_tab(self, step: int) -> None:
        await self.show_tab(self._chosen + step)

    def on_click(self) -> None:
        self.take_keys()

    @on(TabNames.Chosen)
    async def _name_chosen(self, event: TabNames.Chosen) -> None:
        event.stop()
        await self.show_tab(event.index)

    def action_leave(self) -> None:
        self.post_message(self.Left())


def _together(first: RowsChanged, second: RowsChanged) -> RowsChanged:
    return replace(
        second,
        prepended=first.prepended + second.prepended,
        appended=first.appended + second.appended,
        updated=(*first.updated, *second.updated),
        indexed=first.indexed or second.indexed,
    )
