"""Many keys that come at once, as they do over a slow line, and each does what it does alone."""

import asyncio
import time
from itertools import product
from pathlib import Path
from typing import ClassVar

import pytest
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.widgets import Static

from agentview.ui.key_order import KeyFollowed, KeyOrder
from agentview.ui.screens.detail import DetailScreen
from agentview.ui.screens.library.screen import LibraryScreen
from agentview.ui.screens.session.screen import SessionScreen
from agentview.ui.widgets.prompt_line import InputLine, LineInput
from tests.timeline.view.memory import MemorySession, prompt, shell
from tests.ui.app_under_test import app_over, screen_text, session_screen, until
from tests.ui.screens.homes import all_indexed, library_over, samples

SIZE = (100, 30)
NAMED = {
    "\x1b": "escape",
    "/": "slash",
    " ": "space",
    ":": "colon",
    "\r": "enter",
    "\x7f": "backspace",
}


def burst(pilot: Pilot[None], text: str) -> None:
    """Have the keys come from the terminal in one piece."""
    for character in text:
        key = NAMED.get(character, character)
        pilot.app.post_message(
            events.Key(key, None if key in ("backspace", "escape") else character)
        )


def typed(pilot: Pilot[None]) -> str:
    """What stands in the line, once there is one."""
    return "".join(field.value for field in pilot.app.screen.query(LineInput))


def _session() -> MemorySession:
    steps = [prompt("Go on"), *(shell(f"echo {n}", f"call {n}") for n in range(20))]
    return MemorySession(steps)


@pytest.mark.slow
async def test_what_is_typed_behind_the_key_that_asks_for_it_is_in_the_line() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        burst(pilot, "/echo 15")
        await until(pilot, lambda: typed(pilot) == "echo 15")
        await until(pilot, lambda: "1 of 1" in screen_text(pilot))
        burst(pilot, "\x7f" * 7 + "echo 1\r" + "nn" + "o")
        await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))
        await until(pilot, lambda: "call 1" in screen_text(pilot))


async def test_what_is_typed_at_any_moment_behind_that_key_is_in_the_line() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        for key, turns in product("/f", (0, 1, 2, 4, 8, 16)):
            burst(pilot, key)
            for _ in range(turns):
                # A turn of the event loop: some of what the key asked for is done in it.
                await asyncio.sleep(0)
            burst(pilot, "ec")
            await until(pilot, lambda: typed(pilot) == "ec")
            burst(pilot, "\x1b")
            await until(pilot, lambda: not pilot.app.screen.query(InputLine))


@pytest.mark.slow
async def test_keys_behind_one_that_opens_a_screen_are_for_that_screen(tmp_path: Path) -> None:
    samples(tmp_path, "claude_code", "qwen_code")
    async with library_over(tmp_path, "claude_code", "qwen_code").run_test(size=SIZE) as pilot:
        await all_indexed(pilot)
        library = pilot.app.screen
        assert isinstance(library, LibraryScreen)
        burst(pilot, "/provider:qwen\r\rG1")
        await until(pilot, lambda: isinstance(pilot.app.screen, SessionScreen))
        assert library.filter_line == "provider:qwen"
        screen = session_screen(pilot)
        assert screen.session.ref.provider == "qwen_code"
        await until(pilot, lambda: "all activities: title" in screen_text(pilot))


async def test_a_paste_goes_where_the_key_before_it_led() -> None:
    async with app_over(_session()).run_test(size=SIZE) as pilot:
        pilot.app.post_message(events.Key("slash", "/"))
        pilot.app.post_message(events.Paste("echo 7"))
        await until(pilot, lambda: typed(pilot) == "echo 7")


class _Busy(Static):
    """Takes keys, and is not done with x before it is told to be."""

    can_focus = True

    def __init__(self) -> None:
        super().__init__()
        self.done = asyncio.Event()
        self.worked = False

    async def on_key(self, event: events.Key) -> None:
        if event.key == "x":
            await self.done.wait()
        elif event.key == "w":
            end = time.monotonic() + 1
            while time.monotonic() < end:
                await asyncio.sleep(0)
            self.worked = True


class _OverBusy(App[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("g", "go", priority=True)]
    AUTO_FOCUS = "_Busy"

    def __init__(self) -> None:
        super().__init__()
        self.order = KeyOrder(self, super().on_event)
        self.busy = _Busy()
        self.gone = self.after_work = False

    async def on_event(self, event: events.Event) -> None:
        await self.order.take(event)

    @on(KeyFollowed)
    async def _key_followed(self, event: KeyFollowed) -> None:
        await self.order.came_back(event)

    def compose(self) -> ComposeResult:
        yield self.busy

    def action_go(self) -> None:
        self.gone = True
        self.after_work = self.busy.worked


async def test_a_key_that_comes_to_no_end_does_not_hold_those_behind_it_for_ever() -> None:
    app = _OverBusy()
    async with app.run_test() as pilot:
        burst(pilot, "axg")
        # A pause of the pilot waits for the widget.
        for _ in range(200):
            if not app.gone:
                await asyncio.sleep(0.05)
        app.busy.done.set()
        assert app.gone


async def test_a_key_for_which_much_is_done_is_waited_for() -> None:
    app = _OverBusy()
    async with app.run_test() as pilot:
        burst(pilot, "wg")
        await until(pilot, lambda: app.gone)
        assert app.after_work
