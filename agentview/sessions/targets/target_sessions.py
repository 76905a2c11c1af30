"""Which sessions several TARGETs of a command mean."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.sessions.targets.log_file import PIPE, Choice, is_folder_of_logs
from agentview.sessions.targets.session_query import all_sessions, belongs_to, in_project, refs_in
from agentview.sessions.targets.target import resolve


def chosen_sessions(targets: Sequence[str], choice: Choice) -> list[SessionRef]:
    """The sessions that are meant, oldest file first; each log once, standard input left out.

    Without a target all sessions are meant, and with a directory all in it, unless it is one.
    """
    if not targets:
        infos = (facts.info for facts in all_sessions(choice.provider))
        project = choice.project
        found = [info.ref for info in infos if project is None or in_project(info, project)]
    else:
        found = [ref for target in targets if target != PIPE for ref in _meant(target, choice)]
    once = {ref.path: ref for ref in found}
    return sorted(once.values(), key=lambda ref: (ref.modified or 0.0, ref.path))


def _meant(target: str, choice: Choice) -> list[SessionRef]:
    path = Path(target).expanduser()
    if target and is_folder_of_logs(path):
        found = refs_in(path, choice.provider)
        refs = [ref for ref in found if belongs_to(ref, choice.project)]
        if refs:
            return refs
    return [resolve(target, choice)]
