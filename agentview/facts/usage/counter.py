"""Counts what a session used, in a worker: a gigabyte counted here would hold up every key."""

from collections.abc import Callable

from agentview.domain.session import SessionRef
from agentview.facts.usage.report import Counted
from agentview.system.workers.process import Worker

_HANDLER = "agentview.facts.usage.count_worker:serve"
_COUNT = "count"


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
        """The process, once it has started."""
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
