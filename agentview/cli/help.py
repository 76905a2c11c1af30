"""`agentview help`: the help of the program or of a command."""

import argparse

from agentview.cli.grammar import build_parser


def run(options: argparse.Namespace) -> int:
    """Print what `--help` prints."""
    topic: list[str] = [options.topic] if options.topic else []
    build_parser().parse_args([*topic, "--help"])
    return 0
