"""The line of a jump: a time, a line, a byte or a turn that a person types."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.containers import Vertical

from agentview.errors import AgentViewError
from agentview.facts.search.in_session import log_end
from agentview.facts.search.locate import byte_of_line, byte_of_time
from agentview.timeline.view.goto import Jump, Target, parse_jump
from agentview.timeline.view.header import OpenSession
from agentview.timeline.view.rows_protocol import LogRows
from agentview.ui.timeline.event_place import first_of_record
from agentview.ui.timeline.pending_jump import PendingJump
from agentview.ui.timeline.timeline_view import TimelineView
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.status_line import StatusLine

_HINT = "14:02  2026-11-21 14:02  -5m  1234 (line)  b5000 (byte)  turn 3"
_WAYS = "a time 14:02 or -5m, a line 1234, a byte b5000 or a turn: turn 3"


class GotoBar(Vertical):
    """Takes no room until it is asked for a line."""

    DEFAULT_CSS: ClassVar[str] = """
    GotoBar { height: auto; }
    """

    def __init__(
        self,
        session: OpenSession,
        timeline: TimelineView,
        status: StatusLine,
        awaited: PendingJump,
        clock: Callable[[], float],
    ) -> None:
        super().__init__()
        self._session = session
        self._timeline = timeline
        self._status = status
        self._clock = clock
        self._seeking: asyncio.Task[None] | None = None
        self._awaited = awaited

    def on_unmount(self) -> None:
        self.dismiss()

    async def jump(self) -> None:
        """Let the person type where to go."""
        await self.remove_children()
        line = InputLine(":", hint=_HINT, id="jump")
        await self.mount(line)
        line.start()

    def dismiss(self) -> bool:
        """Give up the jump under way; False when there is none."""
        seeking = self._seeking is not None and not self._seeking.done()
        if self._seeking is not None:
            self._seeking.cancel()
        return self._awaited.give_up() or seeking

    # Jumps

    @on(InputLine.Submitted)
    async def _submitted(self, event: InputLine.Submitted) -> None:
        event.stop()
        await event.line.remove()
        if event.value.strip():
            self.go(event.value)

    @on(InputLine.Cancelled)
    async def _cancelled(self, event: InputLine.Cancelled) -> None:
        event.stop()
        await event.line.remove()

    def go(self, text: str) -> None:
        """Go where the text says, as soon as it is known where that is."""
        self.dismiss()
        jump = parse_jump(text, self._today())
        if jump is None:
            self._status.say(f"{text.strip()} is not a valid position; use {_WAYS}")
        elif jump.target is Target.TURN:
            self._awaited.go(jump.text, lambda: self._go_to_turn(jump))
        elif not isinstance(self._session.store, LogRows):
            self._status.say("this session has no log to look in")
        else:
            self._seeking = asyncio.create_task(self._find(jump, self._session.store))

    def _today(self) -> float:
        """A moment of the day that a time without a date is of."""
        row = self._timeline.selected
        started = None if row is None else self._session.store.activity(row).started
        return self._clock() if started is None else started

    async def _find(self, jump: Jump, rows: LogRows) -> None:
        try:
            byte = await self._byte(jump, rows)
        except AgentViewError as error:
            self._status.say(error.message)
            return
        if byte is None:
            self._status.say(f"there is nothing at {jump.text} or after it")
        else:
            later = jump.target is Target.TIME
            self._awaited.go(jump.text, lambda: self._go_to_byte(rows, byte, later=later))

    async def _byte(self, jump: Jump, rows: LogRows) -> int | None:
        if jump.target is Target.BYTE:
            return jump.number if jump.number < log_end(rows) else None
        if jump.target is Target.LINE:
            return await byte_of_line(Path(rows.session.path), jump.number)
        found = await byte_of_time(rows.session, jump.number)
        if found is None and jump.daily:
            # Past midnight, the evening is the one before.
            found = await byte_of_time(rows.session, jump.day_before().number)
        return found

    def _go_to_byte(self, rows: LogRows, byte: int, *, later: bool) -> bool:
        """Select what shows the record at a byte, else the activity nearest to it."""
        row = first_of_record(rows, byte)
        if row is None:
            if not self._session.header().all_read:
                return False
            row = rows.first
        if not later:
            row = rows.joined_with(row) or row
        self._select_near(row)
        return True

    def _go_to_turn(self, jump: Jump) -> bool:
        if not self._session.header().all_read:
            return False
        row = self._timeline.turn(jump.number)
        if row is None:
            self._status.say(f"no turn {jump.number:,}")
        else:
            self._select_near(row)
        return True

    def _select_near(self, row: int) -> None:
        if not self._timeline.select_near(row):
            self._status.say("nothing is shown there")
        elif not self._timeline.is_shown(row) and self._session.store.shown(row):
            self._status.say("hidden by the filter; this is the nearest that is shown")
