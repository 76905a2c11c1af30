"""Which sessions several TARGETs of a command mean."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.sessions.targets.log_file import PIPE, Choice, is_folder_of_logs
from agentview.sessions.targets.session_query import all_sessions, belongs_to, in_project, refs_in
from agentview.sessions.targets.target import resolve


def chosen_sessions(targets: Sequence[str], choice: Choice) -> list[SessionRef]:
    """The sessions that are meant, oldest file first; each log once, standard input left out.

    Without a target all sessions are meant, and with a directory all in it, unless it is one.
    """
    return [ref for ref, _ in known_sessions(targets, choice)]


def known_sessions(
    targets: Sequence[str], choice: Choice
) -> list[tuple[SessionRef, SessionInfo | None]]:
    """The same with their facts, which are known where there is no target."""
    found: list[tuple[SessionRef, SessionInfo | None]]
    if not targets:
        infos = (facts.info for facts in all_sessions(choice.provider))
        project = choice.project
        found = [(info.ref, info) for info in infos if project is None or in_project(info, project)]
    else:
        named = (target for target in targets if target != PIPE)
        found = [(ref, None) for target in named for ref in _meant(target, choice)]
    once = {ref.path: (ref, info) for ref, info in found}
    return sorted(once.values(), key=lambda each: (each[0].modified or 0.0, each[0].path))


def _meant(target: str, choice: Choice) -> list[SessionRef]:
    path = Path(target).expanduser()
    if target and is_folder_of_logs(path):
        found = refs_in(path, choice.provider)
        refs = [ref for ref in found if belongs_to(ref, choice.project)]
        if refs:
            return refs
    return [resolve(target, choice)]
