"""The library: all sessions found on this machine, newest first, filled in while it scans."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import Screen

from agentview.library.filters import library_test
from agentview.library.listing import Listing
from agentview.library.presence import is_live
from agentview.library.scan import Found
from agentview.timeline.quantities import counted
from agentview.ui.messages import SessionChosen
from agentview.ui.widgets.bar import Bar, Part, part
from agentview.ui.widgets.input_line import InputLine
from agentview.ui.widgets.notice import Notice
from agentview.ui.widgets.session_list import ListHeading, SessionList
from agentview.ui.widgets.status_line import StatusLine

Scan = Callable[[Callable[[], bool]], Iterator[Found]]
"""Gives all sessions in batches, until the function that it is given says to stop."""

_FIND = Binding.Group("Find")
_SHOW = Binding.Group("Show")
_SCREEN = Binding.Group("Screen")
_MINUTE = 60.0
_HINT = "words  provider:  project:  branch:  model:  state:"


class LibraryHeader(Bar):
    """What the library holds, and how far it has come."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--mark", "bar--title", "bar--quiet", "bar--live"
    }  # fmt: skip

    DEFAULT_CSS = """
    LibraryHeader {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
        .bar--quiet { color: $text-muted; }
        .bar--live { color: $accent; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._live = 0
        self._progress = ""

    def show(self, live: int, progress: str) -> None:
        """Tell how many are live, and how far the scan is."""
        if (live, progress) != (self._live, self._progress):
            self._live, self._progress = live, progress
            self.refresh()

    def parts(self) -> Sequence[Part]:
        """Mark and name at the left, live ones and progress at the right."""
        found = [
            Part(((("◆ ", "bar--mark"), ("agentview", "bar--title")),), 50),
            part("sessions", "bar--quiet", 30),
        ]
        if self._live:
            found.append(part(f"● {self._live} live", "bar--live", 45, right=True))
        found.append(part(self._progress, "bar--quiet", 60, right=True))
        return found


class LibraryScreen(Screen[None]):
    """Sessions to choose from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash,f", "filter", "filter", key_display="/", id="library.filter", group=_FIND,
                tooltip="Filter as you type: words, provider: project: branch: model: state:"),
        Binding("s", "agents", "sub-agents", id="library.agents", group=_SHOW,
                tooltip="Show sub-agents below their sessions, or hide them"),
        Binding("r,f5", "rescan", "rescan", id="library.rescan", group=_FIND,
                tooltip="Look for sessions again"),
        Binding("escape", "dismiss_filter", "all", show=False, id="library.dismiss",
                group=_SCREEN, tooltip="End the filter"),
        Binding("q", "leave", "quit", id="library.quit", group=_SCREEN, tooltip="Quit"),
    ]  # fmt: skip
    AUTO_FOCUS = "SessionList"

    class Left(Message):
        """The person is done."""

    def __init__(
        self,
        scan: Scan,
        places: Sequence[str],
        clock: Callable[[], float],
        label: Callable[[str], str],
        filter_line: str = "",
    ) -> None:
        """`places` are named when no session is in any of them, `label` names a provider."""
        super().__init__()
        self._scan = scan
        self._places = places
        self._clock = clock
        self._line = filter_line
        self._listing = Listing()
        self._with_agents = False
        self._scanning = True
        self._scan_number = 0
        self._scan_task: asyncio.Task[None] | None = None
        self._total = 0
        self._seen = 0
        self._header = LibraryHeader()
        self._list = SessionList(clock, label)
        self._notice = Notice("looking for sessions")
        self._status = StatusLine()

    def compose(self) -> ComposeResult:
        """Header, list, status; the filter line comes in between when it is asked for."""
        yield self._header
        yield ListHeading()
        yield self._list
        yield self._notice
        yield self._status

    def on_mount(self) -> None:
        """Begin to look."""
        self._show()
        self.set_interval(_MINUTE, self._show)
        self._look()

    def on_screen_resume(self) -> None:
        """What was looked at has gone on meanwhile."""
        if not self._scanning:
            self._look()

    def on_unmount(self) -> None:
        """Look no longer."""
        self._stop()

    def _stop(self) -> None:
        self._scan_number += 1
        if self._scan_task is not None:
            self._scan_task.cancel()
            self._scan_task = None

    def _look(self) -> None:
        self._stop()
        number = self._scan_number
        batches = self._scan(lambda: number != self._scan_number)
        self._scan_task = asyncio.create_task(self._take_all(batches))

    async def _take_all(self, batches: Iterator[Found]) -> None:
        """Take what a scan finds; it works in a thread, a batch at a time."""
        while (found := await asyncio.to_thread(next, batches, None)) is not None:
            self._take(found)
        self._finish()

    def _take(self, found: Found) -> None:
        if not found.infos:
            self._scanning, self._seen = True, 0
        self._total = found.total
        self._seen += len(found.infos)
        self._listing.add(found.infos)
        self._show()

    def _finish(self) -> None:
        self._scanning = False
        self._show()

    def _show(self) -> None:
        test = library_test(self._line)
        entries = self._listing.entries(test, agents=self._with_agents)
        self._list.show(entries)
        sessions = [entry for entry in entries if not entry.nested]
        now = self._clock()
        live = sum(is_live(entry.info, now) for entry in sessions)
        self._header.show(live, self._progress(len(sessions), filtered=test is not None))
        self._status.show_filter(
            f"filter {self._line}" if test is not None and not self.query(InputLine) else None
        )
        self._show_notice(empty=not entries)

    def _progress(self, shown: int, *, filtered: bool) -> str:
        if self._scanning and self._seen < self._total:
            return f"reading {self._seen:,} of {self._total:,}"
        return f"{shown:,} match" if filtered else counted(shown, "session")

    def _show_notice(self, *, empty: bool) -> None:
        self.set_class(empty, "-empty")
        if not empty:
            return
        if self._scanning:
            self._notice.say("looking for sessions")
        elif len(self._listing):
            self._notice.say("no session passes the filter", (self._line, "esc shows all"), "⊘")
        else:
            tip = "agentview demo plays a sample; r looks again"
            self._notice.say("no sessions found", (tip, *self._places), "○")

    @on(SessionList.Chosen)
    def _chosen(self, event: SessionList.Chosen) -> None:
        event.stop()
        self.post_message(SessionChosen(event.entry.info.ref))

    async def action_filter(self) -> None:
        """Let the person type what to leave in."""
        for line in self.query(InputLine):
            await line.remove()
        line = InputLine("filter", self._line, _HINT, id="filter")
        await self.mount(line, before=self._status)
        line.start()
        self._show()

    @on(InputLine.Changed)
    def _typed(self, event: InputLine.Changed) -> None:
        event.stop()
        if event.value != self._line:
            self._line = event.value
            self._list.start_over()
            self._show()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        await event.line.remove()
        self._list.focus()
        self._show()

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await event.line.remove()
        self._list.focus()
        self.action_dismiss_filter()

    @on(InputLine.Stepped)
    def _stepped(self, event: InputLine.Stepped) -> None:
        event.stop()
        self._list.action_move(event.direction)

    def action_dismiss_filter(self) -> None:
        """Show all sessions."""
        self._line = ""
        self._show()

    def action_agents(self) -> None:
        """Show the agents that sessions started below them, or hide them."""
        self._with_agents = not self._with_agents
        self._show()

    def action_rescan(self) -> None:
        """Look again; sessions that are gone are no longer shown."""
        self._listing.clear()
        self._scanning, self._seen, self._total = True, 0, 0
        self._show()
        self._look()

    def action_leave(self) -> None:
        """End the program."""
        self.post_message(self.Left())
