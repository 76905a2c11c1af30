"""`agentview events --schema`: a module of its own, since pydantic is slow to import."""

import argparse
import sys

from agentview.reports.export.encoding import to_json_document
from agentview.reports.export.schema import line_schema


def run(_: argparse.Namespace) -> int:
    """Print the JSON Schema of a line of `agentview events`."""
    sys.stdout.buffer.write(to_json_document(line_schema()))
    return 0
