"""The application over a session in memory, with a clock that stands still."""

import time
from collections.abc import Callable

from textual.pilot import Pilot

from agentview.settings import LaunchOptions, Screen
from agentview.ui.app import AgentViewApp
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.prompt_line import InputLine
from agentview.ui.widgets.responsive_bar import Bar, lay_out
from tests.patience import PATIENCE
from tests.timeline.view.memory import START, MemorySession

NOW = START + 120.0


def app_over(session: MemorySession, *, now: float = NOW, **start: object) -> AgentViewApp:
    """The application with a session screen over `session`; `start` as in settings.Start."""
    return AgentViewApp(
        LaunchOptions(Screen.SESSION, session.ref, **start),  # pyright: ignore[reportArgumentType]
        clock=lambda: now,
        open_session=lambda _ref, _live: session,
    )


def session_screen(pilot: Pilot[None]) -> SessionScreen:
    """The session screen on top."""
    screen = pilot.app.screen
    assert isinstance(screen, SessionScreen)
    return screen


def bar_text(bar: Bar, width: int | None = None) -> str:
    """What a bar says, with two blanks between its parts."""
    left, right = lay_out(bar.parts(), width or bar.content_size.width)
    return "  ".join("".join(text for text, _ in form) for form in [*left, *right])


def screen_text(pilot: Pilot[None]) -> str:
    """What is on the screen."""
    strips = pilot.app.screen._compositor.render_strips()  # pyright: ignore[reportPrivateUsage]
    return "\n".join(strip.text for strip in strips)


async def until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    """Wait until something is true; fails after `PATIENCE`, as a busy machine is no fault."""
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not come true"
        await pilot.pause(0.05)


async def typed(pilot: Pilot[None], text: str) -> None:
    """Wait for the line to type into, and type."""
    await until(
        pilot, lambda: isinstance(pilot.app.focused and pilot.app.focused.parent, InputLine)
    )
    await pilot.press(*text)
