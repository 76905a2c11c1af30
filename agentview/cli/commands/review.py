"""`agentview review`: the prompts, calls and test runs behind each hunk of a range of commits."""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from agentview.cli.output.pager import paged
from agentview.cli.output.progress import Progress
from agentview.cli.output.review_text import ReviewText
from agentview.cli.output.terminal import columns, is_terminal, wants_colour
from agentview.redaction.values import masked_value
from agentview.reports.blame.commits import commits_of
from agentview.reports.export.encoding import to_json_document
from agentview.reports.review.agent_trace import trace_record
from agentview.reports.review.json_document import json_document
from agentview.reports.review.markdown import git_note, markdown_document
from agentview.reports.review.page import page
from agentview.reports.review.review import Review, review_of
from agentview.sessions.targets.log_file import chosen_providers
from agentview.timeline.view.sanitize import clean


def run(options: argparse.Namespace) -> int:
    """Print the review; sessions that were not read go to standard error."""
    chosen_providers(options.provider)
    with Progress() as progress:
        progress.say("reading the sessions of the project")
        commits = commits_of(options.range, Path.cwd())
        review = review_of(options.range, commits, options.provider)
    if not options.no_mask:
        review = masked_value(review)
    _print(review, options)
    sys.stdout.flush()
    for log, message in review.unreadable:
        print(f"agentview: not read: {clean(log)}: {message}", file=sys.stderr)
    return 0


def _print(review: Review, options: argparse.Namespace) -> None:
    match options.format:
        case "json":
            sys.stdout.buffer.write(to_json_document(json_document(review)))
        case "agent-trace":
            sys.stdout.buffer.write(to_json_document(trace_record(review)))
        case "html":
            _write(page(review))
        case "markdown":
            _write(f"{line}\n" for line in markdown_document(review))
        case "git-note":
            _write(f"{line}\n" for line in git_note(review))
        case _:
            text = ReviewText(review, columns(), colored=wants_colour())
            with paged(is_terminal() and not options.no_pager) as write:
                for line in text.lines():
                    write(f"{line}\n")


def _write(pieces: Iterable[str]) -> None:
    for piece in pieces:
        sys.stdout.buffer.write(piece.encode("utf-8", "replace"))
