"""The preview of the library: facts of the session under the cursor, then its last turn.

What that needs is imported in the thread: no part of it is wanted for the first frame.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.events import User
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError
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

_SENTENCE = 240
_PROMPTS = 20
"""Kept prompts of a deleted session that are shown, the last ones."""
TurnElsewhere = Callable[[SessionRef, bool, Callable[[], bool]], LastTurn | str]
"""Gives the last turn of a session on another machine, that is live or not, or says why not."""


def turns_elsewhere(names: Sequence[str], known: Mapping[str, str]) -> TurnElsewhere:
    """Asks the machines of these names, as `chosen_machines` takes them."""

    def find(ref: SessionRef, live: bool, stopped: Callable[[], bool]) -> LastTurn | str:
        from agentview.sessions.fleet.hosts import chosen_machines
        from agentview.sessions.fleet.turns import turn_there

        try:
            return turn_there(chosen_machines(names, known).hosts, ref, stopped, live=live)
        except AgentViewError as error:
            return one_line(f"{error.message} {error.hint or ''}".rstrip(), _SENTENCE)

    return find


NOWHERE = turns_elsewhere((), {})
"""Knows no other machine."""


class LibraryPreview(PreviewReader[Entry, LastTurn]):
    """Shows the last turn of a given session."""

    def __init__(
        self,
        preview: Preview,
        options: LibraryViewOptions,
        archived: Callable[[SessionRef], bool],
        elsewhere: TurnElsewhere,
    ) -> None:
        self._options = options
        self._archived = archived
        self._elsewhere = elsewhere
        super().__init__(preview, _key, self._content, self._last_turn, self._with_turn)

    def _last_turn(self, entry: Entry) -> LastTurn | str:
        if entry.facts.is_deleted:
            prompts = entry.facts.kept_prompts[-_PROMPTS:]
            return LastTurn(tuple(Activity(User(text), (), time, time) for time, text in prompts))
        ref, live = entry.info.ref, is_live(entry.info, self._options.clock())
        if ref.is_remote:
            # A machine may take long to answer, and another session be wanted meanwhile.
            return self._elsewhere(ref, live, lambda: not self.is_shown(entry))
        from agentview.sessions.library.last_turn import last_turn

        return last_turn(ref, live=live)

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
