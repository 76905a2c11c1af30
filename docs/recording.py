"""Writes the recording of the documentation, a log that grows: `make screenshots`."""

import asyncio
import io
import os
import tempfile
from datetime import datetime
from pathlib import Path

import orjson
from PIL import Image
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.system.paths import sample_sessions_dir
from agentview.ui.app import AgentViewApp
from docs.drawing import as_png

TARGET = Path(__file__).parent / "screenshots" / "tail.gif"
PROVIDER = "claude_code"
_LOG = sample_sessions_dir() / PROVIDER / "demo.jsonl"
_SIZE = (90, 26)
_SCALE = 0.7
_COLORS = 48
_STEP_MS = 800
_LAST_MS = 4_000


def main() -> None:
    """Write a GIF of `agentview tail` while a sample session is written, a record a step."""
    os.environ |= {"TZ": "UTC", "COLORTERM": "truecolor"}
    with tempfile.TemporaryDirectory() as own:
        os.environ["AGENTVIEW_CACHE_DIR"] = own
        log = Path(own) / "demo.jsonl"
        first, *others = _LOG.read_bytes().splitlines(keepends=True)
        log.write_bytes(first)
        frames = asyncio.run(_frames(log, others))
    drawn = [Image.open(io.BytesIO(as_png(svg, scale=_SCALE))).convert("RGB") for svg in frames]
    # With the same colours in all frames, a frame is kept as what differs from the one before.
    palette = drawn[-1].quantize(_COLORS)
    pictures = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in drawn]
    pictures[0].save(
        TARGET,
        save_all=True,
        append_images=pictures[1:],
        duration=[_STEP_MS] * (len(pictures) - 1) + [_LAST_MS],
        loop=0,
        optimize=True,
    )


async def _frames(log: Path, lines: list[bytes]) -> list[str]:
    """Return the screen as SVG after each of the lines, which are appended to the log."""
    now = [0.0]
    ref = load_provider(PROVIDER).discovery.ref(log)
    app = AgentViewApp(LaunchOptions(Screen.SESSION, ref, live=True), clock=lambda: now[0])
    frames: list[str] = []
    async with app.run_test(size=_SIZE) as pilot:
        for line in lines:
            stamp = orjson.loads(line).get("timestamp")
            if stamp is not None:
                now[0] = datetime.fromisoformat(stamp).timestamp()
            with log.open("ab") as file:
                file.write(line)
            frames.extend(await _painted(pilot, frames[-1] if frames else ""))
    return frames


async def _painted(pilot: Pilot[None], before: str) -> list[str]:
    """Return what is painted of a record, nothing when it does not show."""
    await pilot.pause(0.4)
    svg = pilot.app.export_screenshot(title="agentview tail")
    return [] if svg == before else [svg]


if __name__ == "__main__":
    main()
