"""Properties that the matches of a search share: client, project, kind, time, with counts."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from agentview.domain.session import SessionInfo, SessionRef
from agentview.facts.search.results import Group, OfSession
from agentview.query.parser import Field, parse_query, quoted
from agentview.query.values import moment
from agentview.query.vocabulary import Surface
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.session_list import distinct_names
from agentview.timeline.view.sanitize import one_line
from agentview.ui.widgets.facet_bar import Facet, FacetGroup
from agentview.ui.widgets.lists.search_results import kind_name

_MOST = 12
"""Facets of a group."""
_TIMES = (("today", "today"), ("7 days", "7d"), ("30 days", "30d"))
_PROVIDER, _PROJECT, _KIND, _AFTER = "provider", "project", "kind", "after"

InfoOf = Callable[[SessionRef], SessionInfo | None]
"""Facts of the session of a log."""


def facets_of(
    groups: Sequence[Group], line: str, info: InfoOf, label: Callable[[str], str], now: float
) -> tuple[FacetGroup, ...]:
    """The facets of what was found for a line.

    Of sessions with more matches than are listed, the kinds of the others are not known.
    """
    chosen = {
        (term.name, term.value.lower())
        for term in parse_query(line, Surface.EVERYWHERE).fields
        if not term.negative
    }
    found = [(info(group.ref), group) for group in groups]
    return (
        FacetGroup("client", _clients(groups, chosen, label)),
        FacetGroup("project", _projects(found, chosen)),
        FacetGroup("kind", _kinds(groups, chosen)),
        FacetGroup("time", _times(found, chosen, now)),
    )


def pressed(line: str, facet: Facet) -> str:
    """The line with the term of a facet, instead of others of the same field, or without it."""
    name = facet.term.partition(":")[0]
    query = parse_query(line, Surface.EVERYWHERE)
    rest = query.where(
        lambda term: not (isinstance(term, Field) and term.name == name and not term.negative)
    ).line
    return rest if facet.chosen else f"{rest} {facet.term}".strip()


_Chosen = set[tuple[str, str]]
_Found = Sequence[tuple[SessionInfo | None, Group]]


def _size(group: Group) -> int:
    return len(group.hits) + group.more


def _facets(
    name: str,
    counts: Mapping[str, int],
    chosen: _Chosen,
    labels: Mapping[str, str],
    least: Iterable[str] = (),
) -> tuple[Facet, ...]:
    """Facets by the values of a field, and those that are chosen though nothing has them."""
    most = sorted(counts, key=lambda value: (-counts[value], value))[:_MOST]
    more = [value for field, value in sorted(chosen) if field == name and value not in counts]
    lower = set(least)
    return tuple(
        Facet(
            labels.get(value, value),
            counts.get(value, 0),
            f"{name}:{_typed(value)}",
            value in lower,
            (name, value) in chosen,
        )
        for value in (*more, *most)
    )


def _typed(value: str) -> str:
    return quoted(value) if set(value) & set(' "\\') else value


def _clients(
    groups: Sequence[Group], chosen: _Chosen, label: Callable[[str], str]
) -> tuple[Facet, ...]:
    counts: Counter[str] = Counter()
    for group in groups:
        counts[group.ref.provider] += _size(group)
    least = {group.ref.provider for group in groups if group.least}
    return _facets(_PROVIDER, counts, chosen, {name: label(name) for name in counts}, least)


def _projects(found: _Found, chosen: _Chosen) -> tuple[Facet, ...]:
    paths: Counter[str] = Counter()
    lower: set[str] = set()
    for info, group in found:
        if info is not None and info.project:
            paths[info.project] += _size(group)
            lower |= {info.project} if group.least else set()
    names = distinct_names(paths)
    values = {path: _project_value(path, names[path], paths) for path in paths}
    counts = {values[path]: count for path, count in paths.items()}
    labels = {values[path]: one_line(name) for path, name in names.items()}
    return _facets(_PROJECT, counts, chosen, labels, [values[path] for path in lower])


def _project_value(path: str, name: str, paths: Iterable[str]) -> str:
    """The name of a project where no other one has it in its path, else the path."""
    short = name.lower()
    return short if sum(short in other.lower() for other in paths) == 1 else path.lower()


def _kinds(groups: Sequence[Group], chosen: _Chosen) -> tuple[Facet, ...]:
    kinds = Counter(
        hit.kind for group in groups for hit in group.hits if not isinstance(hit.kind, OfSession)
    )
    counts = {kind.value: count for kind, count in kinds.items()}
    labels = {kind.value: kind_name(kind) for kind in kinds}
    cut = any(group.more for group in groups)
    return _facets(_KIND, counts, chosen, labels, counts if cut else ())


def _times(found: _Found, chosen: _Chosen, now: float) -> tuple[Facet, ...]:
    """How many matches are in sessions that were active lately; each has those before it."""
    dated = [(activity_time(info), group) for info, group in found if info is not None]
    facets: list[Facet] = []
    for name, value in _TIMES:
        start = moment(value, now) or now
        within = [group for at, group in dated if at >= start]
        count = sum(map(_size, within))
        is_chosen = (_AFTER, value) in chosen
        if count or is_chosen:
            least = any(group.least for group in within)
            facets.append(Facet(name, count, f"{_AFTER}:{value}", least, is_chosen))
    return tuple(facets)
