"""The saved filters of the library, to choose one or to drop it."""

from collections.abc import Mapping
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from agentview.settings.reading import EffectiveSettings
from agentview.timeline.view.sanitize import one_line
from agentview.ui.messages import SettingChanged
from agentview.ui.widgets.lists.session_cells import padded

_GROUP = Binding.Group("Saved filters")


class FilterChoices(OptionList):
    """Names with their lines; letters move as everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", "next", show=False, id="filters.down", group=_GROUP,
                tooltip="Next filter"),
        Binding("k", "cursor_up", "previous", show=False, id="filters.up", group=_GROUP,
                tooltip="Previous filter"),
    ]  # fmt: skip


class SavedFiltersScreen(ModalScreen[str | None]):
    """Gives the chosen line, None when none was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "back", id="filters.leave", group=_GROUP,
                tooltip="Back"),
        Binding("d,delete", "drop", "drop", id="filters.drop", group=_GROUP,
                tooltip="Delete this saved filter"),
        # Textual does not ask the application for the keys of such a screen.
        Binding("ctrl+c", "app.quit", "quit", show=False, id="filters.quit", group=_GROUP,
                tooltip="Quit"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    SavedFiltersScreen {
        align: center middle;
        background: $background 60%;
        Vertical {
            width: 80%;
            max-width: 90;
            height: auto;
            max-height: 80%;
            background: $surface;
            border: round $border;
            padding: 0 1;
        }
        Static { color: $text-muted; height: 1; }
        FilterChoices, FilterChoices:focus {
            height: auto;
            border: none;
            background: $surface;
            background-tint: transparent;
            padding: 0;
        }
    }
    """

    def __init__(self, filters: Mapping[str, str]) -> None:
        """`filters` are lines by name."""
        super().__init__()
        self._filters = dict(filters)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("saved filters: ⏎ applies one, d deletes it, esc back", markup=False)
            yield FilterChoices(*self._options(), markup=False)

    def _options(self) -> list[Option]:
        width = max((cell_len(one_line(name)) for name in self._filters), default=0)
        return [
            Option(Text(f"{padded(name, width)}  {one_line(line)}", no_wrap=True))
            for name, line in self._filters.items()
        ]

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(list(self._filters.values())[event.option_index])

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_drop(self) -> None:
        """Drop the filter under the cursor from the settings."""
        choices = self.query_one(FilterChoices)
        at = choices.highlighted
        if at is None or at >= len(self._filters):
            return
        name = list(self._filters)[at]
        self.post_message(SettingChanged(f"library.filters.{name}", None, self._dropped))

    def _dropped(self, in_force: EffectiveSettings, said: str) -> None:
        choices = self.query_one(FilterChoices)
        for at, name in reversed(list(enumerate(self._filters))):
            if name not in in_force.settings.library.filters:
                del self._filters[name]
                choices.remove_option_at_index(at)
        self.query_one(Static).update(one_line(said))
        if not self._filters:
            self.dismiss(None)
