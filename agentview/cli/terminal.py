"""What standard output is: a terminal or a pipe, how wide, and whether it may have colour."""

import os
import sys
from collections.abc import Mapping

_DUMB = ("dumb", "unknown")


def is_terminal() -> bool:
    """Say whether standard output is a terminal."""
    return sys.stdout.isatty()


def columns(env: Mapping[str, str] = os.environ) -> int | None:
    """Width in cells: `COLUMNS`, else that of the terminal; None for a pipe, which has none."""
    value = env.get("COLUMNS", "")
    if value.isdigit() and int(value) > 0:
        return int(value)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def wants_colour(env: Mapping[str, str] = os.environ) -> bool:
    """Say whether to write colours: to a terminal that has them, unless told otherwise.

    `NO_COLOR` and `FORCE_COLOR` count when they are not empty (https://no-color.org,
    https://force-color.org); `NO_COLOR` wins.
    """
    if env.get("NO_COLOR"):
        return False
    if env.get("FORCE_COLOR"):
        return True
    return is_terminal() and env.get("TERM", "") not in _DUMB


def writes_unicode() -> bool:
    """Say whether the encoding of standard output has more than a few letters."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def be_lenient() -> None:
    """Write what the encoding of standard output does not have as `?`, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
