"""Asks other machines what the search screen looks for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from threading import Event, Thread

from msgspec.structs import replace

from agentview.errors import AgentViewError
from agentview.facts.search.results import Account, Group
from agentview.sessions.targets.session_search import Found, Outcome, SearchRequest
from agentview.ui.on_loop import on_loop

Answer = Found | Outcome | AgentViewError
"""Hits in a session, how the search of a machine went, or why a machine cannot be asked."""

FindElsewhere = Callable[[SearchRequest, Callable[[], bool]], Iterator[Answer]]
"""Gives the answers of all other machines, until the function that it is given says to stop."""


def finder(
    names: Sequence[str], known: Mapping[str, str], provider: str | None
) -> FindElsewhere | None:
    """Asks the machines of these names, as `chosen_machines` takes them; None without any."""
    if not names:
        return None

    def find(request: SearchRequest, stopped: Callable[[], bool]) -> Iterator[Answer]:
        # Imported in the thread that asks: it takes longer than a frame may.
        from agentview.sessions.fleet.connection import all_answers
        from agentview.sessions.fleet.hosts import chosen_machines
        from agentview.sessions.fleet.matches import asked_of, matches_of

        every = chosen_machines(names, known).hosts
        there, hosts = asked_of(replace(request, provider=provider), every)
        answers = (answer for _, answer in all_answers(hosts, there, matches_of, stopped))
        yield from (answer for answer in answers if answer is not None)

    return find


_PAUSE = 0.3
"""Seconds after the last change of a query before machines are asked: each is a connection."""


class Elsewhere:
    """Hits on other machines for the newest request; nothing is asked without `find`.

    `answered` is called after each answer, with hits if it has some.
    """

    def __init__(
        self, find: FindElsewhere | None, answered: Callable[[Group | None], None]
    ) -> None:
        self._find = find
        self._answered = answered
        self._request: SearchRequest | None = None
        self._stopped = Event()
        self.searching = False
        self.groups: dict[str, Group] = {}
        """Hits by the paths of the logs."""
        self._hits = 0
        self.outcome = Outcome()
        self.failures: list[str] = []
        """Why machines have not answered, a sentence each."""

    def ask(self, request: SearchRequest) -> None:
        """Ask for this instead of what was asked before; what was asked already is known."""
        if self._find is None or request == self._request:
            return
        self.stop()
        self._request, self._stopped = request, Event()
        self.searching = True
        take = on_loop(self._take)
        asked = (self._find(request, self._stopped.is_set), self._stopped, take)
        Thread(target=_run, args=asked, daemon=True).start()

    def stop(self) -> None:
        """Forget what was found, and ask nobody any more."""
        self._stopped.set()
        self._request, self.searching = None, False
        self.groups, self.outcome, self.failures, self._hits = {}, Outcome(), [], 0

    def _take(self, stopped: Event, answer: Answer | None) -> None:
        if stopped.is_set():
            return
        match answer:
            case None:
                self.searching = False
            case Outcome():
                self.outcome.add(answer)
            case AgentViewError():
                self.failures.append(answer.message.rstrip("."))
            case (group, _):
                self.groups[group.ref.path] = group
                self._hits += len(group.hits)
                self._answered(group)
                return
        self._answered(None)

    def joined(self, own: Account) -> Account:
        """How the search went on this machine and the others."""
        every = Outcome(account=copy(own))
        every.add(self.outcome)
        account = every.account
        most = 0 if self._request is None else self._request.limit
        account.more |= 0 < most <= self._hits
        account.done &= not self.searching
        return account


def _run(
    answers: Iterator[Answer], stopped: Event, take: Callable[[Event, Answer | None], None]
) -> None:
    """Give each answer, then None; for a thread."""
    if stopped.wait(_PAUSE):
        return
    for answer in answers:
        take(stopped, answer)
    take(stopped, None)
