"""The preview of the library: facts of the session under the cursor, then its last turn.

What that needs is imported in the thread: no part of it is wanted for the first frame.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

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
from agentview.ui.screens.home.preview_reader import PreviewReader
from agentview.ui.widgets.preview import Preview, PreviewContent


class LibraryPreview(PreviewReader[Entry, LastTurn]):
    """Shows the last turn of a given session."""

    def __init__(
        self,
        preview: Preview,
        options: LibraryViewOptions,
        archived: Callable[[SessionRef], bool],
    ) -> None:
        self._options = options
        self._archived = archived
        super().__init__(preview, _key, self._content, self._last_turn, self._with_turn)

    def _last_turn(self, entry: Entry) -> LastTurn:
        from agentview.sessions.library.last_turn import last_turn

        return last_turn(entry.info.ref, live=is_live(entry.info, self._options.clock()))

    def _with_turn(self, entry: Entry, turn: LastTurn, width: int) -> PreviewContent:
        options = self._options
        space = replace(options.space(), width=width)
        views = _views(turn.activities, space, options.clock, masking=options.masking())
        note = "the prompt lies further back" if turn.cut else ""
        return self._content(entry, views, note if views else "nothing in it to show")

    def _content(
        self, entry: Entry, views: Sequence[LazyLines] = (), note: str = ""
    ) -> PreviewContent:
        title = one_line(entry.info.title or "untitled", 240)
        ref = entry.info.ref
        label, archived = self._options.label(ref.provider), self._archived(ref)
        facts = session_card_lines(entry, label, archived=archived)
        return PreviewContent(title, facts, views, note)


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


def _key(entry: Entry) -> object:
    ref = entry.info.ref
    return ref.path, ref.size, ref.modified, entry.info.last_activity
