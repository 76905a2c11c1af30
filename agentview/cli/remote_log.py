"""Follows a log on another machine: ssh runs `tail` there, or agentview itself."""

import argparse

from agentview.cli.launch_ui import require_terminal
from agentview.cli.stdin_session import refuse_tee, show_pipe
from agentview.domain.remote_place import Place, parse_place
from agentview.domain.session import SSH
from agentview.errors import NotFound, Unreadable
from agentview.sessions.fleet.remote_tail import followed, started

_NO_COMMAND = 127
_NO_CONNECTION = 255


def show_remote(target: str, options: argparse.Namespace) -> int:
    """Follow a log on another machine until the person leaves.

    Raises UsageError, NotFound for a file that is not there, Unreadable where ssh fails.
    """
    if options.tee:
        refuse_tee()
    place = parse_place(target)
    require_terminal()
    if place.path is None:
        return _run_there(place)
    with followed(place, place.path, wait=options.wait, questions=True) as pipe:
        return show_pipe(pipe, options)


def _run_there(place: Place) -> int:
    """Run agentview on the other machine, on this terminal."""
    code = started([*place.command("-t"), "agentview tail"], piped=False).wait()
    if code == _NO_COMMAND:
        raise NotFound(
            f"agentview is not installed on {place.host}.",
            f"Give the path of a log: {SSH}{place.host}/PATH.",
        )
    if code == _NO_CONNECTION:
        raise Unreadable(f"ssh has no connection to {place.host}.")
    return code
