"""`agentview open`: a past session."""

import argparse

from agentview.cli.screen import show, take_pipe
from agentview.cli.target import PIPE, Choice, resolve
from agentview.settings import Screen, Start


def run(options: argparse.Namespace) -> int:
    """Show the session that TARGET means, from where it stands now."""
    if options.target == PIPE:
        return show(Start(Screen.SESSION, pipe=take_pipe()), options)
    ref = resolve(options.target, Choice(options.provider, options.project))
    return show(Start(Screen.SESSION, ref), options)
