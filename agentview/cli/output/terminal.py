"""Kind of standard output: a terminal or a pipe, how wide, and whether it may have colour."""

import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

_DUMB = ("dumb", "unknown")


def is_terminal() -> bool:
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
    """Return whether to write colours: by default to a terminal that has them.

    `NO_COLOR` and `FORCE_COLOR` count when they are not empty (https://no-color.org,
    https://force-color.org); `NO_COLOR` wins.
    """
    if env.get("NO_COLOR"):
        return False
    if env.get("FORCE_COLOR"):
        return True
    return is_terminal() and env.get("TERM", "") not in _DUMB


def writes_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


class _Guarded:
    """A text stream to which nothing of a log can send a control sequence."""

    # The name of the type of a stream would cost the shortest answers six milliseconds.
    def __init__(self, stream: object, write: Callable[[str], int]) -> None:
        self._stream = stream
        self._write = write

    def write(self, text: str) -> int:
        """Write the text without what would act on a terminal."""
        if not all(line.isprintable() for line in text.split("\n")):
            # Lines of printable characters do not wait for the import.
            from agentview.timeline.view.sanitize import sent

            text = sent(text)
        return self._write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


@contextmanager
def guarded_streams() -> Generator[None]:
    """Guard standard output and standard error for as long as a command runs.

    What the encoding of a stream does not have is written as `?`.
    """
    before = sys.stdout, sys.stderr
    for stream in before:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    # What a guarded stream has not itself is that of the stream.
    sys.stdout = _Guarded(before[0], before[0].write)  # pyright: ignore[reportAttributeAccessIssue]
    sys.stderr = _Guarded(before[1], before[1].write)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
