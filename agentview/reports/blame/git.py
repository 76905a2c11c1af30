"""Runs git for its facts about a repository; no program that the repository names is run."""

import os
import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path

from agentview.errors import Unreadable

_SECONDS = 60
_SAFE = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.external=")


def git(
    directory: Path,
    *arguments: "str | bytes",
    stdin: bytes = b"",
    codes: Collection[int] = (0,),
) -> bytes:
    """Standard output of git; Unreadable with its words if it exits with none of the `codes`."""
    command: Sequence[str | bytes] = ("git", "-C", str(directory), *_SAFE, *arguments)
    try:
        done = subprocess.run(  # noqa: S603
            command,
            input=stdin,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_PAGER": "cat", "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise Unreadable("git is not installed.", "It has the lines of commits.") from error
    except subprocess.TimeoutExpired as error:
        raise Unreadable("git does not answer.", "Try again.") from error
    if done.returncode not in codes:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        # Warnings may come before it, and advice after it.
        last = said[-1] if said else done.returncode
        reason = next((line for line in said if line.startswith("fatal: ")), last)
        raise Unreadable(
            f"git says: {reason}.",
            "Run the command in the repository of the commit.",
        )
    return done.stdout
