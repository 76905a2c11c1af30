"""A screen that says what is waited for, until there is a session to show."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from agentview.ui.widgets.empty_state import EmptyState
from agentview.ui.widgets.status_line import StatusLine

_SCREEN = Binding.Group("Screen")


class WaitingScreen(Screen[None]):
    """One sentence and the status line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "app.quit", "quit", id="waiting.quit", group=_SCREEN, tooltip="Quit"),
    ]
    DEFAULT_CSS = """
    WaitingScreen {
        layout: vertical;
        background: $background;
    }
    """

    def __init__(self, sentence: str, details: Sequence[str] = ()) -> None:
        super().__init__()
        self._notice = EmptyState(sentence, details)

    def compose(self) -> ComposeResult:
        """The sentence, and the keys."""
        yield self._notice
        yield StatusLine()

    def say(self, sentence: str, details: Sequence[str] = ()) -> None:
        self._notice.say(sentence, details, "⊘")
