"""`agentview serve`: answers agentview on another machine."""

import argparse
import sys

from agentview.sessions.fleet.serving import serve


def run(options: argparse.Namespace) -> int:
    """Answer one request through standard input and output."""
    _ = options
    sys.stdout.flush()
    serve(sys.stdin.fileno(), sys.stdout.fileno())
    return 0
