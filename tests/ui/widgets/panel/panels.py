"""The side panel as a test sees it."""

from collections.abc import Sequence

from textual.pilot import Pilot

from agentview.ui.screens.session.body import SessionBody
from agentview.ui.widgets.panel.side_panel import SidePanel
from agentview.ui.widgets.panel.tab import PanelTab
from tests.ui.app_under_test import session_screen, until


def panel(pilot: Pilot[None]) -> SidePanel:
    """The panel of the session on the screen."""
    return session_screen(pilot).query_one(SidePanel)


def tab(pilot: Pilot[None]) -> PanelTab:
    """The tab in front."""
    found = panel(pilot).tab
    assert found is not None
    return found


def lines(pilot: Pilot[None]) -> Sequence[str]:
    """What the tab in front shows, line by line, without blanks at the ends."""
    shown = tab(pilot)
    texts = [shown.render_line(y).text.strip() for y in range(shown.size.height)]
    while texts and not texts[-1]:
        texts.pop()
    return texts


async def open_tab(pilot: Pilot[None], name: str) -> None:
    """Open the panel, or go into it, with the tab of this name in front."""
    screen = session_screen(pilot)
    if not screen.query_one(SessionBody).shows_panel or not panel(pilot).has_keys:
        await pilot.press("s")
    await until(pilot, lambda: bool(screen.query(SidePanel)) and panel(pilot).tab is not None)
    for _ in range(9):
        if name == tab(pilot).NAME:
            break
        await pilot.press("right_square_bracket")
        await pilot.pause()
    await until(pilot, lambda: name == tab(pilot).NAME and tab(pilot).has_focus)
