"""Reads TOML files of the person: settings and themes."""

import os
import stat
import tomllib
from pathlib import Path

from agentview.errors import Unreadable
from agentview.system import platforms

_MOST_BYTES = 100_000


class NotToml(ValueError):  # noqa: N818  (reads as the sentence it stands for)
    """A text is not TOML, or is nested deeper than Python reads."""


def toml_text(path: Path) -> str | None:
    """The text of a file; None where there is none. Raises Unreadable.

    A named pipe is refused: to read it would wait for a writer.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | platforms.CLOSE_ON_EXEC | platforms.NEVER_WAIT)
        with open(descriptor, "rb") as file:  # noqa: PTH123
            mode = os.fstat(descriptor).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISCHR(mode)):
                raise Unreadable(f"{path} is not a regular file.")
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > _MOST_BYTES:
        raise Unreadable(f"{path} is larger than {_MOST_BYTES // 1000} kB.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is not UTF-8.") from error


def parsed_toml(text: str) -> dict[str, object]:
    """The tables of a TOML text. Raises NotToml."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise NotToml(str(error)) from None
    except RecursionError:
        raise NotToml("nested too deeply") from None
