"""Questions of the search screen to its workers, and their answers."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from agentview.domain.annotations import Note
from agentview.domain.session import SSH, SessionRef
from agentview.facts.search.index_worker import (
    BUILDER,
    SEARCHER,
    Answer,
    Ask,
    Build,
    Message,
    in_chunks,
    numbers,
    titles_in_chunks,
)
from agentview.facts.search.indexer import Progress
from agentview.facts.search.results import Account, Group, Options
from agentview.sessions.targets.session_search import SearchRequest
from agentview.system.workers.process import BACKGROUND, Worker
from agentview.ui.screens.search.elsewhere import Elsewhere, FindElsewhere

PER_SESSION = 5
"""Hits of a session that are shown at first."""

_GROUPS = 60
"""Sessions that are shown at first."""

_PATTERN_SECONDS = 30.0


NO_ORDER: Mapping[str, int] = {}


class Results:
    """Groups of hits in the order of their sessions, and what was looked at."""

    def __init__(self, order: Mapping[str, int] = NO_ORDER, logs: int = 0) -> None:
        """`order` gives the place of each session by the path of its log."""
        self._order = order
        self._places: list[int] = []
        self.groups: list[Group] = []
        self.account = Account(logs)

    @property
    def hits(self) -> int:
        """How many there are, shown or not, as far as they were counted."""
        return sum(len(group.hits) + group.more for group in self.groups)

    def put(self, group: Group) -> None:
        """Take the hits of a session instead of those that were shown before."""
        place = self._order.get(group.ref.path, len(self._order))
        at = bisect_left(self._places, place)
        if at < len(self._places) and self._places[at] == place:
            self.groups[at] = group
        else:
            self._places.insert(at, place)
            self.groups.insert(at, group)


class SearchFeed:
    """Keeps one child that searches and, while there is something to index, one that does that.

    `answered` is called after each answer, `built` with how far the index is.
    """

    def __init__(
        self,
        answered: Callable[[], None],
        built: Callable[[Progress | None], None],
        find: FindElsewhere | None = None,
    ) -> None:
        """`find` asks other machines."""
        self._answered = answered
        self._built = built
        self._elsewhere = Elsewhere(find, self._heard)
        self._own = Account(0)
        """How the search went on this machine."""
        self._whole: frozenset[str] = frozenset()
        self._numbers: dict[str, int] = {}
        self._refs: list[SessionRef] = []
        self._searcher: Worker | None = None
        self._builder: Worker | None = None
        self._known = 0
        self._titles: dict[int, Sequence[str]] = {}
        self._unsent: dict[int, Sequence[str]] = {}
        """Titles that the child that searches does not know yet."""
        self._count = 0
        self._next = Results()
        self.awaited = False
        """Whether the newest query has no answer yet."""
        self.results = Results()
        """Results of the newest query; of the one before until its first answer comes."""

    @property
    def searching(self) -> bool:
        return self.awaited or not self.results.account.done

    def number(self, refs: Iterable[SessionRef]) -> list[int]:
        """Numbers by which the workers know logs; the one that searches gets ready for these."""
        found: list[int] = []
        for ref in refs:
            number = self._numbers.get(ref.path)
            if number is None:
                number = self._numbers[ref.path] = len(self._refs)
                self._refs.append(ref)
            found.append(number)
        if self._searcher is not None:
            self._send_new(self._searcher)
        return found

    def _send_new(self, searcher: Worker) -> None:
        """Send the logs that it does not know yet."""
        for message in in_chunks(self._refs[self._known :]):
            searcher.send(message)
        self._known = len(self._refs)
        for message in titles_in_chunks(self._unsent):
            searcher.send(message)
        self._unsent = {}

    def entitle(self, titles: Mapping[str, Sequence[str]]) -> bool:
        """Take titles of numbered logs, by path. Return True if any differs from before."""
        numbered = ((self._numbers[path], found) for path, found in titles.items())
        changed = {log: found for log, found in numbered if self._titles.get(log) != found}
        self._titles |= changed
        self._unsent |= changed
        return bool(changed)

    def begin(self) -> Worker:
        """The child that searches; started early, the first query does not wait for it."""
        if self._searcher is None:
            self._searcher = Worker(SEARCHER, self._on_message, self._lost)
            self._known, self._unsent = 0, dict(self._titles)
        return self._searcher

    def ask(
        self, line: str, logs: Sequence[int], options: Options, order: Mapping[str, int]
    ) -> None:
        """Search instead of what was asked before; the newest log comes first.

        `order` gives the place of each session, those of other machines included.
        """
        searcher = self.begin()
        self._send_new(searcher)
        self._count += 1
        self._next, self._own = Results(order, len(logs)), Account(len(logs))
        self.awaited = True
        searcher.send(Ask(self._count, line, numbers(logs), options))
        self._whole = options.whole
        self._elsewhere.ask(_request(line, options))
        for group in self._elsewhere.groups.values():
            self._put_elsewhere(group)

    @property
    def failures(self) -> Sequence[str]:
        """Why other machines have not answered, a sentence each."""
        return self._elsewhere.failures

    def clear(self) -> None:
        """Forget what was found; nothing is asked for now."""
        self._count += 1
        self.awaited = False
        self.results = Results()
        self.results.account.done = True
        self._elsewhere.stop()

    def build(self, logs: Sequence[int]) -> None:
        """Bring the index up to date in the background, unless that is under way."""
        if self._builder is not None or not logs:
            return
        self._builder = Worker(BUILDER, self._on_message, self._end_of_build, nice=BACKGROUND)
        for message in in_chunks(self._refs):
            self._builder.send(message)
        self._builder.send(Build(numbers(logs)))

    def close(self) -> None:
        """End both workers."""
        for child in (self._searcher, self._builder):
            if child is not None:
                child.close()
        self._searcher = self._builder = None
        self._elsewhere.stop()

    def _on_message(self, message: Message) -> None:
        if isinstance(message, Progress):
            self._built(message)
        if not isinstance(message, Answer) or message.number != self._count:
            return
        if isinstance(message.result, Group):
            self._next.put(message.result)
        else:
            self._own = message.result
        self._show()

    def _show(self) -> None:
        """Show the results of the newest query from its first answer on."""
        self.awaited, self.results = False, self._next
        self.results.account = self._elsewhere.joined(self._own)
        self._answered()

    def _heard(self, group: Group | None) -> None:
        """Another machine has answered."""
        if group is not None:
            self._put_elsewhere(group)
        self._show()

    def _put_elsewhere(self, group: Group) -> None:
        self._next.put(_shown_part(group, self._whole))

    def _end_of_build(self) -> None:
        self._builder = None
        self._built(None)

    def _lost(self) -> None:
        """The child that searches is gone: the next query starts another."""
        self._searcher, self.awaited = None, False
        self.results.account.done = True
        self._answered()


def _request(line: str, options: Options) -> SearchRequest:
    """The same as other machines are asked it; all hits of sessions where those of one are."""
    whole = any(path.startswith(SSH) for path in options.whole)
    return SearchRequest(
        line,
        limit=0 if whole else PER_SESSION * (options.groups or 0),
        per_session=0 if whole else PER_SESSION,
        mask=options.masking,
    )


def _shown_part(group: Group, whole: frozenset[str]) -> Group:
    """The hits that are shown of a session; the others are counted."""
    more = len(group.hits) - PER_SESSION
    if more <= 0 or group.ref.path in whole:
        return group
    return replace(group, hits=group.hits[:PER_SESSION], more=group.more + more)


def options_for(
    whole: frozenset[str],
    groups: int,
    notes: Mapping[str, Sequence[Note]],
    *,
    pattern: bool,
    masking: bool,
) -> Options:
    """How to search: `groups` times as many sessions as at first, of `whole` ones all hits."""
    return Options(
        per_log=PER_SESSION,
        whole=whole,
        groups=_GROUPS * groups,
        masking=masking,
        seconds=_PATTERN_SECONDS if pattern else None,
        notes=notes,
    )
