"""`agentview open`: a past session."""

import argparse
from pathlib import Path

from agentview.cli.launch_ui import show, take_pipe
from agentview.cli.log_file import PIPE, file_session, is_file
from agentview.domain.session import SessionRef
from agentview.settings import LaunchOptions, Screen


def run(options: argparse.Namespace) -> int:
    """Show the session that TARGET means, from where it stands now."""
    if options.target == PIPE:
        return show(LaunchOptions(Screen.SESSION, pipe=take_pipe()), options)
    return show(LaunchOptions(Screen.SESSION, _session(options)), options)


def _session(options: argparse.Namespace) -> SessionRef:
    path = Path(options.target or ".").expanduser()
    if is_file(path):
        return file_session(path, options.provider)
    # Finds sessions, with a catalogue: 8 ms before the first frame, and 2 MB for all of its time.
    from agentview.cli.target import Choice, resolve

    return resolve(options.target, Choice(options.provider, options.project))
