"""The clipboard of the platform, next to the one that the terminal reaches for us (OSC 52).

It is asked through the programs that platforms have for it. Libraries for this do the same, but
wait for them on the event loop, and go without a limit of time and size.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping

from textual.app import App

from agentview.timeline.view.format_numbers import counted
from agentview.timeline.view.sanitize import without_controls
from agentview.ui.messages import CopyRequested

LIMIT = 2_000_000
"""Characters that are copied at most."""

TERMINAL_LIMIT = 100_000
"""Characters that a terminal is sent at most: many take no longer sequence, some hang over it."""

_PATIENCE = 3.0
"""Seconds after which a program of the platform is given up."""


async def copy(app: App[None], asked: CopyRequested) -> None:
    """Put a text in the clipboard of the terminal and of the platform; say what was copied.

    The terminal is left out where there is more than it takes and the platform takes it all.
    """
    text, command = asked.text, clipboard_command(os.environ)
    limit, kept = LIMIT, bounded(text, LIMIT)
    taken = len(kept) > TERMINAL_LIMIT and await into_clipboard(kept, command)
    if not taken:
        limit, kept = TERMINAL_LIMIT, bounded(text, TERMINAL_LIMIT)
        app.copy_to_clipboard(kept)
    total = len(text) if len(text) > limit else len(kept)
    asked.say(copied_words(asked.what, len(kept), total, kept.count("\n") + 1))
    if not taken:
        await into_clipboard(kept, command)


def clipboard_command(environ: Mapping[str, str], platform: str = sys.platform) -> list[str]:
    """The program that takes the clipboard's text on its standard input; empty without one.

    Over SSH there is none: the clipboard of that machine is not the person's.
    """
    remote = any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_TTY"))
    known: list[tuple[bool, list[str]]] = [
        (bool(environ.get("TMUX")), ["tmux", "load-buffer", "-w", "-"]),
        (platform == "darwin" and not remote, ["pbcopy"]),
        (bool(environ.get("WAYLAND_DISPLAY")) and not remote, ["wl-copy"]),
        (bool(environ.get("DISPLAY")) and not remote, ["xclip", "-selection", "clipboard"]),
        (bool(environ.get("DISPLAY")) and not remote, ["xsel", "--clipboard", "--input"]),
        (bool(environ.get("WSL_DISTRO_NAME")) or platform == "win32", ["clip.exe"]),
    ]
    for applies, command in known:
        found = applies and shutil.which(command[0], path=environ.get("PATH"))
        if found:
            return [found, *command[1:]]
    return []


async def into_clipboard(text: str, command: list[str]) -> bool:
    """Give the text to the program; false when it did not take it in time."""
    if not command:
        return False
    # The code page of Windows' own program is only left for UTF-16.
    encoding = "utf-16-le" if command[0].lower().endswith("clip.exe") else "utf-8"
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(text.encode(encoding, "replace")), _PATIENCE)
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    return process.returncode == 0


def bounded(text: str, limit: int) -> str:
    """As much of the text as is copied, without what cannot be written or acts when pasted.

    Controls could end a bracketed paste, after which a shell runs what follows.
    """
    return without_controls(text[:limit]).encode("utf-8", "replace").decode("utf-8")


def copied_words(what: str, copied: int, total: int, lines: int) -> str:
    """Return a sentence on the copied text and its size."""
    size = counted(copied, "character")
    size = f"{size} in {counted(lines, 'line')}" if lines > 1 else size
    if copied < total:
        return f"copied the first {size} of the {what}, which has {total:,}"
    return f"copied {what}, {size}"
