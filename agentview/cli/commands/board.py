"""`agentview board`: all live sessions on one screen."""

import argparse

from agentview.cli.hosts import check_hosts
from agentview.cli.launch_ui import show
from agentview.sessions.targets.log_file import chosen_providers
from agentview.settings import LaunchOptions, Screen


def run(options: argparse.Namespace) -> int:
    """Show the board."""
    if options.provider is not None:
        chosen_providers(options.provider)
    check_hosts(options)
    start = LaunchOptions(
        Screen.BOARD,
        hosts=options.hosts,
        provider=options.provider,
        project=options.project,
    )
    return show(start, options)
