"""The full-screen program: which screen is shown, colours, how it begins and ends."""

import asyncio
import gc
import shutil
import sys
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on
from textual._compositor import CompositorUpdate
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.filter import ANSIToTruecolor, LineFilter
from textual.message import Message
from textual.screen import Screen as TextualScreen
from textual.theme import Theme
from textual.types import CSSPathType
from textual.widget import MountError

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.session_state import LoopingLimits
from agentview.errors import AgentViewError, NotFound, shortage
from agentview.settings import LaunchOptions, Screen
from agentview.settings.checking import WrongSetting
from agentview.settings.table import SETTINGS
from agentview.settings.values import Icons, NotifySettings
from agentview.system import platforms
from agentview.timeline.view.header import OpenSession
from agentview.ui.app_state import AppState
from agentview.ui.gc_policy import GcScheduler, keep_lines_from_holding_themselves
from agentview.ui.key_order import KeyFollowed, KeyOrder
from agentview.ui.messages import (
    AwayRequested,
    BlameRequested,
    ComparisonRequested,
    CopyRequested,
    DemoRequested,
    EditRequested,
    FileRequested,
    FocusChanged,
    LexersFound,
    MinutePassed,
    SessionChosen,
    SettingChanged,
    WidgetsPrepared,
)
from agentview.ui.notifications import Notifications
from agentview.ui.render.style.ansi_ink import readable_ansi
from agentview.ui.render.style.color_depth import depth_of
from agentview.ui.render.syntax import find_late, find_missing
from agentview.ui.screens.live_settings import LiveSettings
from agentview.ui.screens.palette_commands import PaletteCommands
from agentview.ui.screens.session.options import TALL
from agentview.ui.screens.waiting import WaitingScreen
from agentview.ui.session_screens import SessionScreens, open_log, say_opening
from agentview.ui.signals import (
    end_on_signals,
    ending_with,
    resume_on_signal,
    signals_held,
)
from agentview.ui.textual_theme import ThemeRegistry
from agentview.ui.themes import DEFAULT_THEME, load_theme, theme_directories
from agentview.ui.widgets.key_hints import bound_actions
from agentview.ui.widgets.responsive_bar import PLAIN
from agentview.ui.widgets.status_line import StatusLine

_HELP = Binding.Group("Help")
_SOON_NEEDED = (
    "agentview.ui.screens.session.screen",
    "agentview.ui.timeline.minimap",
    "pygments.lexers",
    "markdown_it.common.utils",
    "markdown_it.helpers",
    "markdown_it.main",
    "markdown_it.tree",
)
"""Modules that the next rows may need, imported after the first frame, one at a time.

What a key opens is imported by the key: 10 ms, once.
"""
_SOON_NEEDED_BY_LIBRARY = (
    "agentview.facts.search.fts_index",
    "agentview.ui.screens.search.screen",
    "agentview.ui.screens.live_sessions",
)
"""And what they may where all sessions are listed; 3 MB that who reads one does without."""
_PAUSE = 0.05
"""Seconds between two imports, for keys and frames."""

_TURN = 0.001
"""Seconds that a thread at work keeps keys and frames waiting, again and again; usually 5 ms."""

_OPENING = 1.0
"""Seconds that keys wait for a session that was chosen."""

_MINUTE = 60.0

_NOT_A_TERMINAL = "agentview: the screen needs a terminal for its keys and its picture."


def run(start: LaunchOptions) -> int:
    """Run the screen until the person leaves it; gives the exit code of the command."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(_NOT_A_TERMINAL, file=sys.stderr)  # noqa: T201  (the command's own word)
        return 1
    # Nothing made before the first frame is garbage; looking for it would only delay the frame.
    gc.disable()
    try:
        terminal = sys.stdin.fileno()
        with signals_held(), platforms.restored_on_error(terminal), ending_with(terminal) as left:
            app = AgentViewApp(start)
            find_late(app.color_later)
            try:
                asyncio.run(_shown(app, left))
            except RuntimeError as error:
                # Textual cannot end a thread that could not be started.
                raise app.lack or error from None
            if app.lack is not None:
                raise app.lack
    except WrongSetting as error:
        raise start.settings.blamed(error) from None
    finally:
        gc.enable()
        find_late(None)
    return app.return_code or 0


async def _shown(app: "AgentViewApp", left: Callable[[int], None]) -> None:
    try:
        await app.run_async()
    finally:
        left(app.return_code or 0)


class AgentViewApp(App[None]):
    """Shows what `start` asks for; `clock` gives the time, `open_session` reads a log."""

    TITLE = "agentview"
    # The screens' files are named here: Textual does not read those of the first screen.
    CSS_PATH: ClassVar[CSSPathType | None] = [
        "app.tcss",
        "screens/session/session.tcss",
        "screens/detail.tcss",
        "screens/help.tcss",
        "screens/library/library.tcss",
        "screens/live_sessions.tcss",
        "screens/report.tcss",
        "screens/search/search.tcss",
        "screens/settings.tcss",
        "screens/usage/usage.tcss",
    ]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (TALL, "-tall")]  # noqa: RUF012
    COMMANDS = {PaletteCommands}  # noqa: RUF012  (Textual declares it so)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "keys", "help", id="app.help", group=_HELP,
                tooltip="All keys"),
        Binding("comma", "settings", "settings", show=False, id="app.settings", group=_HELP,
                tooltip="Settings"),
        Binding("x", "mask", "mask secrets", show=False, id="app.mask", group=_HELP,
                tooltip="Toggle masking of secrets on screens and in copies"),
        Binding("ctrl+p", "command_palette", "palette", show=False, priority=True,
                id="app.palette", group=_HELP, tooltip="Find a command by name"),
        # A text field copies with ctrl+c what is selected in it.
        Binding("ctrl+c", "quit", "quit", show=False, id="app.quit", group=_HELP,
                tooltip="Quit"),
        Binding("ctrl+q", "quit", "quit", show=False, priority=True, id="app.quit", group=_HELP,
                tooltip="Quit"),
        Binding("ctrl+z", "suspend_process", "suspend", show=False, id="app.suspend", group=_HELP,
                tooltip="Suspend to the shell (fg resumes)"),
        Binding("ctrl+t", "change_theme", "theme", show=False, id="app.theme", group=_HELP,
                tooltip="Change the theme"),
    ]  # fmt: skip

    def __init__(
        self,
        start: LaunchOptions,
        *,
        clock: Callable[[], float] = time.time,
        open_session: Callable[[SessionRef, bool], OpenSession] = open_log,
        roots: Sequence[tuple[str, Path]] | None = None,
    ) -> None:
        """`roots` are provider and directory of each place of the library, None for all known."""
        live = LiveSettings(start.settings, start.detail, type(self))
        super().__init__()
        self._start = start
        self._live = live
        self._state = AppState(start, live, clock)
        self._in_few_bytes: Callable[[CompositorUpdate], CompositorUpdate] = lambda update: update
        self._forget_frames: Callable[[], None] = lambda: None
        self.notifications = Notifications(self)
        self._status_lines: list[StatusLine] = []
        """Those of the screen that has the key under way."""
        self._key_order = KeyOrder(self, super().on_event, self._key_begins, self._key_ends)
        self.sessions = SessionScreens(self, self._state, self.notifications, open_session)
        self._home = None
        if start.screen is not Screen.SESSION:
            # All that belongs to it is imported late: a session may be all that is shown.
            from agentview.ui.home_screens import HomeScreens

            self._home = HomeScreens(self, self._state, self.notifications, roots)
        self.lack: AgentViewError | None = None
        """Resource that the system refused, where that ended the application."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._masks: LineFilter | None = None
        self._settled = False
        self._coloring = False
        self.animation_level = "none"
        self._collector = GcScheduler(self._shows_first_screen)
        keep_lines_from_holding_themselves()
        # A terminal that does not report its size has one size for rich, by which the first frame
        # is laid out, and another for Textual's driver: the screen would go from one to the other
        # and back for ever.
        self.console.size = shutil.get_terminal_size()
        first = "app.tcss", "session.tcss" if self._home is None else self._home.styles
        self._later_styles = [path for path in self.css_path if path.name not in first]
        self.css_path = [path for path in self.css_path if path.name in first]
        self._keys: dict[str, str] = {}
        self._themes = ThemeRegistry(self, depth_of(self.console.color_system))
        self._begin_theme()
        self._take_keys()
        self._take_signs()

    def get_default_screen(self) -> TextualScreen[None]:
        """The first screen, so that no empty one is shown before it."""
        if self._home is not None:
            return self._home.screen()
        if self._start.session is not None:
            return self.sessions.screen(self._start.session, live=self._start.live)
        return WaitingScreen("waiting for a session from the pipe")

    def on_mount(self) -> None:
        """Do after the first frame what the first frame does not need."""
        self.theme_changed_signal.subscribe(self, self._theme_changed)
        self.app_resume_signal.subscribe(self, self._resumed, immediate=True)  # pyright: ignore[reportUnknownMemberType]
        self.watch(self, "app_focus", self._focus_changed, init=False)
        self.call_after_refresh(self._settle)
        self.set_interval(_MINUTE, self._minute_passed)
        end_on_signals(self)
        resume_on_signal(self, lambda: self._exit)

    def _focus_changed(self, focused: bool) -> None:
        self.notifications.focus(focused)
        for screen in self.screen_stack:
            screen.post_message(FocusChanged(focused))

    def _settle(self) -> None:
        from agentview.ui.frame_writer import FrameWriter

        frames = FrameWriter()
        self._in_few_bytes, self._forget_frames = frames.update, frames.forget
        self._collector.begin()
        sys.setswitchinterval(_TURN)
        self.stylesheet.read_all(self._later_styles)
        self.stylesheet.parse()
        self._settled = True
        self.color_later()
        self.sessions.start()
        self._run(self._themes.follow(self.say_lasting))
        self._run(self._import_soon_needed())
        if twice := self._live.bound_twice():
            self.say_lasting(twice)
        if self._start.pipe is not None:
            self._run(self.sessions.take_pipe(self._start.pipe))
        if self._start.successors is not None:
            self._run(self.sessions.take_newer(self._start.successors))

    def _run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def color_later(self) -> None:
        if self._settled and not self._coloring:
            self._coloring = True
            self._run(self._color())

    async def _color(self) -> None:
        # In a thread, where keys and frames get their turn while a lexer is compiled.
        found = await asyncio.to_thread(find_missing)
        self._coloring = False
        for screen in self.screen_stack if found else ():
            for widget in screen.query("TimelineView, Pager"):
                widget.post_message(LexersFound())

    async def _import_soon_needed(self) -> None:
        listed = self._start.screen is not Screen.SESSION
        for name in (*_SOON_NEEDED, *(_SOON_NEEDED_BY_LIBRARY if listed else ())):
            await asyncio.sleep(_PAUSE)
            # In a thread, where keys get their turn while a large module is read.
            await asyncio.to_thread(import_module, name)

    def on_unmount(self) -> None:
        """Stop reading; what a pipe left on disk is deleted."""
        self.notifications.close()
        if self._home is not None:
            self._home.close()
        for task in self._tasks:
            task.cancel()
        self.sessions.close()
        self._collector.end()

    def _handle_exception(self, error: Exception) -> None:
        # From the moment that the person leaves, Textual refuses what a timer or key still mounts.
        if self._exit and isinstance(error, MountError):
            return
        self.lack = shortage(error)
        if self.lack is None:
            super()._handle_exception(error)
        else:
            self._close_messages_no_wait()

    def action_suspend_process(self) -> None:
        """Stop as the shell has its jobs stop; without a shell nothing would ever continue."""
        if platforms.can_be_continued():
            super().action_suspend_process()
        else:
            self.say_lasting("cannot suspend: no job-control shell")

    # Screens

    def _minute_passed(self) -> None:
        for screen in self.screen_stack:
            screen.post_message(MinutePassed())
        self.notifications.look()
        if self._home is not None:
            self._home.minute_passed()

    def _shows_first_screen(self) -> bool:
        return len(self.screen_stack) == 1

    def _screens(self) -> list[TextualScreen[Any]]:
        """All screens that are open, also views of home that another one hides."""
        hidden = [] if self._home is None else self._home.hidden()
        return [*self.screen_stack, *hidden]

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top, and let go of its memory unless it is shown again as it is."""
        if not self.is_screen_installed(self.screen):  # pyright: ignore[reportUnknownMemberType]
            self._collector.closed(self.screen)
        return super().pop_screen()

    @on(WidgetsPrepared)
    def _all_made(self) -> None:
        self._collector.keep()

    async def action_keys(self) -> None:
        """Show all keys of the screen."""
        from agentview.ui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            queries = getattr(self.screen, "QUERIES", None)
            await self.push_screen(
                HelpScreen(bound_actions(self.screen), self._state.palette, queries)
            )

    # Sessions. Handlers by name: the classes of messages are not imported before the first frame.

    @on(SessionChosen)
    async def _session_chosen(self, event: SessionChosen) -> None:
        if event.ref.is_remote:
            # It takes as long as ssh does.
            self._run(self.sessions.choose_remote(event.ref))
            return
        opening = self._run(self.sessions.choose(event))
        # Keys that were typed ahead are for the session, unless its file system takes too long.
        await asyncio.wait((opening,), timeout=_OPENING)
        if not opening.done():
            say_opening(self.screen)
        elif not opening.cancelled():
            opening.result()

    @on(DemoRequested)
    async def _demo_asked(self, event: DemoRequested) -> None:
        await self.sessions.play_demo(event)

    @on(FileRequested)
    def _file_asked(self, event: FileRequested) -> None:
        self.sessions.show_file(event)

    @on(BlameRequested)
    def _blame_asked(self, event: BlameRequested) -> None:
        self.sessions.show_blame(event)

    @on(ComparisonRequested)
    def _comparison_asked(self, event: ComparisonRequested) -> None:
        self.sessions.show_comparison(event)

    @on(AwayRequested)
    def _report_asked(self) -> None:
        if self._home is not None:
            self.sessions.show_report(self._home.places())

    def on_session_screen_detail_requested(self, event: Message) -> None:
        self.sessions.show_detail(event)

    async def on_session_screen_agent_requested(self, event: Message) -> None:
        await self.sessions.show_agents(event)

    async def on_session_screen_branch_requested(self, event: Message) -> None:
        await self.sessions.show_branch(event)

    async def on_session_screen_leave_requested(self, event: Message) -> None:
        await self.sessions.leave(event)

    # Home

    async def on_home_view_left(self) -> None:
        if self._home is not None:
            await self._home.leave()

    async def on_home_view_requested(self, event: Message) -> None:
        if self._home is not None:
            await self._home.show_requested(event)

    async def on_library_screen_filters_requested(self) -> None:
        if self._home is not None:
            await self._home.choose_filter()

    # Keys

    async def on_event(self, event: events.Event) -> None:
        """Take keys one after the other."""
        if isinstance(event, events.Resize):
            self._forget_frames()
        await self._key_order.take(event)

    def _resumed(self, _: object) -> None:
        self._forget_frames()

    def _display(self, screen: TextualScreen[Any], renderable: Any) -> None:
        if isinstance(renderable, CompositorUpdate):
            renderable = self._in_few_bytes(renderable)
        elif renderable is not None:
            self._forget_frames()
        super()._display(screen, renderable)  # pyright: ignore[reportUnknownMemberType]

    @on(KeyFollowed)
    async def _key_followed(self, event: KeyFollowed) -> None:
        await self._key_order.came_back(event)

    def _key_begins(self) -> None:
        """See to it that the notice of the key before ends with this one."""
        self._status_lines = [
            child for child in self.screen.children if isinstance(child, StatusLine)
        ]
        for line in self._status_lines:
            line.key_begins()

    def _key_ends(self) -> None:
        for line in self._status_lines:
            line.key_ends()

    # What reaches beyond one screen: clipboard, editor, masks

    @on(CopyRequested)
    def _copy_asked(self, event: CopyRequested) -> None:
        from agentview.ui.clipboard import copy

        self._run(copy(self, event))

    @on(EditRequested)
    def _edit_asked(self, event: EditRequested) -> None:
        from agentview.ui.editor import edit

        edit(self, event)

    def on_export_bar_submitted(self, event: Message) -> None:
        """Write a session to a file."""
        from agentview.ui.session_export import export_session

        self._run(export_session(event, self.say_lasting))

    async def action_mask(self) -> None:
        """Toggle secret masking on all screens."""
        state = self._state
        if self._masks is None:
            self._masks = await asyncio.to_thread(_mask_filter)
        state.masking = not state.masking
        self._refresh_view()
        for screen in self._screens():
            for line in screen.query(StatusLine):
                line.show_masking(state.masking)
            for widget in screen.query("*"):
                widget.refresh()
        for line in self.screen.query(StatusLine):
            line.say("secrets are masked" if state.masking else "secrets are shown")

    # What notifications need

    def notify_settings(self) -> NotifySettings:
        return self._live.settings.notify

    def looping_settings(self) -> LoopingLimits:
        return self._live.settings.looping

    def now(self) -> float:
        """The time, epoch seconds."""
        return self._state.clock()

    def to_terminal(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)

    def masked_text(self, text: str) -> str:
        """A text as it may leave the screen; for texts of a few lines."""
        if not self._state.masking:
            return text
        from agentview.redaction.values import masked_value

        return masked_value(text)

    def say_lasting(self, words: str) -> None:
        for line in self.screen.query(StatusLine):
            line.say(words, lasting=True)

    # Colours

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Give what is laid over each row: masks, while they are asked for, then the colours."""
        masks = [self._masks] if self._masks is not None and self._state.masking else []
        colors = [
            readable_ansi(self.ansi_theme) if isinstance(one, ANSIToTruecolor) else one
            for one in super().get_line_filters()
        ]
        return [*colors, *masks, *self._themes.filters()]

    def _begin_theme(self) -> None:
        """Take the theme of the first frame; the others are read after it.

        Raises NotFound for one that a flag names, WrongSetting for one that the settings name.
        """
        name = self._start.theme or self._live.settings.theme or DEFAULT_THEME
        try:
            spec = load_theme(name, theme_directories())
        except NotFound as error:
            if self._start.theme:
                raise
            raise WrongSetting("theme", error.message, error.hint) from None
        self._themes.begin(spec)
        self._state.palette = self._themes.palette(spec.name)

    def _theme_changed(self, theme: Theme) -> None:
        self._state.palette = self._themes.palette(theme.name)
        self._refresh_view()

    # Settings

    async def action_settings(self) -> None:
        await self.show_setting("")

    async def show_setting(self, key: str) -> None:
        """Show the settings, at one of them."""
        # Not wanted for the first frame.
        from agentview.ui.screens.bindings import known_bindings
        from agentview.ui.screens.settings import SettingsScreen

        known, names = known_bindings(type(self)), self._themes.names()
        shown = SettingsScreen(self._live.in_force, names, DEFAULT_THEME, known, key)
        await self.push_screen(shown)

    # What the palette lists

    def palette_sessions(self) -> Sequence[SessionInfo]:
        return () if self._home is None else self._home.sessions()

    def palette_themes(self) -> Sequence[str]:
        return self._themes.names()

    def palette_settings(self) -> Iterable[tuple[str, str]]:
        return ((each.key, each.sentence) for each in SETTINGS if not each.is_table)

    @on(SettingChanged)
    def _setting_changed(self, event: SettingChanged) -> None:
        """Take a changed setting at once, and keep it in the file."""
        try:
            said = self._live.change(event.key, event.value, keep=event.kept)
        except WrongSetting as error:
            said = f"{error.message} {error.hint or ''}"
        else:
            self._take_keys()
            self._take_signs()
            self.theme = self._live.settings.theme or DEFAULT_THEME
            self._refresh_view()
        event.take(self._live.in_force, said)

    def _refresh_view(self) -> None:
        """Let all screens take colours, settings and masks as they are now."""
        from agentview.ui.screens.help import HelpScreen

        for screen in self._screens():
            for line in screen.query(StatusLine):
                line.forget_keys()
            if isinstance(screen, HelpScreen):
                screen.set_palette(self._state.palette)
            self.sessions.refresh_view(screen)
        if self._home is not None:
            self._home.refresh_view()

    def _take_signs(self) -> None:
        self.set_class(self._live.settings.timeline.icons is Icons.ASCII, PLAIN)

    def _take_keys(self) -> None:
        keymap = self._live.keymap
        if keymap != self._keys:
            self._keys = keymap
            self.set_keymap(keymap)


def _mask_filter() -> LineFilter:
    # What finds secrets takes some tenths of a second to import and to compile.
    from agentview.redaction.secrets import prepare
    from agentview.ui.render.style.mask_filter import MaskFilter

    prepare()
    return MaskFilter()
