"""Runs the command line as `python -m agentview`."""

import sys

from agentview.cli import main

if __name__ == "__main__":
    sys.exit(main())
