"""`agentview` without a command: home, the sessions found on this machine in several views."""

import argparse

from agentview.cli.launch_ui import show
from agentview.settings import LaunchOptions, Screen


def run(options: argparse.Namespace) -> int:
    """Show home; of a project, the list of its sessions."""
    if options.provider is not None:
        # To find all providers takes a third of the time to the first frame.
        from agentview.sessions.targets.log_file import chosen_providers

        chosen_providers(options.provider)
    screen = Screen.HOME if options.project is None else Screen.LIBRARY
    if options.hosts:
        # Imported here: most people have no other machine.
        from agentview.cli.hosts import check_hosts

        check_hosts(options)
    start = LaunchOptions(
        screen, hosts=options.hosts, provider=options.provider, project=options.project
    )
    return show(start, options)
