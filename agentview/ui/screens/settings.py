"""The settings screen: every setting with its choices, changed at once and written to the file."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from agentview.domain.value import Value
from agentview.settings.reading import EffectiveSettings, Layer
from agentview.settings.table import KINDS, Setting, Shape, setting_of, value_of
from agentview.settings.values import Settings
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences
from agentview.ui.messages import SettingChanged
from agentview.ui.screens.bindings import BindingInfo
from agentview.ui.widgets.lists.setting_list import SettingList
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.responsive_bar import Bar, Part, part
from agentview.ui.widgets.status_line import StatusLine

# What the settings screen lists: a row for each setting, kind of activity and binding.

UNSET = ""
"""Stands for no value of its own among the choices of a row."""

_SECTIONS = (
    (
        "Appearance",
        (
            ("theme", "theme"),
            ("timeline.time", "times"),
            ("timeline.density", "density"),
            ("timeline.fold_looks", "fold looks"),
            ("timeline.wrap", "wrap lines"),
            ("timeline.icons", "icons"),
            ("diff.mode", "diffs"),
            ("accessibility.linear", "line by line"),
        ),
    ),
    (
        "Library",
        (
            ("library.group", "group by"),
            ("library.sort", "sort by"),
            ("library.reverse", "reverse order"),
            ("library.preview", "preview"),
        ),
    ),
    (
        "Budgets, in US dollars",
        (
            ("budget.day", "a day"),
            ("budget.week", "a week"),
            ("budget.month", "a month"),
            ("budget.session", "a session"),
        ),
    ),
    (
        "Notifications",
        (
            ("notify.scope", "sessions"),
            ("notify.bell", "bell"),
            ("notify.terminal", "by the terminal"),
            ("notify.title", "in its title"),
            ("notify.desktop", "by the desktop"),
            ("notify.focused", "with focus too"),
        ),
    ),
    (
        "Detail",
        (
            ("detail.default", "all kinds"),
            ("detail.default_live", "all kinds, live"),
            ("detail.expanded_default", "expand to"),
            ("detail.on_enter", "enter"),
            ("debug.raw_by_default", "start with raw"),
        ),
    ),
)
_FLAGS = ("yes", "no")
_LEVELS = tuple(level.value for level in DetailLevel)


class SettingRow(Value):
    """One row: a heading when it has no key, else a setting or an entry of one.

    `choices` are the values to pick from, None where the value is typed; `names` are how they are
    shown. `current` is the value in force, whoever set it.
    """

    label: str
    key: str = ""
    sentence: str = ""
    current: str = UNSET
    choices: tuple[str, ...] | None = None
    names: tuple[str, ...] = ()
    own: bool = False
    """It is set by somebody: not as it is by default."""

    @property
    def steps(self) -> bool:
        """Return whether its choices are too many to fit in the row."""
        return self.choices is not None and sum(len(name) + 2 for name in self.names) > 52


def setting_rows(
    settings: Settings, themes: Sequence[str], default_theme: str, known: Iterable[BindingInfo]
) -> list[SettingRow]:
    """All rows, in the order in which they stand."""
    rows: list[SettingRow] = []
    for title, members in _SECTIONS:
        rows.append(SettingRow(title))
        for key, label in members:
            setting = setting_of(key)
            if setting is not None:
                rows.append(_row(setting, label, settings, themes, default_theme))
    rows.append(SettingRow("Detail by kind"))
    rows += _level_rows(settings, "detail.by_tool")
    rows.append(SettingRow("Expand to, by kind"))
    rows += _level_rows(settings, "detail.expanded_by_tool")
    rows += _key_rows(settings, known)
    return rows


def _row(
    setting: Setting, label: str, settings: Settings, themes: Sequence[str], default_theme: str
) -> SettingRow:
    value = value_of(settings, setting.key)
    own = value != value_of(Settings(), setting.key)
    if setting.shape is Shape.FLAG:
        word = _FLAGS[0] if value else _FLAGS[1]
        return SettingRow(label, setting.key, setting.sentence, word, _FLAGS, _FLAGS, own)
    if setting.shape is Shape.TEXT:
        names = tuple(themes)
        current = str(value or default_theme)
        return SettingRow(label, setting.key, setting.sentence, current, names, names, own)
    if setting.shape is Shape.DOLLARS:
        amount = UNSET if value is None else f"{value:g}"
        return SettingRow(label, setting.key, setting.sentence, amount, own=own)
    values = tuple(str(choice) for choice in setting.choices or ())
    choices = (UNSET, *values) if setting.unset else values
    names = (setting.unset, *values) if setting.unset else values
    current = UNSET if value is None else str(value)
    return SettingRow(label, setting.key, setting.sentence, current, choices, names, own)


def _level_rows(settings: Settings, key: str) -> Iterator[SettingRow]:
    """A row for each kind of activity, with the level it has now."""
    chosen = value_of(settings, key)
    preferences = settings.preferences(live=False)
    expanding = key != "detail.by_tool"
    own_names: dict[str, object] = chosen if isinstance(chosen, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    tools = {name: name for name in own_names if name not in KINDS}
    for name, kind in {**KINDS, **tools}.items():
        own = kind in own_names
        if expanding:
            level = settings.detail.expanded_by_tool.get(kind) or settings.detail.expanded_default
            what = "an activity of kind" if name in KINDS else "a call of the tool"
            sentence = f"Level that expanding {what} {name} shows."
            choices, names = (UNSET, *_LEVELS), ("one further", *_LEVELS)
        else:
            level = _level(preferences, name)
            what = "activities of kind" if name in KINDS else "calls of the tool"
            sentence = f"How much is shown of {what} {name}."
            choices = names = _LEVELS
        current = UNSET if level is None else level.value
        yield SettingRow(name, f"{key}.{name}", sentence, current, choices, names, own)


def _level(preferences: DetailPreferences, name: str) -> DetailLevel:
    known = KINDS.get(name)
    return preferences.by_name[name] if known is None else preferences.level(known)


def _key_rows(settings: Settings, known: Iterable[BindingInfo]) -> Iterator[SettingRow]:
    scope: type | None = None
    for binding in sorted(known, key=lambda binding: binding.id.partition(".")[0]):
        if binding.scope is not scope:
            scope = binding.scope
            yield SettingRow(f"Keys: {binding.id.partition('.')[0]}")
        keys = settings.keymap.get(binding.id) or ",".join(binding.keys)
        yield SettingRow(
            binding.sentence,
            f"keymap.{binding.id}",
            f"Keys, separated by commas, such as j,down: {binding.sentence.lower()}.",
            keys,
            own=binding.id in settings.keymap,
        )


def stepped(row: SettingRow, step: int) -> str:
    """The choice after (1) or before (-1) the current one."""
    choices = row.choices or (row.current,)
    at = choices.index(row.current) if row.current in choices else 0
    return choices[(at + step) % len(choices)]


def typed_value(row: SettingRow, text: str) -> object:
    """A choice or a typed text as the value that a setting holds; None unsets it."""
    if row.choices == _FLAGS:
        return text == _FLAGS[0]
    return text or None


_SCREEN = Binding.Group("Screen")


class _Title(Bar):
    """Name of the shown settings, and their file."""

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
    """Settings next to the screen that they change, which stays in sight where there is room."""

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
        in_force: EffectiveSettings,
        themes: Sequence[str],
        default_theme: str,
        known: Sequence[BindingInfo],
        first: str = "",
    ) -> None:
        """`first` is the key of the setting that the cursor is on."""
        super().__init__()
        self._first = first
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
            yield _Title("not saved in a file" if path is None else shown_path(path))
            yield self._list
            yield self._about
            yield self._status

    def on_mount(self) -> None:
        """Show the settings."""
        self.show(self._in_force)
        at = (number for number, row in enumerate(self._rows) if row.key == self._first)
        if self._first and (line := next(at, None)) is not None:
            self.call_after_refresh(self._list.put_cursor, line)

    def show(self, in_force: EffectiveSettings, said: str = "") -> None:
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
        row = self._rows[self._list.current]
        self._about.update(f"{row.sentence}\n{row.key}  ·  {self._origin(row)}")

    def _origin(self, row: SettingRow) -> str:
        origin = self._in_force.origins.get(row.key)
        if origin is None:
            setting = setting_of(row.key)
            variable = setting.variable if setting is not None else ""
            return f"by default  ·  {variable}" if setting and setting.key == row.key else "default"
        if origin.layer is Layer.FILE:
            return "from the file"
        return f"from {origin.place}, which overrides the file"

    @on(SettingList.ChangeRequested)
    async def _change_asked(self, event: SettingList.ChangeRequested) -> None:
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
        line = InputLine(label, row.current, "keys, separated by commas", id="keys")
        await self.query_one("#panel").mount(line, before=self._status)
        line.start()

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        row = self._rows[self._list.current]
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
