"""The list of running sessions that Claude Code keeps: `sessions/<pid>.json`, a file a process."""

import re
from functools import lru_cache
from pathlib import Path

import orjson
from msgspec.structs import replace

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import time_of
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
from agentview.providers.claude.claude_code.schema import JobState
from agentview.sources.files import read_part

# Measured on 2.1.331; the client keeps the list since 2.1.139. The file is rewritten at each change
# and removed at exit; after `/clear` it has the id of the next session. `pid-<n>.json`, of an older
# generation, says nothing of what the session does. What a background session needs is in its state
# before its entry turns to `idle` (2.1.332).

_SINCE = (2, 1, 139)
JOB = re.compile(r"[0-9A-Za-z-]{1,64}")
JOBS, STATE = "jobs", "state.json"
"""The folder next to the list with a folder for each background session, and the file in it."""

_SAID = {
    "busy": Activity.BUSY,
    "idle": Activity.IDLE,
    "shell": Activity.IDLE,
    "waiting": Activity.WAITING,
}
"""Activities by `status`. `shell` is idle with a command in the background. SDK sessions have
none."""
_WAITS_FOR = {
    "permission prompt": Activity.APPROVAL,
    "sandbox request": Activity.APPROVAL,
    "worker request": Activity.APPROVAL,
    "goal proposal": Activity.APPROVAL,
    "input needed": Activity.QUESTION,
}
"""Activities by `waitingFor`; any other one, such as `dialog open`, may be about anything."""


class _Entry(Entry, gc=False, rename="camel"):
    status: str | None = None
    waiting_for: str | None = None
    kind: str | None = None
    job_id: str | None = None
    pid_domain: str | None = None
    status_updated_at: int | float | str | None = None
    updated_at: int | float | str | None = None


def _entry(data: bytes, name: str) -> ListedClient | None:
    found = listed_client(data, name, _Entry)
    if found is None:
        return None
    entry, client = found
    activity = _SAID.get(entry.status or "")
    if activity is Activity.WAITING:
        activity = _WAITS_FOR.get(entry.waiting_for or "", activity)
    job = entry.job_id if entry.kind == "bg" else None
    return replace(
        client,
        details=f"{job}/{STATE}" if job and JOB.fullmatch(job) else None,
        here=_is_here(entry.pid_domain or None),
        activity=activity,
        since=time_of(entry.status_updated_at) or time_of(entry.updated_at),
    )


def is_blocked(state: JobState) -> bool:
    return state.tempo == "blocked"


def request_of(state: JobState) -> str | None:
    """The request of a background session to its person; None where it does not wait."""
    return state.needs or None if is_blocked(state) else None


def _detailed(client: ListedClient, state: bytes) -> ListedClient:
    """The client of a background session: after a turn, it may say what it needs to go on."""
    try:
        request = request_of(read_as(orjson.loads(state), JobState))
    except ValueError:
        return client
    if request is None or client.activity is not Activity.IDLE:
        # While it asks for permission, the log says for what.
        return client
    return replace(client, activity=Activity.QUESTION, about=request)


@lru_cache(maxsize=64)
def _is_here(domain: str | None) -> bool | None:
    """True if `linux:<machine id>:pid:[<namespace>]` is where we run; None where nobody can say."""
    system, _, place = (domain or "").partition(":")
    machine, _, namespace = place.partition(":")
    own = read_part(Path("/etc/machine-id"), 0, 64).decode("ascii", "replace").strip()
    here = own_namespace()
    if system != "linux" or not namespace or not own or here is None:
        return None
    return (machine, namespace) == (own, here)


def _lists(version: str | None) -> bool:
    parts = re.match(r"(\d{1,4})\.(\d{1,4})\.(\d{1,6})", version or "")
    return parts is not None and tuple(map(int, parts.groups())) >= _SINCE


LIVE_REGISTRY = LiveRegistry(
    directory=list_of,
    is_entry=is_of_process,
    entry=_entry,
    lists=_lists,
    log=log_of,
    details_folder=JOBS,
    detailed=_detailed,
)
