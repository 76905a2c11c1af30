"""`agentview tail`: a session while it is written."""

import argparse
import sys
from pathlib import Path

from agentview.cli.log_file import PIPE
from agentview.cli.piped import refuse_tee, show_piped
from agentview.cli.screen import require_terminal, show
from agentview.cli.sessions import refs_in
from agentview.cli.target import LIVE, Choice, resolve
from agentview.cli.tracing import traced
from agentview.cli.waiting import file_begun, session_begun, sessions_there
from agentview.cli.waits import wait_for
from agentview.domain.session import SessionRef
from agentview.errors import NotFound, UsageError
from agentview.settings import Screen, Start, Successors


def run(options: argparse.Namespace) -> int:
    """Follow the session that TARGET means; without one wait for it where there is none yet."""
    target: str | None = options.target
    if target == PIPE:
        return show_piped(options)
    if options.tee:
        refuse_tee()
    choice = Choice(options.provider, options.project, newest=True)
    successors = _successors(target, choice)
    if options.wait:
        ref = _wait(target, choice)
    else:
        try:
            ref = resolve(target, choice)
        except NotFound:
            if target is not None:
                raise
            # None was there, so that any is a new one.
            ref = _first_session(choice, known=set())
    with traced(ref):
        return show(Start(Screen.SESSION, ref, live=True, successors=successors), options)


def _successors(target: str | None, choice: Choice) -> Successors | None:
    """What may follow when TARGET is a directory, whose newest session is meant later on too."""
    directory = Path(target).expanduser() if target is not None else None
    if directory is None or not directory.is_dir():
        return None

    def listed(place: Path) -> list[SessionRef]:
        return refs_in(place, choice.provider)

    return Successors(directory, frozenset(ref.path for ref in listed(directory)), listed)


def _wait(target: str | None, choice: Choice) -> SessionRef:
    """The next session, or the file TARGET once a record is in it; says that it waits."""
    if target is None or target == LIVE:
        return _first_session(choice, known=sessions_there(choice))
    require_terminal()
    path = Path(target).expanduser()
    if path.is_dir():
        known = sessions_there(choice, path)
        _say(f"a session to begin in {path}")
        return wait_for(session_begun(choice, path, known=known))
    if "/" not in target and not path.suffix:
        raise UsageError(
            f"{target} is no path.", "--wait takes a file or directory, or no TARGET at all."
        )
    _say(f"{path}")
    return wait_for(file_begun(path, choice))


def _first_session(choice: Choice, *, known: set[str]) -> SessionRef:
    require_terminal()
    # Said only now: who reads it may begin one at once, and that is not one of the known.
    _say("a session to begin")
    return wait_for(session_begun(choice, known=known))


def _say(what: str) -> None:
    print(f"Waiting for {what} … Ctrl-C stops.", file=sys.stderr)
