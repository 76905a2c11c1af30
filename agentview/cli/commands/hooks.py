"""`agentview hooks`: settings that make a client report its states."""

import argparse

from agentview.providers import load_provider, provider_names


def run(options: argparse.Namespace) -> int:
    """Print the settings; nothing is written."""
    for provider in map(load_provider, provider_names()):
        reports = provider.hook_reports
        if provider.agent == options.client and reports is not None and reports.settings:
            print(reports.settings())
            break
    return 0
