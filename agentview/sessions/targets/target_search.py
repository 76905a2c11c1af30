"""Finds the session that a TARGET means which is not a file; what several match is listed."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.errors import Ambiguous, NotFound, Unreadable, UsageError, nearest
from agentview.providers import load_provider, provider_names
from agentview.query.parser import quoted
from agentview.query.vocabulary import LIVE as LIVE_STATE
from agentview.sessions.library.live_list import starting_sessions
from agentview.sessions.library.liveness import is_live, may_be_live
from agentview.sessions.library.scan.scanner import newest_first
from agentview.sessions.library.subagent_tree import main_sessions
from agentview.sessions.targets.log_file import Choice, chosen_providers
from agentview.sessions.targets.session_line import choices
from agentview.sessions.targets.session_query import (
    all_refs,
    all_sessions,
    belongs_to,
    by_activity,
    in_directory,
    in_project,
    info_of,
    known_roots,
    none_in_project,
    refs_in,
)
from agentview.sources.member import holds_sessions

_LISTED = 12
_ALIKE = 0.75
"""How like a mistyped id the beginning of one has to be to be meant."""
_LIST_HINT = "Run 'agentview ls' to see all sessions."


def newest_session(choice: Choice) -> SessionRef:
    """The session with the newest activity: of the project, of this directory, or of all."""
    refs = main_sessions(all_refs(choice.provider))
    if not refs:
        raise NotFound("No sessions yet.", _nowhere(choice.provider))
    anywhere: SessionInfo | None = None
    here = Path.cwd()
    for info in by_activity(refs):
        if info.ref.fault is not None:
            continue
        if choice.project is not None:
            if in_project(info, choice.project):
                return info.ref
            continue
        if in_directory(info, here):
            return info.ref
        anywhere = anywhere or info
    if anywhere is None:
        raise none_in_project(str(choice.project), map(info_of, refs))
    return anywhere.ref


def live_session(choice: Choice) -> SessionRef:
    """The only session that is live now."""
    now = time.time()
    refs = [ref for ref in main_sessions(all_refs(choice.provider)) if may_be_live(ref, now)]
    found = [
        info
        for info in by_activity(refs)
        if is_live(info, now) and (choice.project is None or in_project(info, choice.project))
    ]
    if choice.starting:
        found += _starting(choice)
    if not found:
        raise NotFound(
            "No session is live now.", "Use 'agentview tail --wait' to see the next one begin."
        )
    return _only("are live", [info.ref for info in found], query=f"state:{LIVE_STATE}")


def _starting(choice: Choice) -> list[SessionInfo]:
    """Clients that run and have no log yet, by their own lists."""
    logs = {(ref.provider, ref.session_id) for ref in all_refs(choice.provider)}
    found = starting_sessions(
        known_roots(choice.provider), lambda ref: (ref.provider, ref.session_id) in logs
    )
    infos = [each.facts.info for each in found]
    return [info for info in infos if choice.project is None or in_project(info, choice.project)]


def session_in(path: Path, choice: Choice) -> SessionRef:
    """The only session whose log is in a directory or database, or that was started there."""
    refs = refs_in(path, choice.provider)
    found = [ref for ref in refs if ref.parent_id is None]
    if refs and not found:
        found = _parents(path, refs)
    if not found:
        found = [
            facts.info.ref
            for facts in all_sessions(choice.provider)
            if facts.info.ref.parent_id is None and in_directory(facts.info, path)
        ]
    found = [ref for ref in found if belongs_to(ref, choice.project)]
    if not found:
        if holds_sessions(path):
            raise Unreadable(
                f"{path} has no sessions that are known.", "Its client may be newer than agentview."
            )
        raise NotFound(
            f"No session log found in {path}, and no session was started there.", _LIST_HINT
        )
    if choice.newest:
        return next(by_activity(found)).ref
    names = sorted({ref.provider for ref in found}) if refs else ()
    places = [(name, str(path.absolute())) for name in names]
    query = None if refs else f"project:{quoted(str(path.resolve()))}"
    ordered = [info.ref for info in by_activity(found)]
    return _only(f"are in {path}", ordered, query=query, places=places)


def _parents(path: Path, children: Sequence[SessionRef]) -> list[SessionRef]:
    """The sessions whose side folder `path` is: logs of agents that they started are in it."""
    wanted = {(child.provider, child.parent_id) for child in children}
    places = (path.resolve().parent, path.resolve().parent.parent)
    for place in places:
        refs = [
            ref
            for name in {provider for provider, _ in wanted}
            for ref in load_provider(name).scan(place)
            if ref.parent_id is None and (ref.provider, ref.session_id) in wanted
        ]
        if refs:
            return refs
    return list(children)


def session_by_id(target: str, choice: Choice) -> SessionRef:
    """The only session whose id begins so, of the provider that is named before a colon."""
    provider, prefix = choice.provider, target
    head, colon, rest = target.partition(":")
    if colon and head in provider_names():
        if provider not in (None, head):
            raise UsageError(f"{target} is not of the provider {provider}.", "Leave one out.")
        provider, prefix = head, rest
    if not prefix:
        raise UsageError(
            "TARGET is empty.", "Give a path, or the first characters of a session id."
        )
    refs = all_refs(provider)
    for select in _id_tests(prefix):
        found = [ref for ref in refs if select(ref) and belongs_to(ref, choice.project)]
        if found:
            query = None if any(ref.parent_id for ref in found) else _id_query(provider, prefix)
            return _only(f"match {target}", newest_first(found), by_id=True, query=query)
    if _looks_like_path(target):
        raise NotFound(
            f"No such file: {target}.",
            "To wait for it to be written: agentview tail --wait TARGET.",
        )
    asked = nearest(prefix, {ref.session_id[: len(prefix)] for ref in refs}, _ALIKE)
    raise NotFound(
        f"No session id begins with {prefix}, and no such file exists.", asked or _LIST_HINT
    )


def _id_query(provider: str | None, prefix: str) -> str:
    """The query of the library for sessions whose id begins so; agents are none of its rows."""
    by_provider = "" if provider is None else f"provider:{provider} "
    return f"{by_provider}id:{prefix if prefix.replace('-', '').isalnum() else quoted(prefix)}"


def _id_tests(prefix: str) -> tuple[Callable[[SessionRef], bool], ...]:
    """Strictest first: a whole id before a prefix, a session before an agent that it started."""
    return (
        lambda ref: ref.parent_id is None and ref.session_id == prefix,
        lambda ref: ref.parent_id is None and ref.session_id.startswith(prefix),
        lambda ref: ref.parent_id is not None and ref.stream.id == prefix,
        lambda ref: ref.parent_id is not None and ref.stream.id.startswith(prefix),
    )


def _looks_like_path(target: str) -> bool:
    return "/" in target or Path(target).suffix in {".json", ".jsonl"}


def _only(
    what: str,
    found: Sequence[SessionRef],
    *,
    by_id: bool = False,
    query: str | None = None,
    places: Sequence[tuple[str, str]] = (),
) -> SessionRef:
    """The only one of these; several are listed, with ids that distinguish them if they can.

    The library shows them by `query` or `places`, as `Ambiguous` has them.
    """
    if len(found) == 1:
        return found[0]
    ids = Counter(ref.own_id for ref in found)
    paths = not by_id or max(ids.values()) > 1
    lines = choices([info_of(ref) for ref in found[:_LISTED]], ids, with_paths=paths)
    more = [f"… and {len(found) - _LISTED} more"] if len(found) > _LISTED else []
    hint = "Give the id or the path of the one you mean." if paths else "Give one of these ids."
    narrower = " To narrow the choice, use --provider or --project." if more else ""
    said = f"{len(found)} sessions {what}."
    raise Ambiguous(said, (*lines, *more), hint + narrower, query, places)


def _nowhere(provider: str | None) -> str:
    names = ", ".join(load_provider(name).label for name in chosen_providers(provider))
    return f"Looked for logs of {names}. Try 'agentview demo', or give the path of a log."
