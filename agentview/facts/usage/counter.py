"""Counts what sessions used, in a worker: a gigabyte counted here would hold up every key."""

from collections.abc import Callable, Collection, Iterable
from typing import Generic, TypeVar

from agentview.domain.session import SessionRef
from agentview.facts.usage.report import Counted
from agentview.system.workers.process import Worker

_HANDLER = "agentview.facts.usage.count_worker:serve"
_COUNT = "count"
_SEVERAL = "agentview.facts.usage.count_worker:serve_several"

Answer = TypeVar("Answer")


class UsageCounter:
    """One worker that counts a session; `on_counted` takes each answer.

    `on_end` is called when it ends by itself. Begin on a running event loop.
    """

    def __init__(
        self, ref: SessionRef, on_counted: Callable[[Counted], None], on_end: Callable[[], None]
    ) -> None:
        self._on_counted = on_counted
        self._worker = Worker(_HANDLER, self._take, on_end)
        self._worker.send(ref)
        self._busy = self._again = False

    @property
    def pid(self) -> int | None:
        return self._worker.pid

    def ask(self) -> None:
        """Have it count on; while it counts, once more at the end, however often it is called."""
        if self._busy:
            self._again = True
        else:
            self._busy = True
            self._worker.send(_COUNT)

    def close(self) -> None:
        """End the worker; neither callback is called from now on."""
        self._worker.close()

    def _take(self, counted: Counted) -> None:
        if counted.fraction >= 1.0:
            self._busy = False
            if self._again:
                self._again = False
                self.ask()
        self._on_counted(counted)


class LiveCounter(Generic[Answer]):
    """One worker that counts the sessions that it is asked for; `on_counted` takes each answer.

    `handler` names the function of the worker, which counts what they used unless another is given.

    It starts with the first of them. After its end by itself nothing is counted any more.
    """

    def __init__(self, on_counted: Callable[[Answer], None], handler: str = _SEVERAL) -> None:
        self._on_counted = on_counted
        self._handler = handler
        self._worker: Worker | None = None
        self._wanted: dict[str, SessionRef] = {}
        self._followed: Collection[str] = ()
        self._busy = False

    def ask(self, refs: Iterable[SessionRef], followed: Collection[str]) -> None:
        """Have sessions counted on; only the `followed` logs may be asked for later."""
        self._followed = followed
        self._wanted.update((ref.path, ref) for ref in refs)
        if self._wanted and not self._busy:
            self._worker = self._worker or Worker(self._handler, self._take)
            self._busy = True
            self._send(self._worker)

    def _send(self, worker: Worker) -> None:
        wanted, self._wanted = self._wanted, {}
        worker.send((tuple(wanted.values()), frozenset(self._followed)))

    def close(self) -> None:
        """End the worker; nothing is counted from now on."""
        self._busy = True
        if self._worker is not None:
            self._worker.close()

    def _take(self, count: Answer | None) -> None:
        if count is not None:
            self._on_counted(count)
            return
        self._busy = False
        self.ask((), self._followed)
