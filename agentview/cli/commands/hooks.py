"""`agentview hooks`: settings that make a client report its states."""

import argparse
import sys

from agentview.errors import UsageError
from agentview.providers import load_provider, provider_names


def run(options: argparse.Namespace) -> int:
    """Print the settings; nothing is written."""
    known: list[str] = []
    for provider in map(load_provider, provider_names()):
        reports, name = provider.hook_reports, provider.agent or provider.name
        if reports is None or reports.settings is None:
            continue
        known.append(name)
        if options.client in (name, provider.name):
            print(reports.settings())
            print(f"for ~/{reports.settings_file}", file=sys.stderr)
            return 0
    raise UsageError(
        f"No hooks of {options.client} are known.",
        f"Clients with hooks: {', '.join(sorted(known))}.",
    )
