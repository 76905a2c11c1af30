"""Hits of a search as they go from one machine to another."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from agentview.domain.activity import Kind
from agentview.domain.index_entry import KINDS
from agentview.domain.tools import ToolKind
from agentview.facts.search.documents import Column
from agentview.facts.search.results import Account, Group, Hit, OfSession, Snippet
from agentview.query.parser import parse_query
from agentview.query.vocabulary import Surface
from agentview.sessions.fleet.hosts import Host
from agentview.sessions.fleet.protocol import (
    Answer,
    Matches,
    ProtocolError,
    Searched,
    Sessions,
    WireHit,
    is_finite,
)
from agentview.sessions.fleet.sessions import messages_of, sessions_of
from agentview.sessions.library.filters import is_on
from agentview.sessions.targets.session_search import Found, Outcome, SearchRequest, found_here
from agentview.timeline.view.sanitize import one_line

_KINDS: Mapping[str, Kind | OfSession] = {kind.value: kind for kind in (*OfSession, *KINDS)}

_LONGEST = 1_000
"""Characters of the text of a hit."""


def asked_of(request: SearchRequest, hosts: Sequence[Host]) -> tuple[SearchRequest, Sequence[Host]]:
    """The request without terms that select machines, and the machines that they select."""
    query = parse_query(request.line, Surface.EVERYWHERE)
    chosen = [term for term in query.fields if term.name == "host"]
    if not chosen:
        return request, hosts
    wanted = [
        host
        for host in hosts
        if all(is_on(host.name, term.value) != term.negative for term in chosen)
    ]
    return replace(request, line=query.where(lambda term: term not in chosen).line), wanted


def matches_here(request: SearchRequest) -> Iterator[Matches | Searched]:
    """Hits of the sessions of this machine, then how the search went."""
    outcome, count = Outcome(), 0
    for group, facts in found_here(request, outcome):
        hits = tuple(map(_packed, group.hits))
        # A session is one message, unless it is too large to be sent.
        for message in messages_of([facts]):
            yield Matches(message.found, hits, group.more, group.least)
        count += len(hits)
        if request.limit and count > request.limit:
            break
    account = outcome.account
    yield Searched(
        outcome.sessions,
        outcome.undecided,
        account.all_logs,
        account.unreadable,
        account.too_long,
        account.undecided,
        account.late,
        outcome.damaged,
    )


def matches_of(answer: Answer, host: Host) -> Found | Outcome | None:
    """Hits that a machine found in a session, or how its search went. Raises ProtocolError.

    None for a session of a format that is not known here.
    """
    match answer:
        case Searched():
            account = Account(
                answer.logs,
                unreadable=answer.unreadable,
                too_long=answer.too_long,
                undecided=answer.undecided_records,
                late=answer.late,
            )
            return Outcome(answer.sessions, answer.undecided, account, answer.damaged)
        case Matches():
            facts = sessions_of(Sessions(answer.found), host).facts
            if not is_finite(msgspec.to_builtins(answer.hits)):
                raise ProtocolError("Its matches cannot be read.")
            hits = tuple(map(_unpacked, answer.hits))
            return (
                (Group(facts[0].info.ref, hits, answer.more, answer.least), facts[0])
                if facts
                else None
            )
        case _:
            raise ProtocolError("It answered something else.")


def _packed(hit: Hit) -> WireHit:
    snippet = hit.snippet
    return WireHit(
        hit.place, hit.kind.value, hit.time, snippet.text, snippet.ranges, int(snippet.column)
    )


def _unpacked(hit: WireHit) -> Hit:
    if hit.column not in [*Column]:
        raise ProtocolError("Its matches cannot be read.")
    text = one_line(hit.text, _LONGEST)
    ends = len(text)
    ranges = tuple((start, end) for start, end in hit.ranges if 0 <= start <= end <= ends)
    kind = _KINDS.get(hit.kind, ToolKind.UNKNOWN)
    return Hit(hit.place, kind, hit.time, Snippet(text, ranges, Column(hit.column)))
