"""The first row of the library: what it holds, how it is arranged, how far it has come."""

from collections.abc import Sequence
from typing import ClassVar

from agentview.ui.widgets.responsive_bar import Bar, Part, part


class LibraryHeader(Bar):
    """What the library holds, and how far it has come."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--mark", "bar--title", "bar--quiet", "bar--live", "bar--work"
    }  # fmt: skip

    DEFAULT_CSS = """
    LibraryHeader {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
        .bar--quiet { color: $text-muted; }
        .bar--live { color: $accent; }
        .bar--work { color: $text-warning; }
    }
    """

    def __init__(self, name: str = "sessions") -> None:
        super().__init__()
        self._name = name
        self._shown: tuple[str, str, str, str] = ("", "", "", "")

    def show(self, live: str, arrangement: str, work: str, count: str) -> None:
        """Tell how many are live, how they stand, what is under way and how many there are."""
        shown = (live, arrangement, work, count)
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def parts(self) -> Sequence[Part]:
        """Mark and name at the left, live ones and progress at the right."""
        live, arrangement, work, count = self._shown
        found = [
            Part(((("◆ ", "bar--mark"), ("agentview", "bar--title")),), 50),
            part(self._name, "bar--quiet", 30),
        ]
        if arrangement:
            found.append(part(arrangement, "bar--quiet", 20))
        if live:
            found.append(part(live, "bar--live", 45, right=True))
        if work:
            found.append(part(work, "bar--work", 60, right=True))
        if count:
            found.append(part(count, "bar--quiet", 65, right=True))
        return found
