"""Home: the views of all sessions, which one reaches from each other by number and by mouse.

A view is a `HomeView` with a line in `VIEWS`, and a maker in `HomeScreens` (`agentview.ui`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from textual import on
from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from agentview.domain.value import Value
from agentview.timeline.view.limit_text import LimitWords, Meter
from agentview.ui.screens.home.attention import AttentionWords
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.widgets.home_header import HomeHeader
from agentview.ui.widgets.host_failures import HostFailures

BOARD, SESSIONS, SEARCH, USAGE = "board", "sessions", "search", "usage"


class View(Value):
    """A view of home: its name, how it is called in the header, its file of styles, its help."""

    name: str
    label: str
    styles: str
    sentence: str


VIEWS = (
    View(BOARD, "Board", "live_sessions.tcss", "Show which sessions need you, and what works"),
    View(SESSIONS, "Sessions", "library.tcss", "Show all sessions"),
    View(SEARCH, "Search", "search.tcss", "Search inside all sessions"),
    View(USAGE, "Usage", "usage.tcss", "Show what was used, by day, project, model and client"),
)
"""In the order of their numbers, from 1."""

_VIEWS = Binding.Group("Views")


def view_of(name: str) -> View:
    """The view of a name. Raises StopIteration for an unknown one."""
    return next(view for view in VIEWS if view.name == name)


class SpendingWords(Value):
    """Costs, as views show them: of today, of budgets, and a meter for each of these."""

    today: Sequence[str] = ()
    """From the longest text to the shortest."""
    budgets: LimitWords = LimitWords()
    meters: Sequence[Meter] = ()


for _digit in range(1, len(VIEWS) + 1):
    # Textual reads `alt` with a digit as the sign that a Mac has there, as £ for `alt+3`.
    cast("dict[str, object]", ANSI_SEQUENCES_KEYS).pop(f"\x1b{_digit}", None)


class HomeView(Screen[None]):
    """A view of all sessions. It has the header, the numbers, and what home knows of sessions.

    A view lives as long as the program: the person finds it as it was left.
    """

    NAME: ClassVar[str]
    """Its name in `VIEWS`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(f"{number},alt+{number}", f"view('{view.name}')", view.label.lower(), show=False,
                id=f"home.{view.name}", group=_VIEWS, tooltip=view.sentence)
        for number, view in enumerate(VIEWS, 1)
    ]  # fmt: skip

    @dataclass
    class Requested(Message):
        """The person wants another view; `line` is what to look for, None as it was left."""

        name: str
        line: str | None = None

    class Left(Message):
        """The person is done with this view."""

    def __init__(self, feed: LibraryFeed, options: LibraryViewOptions) -> None:
        """`feed` is the one of all views of home; the last one that goes closes it."""
        super().__init__()
        self.feed = feed
        self.options = options
        self.header = HomeHeader([view.label for view in VIEWS], self._number)
        self.failures = HostFailures()
        """For the view to yield."""
        self._loading: asyncio.Task[None] | None = None

    @property
    def _number(self) -> int:
        return VIEWS.index(view_of(self.NAME))

    def set_options(self, options: LibraryViewOptions) -> None:
        self.options = options

    def show_spending(self, words: SpendingWords) -> None:
        self.header.show_spending(words.today, words.budgets)

    def search_for(self, line: str) -> None:
        """Look for what a line says, where this view filters or searches."""

    def show_attention(self, words: AttentionWords) -> None:
        self.header.show_attention(words.needs, words.working, words.limits)

    def offers(self, action: str) -> bool:
        """Return False for an action that the window is too small for: its key is not hinted at."""
        del action
        return True

    def rest(self) -> None:
        """End what only this view needs: another one takes its place."""

    def seen_changed(self) -> None:
        """Take notice that something was read or added that other views or programs know of."""

    # The sessions

    def begin_feed(self) -> None:
        """Have the sessions that are known now, and all others after the first frame."""
        self.feed.begin()
        # Not at once: it would take the processor from the first frame.
        self.call_after_refresh(self._look_first)

    def _look_first(self) -> None:
        if self.feed.look_first():
            self.load_seen()

    def load_seen(self) -> None:
        if self._loading is None:
            self._loading = asyncio.create_task(self._seen_loaded())

    async def _seen_loaded(self) -> None:
        changed = await asyncio.to_thread(self.options.load_seen)
        self._loading = None
        if changed:
            self.feed.annotate(self.options.annotations())
            self.seen_changed()

    async def marked(self) -> None:
        """Show what was added to a session just now."""
        if self._loading is not None:
            await self._loading
        await self._seen_loaded()

    async def on_annotations_changed(self) -> None:
        await self.marked()

    def on_seen_changed(self) -> None:
        self.seen_changed()

    def on_screen_suspend(self) -> None:
        self._look_first()

    def on_minute_passed(self) -> None:
        self.load_seen()

    def on_unmount(self) -> None:
        """Look no longer."""
        if self._loading is not None:
            self._loading.cancel()
        self.feed.close()

    # Views

    def action_view(self, name: str) -> None:
        if name != self.NAME:
            self.post_message(self.Requested(name))

    @on(HomeHeader.Chosen)
    def _view_chosen(self, event: HomeHeader.Chosen) -> None:
        event.stop()
        self.action_view(VIEWS[event.index].name)

    def action_leave(self) -> None:
        self.post_message(self.Left())
