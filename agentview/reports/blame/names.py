"""The names that a file had: the one that it has now, and those before it was moved."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from math import inf
from pathlib import Path

from agentview.domain.value import Value
from agentview.facts.edits.operations import PathMove
from agentview.sources.open_file import open_file, read_span

_BLOCK = 4 * 1024 * 1024
_COMMAND = 400
"""Bytes of a command in which the directory that it moves is looked for."""


class FileName(Value):
    """How long a file had a name."""

    until: float = inf
    """Epoch seconds; infinite for a name that it has now."""
    certain: bool = True
    """False behind a command of which it is not known whether it moved the file."""


Names = Mapping[str, FileName]
"""Paths that a file had."""


def names_before(now: Iterable[str], moves: Iterable[PathMove]) -> dict[str, FileName]:
    """Return the names of a file: those that it has now, and those that moves show."""
    names = dict.fromkeys(now, FileName())
    for move in sorted(moves, key=lambda move: -_time(move)):
        for name, had in list(names.items()):
            rest = _below(name, move.to)
            if rest is not None and _time(move) <= had.until:
                certain = had.certain and move.certain
                names.setdefault(move.path + rest, FileName(_time(move), certain))
    return names


def _time(move: PathMove) -> float:
    return inf if move.time is None else move.time


def _below(name: str, path: str) -> str | None:
    """The rest of a name behind a path, when it is the same or below it."""
    rest = name.removeprefix(path)
    return rest if name.startswith(path) and rest[:1] in ("", "/") else None


class Mentions:
    """Mentions of files in a log: their names, or a command that moves a directory above them."""

    def __init__(self, names: Iterable[str], tops: Iterable[str]) -> None:
        paths = [Path(name) for name in names]
        roots = {Path(top) for top in tops}
        above = {parent.name for path in paths for parent in _between(path, roots)}
        self.sought = frozenset({*(path.name for path in paths), *(f"{name}/" for name in above)})
        """Names of files, and of directories, that it looks for."""
        self.names = frozenset(name.rstrip("/") for name in self.sought)
        """The same, all alike."""
        self._words = {word for path in paths for word in _in_json(path.name)}
        moved = b"|".join(re.escape(word) for name in sorted(above) for word in _in_json(name))
        self._moves = re.compile(rb"mv [^\n]{0,%d}?(?:%s)\b" % (_COMMAND, moved)) if moved else None
        self._overlap = max((_COMMAND * 2, *map(len, self._words)))

    def are_in(self, log: Path) -> bool:
        """Return True if a log has any of it. Raises what `open_file` raises."""
        fd, status = open_file(log)
        try:
            for start in range(0, max(1, status.st_size), _BLOCK):
                data = read_span(fd, start, _BLOCK + self._overlap)
                if any(word in data for word in self._words):
                    return True
                if self._moves is not None and self._moves.search(data) is not None:
                    return True
        finally:
            os.close(fd)
        return False


def _between(path: Path, tops: set[Path]) -> Iterator[Path]:
    for parent in path.parents:
        if parent in tops:
            return
        if not any(parent.is_relative_to(top) for top in tops):
            return
        yield parent


def _in_json(name: str) -> Iterator[bytes]:
    """A name as JSON has it: some clients write all of it in ASCII."""
    for plain in (True, False):
        yield json.dumps(name, ensure_ascii=plain)[1:-1].encode("utf-8", "surrogateescape")
