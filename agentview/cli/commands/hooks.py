"""`agentview hooks`: settings that make a client report its states."""

import argparse


def run(_: argparse.Namespace) -> int:
    """Print the settings; nothing is written."""
    from agentview.providers.claude.claude_code.hooks import settings_text

    print(settings_text())
    return 0
