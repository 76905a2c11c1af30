"""The filter of the library: tests of sessions for the terms of a query."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import HERE, SessionInfo
from agentview.domain.value import Value
from agentview.query.parser import Field, Query, QueryError, Regex, Text
from agentview.query.text_matcher import TextMatcher
from agentview.query.values import amount, moment, stretch
from agentview.query.vocabulary import LIVE, kinds_named, marks_named, session_states
from agentview.sessions.library.liveness import activity_time, current_status, is_live
from agentview.sessions.library.session_record import SessionFacts, SessionTotals
from agentview.sessions.library.usage_rollup import UsageRollup, figures_of

Verdict = bool | None
"""True if a session passes; None when that shows only once its log has been indexed."""

Test = Callable[[SessionFacts, Sequence[SessionFacts]], Verdict]
"""Looks at a session and at the agents that it started."""

Make = Callable[[str, float], Test]
"""Makes the test for a value in lower case, at a time."""


class LibraryFilter(Value, gc=True):
    """The tests of a query; `error` says what of it is not valid, and was left out."""

    tests: tuple[Test, ...]
    error: QueryError | None = None

    def passes(self, facts: SessionFacts, agents: Sequence[SessionFacts] = ()) -> Verdict:
        """Return True if a session passes all terms."""
        verdict: Verdict = True
        for test in self.tests:
            result = test(facts, agents)
            if result is False:
                return False
            if result is None:
                verdict = None
        return verdict


def library_filter(query: Query, now: float) -> LibraryFilter | None:
    """The filter of a query at a time (epoch seconds); None for a query that asks for nothing.

    Words are looked for in title, project, branch, model, provider, id, notes and tags.
    """
    tests: list[Test] = []
    for term in query.terms:
        test = _field(term, now) if isinstance(term, Field) else _words(term)
        tests.append(_negated(test) if term.negative else test)
    return LibraryFilter(tuple(tests), query.error) if tests or query.error else None


def _field(term: Field, now: float) -> Test:
    return _MAKERS[term.name](term.value.lower(), now)


def _negated(test: Test) -> Test:
    def negative(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
        verdict = test(facts, agents)
        return None if verdict is None else not verdict

    return negative


def _words(term: Text | Regex) -> Test:
    matcher = TextMatcher(term)

    def test(facts: SessionFacts, _: Sequence[SessionFacts]) -> Verdict:
        info, ref = facts.info, facts.info.ref
        texts = (info.project, info.branch, info.model, ref.provider, ref.session_id)
        notes = (note.text for note in facts.added.notes)
        return matcher.finds((*facts.titles, *filter(None, texts), *notes, *facts.added.tags))

    return test


def _text(look: Callable[[SessionInfo], str | None]) -> Make:
    def make(value: str, _now: float) -> Test:
        return lambda facts, _: value in (look(facts.info) or "").lower()

    return make


def _id(value: str, _now: float) -> Test:
    return lambda facts, _: facts.info.ref.session_id.lower().startswith(value)


def is_on(host: str | None, value: str) -> bool:
    """Return True if a machine, None for this one, is meant by the value of `host:`."""
    return (host or HERE).lower().lstrip("@").startswith(value.lower().lstrip("@"))


def _host(value: str, _now: float) -> Test:
    return lambda facts, _: is_on(facts.info.ref.host, value)


def _state(value: str, now: float) -> Test:
    wanted = session_states(value)

    def test(facts: SessionFacts, _: Sequence[SessionFacts]) -> Verdict:
        info = facts.info
        state = current_status(info, now).state
        return state.value in wanted or (LIVE in wanted and is_live(info, now))

    return test


def _is(value: str, _now: float) -> Test:
    wanted = marks_named(value)

    def test(facts: SessionFacts, _: Sequence[SessionFacts]) -> Verdict:
        added = facts.added
        marks = {
            "starred": added.starred,
            "noted": bool(added.notes),
            "bookmarked": bool(added.bookmarks),
            "titled": added.title is not None,
            "tagged": bool(added.tags),
            "hidden": added.hidden,
            "deleted": facts.is_deleted,
        }
        return any(marks[each] for each in wanted)

    return test


def asks_for_hidden(query: Query) -> bool:
    """Return True if a query names sessions that are hidden, which lists leave out otherwise."""
    return _names_mark(query, "hidden")


def asks_for_deleted(query: Query) -> bool:
    """Return True if a query asks for sessions without a log."""
    return _names_mark(query.where(lambda term: not term.negative), "deleted")


def _names_mark(query: Query, mark: str) -> bool:
    fields = (term for term in query.fields if term.name == "is")
    return any(mark in marks_named(term.value) for term in fields)


def _tag(value: str, _now: float) -> Test:
    wanted = value.removeprefix("#")
    return lambda facts, _: any(tag.startswith(wanted) for tag in facts.added.tags)


def _note(value: str, _now: float) -> Test:
    return lambda facts, _: any(value in note.text.lower() for note in facts.added.notes)


def was_active(info: SessionInfo, period: Period) -> bool:
    """Return False if a session was over before a period, or began after it."""
    last = activity_time(info)
    return not period.has_none(info.started or last, last)


def oldest_first(sessions: Iterable[SessionFacts]) -> list[SessionFacts]:
    """Sessions by the last change of their logs: a response counts for the first that has it."""
    return sorted(sessions, key=lambda each: (each.info.ref.modified or 0.0, each.info.ref.path))


def active_with_agents(sessions: Sequence[SessionFacts], period: Period) -> list[SessionFacts]:
    """The sessions that were active in a period, and those whose agents were."""
    found = {facts.info.ref.path for facts in sessions if was_active(facts.info, period)}
    refs = [facts.info.ref for facts in sessions if facts.info.ref.path in found]
    started = {(ref.provider, ref.parent_id) for ref in refs if ref.parent_id is not None}
    return [
        facts
        for facts in sessions
        if facts.info.ref.path in found
        or (facts.info.ref.provider, facts.info.ref.session_id) in started
    ]


def _before(value: str, now: float) -> Test:
    end = moment(value, now) or 0.0
    return lambda facts, _: activity_time(facts.info) < end


def _after(value: str, now: float) -> Test:
    start = moment(value, now) or 0.0
    return lambda facts, _: activity_time(facts.info) >= start


def _active(value: str, now: float) -> Test:
    period = stretch(value, now) or ALL_TIME
    return lambda facts, _: was_active(facts.info, period)


def _listed(look: Callable[[SessionTotals], Sequence[str]]) -> Make:
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


def _kind(value: str, _now: float) -> Test:
    """Sessions with calls of a kind."""
    kinds = kinds_named(value)

    def test(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
        held = [one.totals for one in (facts, *agents)]
        if any(totals is not None and kinds & totals.calls.keys() for totals in held):
            return True
        return None if None in held else False

    return test


def _model(value: str, now: float) -> Test:
    by_totals = _models(value, now)

    def test(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
        return value in (facts.info.model or "").lower() or by_totals(facts, agents)

    return test


def _counted(look: Callable[[UsageRollup], float | None]) -> Make:
    def make(value: str, _now: float) -> Test:
        wanted = amount(value)

        def test(facts: SessionFacts, agents: Sequence[SessionFacts]) -> Verdict:
            if facts.totals is None:
                return None
            figures = figures_of(facts, agents)
            if not figures.whole:
                return None
            number = look(figures)
            return number is not None and wanted is not None and wanted.holds(number)

        return test

    return make


def _tools_of(totals: SessionTotals) -> Sequence[str]:
    return (*totals.tools, *(kind.value for kind in totals.calls))


_models = _listed(lambda totals: totals.models)
_MAKERS: Mapping[str, Make] = {
    "kind": _kind,
    "provider": _text(lambda info: info.ref.provider),
    "project": _text(lambda info: info.project),
    "title": _text(lambda info: info.title),
    "host": _host,
    "id": _id,
    "branch": _text(lambda info: info.branch),
    "model": _model,
    "tool": _listed(_tools_of),
    "file": _listed(lambda totals: totals.files),
    "state": _state,
    "is": _is,
    "tag": _tag,
    "note": _note,
    "before": _before,
    "after": _after,
    "active": _active,
    "problems": _counted(lambda figures: figures.problems),
    "cost": _counted(lambda figures: figures.cost.shown),
    "tokens": _counted(lambda figures: figures.tokens),
    "tools": _counted(lambda figures: figures.calls),
    "turns": _counted(lambda figures: figures.turns),
}
