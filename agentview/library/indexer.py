"""Fills in what logs hold as a whole, the newest first; what is known already is not read again."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from agentview.domain.session import SessionInfo
from agentview.domain.usage import Usage
from agentview.errors import AgentViewError
from agentview.library.cache_db import SessionCache
from agentview.library.liveness import activity_time
from agentview.library.log_totals import StoppedError, totals_of_log
from agentview.library.scanner import scan_sessions
from agentview.library.search_roots import Roots, ScanBatch
from agentview.library.session_record import SessionFacts, SessionTotals
from agentview.log_index.eviction import evict
from agentview.usage.pricing import PriceList

_BATCH_SECONDS = 1.0
"""A batch is kept and handed on after this time."""
_UNKEPT = 200
"""Logs that are indexed where nothing can be kept of them, so that it would be done each time."""
_QUIET = 60.0
"""Seconds without a change after which a log that was indexed before is indexed again."""


def index_sessions(
    roots: Roots, stopped: Callable[[], bool], catalogue: SessionCache
) -> Iterator[ScanBatch]:
    """Sessions with the totals that they did not have, in batches of about a second.

    A log that is being written is indexed once, and again when it has been quiet for a minute.
    What has been read stays in the catalogue when this ends early. `checked` of `total` logs are
    indexed.
    """
    logs = catalogue.each(roots, _looked_at)
    known = catalogue.get
    if not logs:
        found = scan_sessions(roots, stopped, catalogue)
        facts = {one.info.ref.path: one for batch in found for one in batch.facts}
        logs, known = [_looked_at(one) for one in facts.values()], facts.get
    wanted = sorted(log for log in logs if log is not None)
    if not catalogue.is_open:
        wanted = wanted[:_UNKEPT]
    total, checked = len(logs), len(logs) - len(wanted)
    yield ScanBatch((), total, checked)
    for batch in _batches((known(path) for _, path in wanted), stopped):
        catalogue.put_totals((facts.info.ref.path, totals) for facts, totals in _with_totals(batch))
        checked += len(batch)
        yield ScanBatch(tuple(batch), total, checked)
    if not stopped():
        evict()
        yield ScanBatch((), total, checked, done=True)


def _with_totals(batch: Sequence[SessionFacts]) -> Iterator[tuple[SessionFacts, SessionTotals]]:
    return ((facts, facts.totals) for facts in batch if facts.totals is not None)


def _looked_at(facts: SessionFacts) -> tuple[float, str] | None:
    """The order and the path of a log that is to be indexed; None for another one."""
    return (-activity_time(facts.info), facts.info.ref.path) if _is_due(facts) else None


def _is_due(facts: SessionFacts) -> bool:
    if facts.totals is None:
        return True
    return not facts.is_current and time.time() - (facts.info.ref.modified or 0.0) > _QUIET


def _batches(
    logs: Iterable[SessionFacts | None], stopped: Callable[[], bool]
) -> Iterator[list[SessionFacts]]:
    """The logs with their totals; one of which nothing is known any more is left out."""
    pricing = PriceList()
    batch: list[SessionFacts] = []
    due = time.monotonic() + _BATCH_SECONDS
    for facts in logs:
        if facts is None:
            continue
        try:
            batch.append(SessionFacts(facts.info, _totals(facts.info, pricing, stopped)))
        except StoppedError:
            break
        if time.monotonic() > due:
            yield batch
            batch = []
            due = time.monotonic() + _BATCH_SECONDS
    if batch:
        yield batch


def _totals(info: SessionInfo, pricing: PriceList, stopped: Callable[[], bool]) -> SessionTotals:
    """Totals of a log; of one that cannot be read that it holds nothing, until it changes."""
    try:
        return totals_of_log(info, pricing, stopped)
    except AgentViewError:
        ref = info.ref
        return SessionTotals(ref.size or 0, ref.modified or 0.0, 0, {}, (), 0, (), (), Usage())
