"""Writes the screenshots of the documentation from the sample sessions: `make screenshots`."""

import asyncio
import os
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from textual.pilot import Pilot

from agentview.domain.session import SessionInfo
from agentview.providers import load_provider, provider_names
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from docs.drawing import as_png
from tests.ui.app_under_test import screen_text

TARGET = Path(__file__).parent / "screenshots"
SIZES = ((80, 24), (110, 32), (160, 45))
PROVIDER = "claude_code"
_AT_REST = 2.0
"""Seconds without a change after which a screen has all that its workers find."""
_LONGEST = 120.0
"""Seconds after which a screen that still changes is an error."""
_UNFINISHED = re.compile(r"\b(reading|searching|looking|counting|indexed)\b")
"""Words in the first row of a screen that waits for a worker."""
_UNCOUNTED = re.compile(r"\bcounting\s*$", re.MULTILINE)
"""All that a tab has to say while its worker is at it."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: the file's name, and the keys that lead there; `wait` lets workers finish."""

    name: str
    keys: tuple[str, ...] = ()
    library: bool = False


SHOTS = (
    Shot("session", ("g", "e")),
    Shot("detail", ("g", "e", "k", "o")),
    Shot("raw", ("g", "e", "r")),
    Shot("files", ("s", "right_square_bracket")),
    Shot("changes", ("s", "right_square_bracket", "wait", "enter")),
    Shot("usage", ("s", *("right_square_bracket",) * 5)),
    Shot("library", library=True),
    Shot("search", ("ctrl+f", *"round"), library=True),
    Shot("help", ("question_mark",)),
)


def main() -> None:
    """Write an SVG and a PNG of every shot at every size."""
    os.environ |= {"TZ": "UTC", "COLORTERM": "truecolor"}
    time.tzset()
    root = sample_sessions_dir()
    TARGET.mkdir(exist_ok=True)
    os.chdir(root.parent)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["AGENTVIEW_CACHE_DIR"] = cache
        _draw(root)


def _draw(root: Path) -> None:
    for shot in SHOTS:
        for width, height in SIZES:
            svg = asyncio.run(_svg(shot, Path(root.name), (width, height)))
            name = f"{shot.name}-{width}x{height}"
            (TARGET / f"{name}.svg").write_text(svg, encoding="utf-8")
            (TARGET / f"{name}.png").write_bytes(as_png(svg))


async def _svg(shot: Shot, root: Path, size: tuple[int, int]) -> str:
    app = _library(root) if shot.library else _session(root)
    async with app.run_test(size=size) as pilot:
        await _settle(pilot)
        for key in shot.keys:
            if key == "wait":
                await _settle(pilot)
                continue
            await pilot.press(key)
            await pilot.pause(0.05)
        await _settle(pilot)
        return app.export_screenshot(title="agentview")


async def _settle(pilot: Pilot[None]) -> None:
    """Wait until the screen has all that it waits for, and changes no more."""
    end = time.monotonic() + _LONGEST
    text, since = "", 0.0
    while time.monotonic() < end:
        now = screen_text(pilot)
        unfinished = _UNFINISHED.search(now.partition("\n")[0]) or _UNCOUNTED.search(now)
        if now != text or unfinished:
            text, since = now, time.monotonic()
        elif time.monotonic() - since > _AT_REST:
            return
        await pilot.pause(0.1)
    raise TimeoutError(f"the screen does not come to rest:\n{text}")


def _session(root: Path) -> AgentViewApp:
    provider = load_provider(PROVIDER)
    ref = provider.discovery.ref(root / PROVIDER / "demo.jsonl")
    clock = _clock_after(provider.info(ref), minutes=4)
    return AgentViewApp(LaunchOptions(Screen.SESSION, ref), clock=clock)


def _library(root: Path) -> AgentViewApp:
    places = [(name, root / name) for name in provider_names()]
    infos = [
        load_provider(name).info(ref)
        for name, place in places
        for ref in load_provider(name).scan(place)
    ]
    newest = max(infos, key=lambda info: info.last_activity or 0.0)
    return AgentViewApp(
        LaunchOptions(Screen.LIBRARY), clock=_clock_after(newest, minutes=4), roots=places
    )


def _clock_after(info: SessionInfo, *, minutes: int) -> Callable[[], float]:
    moment = (info.last_activity or 0.0) + minutes * 60.0
    return lambda: moment


if __name__ == "__main__":
    main()
