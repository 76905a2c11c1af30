"""Starts the full-screen program; the only place that knows where it is."""

import argparse
import gc
import os
import sys
from pathlib import Path

from msgspec.structs import replace

from agentview.cli.closed_streams import abandon
from agentview.cli.linear import wants_linear
from agentview.cli.sigint import held
from agentview.errors import Ambiguous, UsageError
from agentview.settings import LaunchOptions, Screen
from agentview.settings.reading import read_settings
from agentview.system import platforms
from agentview.timeline.view.detail_levels import DetailLevel

_HUNG_UP = 129
"""The exit code after the signal that a terminal sends when it goes: 128 and its number."""


def show(start: LaunchOptions, options: argparse.Namespace) -> int:
    """Run the screen as the common options ask for; gives the exit code.

    A session is shown line by line where the person wants that. Raises UsageError without a
    terminal to show a screen on, and for wrong settings.
    """
    settings = read_settings(os.environ, options.settings)
    if start.screen is Screen.SESSION and (start.linear or wants_linear(settings.settings)):
        # Imported here: hardly anybody asks for it.
        from agentview.cli.linear.view import run as run_linear

        return run_linear(start)
    require_terminal()
    detail: str | None = options.detail
    start = replace(
        start,
        settings=settings,
        detail=DetailLevel(detail) if detail is not None else None,
        theme=options.theme,
        raw=options.raw,
    )
    # Nothing made before the first frame is garbage; looking for it would only delay the frame.
    gc.disable()
    with held():
        # Imported here, and only here: it takes longer than all the rest of the command line.
        from agentview.ui.app import run

    code = run(start)
    if code == _HUNG_UP:
        # The terminal is gone: what it did not take would end the interpreter with another code.
        for stream in (sys.stdout, sys.stderr):
            abandon(stream)
    return code


def choose(error: Ambiguous, options: argparse.Namespace) -> int:
    """Let the person choose in the library; gives the exit code.

    Raises the error where the library cannot show its candidates, and without a terminal.
    """
    settings = read_settings(os.environ, options.settings).settings
    linear = options.linear or wants_linear(settings)
    unknown = error.query is None and not error.places
    if unknown or linear or not _has_terminal():
        raise error
    start = LaunchOptions(
        Screen.LIBRARY,
        provider=options.provider,
        project=options.project,
        query=error.query,
        places=[(name, Path(path)) for name, path in error.places],
    )
    return show(start, options)


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def require_terminal() -> None:
    """Raise UsageError without a terminal to read keys from and to draw on."""
    if not _has_terminal():
        raise UsageError(
            "This needs a terminal.",
            "For output into a pipe or file: 'agentview cat' or 'agentview events --follow'.",
        )


def take_pipe() -> int:
    """Give the descriptor of the piped standard input, and read keys from the terminal instead.

    Raises UsageError when standard input is not a pipe, or without a terminal.
    """
    if sys.stdin.isatty():
        raise UsageError(
            "Standard input is the terminal.",
            "Pipe a session log into it: 'cat LOG | agentview tail -'.",
        )
    try:
        terminal = platforms.open_terminal()
    except OSError as error:
        raise UsageError(
            "No terminal to read keys from.", "Use 'agentview events -' in a script."
        ) from error
    pipe = os.dup(0)
    os.dup2(terminal, 0)
    os.close(terminal)
    return pipe
