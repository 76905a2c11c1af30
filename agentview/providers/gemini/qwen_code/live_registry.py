"""Which processes have a session: the list `sessions/<pid>.json`, and a file next to each log."""

import os
import platform
from functools import cache
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.normalize.json_values import whole_of
from agentview.providers._kit.listed_client import (
    Entry,
    is_of_process,
    list_of,
    listed_client,
    log_of,
    own_namespace,
)
from agentview.providers._kit.typed_values import read_as
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.providers.gemini.qwen_code.schema import Runtime
from agentview.sources.files import read_part

# Measured on 0.24.4: the terminal interface writes both, a run with `-p` neither. Neither says what
# the session does. An entry of the list is removed at exit, and has the id of the next session
# after `/clear`; the file next to the log stays at exit, and `/clear` removes it.

_RUNTIME = ".runtime.json"


class _Entry(Entry, gc=False, rename="camel"):
    pid_ns: int | str | None = None


def _entry(data: bytes, name: str) -> ListedClient | None:
    found = listed_client(data, name, _Entry)
    if found is None:
        return None
    entry, client = found
    boot, _, ticks = (client.started or "").rpartition(":")
    here = _is_here(entry, boot)
    # Without the right boot the number says nothing of a process of this one.
    return replace(client, started=ticks if here and ticks else None, here=here)


def _is_here(entry: _Entry, boot: str) -> bool | None:
    """True if an entry is of this boot of this machine, and of our namespace of process ids."""
    number, own, now = whole_of(entry.pid_ns), own_namespace(), _boot()
    if number is None or own is None or not boot or not now:
        return None
    return (f"pid:[{number}]", boot) == (own, now)


@cache
def _boot() -> str:
    place = Path("/proc/sys/kernel/random/boot_id")
    return read_part(place, 0, 64).decode("ascii", "replace").strip()


def _runtime_file(log: str) -> str | None:
    stem, ending = os.path.splitext(log)  # noqa: PTH122
    return f"{stem}{_RUNTIME}" if ending == ".jsonl" else None


def _runtime(data: bytes, name: str) -> ListedClient | None:
    try:
        said = read_as(orjson.loads(data), Runtime)
    except ValueError:
        return None
    session_id, pid = said.session_id, said.pid
    if not session_id or pid is None or pid < 1 or name != f"{session_id}{_RUNTIME}":
        return None
    return ListedClient(
        session_id,
        pid,
        here=None if said.hostname == platform.node() else False,
        cwd=said.work_dir or None,
    )


def _log(root: str, client: ListedClient) -> str | None:
    return log_of(root, client, "chats")


LIVE_REGISTRY = LiveRegistry(
    directory=list_of,
    is_entry=is_of_process,
    entry=_entry,
    lists=lambda _: False,
    log=_log,
    partial=True,
)
RUNTIME_FILE = LiveRegistry(
    directory=_runtime_file,
    is_entry=lambda name: name.endswith(_RUNTIME),
    entry=_runtime,
    lists=lambda _: False,
    partial=True,
    is_file=True,
)
