"""Common parts of lists of running sessions: `sessions/<pid>.json` next to the logs."""

import os
import re
from functools import lru_cache
from typing import TypeVar

import orjson
from msgspec import Struct

from agentview.normalize.json_values import time_of, whole_of
from agentview.providers._kit.typed_values import read_as
from agentview.providers.base import ListedClient

_FILE = re.compile(r"([1-9][0-9]{0,9})\.json")
_SESSION = re.compile(r"[0-9A-Za-z-]{1,64}")
_NO_LETTER = re.compile(r"[^0-9A-Za-z]")


def is_of_process(name: str) -> bool:
    return _FILE.fullmatch(name) is not None


@lru_cache(maxsize=4096)
def _next_to(folder: str) -> str | None:
    while True:
        above, name = os.path.split(folder)
        if name == "projects":
            return f"{above}/sessions"
        if above == folder:
            return None
        folder = above


def list_of(log: str) -> str | None:
    """The directory of the list in which the client of a log would be."""
    return _next_to(os.path.dirname(os.path.abspath(log)))  # noqa: PTH100, PTH120


class Entry(Struct, gc=False, rename="camel"):
    """An entry of a list, as all lists have it."""

    session_id: str | None = None
    pid: int | str | None = None
    proc_start: str | int | None = None
    started_at: int | float | str | None = None
    name: str | None = None
    cwd: str | None = None
    spare: bool | None = None


_Entry = TypeVar("_Entry", bound=Entry)


def listed_client(
    data: bytes, name: str, schema: type[_Entry]
) -> tuple[_Entry, ListedClient] | None:
    """An entry and what all lists say alike; None when it is none. Never raises."""
    named = _FILE.fullmatch(name)
    try:
        entry = read_as(orjson.loads(data), schema)
    except ValueError:
        return None
    pid, started = whole_of(entry.pid), entry.proc_start
    if named is None or not entry.session_id or pid is None or pid != int(named[1]):
        return None
    client = ListedClient(
        entry.session_id,
        pid,
        started=None if started is None else str(started),
        started_at=time_of(entry.started_at),
        name=entry.name or None,
        cwd=entry.cwd or None,
        spare=entry.spare is True,
    )
    return entry, client


def log_of(root: str, client: ListedClient, *folders: str) -> str | None:
    """Where a client writes its log: it names the folder of a project after its directory."""
    return log_at(root, client.cwd, client.session_id, *folders)


def log_at(root: str, cwd: str | None, session_id: str, *folders: str) -> str | None:
    """Where the log of a session is, by the directory that it works in."""
    if cwd is None or not _SESSION.fullmatch(session_id):
        return None
    project = _NO_LETTER.sub("-", cwd)
    return os.path.join(root, project, *folders, f"{session_id}.jsonl")  # noqa: PTH118


def own_namespace() -> str | None:
    """The namespace of our process ids, `pid:[<number>]`; None where the system has none."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115  (no file: a name of the kernel)
    except OSError:
        return None
