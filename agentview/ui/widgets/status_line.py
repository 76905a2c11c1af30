"""The last row: what the session holds, whether new rows are followed, and the keys that fit."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.timer import Timer

from agentview.domain.session import Continuation
from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.header import PRESENCE_WORDS, HeaderFacts, continuation_words
from agentview.timeline.view.sanitize import one_line
from agentview.ui.render.strip import strip_of
from agentview.ui.render.style.glyphs import plain_signs
from agentview.ui.render.text_lines import wrap
from agentview.ui.widgets.key_hints import bound_actions
from agentview.ui.widgets.responsive_bar import PLAIN, Bar, Part, part

_NOTICE_SECONDS = 4.0
_NOTICE_ROWS = 4


class StatusLine(Bar):
    """One row at the bottom of a screen. All of it is set from outside."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--quiet",
        "bar--key",
        "bar--hint",
        "bar--problem",
        "bar--notice",
        "bar--follow",
        "bar--fresh",
    }

    DEFAULT_CSS = """
    StatusLine {
        background: $surface;
        color: $text-muted;
        .bar--quiet { color: $text-muted; }
        .bar--key { color: $foreground; }
        .bar--hint { color: $text-muted; }
        .bar--problem { color: $text-error; }
        .bar--notice { color: $text-warning; }
        .bar--follow { color: $text-muted; }
        .bar--fresh { color: $accent; text-style: bold; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._counts: tuple[Part, ...] = ()
        self._presence: str | None = None
        self._search: str | None = None
        self._filter: str | None = None
        self._masking = False
        self._jump: str | None = None
        self._notice: str | None = None
        self._lasting = False
        self._ending = False
        """The notice ends with the key that is under way."""
        self._wrapped: list[str] = []
        self._follow: Part | None = None
        self._hints: tuple[Part, ...] | None = None
        self._end_of_notice: Timer | None = None

    def show_facts(self, facts: HeaderFacts) -> None:
        """Count what the session holds, as far as it has been read."""
        counts = _counts(facts)
        presence = PRESENCE_WORDS.get(facts.presence)
        if presence is None and facts.resumed and not facts.all_read:
            presence = "reading was interrupted and continues"
        if presence is None and facts.continued is not None:
            presence = self._continuation(facts.continued)
        if facts.damage is not None:
            presence = one_line(facts.damage)
        if facts.trouble is not None:
            presence = f"reading stopped: {one_line(facts.trouble)}"
        if (counts, presence) != (self._counts, self._presence):
            self._counts, self._presence = counts, presence
            self.refresh()

    def _continuation(self, continued: Continuation) -> str:
        """Say which session continues the one that has ended, and the key that goes there."""
        said = continuation_words(continued)
        bound = (each for each in bound_actions(self.screen) if each.action == "continuation")
        action = next(bound, None)
        return said if action is None else f"{said}; {action.keys[0]} opens it"

    def show_follow(self, following: bool | None, new_count: int) -> None:
        """Show whether the newest row is kept in view, else how many came meanwhile.

        `following` is None when no row is to be expected any more.
        """
        follow = None
        if new_count:
            follow = part(f"▼ {new_count:,} new", "bar--fresh", 95, right=True)
        elif following is not None:
            word = "▼ following" if following else "paused"
            follow = part(word, "bar--follow", 60, right=True)
        if follow != self._follow:
            self._follow = follow
            self.refresh()

    def show_search(self, text: str | None) -> None:
        """Show what the search found, None without a search."""
        if text != self._search:
            self._search = text
            self.refresh()

    def show_jump(self, text: str | None) -> None:
        """Show where a jump under way goes, None without a jump."""
        if text != self._jump:
            self._jump = text
            self.refresh()

    def show_masking(self, masking: bool) -> None:
        if masking != self._masking:
            self._masking = masking
            self.refresh()

    def show_filter(self, text: str | None) -> None:
        """Show which rows are left in, None when all are."""
        if text != self._filter:
            self._filter = text
            self.refresh()

    def say(self, text: str, *, lasting: bool = False) -> None:
        """Show a notice for a few seconds, in several rows where one is too short.

        The next key ends it, unless it is `lasting`: then no key was its cause.
        """
        self._notice = one_line(text)
        self._lasting = lasting
        self._ending = False
        if self._end_of_notice is not None:
            self._end_of_notice.stop()
        self._end_of_notice = self.set_timer(_NOTICE_SECONDS, self._hush)
        self._fit_notice()
        self.refresh()

    def key_begins(self) -> None:
        self._ending = self._notice is not None and not self._lasting

    def key_ends(self) -> None:
        """End the notice, unless the key has set another one: in the frame with what it did."""
        if self._ending:
            self._hush()

    def on_resize(self) -> None:
        self._fit_notice()

    def render_line(self, y: int) -> Strip:
        """One row: of a long notice, else of all parts."""
        if not self._wrapped:
            return super().render_line(y)
        width, base = self.content_size.width, self.rich_style
        rows = self._wrapped
        style = self.get_component_rich_style("bar--notice")
        text = rows[y] if y < len(rows) else ""
        return strip_of([Segment(text, style)]).adjust_cell_length(max(0, width), base)

    def _fit_notice(self) -> None:
        """Take as many rows as the notice needs."""
        width, text = self.content_size.width, self._notice or ""
        if self.app.has_class(PLAIN):  # pyright: ignore[reportUnknownMemberType]
            text = plain_signs(text)
        rows: list[str] = []
        if width and cell_len(text) > width:
            found = wrap([(text, Style.null())], width)[:_NOTICE_ROWS]
            rows = ["".join(piece for piece, _ in row) for row in found]
        if rows != self._wrapped:
            self._wrapped = rows
            self.styles.height = len(rows) or 1

    def forget_keys(self) -> None:
        """Read the bindings again when the row is next drawn."""
        self._hints = None
        self.refresh()

    def parts(self) -> Sequence[Part]:
        """The parts of this moment, from left to right."""
        found: list[Part] = []
        if self._notice:
            found.append(_whole(self._notice, 99))
        elif self._presence:
            found.append(_whole(self._presence, 98))
        if self._masking:
            found.append(part("secrets masked", "bar--key", 94))
        if self._jump:
            found.append(part(self._jump, "bar--fresh", 96))
        if self._search:
            found.append(part(self._search, "bar--key", 96))
        if self._filter:
            found.append(part(self._filter, "bar--key", 97))
        found.extend(self._counts)
        if self._hints is None:
            self._hints = _hints(self)
        found.extend(self._hints)
        if self._follow is not None:
            found.append(self._follow)
        return found

    def _hush(self) -> None:
        self._notice = None
        self._ending = False
        self._fit_notice()
        self.refresh()


def _whole(text: str, priority: int) -> Part:
    """A part that is only cut where it is alone in the row."""
    return Part((((text, "bar--notice"),),), priority, elastic=True, keeps=cell_len(text))


def _counts(facts: HeaderFacts) -> tuple[Part, ...]:
    spans: list[tuple[str, str]] = []
    for count, noun, style in (
        (facts.problems, "problem", "bar--problem"),
        (facts.edits, "edit", "bar--quiet"),
        (facts.shells, "command", "bar--quiet"),
    ):
        if count:
            spans.extend([(" · ", "bar--hint")] if spans else [])
            spans.append((counted(count, noun), style))
    parts: list[Part] = []
    if spans:
        said = ("in all: ", "bar--hint")
        parts.append(Part(((said, *spans), tuple(spans), tuple(spans[:1])), 80, longer=(37, 38)))
    if not facts.all_read:
        parts.append(part(f"reading {facts.indexed:.0%}", "bar--hint", 55))
    return tuple(parts)


def _hints(line: StatusLine) -> tuple[Part, ...]:
    offers: Callable[[str], bool] | None = getattr(line.screen, "offers", None)
    hinted = [
        each
        for each in bound_actions(line.screen)
        if each.hint and (offers is None or offers(each.action))
    ]
    last = len(hinted)
    return tuple(
        Part(
            (((action.hint or "", "bar--key"), (f" {action.word}", "bar--hint")),),
            # The first ones declared stay longest; help, the last of all, stays with them.
            50 if index + 1 == last else 40 - min(index, 39),
            right=True,
        )
        for index, action in enumerate(hinted)
    )
