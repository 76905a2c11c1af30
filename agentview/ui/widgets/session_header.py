"""The header of a session: who, what, where, how it goes, how full the context is, what it cost."""

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from agentview.domain.annotations import STAR
from agentview.domain.usage_limit import current
from agentview.facts.usage.estimate import Estimate
from agentview.normalize.project_path import last_part
from agentview.timeline.view.format_numbers import UNKNOWN, ago, share, tokens
from agentview.timeline.view.header import LOOPING, HeaderFacts, LogPresence
from agentview.timeline.view.limit_text import limit_words
from agentview.timeline.view.sanitize import one_line
from agentview.ui.widgets.price_cache import cost_of, estimate
from agentview.ui.widgets.responsive_bar import Bar, Form, Part, forms_part, limit_forms, part
from agentview.ui.widgets.state_marks import Role, mark_of_status

Clock = Callable[[], float]
"""Gives the time, epoch seconds."""

_STYLES = {
    Role.WORKING: "bar--working",
    Role.ATTENTION: "bar--waiting",
    Role.FAILED: "bar--failed",
    Role.QUIET: "bar--quiet",
}

_STATE, _TITLE, _CONTEXT, _COST, _MODEL, _PROJECT, _TOKENS, _BRANCH, _CLIENT = range(90, 0, -10)
"""Priorities: what is looked for most gives way last."""
_LIMIT = _TOKENS - 5
_RUNNING = _CONTEXT - 1
_LIMIT_NEAR = _CONTEXT - 2
"""Priority of a limit that is nearly reached: people stop at it as at a full context."""
_NOT_KNOWN = _BRANCH
"""Priority of a context or cost that is not known."""

_BAR_CELLS = 10
_NEARLY_FULL = 0.85
_TICK = 60.0

_PRICES_AFTER = 1.0
"""Seconds after the first frame, and between two looks for prices, which take a process each."""


class SessionHeader(Bar):
    """One row of facts about the session; `show` takes the newest ones."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "bar--mark",
        "bar--title",
        "bar--quiet",
        "bar--working",
        "bar--waiting",
        "bar--failed",
        "bar--fill",
        "bar--full",
        "bar--empty",
    }

    DEFAULT_CSS = """
    SessionHeader {
        color: $foreground;
        background: $surface;
        .bar--mark { color: $accent; text-style: bold; }
        .bar--title { color: $foreground; text-style: bold; }
        .bar--quiet { color: $text-muted; }
        .bar--working { color: $accent; }
        .bar--waiting { color: $text-warning; }
        .bar--failed { color: $text-error; }
        .bar--fill { color: $accent; }
        .bar--full { color: $text-warning; }
        .bar--empty { color: $foreground 25%; }
    }
    """

    def __init__(self, facts: HeaderFacts, clock: Clock) -> None:
        super().__init__()
        self._facts = facts
        self._clock = clock
        self._note = ""
        self._when: str | None = None
        self._estimate = Estimate({})
        self._looking: asyncio.Task[None] | None = None
        self._cost = ""
        self._limits = current(facts.limits, clock())
        self._starred = self._looping = False

    def set_note(self, note: str) -> None:
        """Show another note behind the provider's label."""
        self._note = f" {one_line(note, 24)}" if note else ""
        self.refresh()

    def on_mount(self) -> None:
        self._looking = asyncio.create_task(self._look_up_prices())

    def on_unmount(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    async def _look_up_prices(self) -> None:
        await asyncio.sleep(_PRICES_AFTER)
        if self._facts.cost is None:
            self._estimate = await estimate(self._facts.spent)
        self._looking = None
        self.show(self._facts, starred=self._starred, looping=self._looping)

    def show(self, facts: HeaderFacts, *, starred: bool = False, looping: bool = False) -> None:
        """Show these facts from now on, the title behind a star where the session has one.

        `looping`: the agent seems to go round in circles.
        """
        now = self._clock()
        when = ago(facts.last_activity, now)
        limits = current(facts.limits, now)
        cost = self._cost_of(facts)
        shown = when, cost, limits, starred, looping
        known = self._when, self._cost, self._limits, self._starred, self._looping
        if (facts, shown) != (self._facts, known):
            self._facts = facts
            self._when, self._cost, self._limits, self._starred, self._looping = shown
            self.refresh()
        if self._looking is None and self._is_unpriced(facts):
            self._looking = asyncio.create_task(self._look_up_prices())

    def _is_unpriced(self, facts: HeaderFacts) -> bool:
        """True if prices are to be looked up: once for all that is found while a log is read."""
        read = facts.all_read and facts.cost is None and self.is_attached
        return read and bool(self._estimate.missing(facts.spent))

    def _cost_of(self, facts: HeaderFacts) -> str:
        price = self._estimate(facts.spent) if facts.cost is None else None
        cost = cost_of(facts.cost, price)
        return f"$ {UNKNOWN}" if cost.shown is None else cost.text()

    def parts(self) -> Sequence[Part]:
        """The parts of this moment, from left to right."""
        facts = self._facts
        mark: Form = (("◆ ", "bar--mark"),)
        note = (self._note, "bar--waiting")
        star = f"{STAR} " if self._starred else ""
        found = [
            Part(
                (
                    (*mark, (one_line(facts.provider, 24), "bar--quiet"), note),
                    (*mark, note) if self._note else (("◆", "bar--mark"),),
                ),
                _TITLE - 1,
                longer=(_CLIENT,),
            ),
            part(star + one_line(facts.title or "untitled"), "bar--title", _TITLE, elastic=True),
        ]
        for text, priority in (
            (last_part(facts.cwd) if facts.cwd else None, _PROJECT),
            (facts.branch, _BRANCH),
            (facts.model, _MODEL),
        ):
            if text:
                found.append(part(one_line(text, 32), "bar--quiet", priority, right=True))
        found.append(self._state_part())
        if self._looping:
            found.append(part(LOOPING, "bar--waiting", _STATE - 1, right=True))
        if facts.running:
            found.append(part(f"{facts.running} running", "bar--working", _RUNNING, right=True))
        found.append(_context_part(facts))
        found.append(_tokens_part(facts))
        cost = self._cost or self._cost_of(facts)
        priority = _NOT_KNOWN if UNKNOWN in cost else _COST
        found.append(part(cost, "bar--quiet", priority, right=True))
        found += self._limit_part()
        return found

    def _limit_part(self) -> Sequence[Part]:
        """How much of the limits of the account is left; the tightest one gives way last."""
        words = limit_words({"": self._limits}, self._clock())
        return forms_part(limit_forms(words), _LIMIT_NEAR if words.near else _LIMIT, _LIMIT)

    def _state_part(self) -> Part:
        facts = self._facts
        if facts.presence is LogPresence.AWAITED:
            mark, word, style = "◌", "not begun", "bar--quiet"
        else:
            shown = mark_of_status(facts.status)
            mark, style, word = shown.sign, _STYLES[shown.role], facts.status.label
        head: Form = ((f"{mark} {word}".strip(), style),)
        short: Form = ((mark or word, style),)
        if facts.last_activity is None:
            return Part((head, short), _STATE, right=True, longer=(_COST + 1,))
        when = (f" {ago(facts.last_activity, self._minute())}", "bar--quiet")
        forms = (*head, when), head, short
        return Part(forms, _STATE, right=True, longer=(_COST - 1, _COST + 1))

    def _minute(self) -> float:
        """Now, with the seconds of the last minute taken as none: they would tick."""
        now, last = self._clock(), self._facts.last_activity
        return last if last is not None and 0 <= now - last < _TICK else now


def _context_part(facts: HeaderFacts) -> Part:
    fill = facts.context_fill
    if fill is None:
        held = tokens(facts.context_tokens)
        priority = _NOT_KNOWN if facts.context_tokens is None else _CONTEXT
        return part(f"ctx {held}", "bar--quiet", priority, right=True)
    style = "bar--full" if fill >= _NEARLY_FULL else "bar--fill"
    cells = min(_BAR_CELLS, max(1 if fill > 0 else 0, round(fill * _BAR_CELLS)))
    percent = (share(fill), style if style == "bar--full" else "bar--quiet")
    drawn: Form = (
        ("ctx ", "bar--quiet"),
        ("━" * cells, style),
        ("━" * (_BAR_CELLS - cells), "bar--empty"),
        (" ", "bar--quiet"),
        percent,
    )
    forms = drawn, (("ctx ", "bar--quiet"), percent), (percent,)
    return Part(forms, _CONTEXT, right=True, longer=(_TOKENS + 1, _COST + 1))


def _tokens_part(facts: HeaderFacts) -> Part:
    usage = facts.usage
    fresh = usage.input_uncached
    if fresh is not None and usage.cache_write is not None:
        fresh += usage.cache_write
    base = f"↑{tokens(fresh)}"
    cached = f" +{tokens(usage.input_cached)} cached" if usage.input_cached else ""
    down = f" ↓{tokens(usage.output)}"
    forms: list[Form] = [((base + cached + down, "bar--quiet"),)]
    if cached:
        forms.append(((base + down, "bar--quiet"),))
    return Part(tuple(forms), _TOKENS, right=True)
