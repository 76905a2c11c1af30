"""How the library and its board are shown: what their screens are given next to the sessions."""

from collections.abc import Callable, Mapping

from agentview.domain.annotations import Annotations
from agentview.domain.session import SessionRef
from agentview.domain.unread import SeenPlace
from agentview.domain.value import Value
from agentview.settings.values import Icons, Settings
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.widgets.lists.session_signs import ASCII_SIGNS, UNICODE_SIGNS, Signs


class LibraryViewOptions(Value, gc=True):
    """How sessions are shown, and whom is asked about their providers.

    `space` gives the looks of activities, whatever its width; `label` names a provider, `client`
    gives its name, its mark of two letters and its number among those that are known.
    `resume_line` gives the line for a shell that resumes a session, whose directory is known or
    not; None where there is none. It may read a log: it is for a thread.
    """

    settings: Settings
    space: Callable[[], RenderContext]
    masking: Callable[[], bool]
    clock: Callable[[], float]
    label: Callable[[str], str]
    client: Callable[[str], tuple[str, str, int]]
    resume_line: Callable[[SessionRef, str | None], str | None]
    seen: Callable[[SessionRef], SeenPlace | None] = lambda _: None
    """How far a session was read; None where it was never on a screen."""
    load_seen: Callable[[], bool] = lambda: False
    """Reads what other instances have kept of that; whether it changed. For a thread."""
    annotations: Callable[[], Mapping[tuple[str, str], Annotations]] = dict
    """Annotations as they were read last, by provider and session id."""

    @property
    def signs(self) -> Signs:
        return ASCII_SIGNS if self.settings.timeline.icons is Icons.ASCII else UNICODE_SIGNS
