"""`agentview cache`: what is kept of logs on disk, and its removal."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from agentview.cli.output.sheet import Line, Tone, aligned, put
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.targets.session_line import home_relative
from agentview.system.paths import cache_dir
from agentview.timeline.view.format_numbers import byte_size

_PARTS = (
    ("sessions", "catalogue.sqlite*", "titles, states, totals and usage of all sessions"),
    ("logs", "logs/*/*", "records of large logs, reduced to what counts and joins them"),
    ("search", "search-*", "words of all sessions"),
    ("prices", "prices", "prices of the models that logs name"),
    ("status", "status", "the last answer of `agentview status`"),
)
"""Name of each part, its files below the directory, and what it holds."""


class CachePart(Value):
    """A part of the cache."""

    name: str
    files: int
    bytes: int
    holds: str


def run(options: argparse.Namespace) -> int:
    """Show the parts of the cache, or remove them. Raises AgentViewError when that fails."""
    folder = cache_dir()
    if options.what == "clear":
        _clear(folder)
    elif options.json:
        parts = list(cache_parts(folder))
        sys.stdout.buffer.write(to_json_document({"path": str(folder), "parts": parts}))
    else:
        put(_lines(folder))
    return 0


def cache_parts(folder: Path) -> Iterator[CachePart]:
    for name, pattern, holds in _PARTS:
        sizes = [size for path in folder.glob(pattern) if (size := _size(path)) is not None]
        yield CachePart(name, len(sizes), sum(sizes), holds)


def _lines(folder: Path) -> Iterator[Line]:
    parts = list(cache_parts(folder))
    yield [(home_relative(str(folder)), Tone.HEAD)]
    rows = [(part.name, str(part.files), byte_size(part.bytes), part.holds) for part in parts]
    total = sum(part.bytes for part in parts)
    rows.append(("total", str(sum(part.files for part in parts)), byte_size(total), ""))
    head = tuple((text, Tone.FAINT) for text in ("PART", "FILES", "SIZE", "HOLDS"))
    yield from aligned([head, *rows], right=(1, 2), indent=0)


def _clear(folder: Path) -> None:
    """Remove all files of the cache, and none that is not part of it. Raises AgentViewError."""
    removed = size = 0
    for _, pattern, _ in _PARTS:
        for path in sorted(folder.glob(pattern)):
            length = _size(path)
            if length is None:
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise AgentViewError(
                    f"{path} cannot be removed: {error.strerror}.", "Check its permissions."
                ) from error
            removed, size = removed + 1, size + length
    for path in (folder / "logs").glob("*"):
        with suppress(OSError):
            path.rmdir()
    print(f"Removed {removed} files, {byte_size(size)}.")


def _size(path: Path) -> int | None:
    """Bytes of a file, not of what a link leads to; None for what is not a file."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return None if path.is_dir() and not path.is_symlink() else status.st_size
