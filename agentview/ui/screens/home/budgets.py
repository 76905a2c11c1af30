"""Watches what is spent today and of budgets while home is open."""

import asyncio
from collections.abc import Callable, Sequence

from agentview.notify.budgets import BudgetNotice, notices
from agentview.sessions.library.search_roots import SearchRoots
from agentview.sessions.spending.budgets import (
    Spending,
    Spent,
    budget_words,
    meters,
    today_words,
)
from agentview.sessions.spending.feed import BudgetFeed
from agentview.sessions.spending.table import BudgetQuestion
from agentview.settings.values import BudgetSettings
from agentview.ui.screens.home.feed import LibraryFeed
from agentview.ui.screens.home.view import SpendingWords

_SOON = 2.0
"""Seconds for which changes are gathered before what was spent is counted."""

_AGAIN = 30.0
"""Seconds until it is counted again, at least."""


class BudgetWatch:
    """Counts what was spent when sessions have changed.

    `show` takes what is to be shown of it, `announce` a notice at each level of each budget.
    """

    def __init__(
        self,
        feed: LibraryFeed,
        places: SearchRoots,
        settings: Callable[[], BudgetSettings],
        show: Callable[[SpendingWords], None],
        announce: Callable[[BudgetNotice], None],
    ) -> None:
        self._library, self._settings, self._show, self._announce = feed, settings, show, announce
        self._announcing: asyncio.Task[None] | None = None
        self._feed = BudgetFeed(places, self._take)
        self._due: asyncio.TimerHandle | None = None
        self._counted = False
        """Whether anything was counted."""
        feed.subscribe(self.changed)

    def changed(self) -> None:
        """Count soon: sessions have changed, or a budget may begin again."""
        progress = self._library.progress
        if self._due is not None or progress.scanning or self._library.closed:
            return
        wait = _AGAIN if self._counted and not progress.indexing else _SOON
        self._due = asyncio.get_running_loop().call_later(wait, self._ask)

    def close(self) -> None:
        """Count no more."""
        if self._due is not None:
            self._due.cancel()
        self._feed.close()
        if self._announcing is not None:
            self._announcing.cancel()

    def _ask(self) -> None:
        self._due = None
        if self._library.closed:
            self.close()
        else:
            # Until all is indexed, somebody else reads what nothing is kept of.
            reads = self._counted and not self._library.progress.indexing
            self._feed.ask(BudgetQuestion(self._settings(), reads))

    def _take(self, spent: Spent) -> None:
        if not self._counted:
            self._counted = True
            self.changed()
        budgets = spent.budgets
        self._show(SpendingWords(today_words(spent), budget_words(budgets), meters(budgets)))
        if budgets and (self._announcing is None or self._announcing.done()):
            self._announcing = asyncio.create_task(self._announce_new(budgets))

    async def _announce_new(self, spent: Sequence[Spending]) -> None:
        for notice in await asyncio.to_thread(notices, spent):
            self._announce(notice)
