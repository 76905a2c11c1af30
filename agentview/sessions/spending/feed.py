"""Asks the workers that count what all sessions used; to be used on a running event loop."""

from collections.abc import Callable

from agentview.domain.period import Period
from agentview.facts.usage.group_by import GroupKey
from agentview.sessions.fleet.hosts import Machines
from agentview.sessions.library.scan.messages import pack_request
from agentview.sessions.library.search_roots import SearchRoots
from agentview.sessions.spending.budgets import Spent
from agentview.sessions.spending.table import Answered, Asked, BudgetQuestion, UsageTable
from agentview.system.workers.process import BACKGROUND, Worker

_HANDLER = "agentview.sessions.spending.worker:serve"
_BUDGETS = "agentview.sessions.spending.worker:serve_budgets"


class UsageFeed:
    """One worker, started with the first question; `on_table` takes each answer to the newest.

    `on_end` is called when the worker ends by itself; the next question starts another one.
    """

    def __init__(
        self,
        places: SearchRoots,
        machines: Machines,
        on_table: Callable[[UsageTable], None],
        on_end: Callable[[], None],
    ) -> None:
        self._places, self._machines = places, machines
        self._on_table, self._on_end = on_table, on_end
        self._worker: Worker | None = None
        self._number = 0
        self.busy = False
        """Whether the newest question has no last answer yet."""

    def ask(self, by: GroupKey, period: Period, *, look: bool, reads: bool) -> None:
        """Ask for a table instead of what was asked before; `look` and `reads` as in `Asked`."""
        if self._worker is None:
            self._worker = Worker(_HANDLER, self._take, self._ended)
            self._worker.send(pack_request(self._places))
            self._worker.send(self._machines)
        self._number += 1
        self.busy = True
        self._worker.send(Asked(self._number, by, period, look, reads))

    def close(self) -> None:
        """End the worker; nothing is called from now on."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _take(self, answered: Answered) -> None:
        if answered.number == self._number:
            self.busy = not answered.table.done
            self._on_table(answered.table)

    def _ended(self) -> None:
        self._worker, self.busy = None, False
        self._on_end()


class BudgetFeed:
    """One worker that counts what was spent; `on_spent` takes each answer."""

    def __init__(self, places: SearchRoots, on_spent: Callable[[Spent], None]) -> None:
        self._places, self._on_spent = places, on_spent
        self._worker: Worker | None = None
        self._busy = False

    def ask(self, question: BudgetQuestion) -> None:
        """Have it counted, unless it is being counted."""
        if self._busy:
            return
        if self._worker is None:
            self._worker = Worker(_BUDGETS, self._take, self._ended, nice=BACKGROUND)
            self._worker.send(pack_request(self._places))
        self._busy = True
        self._worker.send(question)

    def close(self) -> None:
        """End the worker; nothing is called from now on."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None

    def _take(self, spent: Spent) -> None:
        self._busy = False
        self._on_spent(spent)

    def _ended(self) -> None:
        self._worker, self._busy = None, False
