"""A line at the bottom to type into: a search, a filter."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static


class LineInput(Input):
    """The field itself; leaving it is up to whoever asked for it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "cancel", show=False, id="input.cancel"),
        Binding("up", "step(-1)", "previous", show=False, id="input.previous"),
        Binding("down", "step(1)", "next", show=False, id="input.next"),
    ]

    @dataclass(repr=False, eq=False)
    class Cancelled(Message):
        """The person does not want it any more."""

    @dataclass(repr=False, eq=False)
    class Stepped(Message):
        """The person asks for the next (1) or previous (-1) one."""

        direction: int

    async def _on_key(self, event: events.Key) -> None:
        """Type nothing for `alt` with a key: that is for a binding."""
        if event.key.startswith("alt+"):
            event.prevent_default()

    def action_cancel(self) -> None:
        self.post_message(self.Cancelled())

    def action_step(self, direction: int) -> None:
        self.post_message(self.Stepped(direction))


class InputLine(Horizontal):
    """A label, a field, and at its end a word on what has come of it so far."""

    FIELD: ClassVar[type[LineInput]] = LineInput

    DEFAULT_CSS = """
    InputLine {
        height: 1;
        background: $surface;
        padding: 0 1;
        #label { width: auto; color: $accent; text-style: bold; }
        #report { width: 0; max-width: 60%; color: $text-muted; }
        LineInput, LineInput:focus {
            width: 1fr;
            height: 1;
            border: none;
            padding: 0 1;
            background: $surface;
            background-tint: transparent;
        }
    }
    """

    @dataclass(repr=False, eq=False)
    class Changed(Message):
        """The text of the line has changed."""

        line: "InputLine"
        value: str

    @dataclass(repr=False, eq=False)
    class Submitted(Message):
        """The person is done typing and wants what the text asks for."""

        line: "InputLine"
        value: str

    @dataclass(repr=False, eq=False)
    class Cancelled(Message):
        """The person does not want it any more."""

        line: "InputLine"

    @dataclass(repr=False, eq=False)
    class Stepped(Message):
        """The person asks for the next (1) or previous (-1) one while typing."""

        line: "InputLine"
        direction: int

    def __init__(self, label: str, value: str = "", hint: str = "", *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._label = label
        self._value = value
        self._hint = hint
        # Held, not asked for: work that ends late reports to a line whose parts are gone already.
        self._report = Static("", id="report", markup=False)

    def compose(self) -> Iterable[Widget]:
        """Label, field, report."""
        yield Static(self._label, id="label", markup=False)
        yield self.FIELD(self._value, placeholder=self._hint, compact=True, select_on_focus=False)
        yield self._report

    @property
    def value(self) -> str:
        return self.query_one(LineInput).value

    def show(self, text: str) -> None:
        """Show another text, to be changed at its end."""
        self._value = text
        for field in self.query(LineInput):
            field.value = text
            field.cursor_position = len(text)

    def start(self) -> None:
        if self.is_attached:
            # `Widget.focus` has an effect later, and the next key would go to what had the focus.
            self.screen.set_focus(self.query_one(LineInput))

    def report(self, text: str) -> None:
        """Say at the end of the line what has come of it."""
        # Not `auto`: Textual keeps the width of a text that was laid out before the widget came to
        # the end of its messages, when another text has taken its place by then.
        self._report.styles.width = cell_len(text)
        self._report.update(text, layout=False)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed(self, event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Submitted(self, event.value))

    @on(LineInput.Cancelled)
    def _cancelled(self, event: LineInput.Cancelled) -> None:
        event.stop()
        self.post_message(self.Cancelled(self))

    @on(LineInput.Stepped)
    def _stepped(self, event: LineInput.Stepped) -> None:
        event.stop()
        self.post_message(self.Stepped(self, event.direction))
