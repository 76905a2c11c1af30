"""Clients that are installed or keep logs here, and that no provider reads: one table of places.

`not_read.txt` has the table. Nothing of such a client is opened: it is known by the name of a
program on the search path, or by a directory.
"""

import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from agentview.domain.value import Value
from agentview.providers.folders import first_places, place_lines
from agentview.sources.files import is_directory

_TABLE = Path(__file__).with_name("not_read.txt")
_COLUMNS = 5


class OtherClient(Value):
    """A client that was found and is not read."""

    name: str
    """Its label."""
    program: str | None = None
    """The program that was found on the search path."""
    places: tuple[str, ...] = ()
    """Directories that it keeps, and that exist."""


def other_clients(env: Mapping[str, str], read: Collection[str]) -> Sequence[OtherClient]:
    """The clients of the table that are found, without those that the providers in `read` read."""
    found = (_found(row, env) for row in table() if row[0] not in read)
    return [client for client in found if client.program is not None or client.places]


def table() -> Iterator[Sequence[str]]:
    for line in _TABLE.read_text(encoding="utf-8").splitlines():
        columns = [column.strip() for column in line.split(";")]
        if not line.startswith("#") and len(columns) == _COLUMNS:
            yield columns


def _found(row: Sequence[str], env: Mapping[str, str]) -> OtherClient:
    _, name, programs, places, _ = row
    path = env.get("PATH", "")
    program = next((each for each in programs.split() if shutil.which(each, path=path)), None)
    there = tuple(os.fspath(place) for place in places_of(places, env) if is_directory(place))
    return OtherClient(name, program, there)


def places_of(places: str, env: Mapping[str, str]) -> Iterator[Path]:
    for part in places.split(","):
        for line in place_lines(part.strip()):
            yield from first_places(line, env)
