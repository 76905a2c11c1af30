"""Copies sessions as they are written, and the units by which a system keeps that running."""

import asyncio
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from agentview.sources.watch.watcher import Watcher

_PAUSE = 20.0
"""Seconds between two looks at least: a client deletes what was not written to for days."""
_SHARE = 50
"""Times as long as a look took until the next: all sessions are looked at."""
_POLLED = 5.0


async def follow(places: Sequence[Path], copy: Callable[[], object]) -> None:
    """Call `copy` at once, and again after files below these places have changed; never ends."""
    with Watcher(interval=_POLLED) as watcher:
        for place in places:
            watcher.add_tree(place)
        took = await _timed(copy)
        async for _ in watcher:
            await asyncio.sleep(max(_PAUSE, _SHARE * took))
            took = await _timed(copy)


async def _timed(copy: Callable[[], object]) -> float:
    began = time.monotonic()
    await asyncio.to_thread(copy)
    return time.monotonic() - began


def unit(system: str, arguments: Sequence[str]) -> str:
    """The unit of `systemd` or `launchd` that keeps `agentview archive --follow` running."""
    program = shutil.which("agentview")
    start = [sys.executable, "-m", "agentview"] if program is None else [program]
    words = [*start, "archive", "--follow", *arguments]
    if system == "systemd":
        command = shlex.join(words).replace("%", "%%").replace("$", "$$")
        return _SYSTEMD.format(command=command)
    return _LAUNCHD.format(
        words="\n".join(f"    <string>{escape(each)}</string>" for each in words)
    )


_SYSTEMD = """\
# agentview archive --unit systemd > ~/.config/systemd/user/agentview-archive.service
# systemctl --user enable --now agentview-archive
[Unit]
Description=Copy sessions of coding agents before their clients delete them

[Service]
ExecStart={command}
Restart=on-failure
Nice=19

[Install]
WantedBy=default.target
"""
_LAUNCHD = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN"
  "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Save as ~/Library/LaunchAgents/agentview.archive.plist, then
     launchctl load ~/Library/LaunchAgents/agentview.archive.plist -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>agentview.archive</string>
  <key>ProgramArguments</key>
  <array>
{words}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>LowPriorityIO</key>
  <true/>
</dict>
</plist>
"""
