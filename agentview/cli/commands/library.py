"""`agentview` without a command: the sessions found on this machine, to choose from."""

import argparse

from agentview.cli.launch_ui import show
from agentview.settings import LaunchOptions, Screen


def run(options: argparse.Namespace) -> int:
    """Show the library."""
    if options.provider is not None:
        # To find all providers takes a third of the time to the first frame.
        from agentview.sessions.targets.log_file import chosen_providers

        chosen_providers(options.provider)
    start = LaunchOptions(Screen.LIBRARY, provider=options.provider, project=options.project)
    return show(start, options)
