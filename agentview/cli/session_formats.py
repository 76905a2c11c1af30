"""`agentview events --format`: sessions in the formats of other programs."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from agentview.cli.all_tables import count_order, origin, write_all
from agentview.cli.output.progress import Progress
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError, UsageError
from agentview.facts.usage.claims import ResponseDedupe
from agentview.facts.usage.pricing import PriceList
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.otlp import requests
from agentview.reports.export.otlp_sender import OtlpSender, headers_of
from agentview.reports.export.parquet_files import ParquetFiles
from agentview.reports.export.session_data import SessionData, read_session
from agentview.reports.export.session_tables import session_tables
from agentview.reports.export.tables import TABLES
from agentview.sessions.targets.log_file import ALL, PIPE, Choice
from agentview.sessions.targets.target import resolve
from agentview.sessions.targets.target_sessions import chosen_sessions
from agentview.timeline.view.sanitize import clean, one_line


def run_format(options: argparse.Namespace) -> int:
    """Print or send the sessions in the format that is asked for."""
    for name in ("follow", "wait", "all", "records", "happy", "since", "after", "before"):
        if getattr(options, name):
            raise UsageError(f"--{name} is for the format jsonl.", "Leave it out.")
    if options.format == "parquet":
        return _parquet(options)
    if options.output is not None:
        raise UsageError("--output is for the format parquet.", "Redirect standard output.")
    return _otlp(options)


def _parquet(options: argparse.Namespace) -> int:
    if options.endpoint is not None or options.header:
        raise UsageError("--endpoint is for the format otlp.", "Leave it out.")
    if options.output is None:
        raise UsageError("Parquet is several files.", "Name a directory for them: --output DIR.")
    directory = Path(options.output).expanduser()
    if options.target == ALL:
        return write_all(options, directory)
    mask = not options.no_mask
    host, login = origin()
    with ParquetFiles(directory, TABLES) as files:
        for data in _sessions(options):
            session = session_tables(data, host, login, mask=mask)
            for table in TABLES:
                files.add(table, session.rows(table))
        written = files.finish()
    for path in written:
        print(clean(str(path)))
    return 0


def _otlp(options: argparse.Namespace) -> int:
    if options.endpoint is None and options.header:
        raise UsageError("--header needs an endpoint.", "Give --endpoint URL.")
    sender = (
        None
        if options.endpoint is None
        else OtlpSender(options.endpoint, headers_of(options.header))
    )
    with Progress() as progress:
        for data in _sessions(options):
            for request in requests(data):
                if sender is None:
                    sys.stdout.buffer.write(to_json_line(request))
                else:
                    progress.say(f"sending {one_line(data.ref.session_id)} to {options.endpoint}")
                    sender.send(request)
    if sender is not None and sender.rejected:
        raise AgentViewError(f"The receiver rejected {sender.rejected} spans.")
    return 0


def _sessions(options: argparse.Namespace) -> Iterator[SessionData]:
    """Each session; an unreadable one of several is named and left out."""
    prices, claims = PriceList(), ResponseDedupe()
    read: set[str] = set()
    for ref in _refs(options):
        if ref.path in read:
            continue
        try:
            data = read_session(
                ref,
                prices,
                claims.of(ref.provider),
                agents=not options.no_subagents,
                mask=not options.no_mask,
            )
            read.update(data.usage.agent_paths)
            yield data
        except AgentViewError as error:
            if options.target != ALL:
                raise
            print(f"agentview: {one_line(error.message)}", file=sys.stderr, flush=True)


def _refs(options: argparse.Namespace) -> list[SessionRef]:
    target: str | None = options.target
    if target is None:
        raise UsageError("Which session? TARGET is missing.", f"{ALL} means all sessions.")
    if target == PIPE:
        raise UsageError(
            "Standard input is for the format jsonl.", "Write the log to a file first."
        )
    choice = Choice(options.provider, options.project)
    if target != ALL:
        return [resolve(target, choice)]
    # Oldest first, as `agentview stats` counts them: a response of two sessions is the first one's.
    return count_order(chosen_sessions((), choice), agents=not options.no_subagents)
