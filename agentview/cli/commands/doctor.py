"""`agentview doctor`: what agentview finds on this machine, and what it makes of every record."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from agentview.cli.commands.dev import census
from agentview.cli.doctor_report.report import lines as machine_lines
from agentview.cli.doctor_report.report import machine_facts
from agentview.cli.grammar.parts import note_moved
from agentview.cli.output import coverage_json, coverage_text
from agentview.cli.output.progress import Progress
from agentview.cli.output.sheet import put
from agentview.cli.standard_input import piped_session
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError, UsageError
from agentview.facts.accounting.log_report import LogAccount, account_log
from agentview.facts.accounting.session_files import SkippedFile, files_below
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.reports.export.encoding import to_json_document
from agentview.sessions.targets.log_file import PIPE, Choice, chosen_providers, is_folder_of_logs
from agentview.sessions.targets.target import resolve
from agentview.sources.one_look import one_look
from agentview.timeline.view.format_numbers import byte_size

INCOMPLETE = 1
"""Exit code when a log could not be opened, or its bytes do not add up."""


def run(options: argparse.Namespace) -> int:
    """Print what is asked for; gives the exit code."""
    if options.provider is not None:
        chosen_providers(options.provider)
    if options.census is not None:
        return _census(options)
    if options.diff or options.versions or options.client_version:
        raise UsageError("This compares what a census counted.", "See 'agentview dev census'.")
    if not options.targets:
        return _machine(options)
    if PIPE not in options.targets:
        return _accounts(options.targets, options)
    with piped_session(options.provider) as piped:
        targets = [target for target in options.targets if target != PIPE]
        return _accounts(targets, options, piped)


def _census(options: argparse.Namespace) -> int:
    """Count under the form that the command had before."""
    if options.targets:
        raise UsageError(
            f"--census counts the logs that are named behind it, and not {options.targets[0]}.",
            "'agentview dev census PATH …', or without a path for all sessions.",
        )
    note_moved("doctor --census", "dev census")
    options.paths = options.census
    return census.run(options)


def _accounts(
    targets: Sequence[str], options: argparse.Namespace, piped: SessionRef | None = None
) -> int:
    accounts: list[LogAccount] = []
    left: list[SkippedFile] = []
    seen: set[str] = set()
    with Progress() as progress, one_look(len(targets)):
        for found in (*([piped] if piped is not None else []), *_meant(targets, options)):
            if found.path in seen:
                continue
            seen.add(found.path)
            progress.say(f"file {len(seen):,}")
            account = (
                found if isinstance(found, SkippedFile) else _account(found, len(seen), progress)
            )
            if isinstance(account, SkippedFile):
                left.append(account)
            elif found is piped:
                # The copy of what came through the pipe has a name that says nothing.
                accounts.append(replace(account, ref=replace(account.ref, path=PIPE)))
            else:
                accounts.append(account)
    if options.json:
        sys.stdout.buffer.write(to_json_document(coverage_json.document(accounts, left)))
    else:
        put(coverage_text.lines(accounts, left))
    complete = all(account.complete is not False for account in accounts)
    return 0 if complete and not any(each.unreadable for each in left) else INCOMPLETE


def _meant(
    targets: Sequence[str], options: argparse.Namespace
) -> Iterator[SessionRef | SkippedFile]:
    for target in targets:
        path = Path(target).expanduser()
        if target and is_folder_of_logs(path):
            found = list(files_below(path, options.provider))
            if any(isinstance(each, SessionRef) or each.unreadable for each in found):
                yield from found
                continue
        ref = resolve(target, Choice(options.provider))
        yield from session_logs(load_provider(ref.provider).discovery, ref)


def _account(ref: SessionRef, number: int, progress: Progress) -> LogAccount | SkippedFile:
    def on_progress(done: int, size: int) -> None:
        progress.say(f"file {number}: {byte_size(done)} of {byte_size(size)}")

    try:
        return account_log(ref, on_progress)
    except AgentViewError as error:
        return SkippedFile(ref.path, error.message, unreadable=True)


def _machine(options: argparse.Namespace) -> int:
    machine = machine_facts(options.provider, options.settings)
    if options.json:
        sys.stdout.buffer.write(to_json_document(machine))
    else:
        put(machine_lines(machine))
    return 0
