"""Shows a session that comes through a pipe, and says at the end what it came to."""

import argparse
import sys
from collections.abc import Callable
from contextlib import suppress

from agentview.cli.background_trace import traced_pipe
from agentview.cli.launch_ui import show, take_pipe
from agentview.cli.tee import Tee, take_output
from agentview.domain.activity import RowKind
from agentview.domain.events import Notification, Topic
from agentview.domain.tools import ToolKind
from agentview.errors import UsageError
from agentview.settings import LaunchOptions, Screen
from agentview.system import platforms
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.cost import Cost
from agentview.timeline.view.format_numbers import UNKNOWN, counted, span, tokens
from agentview.timeline.view.header import OpenSession

_Take = Callable[[bytes], None]

_ENDS = frozenset({Topic.TURN_END, Topic.INTERRUPT})


def show_piped(options: argparse.Namespace) -> int:
    """Follow the piped session until the person leaves; with `--tee` pass it on to its end.

    Raises UsageError without a pipe, a terminal, or a place to pass the input on to.
    """
    tee = take_output() if options.tee else None
    try:
        pipe = take_pipe()
        code = show_pipe(pipe, options, None if tee is None else tee.write)
        if tee is not None:
            _pass_on(tee, pipe)
    finally:
        if tee is not None:
            tee.close()
    return code


def show_pipe(pipe: int, options: argparse.Namespace, take: _Take | None = None) -> int:
    """Follow the session that comes through a descriptor until the person leaves, and sum it up.

    `take` gets all bytes as they come. Raises UsageError without a terminal.
    """
    said: list[str] = []
    with traced_pipe() as trace:
        start = LaunchOptions(
            Screen.SESSION,
            pipe=pipe,
            live=True,
            linear=options.linear,
            tee=_both(trace, take),
            report=lambda session: said.extend(_summaries(session)),
        )
        code = show(start, options)
    for line in said:
        print(line, file=sys.stderr)
    return code


def _both(first: _Take | None, second: _Take | None) -> _Take | None:
    """Return a function that passes bytes on to both: to the first also when the second fails."""
    if first is None or second is None:
        return first or second

    def take(piece: bytes) -> None:
        first(piece)
        with suppress(BrokenPipeError):
            second(piece)

    return take


def _summaries(session: OpenSession) -> list[str]:
    return [summary_of(session.store)] if isinstance(session.store, SessionStore) else []


def _pass_on(tee: Tee, pipe: int) -> None:
    """Leaving the screen must not cut off who reads the rest."""
    try:
        if not platforms.has_ended(pipe):
            print("Passing on what is still to come … Ctrl-C stops.", file=sys.stderr)
        tee.pump(pipe)
    except (BrokenPipeError, KeyboardInterrupt):
        return


def refuse_tee() -> None:
    """Raise UsageError: only what comes through a pipe can be passed on."""
    raise UsageError(
        "--tee passes a piped input on.", "Use it with '-': '… | agentview tail - --tee | next'."
    )


def summary_of(store: SessionStore) -> str:
    """One line: turns, calls, problems, tokens, cost and duration; what is not known is `–`."""
    summary = store.summary
    usage = summary.usage
    given = [
        count
        for count in (usage.input_uncached, usage.input_cached, usage.cache_write)
        if count is not None
    ]
    first, last = summary.times.first, summary.times.last
    took = last - first if first is not None and last is not None else None
    turns = _turns(store)
    price = store.price_of(summary.spent)
    estimate, priced = price if price is not None else (None, True)
    cost = Cost(summary.cost, estimate, priced)
    return " · ".join(
        (
            counted(turns, "turn") if turns else f"{UNKNOWN} turns",
            counted(summary.count(*ToolKind), "call"),
            counted(summary.problems, "problem"),
            f"{tokens(sum(given) if given else None)} tokens in, {tokens(usage.output)} out",
            cost.text() if cost.shown is not None else f"cost {UNKNOWN}",
            f"took {span(took)}",
        )
    )


def _turns(store: SessionStore) -> int:
    """Prompts; where the prompts were given elsewhere, the ends of what they led to."""
    if store.summary.turns:
        return store.summary.turns
    notices = [
        store.activity(row).body
        for row in range(store.first, store.end)
        if store.kind(row) is RowKind.NOTICE and store.shown(row)
    ]
    return sum(isinstance(body, Notification) and body.topic in _ENDS for body in notices)
