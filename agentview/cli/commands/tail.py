"""`agentview tail`: a session while it is written."""

import argparse
from pathlib import Path

from agentview.cli.background_trace import traced
from agentview.cli.launch_ui import choose, require_terminal, show
from agentview.cli.stdin_session import refuse_tee, show_piped
from agentview.cli.wait_for_session import first_session, next_session
from agentview.domain.session import SSH, SessionRef
from agentview.errors import Ambiguous, NotFound
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.session_query import refs_in
from agentview.sessions.targets.target import resolve
from agentview.settings import LaunchOptions, NewestSessions, Screen


def run(options: argparse.Namespace) -> int:
    """Follow the session that TARGET means; without one wait for it where there is none yet."""
    target: str | None = options.target
    if target == PIPE:
        return show_piped(options)
    if target is not None and target.startswith(SSH):
        # Imported here: most sessions are on this machine.
        from agentview.cli.remote_log import show_remote

        return show_remote(target, options)
    if options.tee:
        refuse_tee()
    choice = Choice(options.provider, options.project, newest=True)
    successors = _successors(target, choice)
    if options.wait:
        require_terminal()
        ref = next_session(target, choice)
    else:
        try:
            ref = resolve(target, choice)
        except NotFound:
            if target is not None:
                raise
            # None was there, so that any is a new one.
            require_terminal()
            ref = first_session(choice, known=set())
        except Ambiguous as error:
            return choose(error, options)
    with traced(ref):
        start = LaunchOptions(
            Screen.SESSION, ref, live=True, successors=successors, linear=options.linear
        )
        return show(start, options)


def _successors(target: str | None, choice: Choice) -> NewestSessions | None:
    """Sessions that may follow when TARGET is a directory: its newest one is meant later on too."""
    directory = Path(target).expanduser() if target is not None else None
    if directory is None or not directory.is_dir():
        return None

    def listed(place: Path) -> list[SessionRef]:
        return refs_in(place, choice.provider)

    return NewestSessions(directory, frozenset(ref.path for ref in listed(directory)), listed)
