"""`agentview open`: a past session."""

import argparse

from agentview.cli.launch_ui import choose, show, take_pipe
from agentview.errors import Ambiguous
from agentview.sessions.targets.log_file import PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.settings import LaunchOptions, Screen


def run(options: argparse.Namespace) -> int:
    """Show the session that TARGET means, from where it stands now."""
    if options.target == PIPE:
        return show(LaunchOptions(Screen.SESSION, pipe=take_pipe(), linear=options.linear), options)
    try:
        ref = resolve(options.target or ".", Choice(options.provider, options.project))
    except Ambiguous as error:
        return choose(error, options)
    return show(LaunchOptions(Screen.SESSION, ref, linear=options.linear), options)
