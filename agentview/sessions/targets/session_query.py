"""The sessions of this machine that a command is about."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from heapq import heappop, heappush
from pathlib import Path

from agentview.domain.annotations import NO_ANNOTATIONS
from agentview.domain.session import SessionInfo, SessionRef
from agentview.errors import NotFound, choices_hint, nearest
from agentview.normalize.project_path import is_of_windows, last_part, project_path
from agentview.providers import load_provider, provider_names
from agentview.sessions.annotations.all_sessions import AllAnnotations, readable_annotations_of
from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.liveness import activity_time
from agentview.sessions.library.scan.scanner import (
    find_refs,
    newest_first,
    session_roots,
    sessions_below,
    sessions_under,
)
from agentview.sessions.library.session_record import SessionFacts
from agentview.sessions.targets.log_file import chosen_providers
from agentview.settings.checking import WrongSetting
from agentview.settings.reading import read_settings

_PROJECTS = 8
"""Projects that a hint names."""


def all_refs(provider: str | None = None) -> list[SessionRef]:
    """Every session found, the newest file first; agents that a session started are included."""
    chosen_providers(provider)
    return find_refs(known_roots(provider), catalogue())


def all_sessions(provider: str | None = None) -> list[SessionFacts]:
    """Return the known facts of every session, newest activity first, agents included.

    The first time, all logs have to be looked at.
    """
    chosen_providers(provider)
    known = sessions_under(known_roots(provider), catalogue())
    added = all_annotations()
    found = (facts.annotated(added.of(facts.info.ref)) for facts in known)
    return sorted(found, key=lambda facts: -activity_time(facts.info))


@cache
def catalogue() -> SessionCache:
    return SessionCache()


@cache
def _annotations() -> AllAnnotations:
    return AllAnnotations()


def all_annotations() -> AllAnnotations:
    """Return the annotations of all sessions, as they are now; an unchanged file is read once."""
    kept = _annotations()
    kept.load()
    return kept


def known_roots(provider: str | None = None) -> list[tuple[str, Path]]:
    """Provider and directory of each place where sessions may lie, those of the settings too.

    Raises WrongSetting for one of a provider that there is not.
    """
    in_force = read_settings(os.environ)
    more = in_force.settings.sessions.roots
    for name in more.keys() - set(provider_names()):
        hint = choices_hint(name, provider_names())
        wrong = WrongSetting(f"sessions.roots.{name}", f"Unknown provider: {name}.", hint)
        raise in_force.blamed(wrong)
    return session_roots(os.environ, provider, more)


def refs_in(directory: Path, provider: str | None = None) -> list[SessionRef]:
    """Every session whose log is in the directory, agents that it started included."""
    chosen_providers(provider)
    return sessions_below(directory, known_roots(), provider)


def _recorded_info(ref: SessionRef) -> SessionInfo:
    return catalogue().info(ref) or load_provider(ref.provider).info(ref)


def info_of(ref: SessionRef) -> SessionInfo:
    """Facts from the head and the tail of the log, which are read unless they are known.

    The title is the person's own one where there is one.
    """
    info = _recorded_info(ref)
    own = NO_ANNOTATIONS if ref.parent_id is not None else readable_annotations_of(ref)
    return SessionFacts(info).annotated(own).info


def belongs_to(ref: SessionRef, project: str | None) -> bool:
    """Return True if the session is of the project, or if none is asked for."""
    return project is None or in_project(_recorded_info(ref), project)


def by_activity(refs: Iterable[SessionRef]) -> Iterator[SessionInfo]:
    """Facts of sessions by their last activity, newest first, read no earlier than needed.

    A file is written after the last activity in it, so a session can be given as soon as all files
    that are left are older than that.
    """
    waiting: list[tuple[float, int, SessionInfo]] = []
    for number, ref in enumerate(newest_first(refs)):
        while waiting and -waiting[0][0] >= (ref.modified or 0.0):
            yield heappop(waiting)[2]
        info = info_of(ref)
        heappush(waiting, (-activity_time(info), -number, info))
    while waiting:
        yield heappop(waiting)[2]


def project_root(directory: Path) -> Path:
    """The repository that a directory is in, else the directory itself."""
    directory = directory.resolve()
    for candidate in (directory, *directory.parents):
        if (candidate / ".git").exists():
            return candidate
    return directory


def in_project(info: SessionInfo, project: str) -> bool:
    """Say whether a session belongs to a project: a directory, or the name of one."""
    return info.project is not None and is_of_project(info.project, project)


def names_directory(project: str) -> bool:
    """Say whether what names a project is a path, not the last part of one."""
    return bool({"/", "\\"} & set(project)) or project in {".", ".."} or project[:1] == "~"


def is_of_project(recorded: str, project: str) -> bool:
    """Say whether the directory that a log names is a project, or below it.

    `project` is a directory, or the last part of the name of one.
    """
    if not names_directory(project):
        return last_part(recorded) == project
    wanted = project_path(project)
    if is_of_windows(wanted):
        return _is_below(recorded.replace("\\", "/"), wanted.replace("\\", "/"))
    return _is_in(recorded, Path(wanted).expanduser())


def in_directory(info: SessionInfo, directory: Path) -> bool:
    """Say whether a session ran in the directory, in its repository, or below either.

    A repository is all of its working trees.
    """
    return info.project is not None and _is_in(info.project, directory)


def _is_in(recorded: str, directory: Path) -> bool:
    # A path of another system is in no directory of this one.
    if not os.path.isabs(recorded):  # noqa: PTH117
        return False
    project = _real(recorded)
    return any(_is_below(project, root) for root in working_trees(directory))


def may_change(info: SessionInfo, directory: Path) -> bool:
    """Say whether a session may have changed files of a project: as `in_directory`, or from above.

    A session that was started above a repository works in it as well.
    """
    if in_directory(info, directory):
        return True
    project = None if info.project is None else _real(info.project)
    return project is not None and any(
        _is_below(root, project) for root in working_trees(directory)
    )


def _real(recorded: str) -> str:
    try:
        return os.path.realpath(recorded)
    except (OSError, ValueError):
        return recorded


def _is_below(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)


@cache
def working_trees(directory: Path) -> tuple[str, ...]:
    """The working trees of the repository that a directory is in, else the directory itself.

    The one with the directory is first. Git's own files name the others.
    """
    root = project_root(directory)
    return tuple(dict.fromkeys(os.path.realpath(tree) for tree in (root, *_other_trees(root))))


def _other_trees(root: Path) -> Iterator[str]:
    common = root / ".git"
    with suppress(OSError, UnicodeDecodeError):
        if common.is_file():
            own = common.read_text("utf-8").removeprefix("gitdir:").strip()
            common = (root / own).resolve().parent.parent
        if common.name == ".git" and common.is_dir():
            yield str(common.parent)
        for entry in sorted((common / "worktrees").iterdir()):
            with suppress(OSError, UnicodeDecodeError):
                yield str(Path((entry / "gitdir").read_text("utf-8").strip()).parent)


def none_found(provider: str | None) -> str:
    """The sentence that says that there are no sessions, of one provider or of any."""
    labels = [load_provider(name).label for name in chosen_providers(provider)] if provider else []
    whose = f" of {', '.join(labels)}" if labels else ""
    # Imported here: it is asked for only where nothing was found.
    from agentview.providers.other_clients import other_clients

    others = other_clients(os.environ, provider_names()) if provider is None else ()
    names = ", ".join(client.name for client in others)
    note = f" Found here and not read: {names}." if names else ""
    return f"No sessions{whose} found. Try 'agentview demo'.{note}"


def none_in_project(project: str, infos: Iterable[SessionInfo]) -> NotFound:
    """The error for a project without sessions; names projects that have some, newest first."""
    names = list(dict.fromkeys(last_part(info.project) for info in infos if info.project))
    listed = ", ".join(names[:_PROJECTS]) + (" …" if len(names) > _PROJECTS else "")
    asked = nearest(last_part(project), names)
    hint = f"Sessions are of {listed}." if names else "No session names its project."
    return NotFound(
        f"No session of the project {project} was found.", f"{asked} {hint}" if asked else hint
    )
