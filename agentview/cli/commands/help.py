"""`agentview help`: the help of the program, of a command or of queries."""

import argparse

from agentview.cli.grammar import build_parser


def run(options: argparse.Namespace) -> int:
    """Print what `--help` prints, the help of queries, or the manual page."""
    if options.man:
        from agentview.cli.man_page import page as man_page

        print(man_page(), end="")
        return 0
    if options.topic == "query":
        from agentview.query.help import page

        print(page())
        return 0
    topic: list[str] = [options.topic] if options.topic else []
    build_parser().parse_args([*topic, "--help"])
    return 0
