"""`agentview events`: normalized events, one JSON object a line."""

import argparse
import sys
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from agentview.cli.grammar.parts import chosen_period
from agentview.domain.session import SessionRef
from agentview.errors import Unreadable, UsageError
from agentview.normalize.json_values import text_time_of
from agentview.providers import load_provider, recognise
from agentview.providers.base import Provider
from agentview.reports.export.encoding import to_json_line
from agentview.reports.export.events import CURSOR, RESET, Fields
from agentview.reports.export.happier_trace import HappyLines
from agentview.reports.export.joined import JoinedLines
from agentview.reports.export.log_feed import SessionFeed, SessionForm
from agentview.reports.export.records import RecordLines
from agentview.sessions.targets.log_file import ALL, PIPE, Choice, chosen_providers, not_recognised
from agentview.sessions.targets.target import LIVE, resolve

_Write = Callable[[Iterable[Fields]], None]


def run(options: argparse.Namespace) -> int:
    """Print the events of the session."""
    target: str | None = options.target
    options.follow = options.follow or options.wait
    if options.format != "jsonl":
        # What counts tokens takes longer to import than most sessions to print.
        from agentview.cli.session_formats import run_format

        return run_format(options)
    if options.endpoint or options.header or options.no_mask or options.output:
        raise UsageError(
            "The option needs --format otlp or parquet.", "See 'agentview events --help'."
        )
    if target is None and not options.follow:
        raise UsageError(
            "Which session? TARGET is missing.", "With --follow it is the newest of this project."
        )
    choice = Choice(options.provider, options.project, newest=bool(options.follow))
    write = _happy_writer(follow=bool(options.follow)) if options.happy else _write
    if options.mask:
        write = _masking(write)
    write = _in_period(write, options)
    if target == ALL:
        # Whoever reads one session does not wait for what finds them all.
        from agentview.cli.all_events import run_all

        return run_all(options, lambda provider: _form(provider, options), write)
    if options.since is not None:
        raise UsageError("--since needs all sessions.", f"Use 'agentview events {ALL} --since …'.")
    if target == PIPE:
        _wait_for(_from_pipe(choice, write, options))
        return 0
    ref = _session(target, choice, options)
    provider = load_provider(ref.provider)
    form = _form(provider, options)
    feed = SessionFeed(provider, ref, form, subagents=not options.no_subagents, moved=_say_moved)
    if options.follow:
        _wait_for(_follow(feed, write))
    else:
        write(feed.read())
    return 0


def _say_moved(ref: SessionRef) -> None:
    print(
        f"The log was moved to {ref.path}; agentview continues there.", file=sys.stderr, flush=True
    )


def _wait_for(job: Coroutine[Any, Any, None]) -> None:
    # Imported here: what reads a session once does not wait for what follows it.
    from agentview.cli.waits import wait_for

    wait_for(job)


def _session(target: str | None, choice: Choice, options: argparse.Namespace) -> SessionRef:
    if not options.follow:
        return resolve(target, choice)
    from agentview.cli.wait_for_session import file_begun, next_session
    from agentview.cli.waits import wait_for

    if options.wait:
        return next_session(target, choice)
    path = Path(target).expanduser() if target and target != LIVE else None
    if path is not None and path.is_file():
        # A log that just begins may not have a whole record yet.
        return wait_for(file_begun(path, choice))
    return resolve(target, choice)


def _form(
    provider: Provider, options: argparse.Namespace, shown_path: str | None = None
) -> SessionForm:
    if options.records:
        return RecordLines(provider, shown_path)
    return JoinedLines(
        provider,
        every=options.all,
        follow=bool(options.follow) or options.target == ALL,
        shown_path=shown_path,
    )


async def _follow(feed: SessionFeed, write: _Write) -> None:
    async for lines in feed.follow():
        write(lines)
        sys.stdout.buffer.flush()


async def _from_pipe(choice: Choice, write: _Write, options: argparse.Namespace) -> None:
    def choose(path: Path, head: bytes) -> Provider | None:
        if choice.provider is not None:
            return load_provider(chosen_providers(choice.provider)[0])
        return recognise(head, path)

    from agentview.reports.export.pipe_feed import PipeFeed
    from agentview.sources.pipe import PipeReader

    empty = True
    with PipeReader() as reader:
        feed = PipeFeed(reader, choose, lambda provider: _form(provider, options, PIPE))
        async for lines in feed.read(follow=bool(options.follow)):
            empty = False
            write(lines)
            sys.stdout.buffer.flush()
        total = reader.account.total
    if empty and total:
        raise not_recognised("Standard input")
    if empty:
        raise Unreadable("Standard input is empty.", "Pipe a session log into it.")


def _write(lines: Iterable[Fields]) -> None:
    write = sys.stdout.buffer.write
    for line in lines:
        write(to_json_line(line))


def _in_period(write: _Write, options: argparse.Namespace) -> _Write:
    """Write only lines of what happened in the period, and those that control the stream."""
    within = chosen_period(options)
    if within is None:
        return write

    def has(line: Fields) -> bool:
        return line["type"] in (RESET, CURSOR) or within.has(text_time_of(line["time"]))

    return lambda lines: write(line for line in lines if has(line))


def _masking(write: _Write) -> _Write:
    # Who does not mask does not wait for the import.
    from agentview.reports.export.masking import masked_line

    return lambda lines: write(masked_line(line) for line in lines)


def _happy_writer(*, follow: bool) -> _Write:
    happy = HappyLines(follow=follow)
    return lambda lines: _write(made for line in lines for made in happy.envelopes(line))
