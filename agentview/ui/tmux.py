"""Goes to the pane of tmux that a process runs in. Nothing is typed into it."""

import os
import shutil
import subprocess
from collections.abc import Sequence

_PATIENCE = 3.0
"""Seconds that tmux has for an answer."""
_PANES = "#{pane_tty}\t#{pane_pid}\t#{pane_id}"
_DEEPEST = 32
"""Processes above a client among which the one of a pane is looked for."""


def go_to_pane(pid: int) -> str | None:
    """Show the pane of a process in the tmux that runs here; a notice where that is not possible.

    The pane is the one whose terminal the process has, else one that a process above it runs in.
    Meant for a thread.
    """
    tmux = shutil.which("tmux")
    if tmux is None:
        return "tmux is not installed"
    listed = _run(tmux, "list-panes", "-a", "-F", _PANES)
    if listed is None:
        return "no tmux server runs here"
    panes = [tuple(line.split("\t")) for line in listed.splitlines() if line.count("\t") == 2]
    pane = _pane_of(pid, panes)
    if pane is None:
        return "the terminal of this session is not a tmux pane"
    # The window and pane are chosen for whoever is attached, then this terminal goes there.
    done = [_run(tmux, command, "-t", pane) for command in ("select-window", "select-pane")]
    if None in done:
        return "the tmux pane of this session is gone"
    if not os.environ.get("TMUX"):
        return "selected its pane; agentview itself does not run in tmux"
    return None if _run(tmux, "switch-client", "-t", pane) is not None else "tmux did not switch"


def _pane_of(pid: int, panes: Sequence[tuple[str, ...]]) -> str | None:
    by_terminal = {tty: pane for tty, _, pane in panes}
    by_process = {number: pane for _, number, pane in panes}
    process = str(pid)
    for _ in range(_DEEPEST):
        # POSIX has these two, so that Linux and macOS answer alike.
        listed = (_run("ps", "-o", "tty=", "-o", "ppid=", "-p", process) or "").split()
        if len(listed) != 2:
            return None
        pane = by_terminal.get(f"/dev/{listed[0]}") or by_process.get(process)
        if pane is not None:
            return pane
        process = listed[1]
    return None


def _run(*command: str) -> str | None:
    """Return the output of a command; None when it fails."""
    try:
        done = subprocess.run(  # noqa: S603  (tmux, with names of its own panes)
            command, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return None if done.returncode else done.stdout.decode("utf-8", "replace")
