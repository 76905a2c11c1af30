"""The way to the agent whose timeline is shown: the session, and the agents between."""

from collections.abc import Sequence
from typing import ClassVar

from textual.message import Message

from agentview.timeline.view.sanitize import one_line
from agentview.ui.widgets.responsive_bar import Bar, Part, part

_NAME = 60


class Breadcrumb(Bar):
    """Names in one row, the last of them where the reader is; a click leads back by one."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"bar--above", "bar--here"}

    DEFAULT_CSS = """
    Breadcrumb {
        background: $surface;
        .bar--above { color: $text-muted; }
        .bar--here { color: $accent; }
    }
    """

    class Left(Message):
        """The person wants to go back to where the agent was started."""

    def __init__(self, names: Sequence[str], *, ascii_only: bool = False) -> None:
        super().__init__()
        self._names = [one_line(name, _NAME) for name in names]
        self._sign = ">" if ascii_only else "›"

    def parts(self) -> Sequence[Part]:
        """The names; those in the middle give way first."""
        last = len(self._names) - 1
        return [
            part(f"{name} {self._sign}", "bar--above", 80 if at == 0 else at, elastic=at == 0)
            if at < last
            else part(name, "bar--here", 90)
            for at, name in enumerate(self._names)
        ]

    def on_click(self) -> None:
        self.post_message(self.Left())
