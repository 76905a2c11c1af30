"""Fills the preview of the library: reads the end of a log in a thread once the cursor rests.

What that needs is imported in the thread: no part of it is wanted for the first frame.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence

from msgspec.structs import replace
from textual.timer import Timer
from textual.widget import Widget

from agentview.domain.activity import Activity
from agentview.domain.session import SessionRef
from agentview.sessions.library.liveness import is_live
from agentview.sessions.library.session_card import session_card_lines
from agentview.sessions.library.session_list import Entry
from agentview.sessions.library.session_record import LastTurn
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.sanitize import one_line
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.screens.home.options import LibraryViewOptions
from agentview.ui.widgets.preview import Preview, PreviewContent

_REST = 0.12
"""Seconds that the cursor rests on a session before its log is read."""

_KEPT = 16


class LibraryPreview:
    """Shows the last turn of a given session; keeps the last ones it has read."""

    def __init__(self, preview: Preview, looks: LibraryViewOptions) -> None:
        self._preview = preview
        self._looks = looks
        self._entry: Entry | None = None
        self._kept: OrderedDict[tuple[object, ...], LastTurn] = OrderedDict()
        self._timer: Timer | None = None
        self._task: asyncio.Task[None] | None = None

    def follow(self, entry: Entry | None, owner: Widget) -> None:
        """Show this session as soon as the cursor rests; at once what needs no reading."""
        self._entry = entry
        self.stop()
        if entry is None:
            self._preview.show(PreviewContent(note="no session"))
            return
        if self._preview.room <= 0:
            return
        kept = self._kept.get(_key(entry))
        if kept is None:
            self._preview.show(self._content(entry, ()))
            self._timer = owner.set_timer(_REST, self._read)
        else:
            self._task = asyncio.create_task(self._lay_out(entry, kept))

    def again(self, owner: Widget) -> None:
        """Show the same session for another width or with other looks."""
        self.follow(self._entry, owner)

    def stop(self) -> None:
        """Read nothing more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _read(self) -> None:
        if self._entry is not None:
            self._task = asyncio.create_task(self._read_end(self._entry))

    async def _read_end(self, entry: Entry) -> None:
        live = is_live(entry.info, self._looks.clock())
        turn = await asyncio.to_thread(_last_turn, entry.info.ref, live=live)
        self._kept[_key(entry)] = turn
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        await self._lay_out(entry, turn)

    async def _lay_out(self, entry: Entry, turn: LastTurn) -> None:
        """Lay out in a thread too: a long message takes a while even in short."""
        space = replace(self._looks.space(), width=self._preview.room)
        masking, clock = self._looks.masking(), self._looks.clock
        views = await asyncio.to_thread(_views, turn.activities, space, clock, masking=masking)
        note = "the prompt lies further back" if turn.cut else ""
        if not views:
            note = "nothing in it to show"
        if self._entry is entry:
            self._preview.show(self._content(entry, views, note))

    def _content(self, entry: Entry, views: Sequence[LazyLines], note: str = "") -> PreviewContent:
        title = one_line(entry.info.title or "untitled", 240)
        facts = session_card_lines(entry, self._looks.label(entry.info.ref.provider))
        return PreviewContent(title, facts, views, note)


def _last_turn(ref: SessionRef, *, live: bool) -> LastTurn:
    from agentview.sessions.library.last_turn import last_turn

    return last_turn(ref, live=live)


def _views(
    activities: Sequence[Activity],
    space: RenderContext,
    clock: Callable[[], float],
    *,
    masking: bool,
) -> list[LazyLines]:
    from agentview.redaction.values import masked_activity
    from agentview.ui.activity_widget import RowLayout

    views: list[LazyLines] = []
    for activity in activities:
        seen = masked_activity(activity) if masking else activity
        views.append(RowLayout(seen, DetailLevel.SUMMARY, space, clock=clock))
        # Drawn once in vain: what that imports takes longer than a frame may.
        views[-1].strips(0, views[-1].height)
    return views


def _key(entry: Entry) -> tuple[object, ...]:
    ref = entry.info.ref
    return ref.path, ref.size, ref.modified, entry.info.last_activity
