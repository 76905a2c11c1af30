"""The first row of the library: what it holds, how it is arranged, how far it has come."""

from collections.abc import Sequence
from typing import ClassVar

from agentview.timeline.view.limit_text import LimitWords
from agentview.ui.widgets.responsive_bar import Bar, Part, forms_part, limit_forms, part

_NO_LIMITS = LimitWords()


class LibraryHeader(Bar):
    """What the library holds, and how far it has come."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--mark", "bar--title", "bar--quiet", "bar--live", "bar--work", "bar--full"
    }  # fmt: skip

    DEFAULT_CSS = """
    LibraryHeader {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
        .bar--quiet { color: $text-muted; }
        .bar--live { color: $accent; }
        .bar--work { color: $text-warning; }
        .bar--full { color: $text-warning; }
    }
    """

    def __init__(self, name: str = "sessions") -> None:
        super().__init__()
        self._name = name
        self._shown: tuple[str, str, str, str, LimitWords, Sequence[str]]
        self._shown = "", "", "", "", _NO_LIMITS, ()

    def show(
        self,
        live: str,
        arrangement: str,
        work: str,
        count: str,
        limits: LimitWords = _NO_LIMITS,
        expiry: Sequence[str] = (),
    ) -> None:
        """Show how many are live, how they are sorted, what is under way, how many there are.

        `limits` are those of the accounts. `expiry` says how many sessions are deleted soon, from
        the longest text to the shortest.
        """
        shown = live, arrangement, work, count, limits, expiry
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def parts(self) -> Sequence[Part]:
        """Mark and name at the left, live ones and progress at the right."""
        live, arrangement, work, count, limits, expiry = self._shown
        found = [
            Part(((("◆ ", "bar--mark"), ("agentview", "bar--title")),), 50),
            part(self._name, "bar--quiet", 30),
        ]
        if arrangement:
            found.append(part(arrangement, "bar--quiet", 20))
        if live:
            found.append(part(live, "bar--live", 55, right=True))
        if work:
            found.append(part(work, "bar--work", 60, right=True))
        found += forms_part(limit_forms(limits), 40 if limits.near else 25, 15)
        found += forms_part([((text, "bar--quiet"),) for text in expiry], 22, 18)
        if count:
            found.append(part(count, "bar--quiet", 65, right=True))
        return found
