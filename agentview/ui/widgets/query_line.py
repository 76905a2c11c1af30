"""The line of the search in all sessions: as it is typed into, the list below it is led."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from agentview.ui.widgets.prompt_line import InputLine, LineInput

_FIND = Binding.Group("Find")


class QueryInput(LineInput):
    """The field; its keys are told, since the list cannot be seen to be led from here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "open", id="query.open", group=_FIND,
                tooltip="Open the hit under the cursor"),
        Binding("down", "step(1)", "choose", key_display="↓/↑", id="query.next", group=_FIND,
                tooltip="Next hit"),
        Binding("up", "step(-1)", "previous", show=False, id="query.previous", group=_FIND,
                tooltip="Previous hit"),
        Binding("tab", "app.focus_next", "list", id="query.list", group=_FIND,
                tooltip="Go to the list, where letters are keys"),
        Binding("escape", "cancel", "back", key_display="esc", id="query.leave", group=_FIND,
                tooltip="Back to the library"),
    ]  # fmt: skip


class QueryLine(InputLine):
    """Label, field, and at its end a word on what has come of it so far."""

    FIELD = QueryInput
