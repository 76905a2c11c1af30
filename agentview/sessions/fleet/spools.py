"""Folders with copies of the home directories of other machines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import sep

from msgspec.structs import replace

from agentview.domain.period import Period
from agentview.domain.session import SessionInfo
from agentview.sessions.fleet.hosts import Spool
from agentview.sessions.fleet.protocol import UsageRequest
from agentview.sessions.library.counted_sessions import CountedSessions, SessionOutcome
from agentview.sessions.library.scan.scanner import session_roots, sessions_under
from agentview.sessions.library.search_roots import Roots, ScanBatch
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.session_query import all_annotations, catalogue, in_project


def roots_of_spools(spools: Iterable[Spool], provider: str | None) -> Roots:
    """Provider and directory of each place with sessions in the copies."""
    homes = (session_roots({"HOME": spool.folder}, provider) for spool in spools)
    return [root for roots in homes for root in roots]


def host_of_spools(spools: Sequence[Spool]) -> Callable[[SessionInfo], SessionInfo]:
    """Return a function that gives sessions in the copies the name of their machine."""
    folders = [(spool.folder.rstrip(sep) + sep, spool.name) for spool in spools]

    def named(info: SessionInfo) -> SessionInfo:
        ref = info.ref
        host = next((name for folder, name in folders if ref.path.startswith(folder)), ref.host)
        return info if host == ref.host else replace(info, ref=replace(ref, host=host))

    return named


def with_hosts(
    batches: Iterator[ScanBatch], named: Callable[[SessionInfo], SessionInfo]
) -> Iterator[ScanBatch]:
    for batch in batches:
        facts = tuple(replace(each, info=named(each.info)) for each in batch.facts)
        yield replace(batch, facts=facts)


def sessions_of_spools(spools: Sequence[Spool], provider: str | None) -> list[SessionFacts]:
    """Sessions in the copies, with what their person added to them here."""
    named, added = host_of_spools(spools), all_annotations()
    known = sessions_under(roots_of_spools(spools, provider), catalogue())
    found = (replace(facts, info=named(facts.info)) for facts in known)
    return [facts.annotated(added.of(facts.info.ref)) for facts in found]


def usage_of_spools(
    spools: Sequence[Spool], request: UsageRequest
) -> Iterator[tuple[SessionOutcome, SessionInfo]]:
    """Count the sessions in the copies, one machine after the other."""
    period = Period(request.after, request.before)
    for spool in spools:
        every = [facts.info for facts in sessions_of_spools([spool], request.provider)]
        project = request.project
        infos = [info for info in every if project is None or in_project(info, project)]
        infos.sort(key=lambda info: (info.ref.modified or 0.0, info.ref.path))
        by_path = {info.ref.path: info for info in infos}
        refs = [info.ref for info in infos]
        counted = CountedSessions(refs, catalogue(), agents=request.agents, period=period)
        for outcome in counted.each():
            yield outcome, by_path[outcome.ref.path]
