"""Fills in what logs hold as a whole, the newest first; what is known already is not read again.

The scan that counts what is in a log puts its words into the full-text index too.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, nullcontext, suppress
from typing import Self

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.usage import Usage
from agentview.errors import AgentViewError
from agentview.facts.kept.eviction import evict, forget_gone
from agentview.facts.search.fts_index import index_path
from agentview.facts.search.indexer import IndexWriter, LogDocuments, WriteFailed, writing_alone
from agentview.facts.usage.kept_usage import ALL, KeptUsage
from agentview.facts.usage.pricing import PriceList
from agentview.providers.contained import reading
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.log_totals import LogCounts, StoppedError
from agentview.sessions.library.scan.scanner import scan_sessions
from agentview.sessions.library.search_roots import Roots, ScanBatch
from agentview.sessions.library.session_record import SessionFacts, SessionTotals

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
    # First: where one of the tables is damaged, the database is made again before it is filled.
    for table in ("usage", "shown", "work"):
        forget_gone(catalogue.database, table)
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
    kept = KeptUsage(catalogue.database)
    with _FullText(stopped) as words:
        for batch in _batches((known(path) for _, path in wanted), stopped, words, kept):
            kept.write()
            catalogue.put_totals((each.info.ref.path, totals) for each, totals in _counted(batch))
            checked += len(batch)
            yield ScanBatch(tuple(batch), total, checked)
    if not stopped():
        evict()
        yield ScanBatch((), total, checked, done=True)


def _counted(batch: Sequence[SessionFacts]) -> Iterator[tuple[SessionFacts, SessionTotals]]:
    return ((facts, facts.totals) for facts in batch if facts.totals is not None)


def _looked_at(facts: SessionFacts) -> tuple[float, str] | None:
    """The order and the path of a log that is to be indexed; None for another one."""
    due = facts.info.ref.fault is None and _is_due(facts)
    return (-activity_time(facts.info), facts.info.ref.path) if due else None


class _FullText:
    """The full-text index, as long as it can be written and no other process does.

    It is opened when something is to be put into it.
    """

    def __init__(self, stopped: Callable[[], bool]) -> None:
        self._stopped = stopped
        self._held = ExitStack()
        self._opened: IndexWriter | None = None
        self._is_wanted = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.give_up(None)

    def give_up(self, error: WriteFailed | None) -> None:
        """Write no more; after an error, what was not kept yet is dropped."""
        self._opened, self._is_wanted = None, False
        with suppress(WriteFailed):
            self._held.__exit__(type(error) if error else None, error, None)

    def documents(self, ref: SessionRef) -> LogDocuments | None:
        """Return the consumer of a log's records; None where it is not wanted."""
        writer = self._writer()
        return None if writer is None else writer.documents(ref)

    def _writer(self) -> IndexWriter | None:
        if self._opened is None and self._is_wanted:
            alone = writing_alone(index_path(), self._stopped)
            self._opened = self._held.enter_context(alone)
            self._is_wanted = self._opened is not None
        return self._opened


def _is_due(facts: SessionFacts) -> bool:
    if facts.totals is None:
        return True
    return not facts.is_current and time.time() - (facts.info.ref.modified or 0.0) > _QUIET


def _batches(
    logs: Iterable[SessionFacts | None],
    stopped: Callable[[], bool],
    words: _FullText,
    kept: KeptUsage,
) -> Iterator[list[SessionFacts]]:
    """The logs with their totals; one of which nothing is known any more is left out."""
    pricing = PriceList()
    batch: list[SessionFacts] = []
    due = time.monotonic() + _BATCH_SECONDS
    for facts in logs:
        if facts is None:
            continue
        stamp = kept.stamp(facts.info.ref)
        counts = LogCounts(facts.info.ref, pricing)
        try:
            batch.append(SessionFacts(facts.info, _totals(facts.info, counts, stopped, words)))
        except StoppedError:
            break
        if counts.is_whole:
            kept.put(counts.ref, stamp, ALL, counts.usage(), counts.keys)
        if time.monotonic() > due:
            yield batch
            batch = []
            due = time.monotonic() + _BATCH_SECONDS
    if batch:
        yield batch


def _totals(
    info: SessionInfo, counts: LogCounts, stopped: Callable[[], bool], words: _FullText
) -> SessionTotals:
    try:
        documents = words.documents(info.ref)
        with documents or nullcontext(), reading(info.ref, StoppedError, WriteFailed):
            counts.read(stopped, documents)
            return counts.totals(info)
    except WriteFailed as error:
        words.give_up(error)
        return _totals(info, counts, stopped, words)
    except AgentViewError:
        ref = info.ref
        return SessionTotals(ref.size or 0, ref.modified or 0.0, 0, {}, (), 0, (), (), Usage())
