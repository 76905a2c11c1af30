"""Notifications by other programs: the desktop's own, and one of the person's.

Programs are started with a list of arguments, never through a shell. All of it is for a thread.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from agentview.notify.decision import Announcement
from agentview.system import platforms

_PATIENCE = 30.0
"""Seconds that a program has."""
_SCRIPT = ("on run argv", "display notification (item 2 of argv) with title (item 1 of argv)",
           "end run")  # fmt: skip


def desktop_command(notice: Announcement) -> list[str] | None:
    """Return the command that shows a notice on the desktop of this machine; None without one."""
    title = f"agentview: {notice.title}"
    if sys.platform == "darwin":
        program = shutil.which("osascript")
        script = [part for line in _SCRIPT for part in ("-e", line)]
        return None if program is None else [program, *script, title, notice.text]
    program = shutil.which("notify-send")
    if program is None:
        return None
    # Some desktops read the text as markup.
    text = notice.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return [program, "--app-name=agentview", "--", title, text]


def run(command: Sequence[str], notice: Announcement, environ: Mapping[str, str]) -> str | None:
    """Run a program with the facts as JSON on its standard input, as `run_program` does."""
    return run_program(command, json.dumps(notice.facts()).encode() + b"\n", environ)


def run_program(command: Sequence[str], facts: bytes, environ: Mapping[str, str]) -> str | None:
    """Run a program with bytes on its standard input; a sentence when that went wrong.

    What it prints is dropped. It is ended when it takes longer than 30 seconds.
    """
    try:
        done = subprocess.run(  # noqa: S603  (the person's own program)
            list(command),
            input=facts,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            timeout=_PATIENCE,
            check=False,
            **platforms.DETACHED,
        )
    except subprocess.TimeoutExpired:
        return f"{command[0]} took longer than {_PATIENCE:.0f} s"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return f"{command[0]} could not be started: {reason.lower()}"
    return f"{command[0]} ended with {done.returncode}" if done.returncode else None
