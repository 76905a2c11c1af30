"""How a session is kept: a line for each message, and what is counted of them in a file of its own.

Source: recordings of 2.19.1. A compaction begins another session, whose counts go on from those of
the one before; its title is made of words that the client wrote.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import Lock

import orjson

from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.normalize.json_values import changed as with_values
from agentview.sources.files import is_file_name
from agentview.sources.member import DirectoryRecord, Folder, first_bytes
from agentview.sources.one_look import found_once
from agentview.sources.packed_file import content_size

MESSAGES = "messages.jsonl"
META = "meta.json"
_LARGEST = 512 * 1024 * 1024
"""Bytes of a file that are read."""
_BULKY = ("system_prompt", "tools_available")
"""Keys whose values are as long as many messages, and the same each time."""
_ID_IN_NAME = 8
"""Characters of the id of a session at the end of the name of its directory."""
_CHAIN = 100
"""Sessions before one that are looked at to find its title."""


class _Session:
    """The lines of one session, and its file with counts as the last record."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._lines: list[tuple[str, bytes]] = []
        self._inode = 0
        self._offset = 0
        self._renewed = 0
        """How often the file of messages was replaced or became shorter."""
        self._meta: tuple[object, bytes] | None = None
        self._reading = Lock()

    def records(self) -> Iterable[DirectoryRecord]:
        with self._reading:
            self._take_lines()
            self._take_meta()
            found = [DirectoryRecord(key, 0, partial(bytes, line)) for key, line in self._lines]
            if self._meta is not None:
                found.append(DirectoryRecord("meta", *_kept(self._meta)))
            return found

    def _take_lines(self) -> None:
        path = f"{self._path}/{MESSAGES}"
        inode, size = _status(path)
        if inode != self._inode or size < self._offset:
            self._inode, self._offset, self._lines = inode, 0, []
            self._renewed += 1
        if size <= self._offset:
            return
        data = first_bytes(path, min(size - self._offset, _LARGEST), self._offset)
        whole = data[: data.rfind(b"\n") + 1]
        for line in whole.split(b"\n")[:-1]:
            if line.strip():
                self._lines.append((f"{self._renewed}/{len(self._lines)}", line))
        self._offset += len(whole)

    def _take_meta(self) -> None:
        version = _status(f"{self._path}/{META}")
        if self._meta is not None and self._meta[0] == version:
            return
        meta = meta_of(Path(self._path))
        if not meta:
            return
        before = [each for _, each in _before(Path(self._path), meta)]
        values: dict[str, object] = {key: "…" for key in _BULKY if key in meta}
        if before:
            first, last = before[-1], before[0]
            values["before"] = {"stats": last.get("stats"), "title": first.get("title")}
        self._meta = (version, orjson.dumps(with_values(meta, values)))


def meta_of(path: Path) -> Fields:
    """The metadata of the session in a directory; empty if it cannot be read."""
    if not path.is_dir():
        return {}
    try:
        return fields_of(orjson.loads(first_bytes(path / META, _LARGEST)))
    except ValueError:
        return {}


def _before(path: Path, meta: Fields) -> Iterator[tuple[Path, Fields]]:
    """Directory and counts of the sessions that compactions ended before this one, last first."""
    for _ in range(_CHAIN):
        parent = text_of(meta.get("parent_session_id"))
        if parent is None or not is_file_name(parent):
            return
        names = _by_end_of_name(path.parent).get(parent[:_ID_IN_NAME], ())
        metas = ((each, meta_of(each)) for each in names)
        found = next((each for each in metas if each[1].get("session_id") == parent), None)
        if found is None:
            return
        yield found
        meta = found[1]


@found_once
def _by_end_of_name(folder: Path) -> Mapping[str, Sequence[Path]]:
    """Entries of a folder of sessions, by the part of the name after the last underscore."""
    found: dict[str, list[Path]] = {}
    for place in folder.glob("*_*"):
        found.setdefault(place.name.rpartition("_")[2], []).append(place)
    return found


def _counts_before(path: str) -> Iterator[str]:
    for folder, _ in _before(Path(path), meta_of(Path(path))):
        yield f"{folder}/{META}"


def _kept(meta: tuple[object, bytes]) -> tuple[object, "partial[bytes]"]:
    return meta[0], partial(bytes, meta[1])


def _status(path: str) -> tuple[int, int]:
    """Inode and size of a regular file; 0 for a link and for anything else."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return 0, 0
    regular = stat.S_ISREG(status.st_mode)
    return (status.st_ino, content_size(path, status.st_size)) if regular else (0, 0)


FOLDER = Folder(
    marks=(MESSAGES, META),
    open=lambda path: _Session(path).records,
    changing=lambda path: (f"{path}/{MESSAGES}", f"{path}/{META}"),
    outside=_counts_before,
)
