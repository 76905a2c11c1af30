"""Looks for a query in all sessions: what the index knows, and directly what it does not hold."""

import os
import sqlite3
import time
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.index_entry import KINDS
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
from agentview.facts.search.document_builder import is_whole, rebuild
from agentview.facts.search.fts_index import Found, Log, SearchIndex, is_damage
from agentview.facts.search.index_query import IndexQuery, match_expression
from agentview.facts.search.indexer import continues, is_unchanged
from agentview.facts.search.kept_words import KeptWords
from agentview.facts.search.results import (
    Account,
    Group,
    Hit,
    Options,
    Order,
    SearchUpdate,
    beginning,
)
from agentview.facts.search.session_hits import SessionSearch
from agentview.facts.search.unindexed import UnindexedSearch
from agentview.providers import load_provider
from agentview.providers.contained import reading
from agentview.sources.member import log_stat
from agentview.sources.open_file import open_file

_AT_ONCE = 50_000
"""Hits that the index is asked for at once; where there are more it is asked log by log."""

_RANKED = 5000
"""Hits among which the best come first."""

_COUNTED = 300
"""Hits of a log beyond those that are reported, up to which they are counted."""

_REPORT_SECONDS = 0.25


class Search:
    """One search through logs that are given newest first; ends soon after `stopped` says so."""

    def __init__(
        self,
        query: IndexQuery,
        refs: Sequence[SessionRef],
        index: SearchIndex | None,
        options: Options | None = None,
        stopped: Callable[[], bool] = lambda: False,
        kept: KeptWords | None = None,
    ) -> None:
        """`kept` is what searches learned of logs that the index does not hold."""
        self._query = query
        self._refs = refs
        self._options = options or Options()
        self._stopped = stopped
        self._account = Account(len(refs))
        self._sessions = SessionSearch(query, self._options)
        self._look = UnindexedSearch(query, self._account, self._options, kept)
        self._expression = match_expression(query)
        self._index = None if self._options.full or query.reads_logs else index
        self._logs: dict[str, Log] = {}
        self._spans: dict[int, list[tuple[int, int]]] = {}
        self._docs: Sequence[int] | None = None
        """Numbers of all documents that may be hits, unless these are too many."""
        self._ranked: dict[int, list[Found]] | None = None
        self._rank: dict[int, int] = {}
        seconds = self._options.seconds
        self._deadline = float("inf") if seconds is None else time.monotonic() + seconds
        self._reported_at = time.monotonic()
        self.damaged = False
        """Whether the index turned out not to be one."""

    def run(self, *, in_order: bool = False) -> Iterator[SearchUpdate]:
        """Yield matches of the index first, then those of logs that it does not hold.

        `in_order`: session by session instead, each from the index or read directly.
        """
        if self._query.only_sessions:
            yield from self._in_sessions()
        else:
            self._ask_index()
            refs = self._ordered()
            yield from self._each(refs) if in_order else self._in_two_steps(refs)
        if not self._stopped():
            self._account.done, self._account.reading = True, None
            yield copy(self._account)

    def _in_sessions(self) -> Iterator[Group]:
        for ref in self._refs:
            self._account.logs += 1
            group = self._completed(ref, None)
            if group is not None:
                yield group

    def _completed(self, ref: SessionRef, group: Group | None) -> Group | None:
        """Hits of a log, with notes; where there is neither, the title is the hit.

        The title stands above hits anyway, and mostly is the beginning of one.
        """
        notes = self._sessions.notes(ref)
        if group is None and not notes:
            title = self._sessions.title(ref)
            return Group(ref, (title,)) if title is not None else None
        if group is None:
            group = Group(ref, ())
        hits = _last_first((*notes, *group.hits)) if notes else group.hits
        shown = hits[: self._most(ref)]
        return replace(group, hits=shown, more=group.more + len(hits) - len(shown))

    def _in_two_steps(self, refs: Sequence[SessionRef]) -> Iterator[SearchUpdate]:
        indexed: dict[str, Group | None] = {}
        last, count = len(refs), 0
        for number, ref in enumerate(refs):
            if self._stopped():
                return
            indexed[ref.path] = self._from_index(ref)
            group = self._completed(ref, indexed[ref.path])
            if group is not None:
                yield group
                count += 1
                if count == self._options.groups:
                    self._account.more = True
                    last = number + 1
                    break
        yield from self._each(refs[:last], indexed)

    def _each(
        self, refs: Sequence[SessionRef], indexed: dict[str, Group | None] | None = None
    ) -> Iterator[SearchUpdate]:
        """Yield updates session by session; where `indexed` was shown only new matches."""
        count = 0
        for ref in refs:
            if self._stopped():
                return
            known = self._from_index(ref) if indexed is None else indexed[ref.path]
            group = self._completed(ref, known) if indexed is None else None
            for update in self._directly(ref, known):
                group = update if isinstance(update, Group) else group
                if indexed is not None or isinstance(update, Account):
                    yield update
            if indexed is None and group is not None:
                yield group
            count += group is not None
            if count == self._options.groups:
                self._account.more = True
                return

    # The index

    def _ask_index(self) -> None:
        index = self._index
        if index is None:
            return
        try:
            self._logs = index.logs()
            self._spans = index.spans()
            if self._expression is None:
                return
            if self._options.order is Order.RANK:
                self._take_ranked(index.ranked(self._expression, _RANKED))
                return
            docs = index.matching(self._expression, _AT_ONCE)
            self._docs = docs if len(docs) < _AT_ONCE else None
        except sqlite3.Error as error:
            self._drop_index(error)

    def _take_ranked(self, found: Iterable[Found]) -> None:
        self._ranked = {}
        for each in found:
            self._ranked.setdefault(each.log, []).append(each)
        self._rank = {log: number for number, log in enumerate(self._ranked)}

    def _drop_index(self, error: sqlite3.Error) -> None:
        self.damaged = self.damaged or is_damage(error)
        self._index, self._logs = None, {}

    def _ordered(self) -> Sequence[SessionRef]:
        if not self._rank:
            return self._refs
        ids = {path: log.id for path, log in self._logs.items()}
        last = len(self._rank)
        return sorted(self._refs, key=lambda ref: self._rank.get(ids.get(ref.path, 0), last))

    def _from_index(self, ref: SessionRef) -> Group | None:
        """The hits of a session that the index knows, each looked at in the log."""
        log, index = self._logs.get(ref.path), self._index
        if log is None or index is None:
            return None
        try:
            with reading(ref, sqlite3.Error):
                found, count = self._of_log(index, log)
                return self._group(ref, log, found, count) if count != 0 else None
        except sqlite3.Error as error:
            self._drop_index(error)
        except AgentViewError:
            pass
        return None

    def _of_log(self, index: SearchIndex, log: Log) -> tuple[Iterator[Found], int | None]:
        """Return the candidates in a log and their number; None when that is not known yet."""
        kinds = self._query.kinds
        every = kinds is None and self._query.period.is_all
        if self._ranked is not None:
            ranked = self._ranked.get(log.id, [])
            return iter(ranked), len(ranked) if every or not ranked else None
        if self._docs is None:
            asked = KINDS if kinds is None else kinds
            return index.find_in(self._expression, log.id, asked), None
        docs: list[int] = []
        for first, last in self._spans.get(log.id, ()):
            start, end = bisect_left(self._docs, first), bisect_right(self._docs, last)
            docs += reversed(self._docs[start:end])
        return index.found(docs), len(docs) if every or not docs else None

    def _group(
        self, ref: SessionRef, log: Log, found: Iterator[Found], count: int | None
    ) -> Group | None:
        per_log = self._most(ref)
        hits: list[Hit] = []
        more, least = 0, False
        fd, _ = open_file(Path(ref.path))
        try:
            for number, each in enumerate(found):
                if each.offset >= log.done or not self._query.has(each.kind, each.time):
                    continue
                if per_log is None or len(hits) < per_log:
                    hit = self._seen(ref, fd, each)
                    hits += [hit] if hit is not None else []
                elif not self._query.exact:
                    # Not all that the index finds are hits, and to count these takes long.
                    least = self._seen(ref, fd, each) is not None
                    if least:
                        more = 1
                        break
                elif count is not None:
                    more = count - number
                    break
                else:
                    more += 1
                if more == _COUNTED or self._stopped():
                    break
        finally:
            os.close(fd)
        ordered = _last_first(hits) if self._options.order is Order.TIME else tuple(hits)
        return Group(ref, ordered, more, least or more == _COUNTED) if hits else None

    def _seen(self, ref: SessionRef, fd: int, found: Found) -> Hit | None:
        """Return the hit as the log itself has it; None if it is not one any more."""
        document = rebuild(load_provider(ref.provider), ref, fd, found)
        hit = self._look.look_at(document) if document is not None else None
        unseen = self._query.exact and not is_whole(found)
        if hit is None and document is not None and unseen:
            line = beginning(document, masking=self._options.masking)
            return Hit(document.place, found.kind, found.time, line)
        return hit

    def _most(self, ref: SessionRef) -> int | None:
        return None if ref.path in self._options.whole else self._options.per_log

    # The logs themselves

    def _directly(self, ref: SessionRef, known: Group | None) -> Iterator[SearchUpdate]:
        """Return the hits of a session that are not in the index, joined with the `known` ones."""
        account = self._account
        account.logs += 1
        try:
            with reading(ref, sqlite3.Error):
                opened = self._opened(ref)
            if opened is None:
                return
            fd, start, end = opened
        except AgentViewError:
            account.unreadable += 1
            return
        try:
            if time.monotonic() > self._deadline:
                account.late += 1
            elif end > start:
                account.directly += 1
                account.reading = ref.path
                known = known if start else None
                with reading(ref, sqlite3.Error):
                    yield from self._read(ref, fd, (start, end), known)
        except AgentViewError:
            account.unreadable += 1
        finally:
            os.close(fd)

    def _opened(self, ref: SessionRef) -> tuple[int, int, int] | None:
        """The open log, and the bytes of it that the index does not hold; None when it has all."""
        status = log_stat(ref.path)
        log = self._logs.get(ref.path)
        if log is not None and is_unchanged(log, status) and log.done == log.reached:
            self._account.too_long += log.unread
            return None
        fd, content = open_file(Path(ref.path))
        holds = log is not None and continues(log, fd, content.st_size)
        return fd, log.done if log is not None and holds else 0, content.st_size

    def _read(
        self, ref: SessionRef, fd: int, span: tuple[int, int], known: Group | None
    ) -> Iterator[SearchUpdate]:
        fresh: deque[Hit] = deque(maxlen=self._most(ref))
        count = reported = 0
        for item in self._look.hits(ref, fd, *span):
            if isinstance(item, Hit):
                fresh.append(item)
                count += 1
            elif self._is_time():
                if self._stopped():
                    return
                if time.monotonic() > self._deadline:
                    self._account.late += 1
                    break
                yield copy(self._account)
                if count > reported:
                    reported = count
                    yield self._joined(ref, fresh, count, known, whole=False)
        if count:
            yield self._joined(ref, fresh, count, known, whole=True)

    def _joined(
        self, ref: SessionRef, fresh: deque[Hit], count: int, known: Group | None, *, whole: bool
    ) -> Group:
        """New hits before those of the index, and no more of both than are reported."""
        before, more = (known.hits, known.more) if known is not None else ((), 0)
        # A newer result belongs to its call, which may be a hit of its own.
        new = {hit.place for hit in fresh}
        before = tuple(hit for hit in before if hit.place not in new)
        hits = _last_first((*fresh, *before))
        shown = tuple(hits[: self._most(ref)])
        more += count + len(before) - len(shown)
        group = Group(ref, shown, more, known is not None and known.least, whole)
        return self._completed(ref, group) or group

    def _is_time(self) -> bool:
        now = time.monotonic()
        if (
            now - self._reported_at < _REPORT_SECONDS
            and now <= self._deadline
            and not self._stopped()
        ):
            return False
        self._reported_at = now
        return True


def _last_first(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    return tuple(sorted(hits, key=lambda hit: hit.order, reverse=True))
