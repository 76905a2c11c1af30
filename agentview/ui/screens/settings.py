"""The settings screen: every setting with its choices, changed at once and written to the file."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from agentview.settings.reading import InForce, Layer
from agentview.settings.table import setting_of
from agentview.ui.messages import SettingChanged
from agentview.ui.screens.bindings import KnownBinding
from agentview.ui.screens.setting_rows import SettingRow, setting_rows, stepped, typed_value
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.responsive_bar import Bar, Part, part
from agentview.ui.widgets.setting_list import SettingList
from agentview.ui.widgets.status_line import StatusLine

_SCREEN = Binding.Group("Screen")


class _Title(Bar):
    """What is shown, and the file it is kept in."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--mark", "bar--title", "bar--quiet"}
    DEFAULT_CSS = """
    _Title {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
        .bar--quiet { color: $text-muted; }
    }
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def parts(self) -> Sequence[Part]:
        """Mark and title at the left, the file at the right."""
        title = Part(((("◆ ", "bar--mark"), ("Settings", "bar--title")),), 50)
        return title, part(self._path, "bar--quiet", 40, right=True, elastic=True)


class SettingsScreen(ModalScreen[None]):
    """Settings beside the screen that they change, which stays in sight where there is room."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,comma", "dismiss", "back", key_display="esc", id="settings.back",
                group=_SCREEN, tooltip="Back"),
        Binding("question_mark", "app.keys", "help", id="settings.help", group=_SCREEN,
                tooltip="All keys"),
        # Textual does not ask the application for the keys of such a screen.
        Binding("ctrl+c", "app.quit", "quit", show=False, id="settings.quit", group=_SCREEN,
                tooltip="Quit"),
    ]  # fmt: skip
    AUTO_FOCUS = "SettingList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (90, "-wide")]  # noqa: RUF012  (as Textual has it)

    def __init__(
        self,
        in_force: InForce,
        themes: Sequence[str],
        default_theme: str,
        known: Sequence[KnownBinding],
    ) -> None:
        super().__init__()
        self._in_force = in_force
        self._themes = themes
        self._default_theme = default_theme
        self._known = known
        self._list = SettingList()
        self._about = Static("", id="about", markup=False)
        self._status = StatusLine()
        self._rows: list[SettingRow] = []

    def compose(self) -> ComposeResult:
        """Title, list, a word on the setting under the cursor, status."""
        path = self._in_force.path
        with Vertical(id="panel"):
            yield _Title("not kept in a file" if path is None else shown_path(path))
            yield self._list
            yield self._about
            yield self._status

    def on_mount(self) -> None:
        """Show the settings."""
        self.show(self._in_force)

    def show(self, in_force: InForce, said: str = "") -> None:
        """Show other settings, and say what came of a change."""
        self._in_force = in_force
        settings = in_force.settings
        self._rows = setting_rows(settings, self._themes, self._default_theme, self._known)
        self._list.show(self._rows)
        self._status.forget_keys()
        if said:
            self._status.say(said)

    @on(SettingList.Moved)
    def _moved(self, event: SettingList.Moved) -> None:
        event.stop()
        row = self._rows[self._list.cursor]
        self._about.update(f"{row.sentence}\n{row.key}  ·  {self._origin(row)}")

    def _origin(self, row: SettingRow) -> str:
        origin = self._in_force.origins.get(row.key)
        if origin is None:
            setting = setting_of(row.key)
            variable = setting.variable if setting is not None else ""
            return f"by default  ·  {variable}" if setting and setting.key == row.key else "default"
        if origin.layer is Layer.FILE:
            return "from the file"
        return f"from {origin.place}, which counts more than the file"

    @on(SettingList.ChangeAsked)
    async def _change_asked(self, event: SettingList.ChangeAsked) -> None:
        event.stop()
        row = self._rows[event.index]
        if not event.step:
            self.post_message(SettingChanged(row.key, None, self.show))
        elif row.choices is not None:
            chosen = typed_value(row, stepped(row, event.step))
            self.post_message(SettingChanged(row.key, chosen, self.show))
        else:
            await self._type(row)

    async def _type(self, row: SettingRow) -> None:
        for line in self.query(InputLine):
            await line.remove()
        label = row.key.partition(".")[2]
        line = InputLine(label, row.current, "keys with a comma between them", id="keys")
        await self.query_one("#panel").mount(line, before=self._status)
        line.start()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        row = self._rows[self._list.cursor]
        await self._end_typing(event.line)
        self.post_message(SettingChanged(row.key, event.value.strip() or None, self.show))

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await self._end_typing(event.line)

    @on(InputLine.Changed)
    @on(InputLine.Stepped)
    def _typed(self, event: Message) -> None:
        event.stop()

    async def _end_typing(self, line: InputLine) -> None:
        await line.remove()
        self._list.focus()


def shown_path(path: Path) -> str:
    """A path as a person writes it: `~` for the home directory."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
