"""Writes the gallery: every kind of activity, at two levels, in four themes, at two widths."""

import asyncio
import os
from pathlib import Path

from agentview.domain.events import Body
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.header import HeaderFacts
from agentview.ui.app import AgentViewApp
from agentview.ui.timeline.timeline_view import TimelineView
from docs.drawing import as_png
from tests.timeline.view.memory import START, MemorySession
from tests.ui.activities import CALLS, PROSE
from tests.ui.app_under_test import screen_text

TARGET = Path(__file__).parent / "gallery"
THEMES = ("agentview-dark", "agentview-light", "high-contrast", "catppuccin-mocha")
WIDTHS = (80, 160)
LEVELS = (DetailLevel.SUMMARY, DetailLevel.FULL)

_TALL = 600


def main() -> None:
    """Write a picture of every theme, width and level."""
    os.environ["COLORTERM"] = "truecolor"
    TARGET.mkdir(exist_ok=True)
    for theme in THEMES:
        for width in WIDTHS:
            for level in LEVELS:
                svg = asyncio.run(_svg(theme, width, level))
                (TARGET / f"{theme}-{level.value}-{width}.png").write_bytes(as_png(svg, scale=0.75))


async def _svg(theme: str, width: int, level: DetailLevel) -> str:
    """All activities below each other, on a screen just as tall as they are."""
    height = await _height(theme, width, level)
    async with _app(theme, level).run_test(size=(width, height)) as pilot:
        await pilot.press("g")
        await pilot.pause(0.5)
        return pilot.app.export_screenshot(title="agentview")


async def _height(theme: str, width: int, level: DetailLevel) -> int:
    async with _app(theme, level).run_test(size=(width, _TALL)) as pilot:
        await pilot.press("g")
        await pilot.pause(0.5)
        region = pilot.app.screen.query_one(TimelineView).region
        rows = screen_text(pilot).splitlines()[: region.bottom]
        written = [row for row, text in enumerate(rows) if text.strip()]
        return written[-1] + 2 + _TALL - region.bottom


def _app(theme: str, level: DetailLevel) -> AgentViewApp:
    bodies: list[Body] = [*PROSE, *CALLS.values()]
    session = MemorySession(bodies)
    session.facts = HeaderFacts(provider="gallery", title="every kind of activity")
    return AgentViewApp(
        LaunchOptions(Screen.SESSION, session.ref, detail=level, theme=theme),
        clock=lambda: START + 120.0,
        open_session=lambda _ref, _live: session,
    )


if __name__ == "__main__":
    main()
