"""What a query finds in all sessions of this machine, for whoever prints or sends it."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field

from msgspec.structs import replace

from agentview.domain.period import ALL_TIME, Period
from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import UsageError
from agentview.facts.search.all_sessions import Search
from agentview.facts.search.fts_index import SearchIndex, has_fts, index_path
from agentview.facts.search.index_query import IndexQuery, index_query
from agentview.facts.search.indexer import discard_index
from agentview.facts.search.kept_words import KeptWords
from agentview.facts.search.results import Account, Group, Options, Order
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.sessions.library.filters import asks_for_hidden, library_filter, was_active
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.session_list import Entry, Listing
from agentview.sessions.library.session_record import SessionFacts, notes_by_log
from agentview.sessions.library.sort_group import ListQuery, arrange, finished
from agentview.sessions.targets.session_query import all_sessions, catalogue, in_project
from agentview.system.progress import say

_PATTERN_SECONDS = 120.0
"""How long logs are read for a pattern."""
_READ_FOR_TOTALS = 16 * 1024 * 1024
"""Bytes up to which a log with hits is read for totals that are not known."""

Found = tuple[Group, SessionFacts]
"""Hits of a session, and its facts with totals."""


class SearchRequest(Value, tag="search"):
    """A query, and the sessions to search."""

    line: str
    """The query as it was typed."""
    provider: str | None = None
    project: str | None = None
    after: float | None = None
    before: float | None = None
    limit: int = 0
    """Hits in all at most, 0 for any number."""
    per_session: int = 0
    """The same of a session."""
    by_rank: bool = False
    full: bool = False
    mask: bool = False
    use_index: bool = True

    @property
    def query(self) -> IndexQuery:
        """The query. Raises UsageError for one that is empty or not valid."""
        parsed = parse_query(self.line, Surface.EVERYWHERE)
        if parsed.error is not None:
            raise parsed.error
        query = index_query(parsed)
        if query.empty:
            raise UsageError(
                "There is nothing to search for.",
                "Give words or a filter of activities; see 'agentview help query'.",
            )
        period = Period(self.after, self.before)
        return replace(query, period=ALL_TIME if period.is_all else period)


@dataclass(slots=True)
class Outcome:
    """How a search went."""

    sessions: int = 0
    """Sessions that there are, searched or not."""
    undecided: int = 0
    """Sessions that were left out, because the filter could not decide."""
    account: Account = field(default_factory=lambda: Account(0))
    damaged: bool = False
    """The index is damaged, and was not used."""

    def add(self, other: "Outcome") -> None:
        """Add how a search on another machine went."""
        self.sessions += other.sessions
        self.undecided += other.undecided
        self.damaged = self.damaged or other.damaged
        mine, more = self.account, other.account
        for name in ("all_logs", "logs", "unreadable", "too_long", "undecided", "late"):
            setattr(mine, name, getattr(mine, name) + getattr(more, name))


def found_here(
    request: SearchRequest,
    outcome: Outcome,
    before: Callable[[Sequence[SessionRef]], None] = lambda _: None,
    every: Sequence[SessionFacts] | None = None,
) -> Iterator[Found]:
    """Hits by session, the newest first, or the best; `outcome` is complete at their end.

    `before` is called with the sessions that are searched: those of `every`, else of this machine.
    Raises UsageError.
    """
    query = request.query
    every = all_sessions(request.provider) if every is None else every
    sessions = _sessions(request, query, every, outcome)
    refs = [facts.info.ref for facts in sessions]
    before(refs)
    path = index_path()
    index = SearchIndex.open(path) if request.use_index else None
    unusable = index is None and request.use_index and path.is_file() and has_fts()
    kept = KeptWords(catalogue().database)
    known = {facts.info.ref.path: facts for facts in sessions}
    asked = _options(request, query, sessions)
    with nullcontext() if index is None else closing(index):
        search = Search(query, refs, index, asked, kept=kept)
        try:
            for answer in search.run(in_order=True):
                if isinstance(answer, Account):
                    outcome.account = answer
                    say(f"searching {answer.logs:,} of {answer.all_logs:,} sessions")
                else:
                    yield answer, _with_totals(known[answer.ref.path])
        finally:
            kept.write()
            outcome.damaged = unusable or search.damaged
    if search.damaged:
        discard_index(path)


def _options(
    request: SearchRequest, query: IndexQuery, sessions: Sequence[SessionFacts]
) -> Options:
    return Options(
        per_log=request.per_session or None,
        full=request.full,
        masking=request.mask,
        order=Order.RANK if request.by_rank else Order.TIME,
        seconds=_PATTERN_SECONDS if query.reads_logs else None,
        notes=notes_by_log(sessions),
        titles={
            facts.info.ref.path: facts.titles
            for facts in sessions
            if query.period.has(activity_time(facts.info))
        },
    )


def _sessions(
    request: SearchRequest, query: IndexQuery, every: Sequence[SessionFacts], outcome: Outcome
) -> list[SessionFacts]:
    """The sessions to be searched."""
    listing = Listing()
    listing.add(every)
    now = time.time()
    wanted = ListQuery(
        library_filter(query.sessions, now),
        agents=not query.lists_sessions,
        hidden=asks_for_hidden(query.sessions),
    )
    arranged = finished(arrange(listing, wanted, now))
    outcome.sessions, outcome.undecided = len(listing), arranged.undecided
    found = [row.facts for row in arranged.rows if isinstance(row, Entry)]
    project = request.project
    if project is not None:
        found = [facts for facts in found if in_project(facts.info, project)]
    return [facts for facts in found if _may_have(query.period, facts)]


def _may_have(period: Period, facts: SessionFacts) -> bool:
    """Return False if a session was over before the period, or began after it, without notes."""
    return was_active(facts.info, period) or any(period.has(note.at) for note in facts.added.notes)


def _with_totals(facts: SessionFacts) -> SessionFacts:
    """The facts with totals of the log as it is, unless it is too long to read it for them."""
    if facts.is_current or (facts.info.ref.size or 0) > _READ_FOR_TOTALS:
        return facts
    # Imported here: most logs were counted before.
    from agentview.facts.usage.pricing import PriceList
    from agentview.sessions.targets.known_totals import with_totals

    return with_totals(facts, PriceList())
