"""The lines of search and filter in a session, and what their keys do."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from agentview.ui.widgets.prompt_line import InputLine, LineInput

_FIND = Binding.Group("Find")


class SearchInput(LineInput):
    """The field of the search."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "done", id="search_line.done", group=_FIND,
                tooltip="Stay at the match; n and N go on"),
        Binding("down", "step(1)", "next", key_display="↓/↑", id="search_line.next", group=_FIND,
                tooltip="Next match"),
        Binding("up", "step(-1)", "previous", show=False, id="search_line.previous", group=_FIND,
                tooltip="Match before"),
        Binding("escape", "cancel", "back", key_display="esc", id="search_line.cancel",
                group=_FIND, tooltip="End the search, back to where it began"),
    ]  # fmt: skip


class SearchLine(InputLine):
    """The line of the search."""

    FIELD = SearchInput


class FilterInput(LineInput):
    """The field of the filter."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "keep", id="filter_line.keep", group=_FIND,
                tooltip="Keep the filter"),
        Binding("escape", "cancel", "show all", key_display="esc", id="filter_line.cancel",
                group=_FIND, tooltip="End the filter"),
    ]  # fmt: skip


class FilterLine(InputLine):
    """The line of the filter."""

    FIELD = FilterInput
