"""Finds sessions on this machine, and the ones that a person means."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from agentview.domain.session import LiveState, SessionInfo, SessionRef
from agentview.errors import UsageError
from agentview.providers import load_provider, provider_names

RECENT = 300.0
"""Seconds after its last activity for which a session that waits for a person counts as live."""

_AT_WORK = (LiveState.WORKING, LiveState.WAITING_APPROVAL)
_OVER = (LiveState.ENDED, LiveState.STALE)


def chosen_providers(name: str | None) -> tuple[str, ...]:
    """All providers, or the one called `name`. Raises UsageError when there is none such."""
    names = provider_names()
    if name is None:
        return names
    if name not in names:
        raise UsageError(f"There is no provider {name}.", f"There are: {', '.join(names)}.")
    return (name,)


def all_refs(provider: str | None = None) -> list[SessionRef]:
    """Every session found, the newest file first; agents that a session started are included."""
    refs: list[SessionRef] = []
    seen: set[str] = set()
    for name in chosen_providers(provider):
        discovery = load_provider(name).discovery
        for root in discovery.roots(os.environ):
            real = os.path.realpath(root)
            if real not in seen and root.is_dir():
                seen.add(real)
                refs += discovery.scan(root)
    return newest_first(refs)


def newest_first(refs: Iterable[SessionRef]) -> list[SessionRef]:
    """The same sessions by modification time of their files, each file once."""
    by_path = {ref.path: ref for ref in refs}
    return sorted(by_path.values(), key=lambda ref: (-(ref.modified or 0.0), ref.path))


def main_sessions(refs: Iterable[SessionRef]) -> list[SessionRef]:
    """Without the agents that a session started."""
    return [ref for ref in refs if ref.parent_id is None]


def info_of(ref: SessionRef) -> SessionInfo:
    """Facts from the head and the tail of the log."""
    return load_provider(ref.provider).discovery.info(ref)


def activity_time(info: SessionInfo) -> float:
    """When something last happened: the log's own time, else that of its file."""
    return info.last_activity or info.ref.modified or 0.0


def by_activity(refs: Iterable[SessionRef]) -> Iterator[SessionInfo]:
    """Facts of sessions by their last activity, newest first, read no earlier than needed.

    A file is never older than the last activity in it, so a session can be given as soon as all
    files that are left are older than its activity.
    """
    waiting: list[SessionInfo] = []
    for ref in newest_first(refs):
        while waiting and activity_time(waiting[-1]) >= (ref.modified or 0.0):
            yield waiting.pop()
        waiting.append(info_of(ref))
        waiting.sort(key=activity_time)
    yield from reversed(waiting)


def is_live(info: SessionInfo, now: float) -> bool:
    """Say whether the session is being written: somebody is at work, or was just now."""
    if info.state in _OVER:
        return False
    return info.state in _AT_WORK or now - activity_time(info) < RECENT


def project_root(directory: Path) -> Path:
    """The repository that a directory is in, else the directory itself."""
    directory = directory.resolve()
    for candidate in (directory, *directory.parents):
        if (candidate / ".git").exists():
            return candidate
    return directory


def in_project(info: SessionInfo, project: str) -> bool:
    """Say whether a session belongs to a project: a directory, or the name of one."""
    if info.project is None:
        return False
    if os.sep not in project and project not in {".", "..", "~"} and not project.startswith("~"):
        return Path(info.project).name == project
    return in_directory(info, Path(project).expanduser())


def in_directory(info: SessionInfo, directory: Path) -> bool:
    """Say whether a session ran in the directory, in its repository, or below either."""
    if info.project is None:
        return False
    return Path(os.path.realpath(info.project)).is_relative_to(project_root(directory))
