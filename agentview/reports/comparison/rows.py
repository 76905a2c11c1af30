"""Two sessions side by side in rows: what each has, and the difference."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from agentview.domain.value import Value
from agentview.facts.edits.net_diff import FileNet
from agentview.reports.comparison.sessions import (
    ComparedSession,
    ComparedTurn,
    Comparison,
    PromptPair,
)
from agentview.sessions.targets.session_line import home_relative, short_ids
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.format_numbers import UNKNOWN, counted, lines_changed, span, tokens
from agentview.timeline.view.sanitize import one_line

SAME = "="
"""The difference where there is none."""
_WORDS = 200
"""Characters of a title or a last message that are shown in a row."""


class Subject(StrEnum):
    """Subject of a row."""

    FACT = "fact"
    HEADING = "heading"
    """The name of the rows below it; both sides are empty."""
    TOOL = "tool"
    FILE = "file"
    PROMPT = "prompt"
    RESULT = "result"


class ComparedRow(Value):
    """Name of a comparison, the value of each side, and the difference, each on one line."""

    subject: Subject
    name: str
    a: str = ""
    b: str = ""
    difference: str = ""
    """`=` where both are the same, empty where a difference has no short form."""
    pair: PromptPair | None = None
    """The prompts, for a row about them."""
    nets: tuple[FileNet | None, FileNet | None] = (None, None)
    """The net change of each side, for a row about a file."""

    @property
    def differs(self) -> bool:
        """Return True unless both sides are known to be the same."""
        return self.difference != SAME


def comparison_rows(comparison: Comparison) -> Iterator[ComparedRow]:
    """All that is compared: facts, then tools, files, prompts and the result below headings."""
    a, b = comparison.a, comparison.b
    yield from _facts(a, b)
    yield from _below("TOOLS", _tools(a, b))
    yield from _below("FILES", _files(a, b))
    yield from _below("PROMPTS", _prompts(comparison.prompts))
    yield from _below("RESULT", _results(a, b))


def _below(heading: str, rows: Iterator[ComparedRow]) -> Iterator[ComparedRow]:
    for number, row in enumerate(rows):
        if not number:
            yield ComparedRow(Subject.HEADING, heading)
        yield row


def _facts(a: ComparedSession, b: ComparedSession) -> Iterator[ComparedRow]:
    one, other = a.info, b.info
    ids = short_ids((one.ref.session_id, other.ref.session_id))
    yield _words("session", ids[one.ref.session_id], ids[other.ref.session_id])
    yield _words("title", one.title or UNKNOWN, other.title or UNKNOWN)
    yield _words("provider", one.ref.provider, other.ref.provider)
    yield _words("model", one.model or UNKNOWN, other.model or UNKNOWN)
    yield _words("project", home_relative(one.project), home_relative(other.project))
    yield _count("prompts", len(a.turns), len(b.turns))
    yield _count("calls", sum(a.tools.values()), sum(b.tools.values()))
    yield _count("problems", a.problems, b.problems)
    yield _count("files changed", len(a.files), len(b.files))
    yield _fact("tokens", tokens(a.tokens), tokens(b.tokens), _difference(a.tokens, b.tokens))
    yield _fact("cost", a.cost.text(), b.cost.text(), _cost_difference(a.cost, b.cost))
    for name in ("model", "tools", "person"):
        one, other = getattr(a.time, name), getattr(b.time, name)
        yield _fact(f"time: {name}", span(one), span(other), _span_difference(one, other))


def _fact(name: str, a: str, b: str, difference: str) -> ComparedRow:
    return ComparedRow(Subject.FACT, name, a, b, difference)


def _words(name: str, a: str, b: str, subject: Subject = Subject.FACT) -> ComparedRow:
    difference = UNKNOWN if UNKNOWN in (a, b) else SAME if a == b else ""
    return ComparedRow(subject, name, one_line(a, _WORDS), one_line(b, _WORDS), difference)


def _count(name: str, a: int, b: int, subject: Subject = Subject.FACT) -> ComparedRow:
    return ComparedRow(subject, name, f"{a:,}", f"{b:,}", _difference(a, b))


def _difference(a: int | None, b: int | None) -> str:
    if a is None or b is None:
        return UNKNOWN
    return SAME if a == b else f"{b - a:+,}"


def _span_difference(a: float | None, b: float | None) -> str:
    if a is None or b is None:
        return UNKNOWN
    return SAME if span(a) == span(b) else f"{'+' if b > a else '-'}{span(abs(b - a))}"


def _cost_difference(a: Cost, b: Cost) -> str:
    if a.shown is None or b.shown is None:
        return UNKNOWN
    return SAME if a.shown == b.shown else f"{b.shown - a.shown:+,.4f}"


def _tools(a: ComparedSession, b: ComparedSession) -> Iterator[ComparedRow]:
    for name in dict.fromkeys((*a.tools, *b.tools)):
        yield _count(one_line(name), a.tools.get(name, 0), b.tools.get(name, 0), Subject.TOOL)


def _files(a: ComparedSession, b: ComparedSession) -> Iterator[ComparedRow]:
    for path in sorted({*a.files, *b.files}):
        one, other = a.files.get(path), b.files.get(path)
        same = one is not None and other is not None and one.hunks and one.hunks == other.hunks
        yield ComparedRow(
            Subject.FILE,
            one_line(path),
            _net(one),
            _net(other),
            SAME if same else "",
            nets=(one, other),
        )


def _net(net: FileNet | None) -> str:
    """Return the net change of a file; one that a session did not change has none."""
    if net is None:
        return "not changed"
    if net.added is None or net.removed is None:
        return f"{net.mark.value} {UNKNOWN}"
    return f"{net.mark.value} {lines_changed(net.added, net.removed)}".rstrip()


def _prompts(pairs: Sequence[PromptPair]) -> Iterator[ComparedRow]:
    for pair in pairs:
        if pair.same or pair.a is None or pair.b is None:
            yield _prompt(pair, pair.a or pair.b, a=pair.a, b=pair.b)
        else:
            yield _prompt(pair, pair.a, a=pair.a)
            yield _prompt(pair, pair.b, b=pair.b)


def _prompt(
    pair: PromptPair,
    shown: ComparedTurn | None,
    a: ComparedTurn | None = None,
    b: ComparedTurn | None = None,
) -> ComparedRow:
    name = "" if shown is None else f"{shown.number} {one_line(shown.prompt)}"
    difference = SAME if pair.same else ""
    return ComparedRow(Subject.PROMPT, name, _turn(a), _turn(b), difference, pair=pair)


def _turn(turn: ComparedTurn | None) -> str:
    if turn is None:
        return ""
    failed = f", {turn.problems} failed" if turn.problems else ""
    calls = counted(turn.calls, "call")
    return f"{calls}{failed}, {tokens(turn.tokens)} tokens, {span(turn.seconds)}"


def _results(a: ComparedSession, b: ComparedSession) -> Iterator[ComparedRow]:
    yield _words("state", a.info.status.label, b.info.status.label, Subject.RESULT)
    yield _words("last message", a.answer or UNKNOWN, b.answer or UNKNOWN, Subject.RESULT)
