"""Follows the sessions of other machines, and connects again to those that were lost."""

import threading
from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from agentview.sessions.fleet.connection import HostFailure, answers_of, failure
from agentview.sessions.fleet.hosts import Host
from agentview.sessions.fleet.protocol import FollowRequest, ProtocolError, Scanned
from agentview.sessions.fleet.sessions import sessions_of
from agentview.sessions.library.search_roots import ScanBatch
from agentview.sessions.library.session_record import SessionFacts

_FIRST, _LAST = 1.0, 30.0
"""Seconds before a machine is tried again: at first, and at most."""
_MOST = 200_000
"""Sessions of a machine, at most."""

Take = Callable[[ScanBatch], None]
"""Takes sessions that are new or have changed, and paths of those that are gone."""
Say = Callable[[str, str | None], None]
"""Takes the name of a machine, and why it has not answered; None where it has."""


class FollowedHosts:
    """A thread for each machine, until it is closed; `take` and `say` are called in these."""

    def __init__(self, hosts: Sequence[Host], provider: str | None, take: Take, say: Say) -> None:
        self._hosts = hosts
        self._request = FollowRequest(provider)
        self._take = take
        self._say = say
        self._closed = threading.Event()

    def start(self) -> None:
        for host in self._hosts:
            threading.Thread(target=self._follow, args=(host,), daemon=True).start()

    def close(self) -> None:
        """Follow no longer; returns at once."""
        self._closed.set()

    def _follow(self, host: Host) -> None:
        known: dict[str, SessionFacts] = {}
        pause = _FIRST / 2
        self._say(host.name, f"{host.name}: connecting")
        while not self._closed.is_set():
            scanned = False
            try:
                for done in self._answers(host, known):
                    scanned = done
                error = failure(host, "the connection ended")
            except HostFailure as raised:
                error = raised
            if self._closed.is_set():
                return
            self._say(host.name, error.message)
            self._lost(known)
            pause = _FIRST if scanned else min(_LAST, 2 * pause)
            self._closed.wait(pause)

    def _answers(self, host: Host, known: dict[str, SessionFacts]) -> Iterable[bool]:
        """Take what comes of a connection; gives whether all sessions have come, again and again.

        Raises HostFailure.
        """
        unseen, scanned = set(known), False
        for answer in answers_of(host, self._request, self._closed.is_set):
            if isinstance(answer, Scanned):
                scanned = True
                self._forget(known, unseen)
                self._say(host.name, None)
            else:
                try:
                    batch = sessions_of(answer, host)
                except ProtocolError as error:
                    raise failure(host, error.message) from error
                known.update((facts.info.ref.path, facts) for facts in batch.facts)
                unseen.difference_update(facts.info.ref.path for facts in batch.facts)
                if len(known) > _MOST:
                    raise failure(host, f"it has more than {_MOST:,} sessions")
                self._take(ScanBatch(batch.facts, len(known)))
                self._forget(known, batch.gone)
            yield scanned

    def _forget(self, known: dict[str, SessionFacts], paths: Iterable[str]) -> None:
        gone = tuple(path for path in paths if known.pop(path, None) is not None)
        if gone:
            self._take(ScanBatch((), len(known), gone=gone))

    def _lost(self, known: dict[str, SessionFacts]) -> None:
        """Drop what the machine reported of clients: until it answers, only logs show states."""
        for path, facts in known.items():
            known[path] = replace(facts, info=replace(facts.info, elsewhere=None))
        self._take(ScanBatch(tuple(known.values()), len(known)))
