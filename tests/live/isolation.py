"""Runs the whole of it where nothing but loopback can be reached and no process is left behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_MARK = "AGENTVIEW_LIVE_ISOLATED"


def is_isolated() -> bool:
    """Whether this is the program that was started again."""
    return _MARK in os.environ


def isolate() -> None:
    """Start this program again in its own network and process namespace, and return only there.

    Raises SystemExit where the system does not allow that.
    """
    if not is_isolated():
        missing = [name for name in ("unshare", "ip", "tmux", "git") if shutil.which(name) is None]
        if missing:
            raise SystemExit(
                f"Not found: {', '.join(missing)}. This needs Linux, iproute2 and tmux."
            )
        namespaces = ["--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
        if os.geteuid():
            namespaces.append("--map-root-user")
        os.environ[_MARK] = "1"
        command = ["unshare", *namespaces, sys.executable, "-m", "tests.live", *sys.argv[1:]]
        os.execvp(command[0], command)  # noqa: S606
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    listed = [
        line.split(":")[0].strip()
        for line in Path("/proc/net/dev").read_text().splitlines()
        if ":" in line
    ]
    if listed != ["lo"]:
        raise SystemExit(f"Other networks than loopback can be reached: {', '.join(listed)}.")
