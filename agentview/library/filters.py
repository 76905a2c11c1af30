"""The filter line of the library: words, and fields of a session."""

from collections.abc import Callable, Mapping, Sequence

from agentview.domain.session import SessionInfo
from agentview.domain.value import Value
from agentview.library.liveness import activity_time, is_live, state_now
from agentview.library.relative_time import amount, moment
from agentview.library.session_record import SessionFacts, SessionTotals
from agentview.library.usage_rollup import UsageRollup, figures_of
from agentview.timeline.filters import split_words

Verdict = bool | None
"""Whether a session passes; None when that shows only once its log has been indexed."""

Test = Callable[[SessionFacts, Sequence[SessionFacts]], Verdict]
"""Looks at a session and at the agents that it started."""

HINT = (
    "words  title:  project:  provider:  branch:  model:  tool:  file:  state:  after:3d"
    "  before:today  problems:  cost:>1  tokens:>100k  tools:>50  turns:>5"
)
"""What a filter line can say, for somebody who types one."""


class LibraryFilter(Value):
    """A filter line that was read; `unread` are terms of it that say nothing, as `cost:much`."""

    tests: tuple[Test, ...]
    unread: tuple[str, ...] = ()

    def passes(self, facts: SessionFacts, agents: Sequence[SessionFacts] = ()) -> Verdict:
        """Whether a session passes all terms."""
        verdict: Verdict = True
        for test in self.tests:
            told = test(facts, agents)
            if told is False:
                return False
            if told is None:
                verdict = None
        return verdict


def library_filter(line: str, now: float) -> LibraryFilter | None:
    """What a filter line asks for at a time (epoch seconds); None for one that asks for nothing.

    Words are looked for in title, project, branch, model, provider and id, those with a field in
    front of them (`FIELDS`) in one of them. `before:` and `after:` take moments, the counts take
    comparisons, which say nothing behind any other word: see `moments`; `problems` alone asks for
    any. Case never counts; a `-` in front excludes; quotes hold together.
    """
    tests: list[Test] = []
    unread: list[str] = []
    for word in split_words(line.lower()):
        if word in ("-", ":"):
            continue
        excluded = len(word) > 1 and word.startswith("-")
        term = word.removeprefix("-")
        name, colon, value = term.partition(":")
        make = _MAKERS.get(name) if colon or term == _PROBLEMS else None
        if make is None:
            test = None if colon and value.startswith(("<", ">")) else _words(term)
        elif not value and name not in _AMOUNTS:
            continue
        else:
            test = make(value, now)
        if test is None:
            unread.append(word)
        else:
            tests.append(_negated(test) if excluded else test)
    return LibraryFilter(tuple(tests), tuple(unread)) if tests or unread else None


def _negated(test: Test) -> Test:
    def negative(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
        verdict = test(facts, agents)
        return None if verdict is None else not verdict

    return negative


def _words(wanted: str) -> Test:
    def test(facts: SessionFacts, _: Sequence[SessionFacts]) -> Verdict:
        info, ref = facts.info, facts.info.ref
        texts = (info.title, info.project, info.branch, info.model, ref.provider, ref.session_id)
        return wanted in "\n".join(filter(None, texts)).lower()

    return test


def _text(look: Callable[[SessionInfo], str | None]) -> Callable[[str, float], Test]:
    def make(value: str, _now: float) -> Test:
        return lambda facts, _: value in (look(facts.info) or "").lower()

    return make


def _state(value: str, now: float) -> Test:
    def test(facts: SessionFacts, _: Sequence[SessionFacts]) -> Verdict:
        info = facts.info
        if value == "live":
            return is_live(info, now)
        return state_now(info.state, now - activity_time(info)).value.startswith(value)

    return test


def _before(value: str, now: float) -> Test | None:
    end = moment(value, now)
    if end is None:
        return None
    return lambda facts, _: activity_time(facts.info) < end


def _after(value: str, now: float) -> Test | None:
    start = moment(value, now)
    if start is None:
        return None
    return lambda facts, _: activity_time(facts.info) >= start


def _listed(look: Callable[[SessionTotals], Sequence[str]]) -> Callable[[str, float], Test]:
    """A test for a text in one of the names that totals list, the agents' too."""

    def make(value: str, _now: float) -> Test:
        def test(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
            missing = False
            for one in (facts, *agents):
                if one.totals is None:
                    missing = True
                elif any(value in name.lower() for name in look(one.totals)):
                    return True
            return None if missing else False

        return test

    return make


def _model(value: str, now: float) -> Test:
    by_totals = _models(value, now)

    def test(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
        return value in (facts.info.model or "").lower() or by_totals(facts, agents)

    return test


def _counted(look: Callable[[UsageRollup], float | None]) -> Callable[[str, float], Test | None]:
    def make(value: str, _now: float) -> Test | None:
        wanted = amount(value)
        if wanted is None:
            return None

        def test(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
            if facts.totals is None:
                return None
            figures = figures_of(facts, agents)
            if not figures.whole:
                return None
            number = look(figures)
            return number is not None and wanted.holds(number)

        return test

    return make


def _tools_of(totals: SessionTotals) -> Sequence[str]:
    return (*totals.tools, *(kind.value for kind in totals.calls))


_models = _listed(lambda totals: totals.models)
_PROBLEMS = "problems"
_SHORT_PROBLEMS = "prob"
"""What stands over their column."""
_AMOUNTS = (_PROBLEMS, _SHORT_PROBLEMS, "cost", "tokens", "tools", "turns")
_count_problems = _counted(lambda figures: figures.problems)
_MAKERS: Mapping[str, Callable[[str, float], Test | None]] = {
    "provider": _text(lambda info: info.ref.provider),
    "project": _text(lambda info: info.project),
    "title": _text(lambda info: info.title),
    "branch": _text(lambda info: info.branch),
    "model": _model,
    "tool": _listed(_tools_of),
    "file": _listed(lambda totals: totals.files),
    "state": _state,
    "before": _before,
    "after": _after,
    _PROBLEMS: _count_problems,
    _SHORT_PROBLEMS: _count_problems,
    "cost": _counted(lambda figures: figures.cost.shown),
    "tokens": _counted(lambda figures: figures.tokens),
    "tools": _counted(lambda figures: figures.calls),
    "turns": _counted(lambda figures: figures.turns),
}

FIELDS = frozenset(_MAKERS)
"""Names that can stand in front of a value, with a colon between them."""
