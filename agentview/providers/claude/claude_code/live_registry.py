"""The list of running sessions that Claude Code keeps: `sessions/<pid>.json`, a file a process."""

import re
from functools import lru_cache
from pathlib import Path

from msgspec.structs import replace

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import text_of, time_of
from agentview.providers._kit.listed_client import (
    is_of_process,
    list_of,
    listed_client,
    log_of,
    own_namespace,
)
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.sources.files import read_part

# Measured on 2.1.331; the client keeps the list since 2.1.139. The file is rewritten at each change
# and removed at exit; after `/clear` it has the id of the next session. `pid-<n>.json`, of an older
# generation, says nothing of what the session does.

_SINCE = (2, 1, 139)
_SAID = {
    "busy": Activity.BUSY,
    "idle": Activity.IDLE,
    "shell": Activity.IDLE,
    "waiting": Activity.WAITING,
}
"""What `status` says. `shell` is idle with a command in the background. SDK sessions have none."""
_WAITS_FOR = {
    "permission prompt": Activity.APPROVAL,
    "sandbox request": Activity.APPROVAL,
    "worker request": Activity.APPROVAL,
    "goal proposal": Activity.APPROVAL,
    "input needed": Activity.QUESTION,
}
"""What `waitingFor` says; any other one, such as `dialog open`, may be about anything."""


def _entry(data: bytes, name: str) -> ListedClient | None:
    found = listed_client(data, name)
    if found is None:
        return None
    entry, client = found
    activity = _SAID.get(text_of(entry.get("status")) or "")
    if activity is Activity.WAITING:
        activity = _WAITS_FOR.get(text_of(entry.get("waitingFor")) or "", activity)
    return replace(
        client,
        here=_is_here(text_of(entry.get("pidDomain"))),
        activity=activity,
        since=time_of(entry.get("statusUpdatedAt")) or time_of(entry.get("updatedAt")),
    )


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
    directory=list_of, is_entry=is_of_process, entry=_entry, lists=_lists, log=log_of
)
