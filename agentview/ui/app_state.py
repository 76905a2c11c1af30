"""Shared state of the application's parts: its start options, and how it shows things now."""

from collections.abc import Callable
from dataclasses import dataclass, field

from agentview.sessions.annotations.all_sessions import AllAnnotations
from agentview.settings import LaunchOptions
from agentview.ui.render.style.palette import PLAIN, Palette
from agentview.ui.screens.live_settings import LiveSettings


@dataclass(slots=True)
class AppState:
    """Owned by the application, which alone changes it."""

    start: LaunchOptions
    live: LiveSettings
    clock: Callable[[], float]
    """The time, epoch seconds."""
    palette: Palette = PLAIN
    masking: bool = False
    """True if secrets are masked on screens and in copies."""
    annotations: AllAnnotations = field(default_factory=AllAnnotations)
    """Annotations of sessions, and how far each was read."""
