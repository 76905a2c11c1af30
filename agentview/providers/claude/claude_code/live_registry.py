"""The list of running sessions that Claude Code keeps: `sessions/<pid>.json`, a file a process."""

import os
import re
from functools import lru_cache
from pathlib import Path

import orjson

from agentview.domain.session_state import Activity
from agentview.normalize.json_values import fields_of, seconds_of, text_of, whole_of
from agentview.providers.base import ListedClient, LiveRegistry
from agentview.sources.files import read_part

# Measured on 2.1.331; the client keeps the list since 2.1.139. The file is rewritten at each change
# and removed at exit; after `/clear` it has the id of the next session. `pid-<n>.json`, of an older
# generation, says nothing of what the session does.

_NAME = re.compile(r"([1-9][0-9]{0,9})\.json")
_SESSION = re.compile(r"[0-9A-Za-z-]{1,64}")
_NO_LETTER = re.compile(r"[^0-9A-Za-z]")
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


@lru_cache(maxsize=4096)
def _registry_folder(folder: str) -> str | None:
    """`sessions` next to the folder `projects` that the folder of a log is in."""
    while True:
        above, name = os.path.split(folder)
        if name == "projects":
            return f"{above}/sessions"
        if above == folder:
            return None
        folder = above


def _directory(log: str) -> str | None:
    return _registry_folder(os.path.dirname(os.path.abspath(log)))  # noqa: PTH100, PTH120


def _entry(data: bytes, name: str) -> ListedClient | None:
    named = _NAME.fullmatch(name)
    try:
        entry = fields_of(orjson.loads(data))
    except ValueError:
        return None
    session_id, pid = text_of(entry.get("sessionId")), whole_of(entry.get("pid"))
    if named is None or session_id is None or pid is None or pid != int(named[1]):
        return None
    activity = _SAID.get(text_of(entry.get("status")) or "")
    if activity is Activity.WAITING:
        activity = _WAITS_FOR.get(text_of(entry.get("waitingFor")) or "", activity)
    started = entry.get("procStart")
    return ListedClient(
        session_id,
        pid,
        started=str(started) if isinstance(started, str | int) else None,
        started_at=seconds_of(entry.get("startedAt")),
        here=_is_here(text_of(entry.get("pidDomain"))),
        activity=activity,
        since=seconds_of(entry.get("statusUpdatedAt")) or seconds_of(entry.get("updatedAt")),
        name=text_of(entry.get("name")),
        cwd=text_of(entry.get("cwd")),
    )


@lru_cache(maxsize=64)
def _is_here(domain: str | None) -> bool | None:
    """Whether `linux:<machine id>:pid:[<namespace>]` is where we run; None where nobody can say."""
    system, _, place = (domain or "").partition(":")
    machine, _, namespace = place.partition(":")
    own = read_part(Path("/etc/machine-id"), 0, 64).decode("ascii", "replace").strip()
    try:
        here = os.readlink("/proc/self/ns/pid")  # noqa: PTH115  (no file: a name of the kernel)
    except OSError:
        return None
    if system != "linux" or not namespace or not own:
        return None
    return (machine, namespace) == (own, here)


def _log(root: str, client: ListedClient) -> str | None:
    """The client names the folder of a project after its directory."""
    if client.cwd is None or not _SESSION.fullmatch(client.session_id):
        return None
    return os.path.join(root, _NO_LETTER.sub("-", client.cwd), f"{client.session_id}.jsonl")  # noqa: PTH118


def _lists(version: str | None) -> bool:
    parts = re.match(r"(\d{1,4})\.(\d{1,4})\.(\d{1,6})", version or "")
    return parts is not None and tuple(map(int, parts.groups())) >= _SINCE


LIVE_REGISTRY = LiveRegistry(
    directory=_directory,
    is_entry=lambda name: _NAME.fullmatch(name) is not None,
    entry=_entry,
    lists=_lists,
    log=_log,
)
