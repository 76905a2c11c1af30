"""The screen of a session that is played as if it were live, with the keys for that."""

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType

from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.following.replay import Replay
from agentview.timeline.view.format_numbers import clock_seconds
from agentview.timeline.view.header import OpenSession
from agentview.ui.screens.session.options import NavigationPath, ViewOptions
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.session_header import SessionHeader

_REPLAY = Binding.Group("Replay")

REPLAY_BINDINGS: list[Binding] = [
    Binding("p", "pause", "pause", id="replay.pause", group=_REPLAY, tooltip="Pause, or continue"),
    Binding("right,full_stop", "step(1)", "step", key_display="→/←", id="replay.step",
            group=_REPLAY, tooltip="Pause, and show the next activity"),
    Binding("left", "step(-1)", "back", show=False, id="replay.back", group=_REPLAY,
            tooltip="Pause, and go back to before the last activity"),
    Binding("greater_than_sign", "speed(1)", "faster", key_display=">/<", id="replay.faster",
            group=_REPLAY, tooltip="Play faster"),
    Binding("less_than_sign", "speed(-1)", "slower", show=False, id="replay.slower",
            group=_REPLAY, tooltip="Play slower"),
]  # fmt: skip


def replay_screen(
    session: OpenSession, options: ViewOptions, trail: NavigationPath | None
) -> SessionScreen:
    """Return the screen of a session that is played, or of an agent of it."""
    replay = session.replay if isinstance(session, LiveSession) else None
    if not isinstance(replay, Replay):
        return SessionScreen(session, options, trail)
    return _ReplayScreen(session, options, replay, trail)


class _ReplayScreen(SessionScreen):
    """A session screen whose header says how far the replay is, and how fast."""

    BINDINGS: ClassVar[list[BindingType]] = [*REPLAY_BINDINGS]

    def __init__(
        self,
        session: OpenSession,
        options: ViewOptions,
        replay: Replay,
        trail: NavigationPath | None = None,
    ) -> None:
        super().__init__(session, options, trail)
        self._replay = replay
        self._leave_replay: Callable[[], None] = lambda: None

    def on_mount(self) -> None:
        """Take part in what changes."""
        self._leave_replay = self._replay.subscribe(self._show_state)
        self._show_state()
        self.say("p pauses · → ← step · > < speed")

    def on_unmount(self) -> None:
        self._leave_replay()

    def _show_state(self) -> None:
        moment = clock_seconds(self._replay.clock())
        self.query_one(SessionHeader).set_note(f"{self._replay.state} {moment}")

    def action_pause(self) -> None:
        self._replay.toggle()

    def action_step(self, steps: int) -> None:
        self._replay.step(steps)

    def action_speed(self, step: int) -> None:
        self._replay.change_speed(step)
