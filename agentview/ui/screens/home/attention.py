"""The first row of every view: who needs the person, what works, and limits of accounts."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol

from agentview.domain.session_state import Group, SessionStatus
from agentview.domain.value import Value
from agentview.normalize.project_path import last_part
from agentview.timeline.view.limit_text import LimitWords
from agentview.timeline.view.sanitize import one_line

_SOON = 0.5
"""Seconds for which changes are gathered."""
_SUBJECT = 60
"""Characters of what the first session asks."""
_PROJECT = 24


class BoardSession(Protocol):
    """A session as the board has it."""

    @property
    def status(self) -> SessionStatus: ...

    @property
    def group(self) -> Group: ...

    @property
    def live(self) -> bool: ...

    @property
    def project(self) -> str | None: ...


class AttentionWords(Value):
    """Texts of the first row, each from the longest form to the shortest."""

    needs: tuple[str, ...] = ()
    working: str = ""
    limits: LimitWords = LimitWords()


def attention_words(found: Iterable[BoardSession], limits: LimitWords) -> AttentionWords:
    """The words for sessions in the order of the board, and for limits."""
    every = list(found)
    asking = [each for each in every if each.group is Group.NEEDS_YOU]
    working = sum(each.group is Group.WORKING and each.live for each in every)
    return AttentionWords(_needs(asking), f"{working} working" if working else "", limits)


def _needs(asking: list[BoardSession]) -> tuple[str, ...]:
    if not asking:
        return ()
    count = f"{len(asking)} {'needs' if len(asking) == 1 else 'need'} you"
    first = asking[0]
    project = one_line(last_part(first.project), _PROJECT) if first.project else ""
    subject = one_line(first.status.queued_subject or "", _SUBJECT)
    words = " ".join(filter(None, (project, subject)))
    return (f"{count}: {words}", count) if words else (count,)


class AttentionWatch:
    """Looks at all sessions when they have changed, in a thread; `show` takes the words."""

    def __init__(
        self, look: Callable[[], AttentionWords], show: Callable[[AttentionWords], None]
    ) -> None:
        self._look, self._show = look, show
        self._task: asyncio.Task[None] | None = None
        self._again = False

    def changed(self) -> None:
        """Look soon."""
        self._again = True
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _run(self) -> None:
        while self._again:
            await asyncio.sleep(_SOON)
            self._again = False
            self._show(await asyncio.to_thread(self._look))
