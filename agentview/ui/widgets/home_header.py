"""The first row of home: its views, what this one holds, and how far it has come."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.message import Message

from agentview.timeline.view.limit_text import LimitWords
from agentview.ui.widgets.responsive_bar import Bar, Form, Part, forms_part, limit_forms, part

_NO_LIMITS = LimitWords()


class HomeHeader(Bar):
    """The views by number, the shown one marked; a click on another asks for it.

    At the right, what this view holds, and how far it has come.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--mark", "bar--title", "bar--quiet", "bar--live", "bar--work", "bar--full",
        "bar--chosen", "bar--needs",
    }  # fmt: skip

    FILLED = False

    DEFAULT_CSS = """
    HomeHeader {
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
        .bar--quiet { color: $text-muted; }
        .bar--live { color: $accent; }
        .bar--work { color: $text-warning; }
        .bar--full { color: $text-warning; }
        .bar--needs { color: $text-warning; text-style: bold; }
        .bar--chosen { color: $accent; text-style: bold underline; }
    }
    """

    @dataclass
    class Chosen(Message):
        """The person wants another view."""

        index: int

    def __init__(self, names: Sequence[str], shown: int) -> None:
        """`names` are those of all views, `shown` the place of this one among them."""
        super().__init__()
        self._tabs = [_tab(number, name, number == shown) for number, name in enumerate(names)]
        self._shown: tuple[str, str, str, str, Sequence[str]] = "", "", "", "", ()
        self._needs: Sequence[str] = ()
        self._working = ""
        self._limits = _NO_LIMITS
        self._today: Sequence[str] = ()
        self._budgets = _NO_LIMITS

    def show(
        self,
        live: str,
        arrangement: str,
        work: str,
        count: str,
        expiry: Sequence[str] = (),
    ) -> None:
        """Show how many are live, how they are sorted, what is under way, how many there are.

        `expiry` says how many sessions are deleted soon, from the longest text to the shortest.
        """
        shown = live, arrangement, work, count, expiry
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def show_attention(self, needs: Sequence[str], working: str, limits: LimitWords) -> None:
        """Show who needs the person, from the longest text to the shortest, and what works.

        `limits` are those of the accounts.
        """
        if (needs, working, limits) != (self._needs, self._working, self._limits):
            self._needs, self._working, self._limits = needs, working, limits
            self.refresh()

    def show_spending(self, today: Sequence[str], budgets: LimitWords) -> None:
        if (today, budgets) != (self._today, self._budgets):
            self._today, self._budgets = today, budgets
            self.refresh()

    def parts(self) -> Sequence[Part]:
        """Mark, name and views at the left, live ones and progress at the right."""
        live, arrangement, work, count, expiry = self._shown
        limits = self._limits
        mark = ("◆", "bar--mark")
        found = [Part(((mark, (" agentview", "bar--title")), (mark,)), 44, longer=(14,))]
        found += self._tabs
        if arrangement:
            found.append(part(arrangement, "bar--quiet", 20))
        found += forms_part([((text, "bar--needs"),) for text in self._needs], 70, 13)
        if self._working:
            found.append(part(self._working, "bar--live", 48, right=True))
        if live:
            found.append(part(live, "bar--live", 58, right=True))
        if work:
            found.append(part(work, "bar--work", 45, right=True))
        found += forms_part([((text, "bar--title"),) for text in self._today], 57, 47)
        found += forms_part(limit_forms(self._budgets), 57 if self._budgets.near else 52, 16)
        found += forms_part(limit_forms(limits), 56 if limits.near else 51, 15)
        found += forms_part([((text, "bar--quiet"),) for text in expiry], 12, 10)
        if count:
            found.append(part(count, "bar--quiet", 43, right=True))
        return found

    def on_click(self, event: events.Click) -> None:
        """Ask for the view that was clicked on."""
        form = self.form_at(event)
        for index, tab in enumerate(self._tabs):
            if form in tab.forms:
                self.post_message(self.Chosen(index))


def _tab(number: int, name: str, shown: bool) -> Part:
    key = str(number + 1)
    style = "bar--chosen" if shown else "bar--quiet"
    whole: Form = ((f"{key} {name}", style),)
    short: Form = ((key, style),)
    # The name of the shown one stays; of the others the last ones give way first.
    return Part((whole,), 90) if shown else Part((whole, short), 66 - number, longer=(49 - number,))
