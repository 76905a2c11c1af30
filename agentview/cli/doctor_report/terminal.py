"""What the terminal can show, and what can be copied out of it."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from agentview.cli.terminal import is_terminal, wants_colour, writes_unicode
from agentview.domain.value import Value
from agentview.ui.clipboard import clipboard_command

_INSIDE = {"TMUX": "tmux", "STY": "screen", "ZELLIJ": "zellij", "SSH_CONNECTION": "ssh"}
_COLOURS = {"truecolor": 16_777_216, "256": 256, "standard": 16}


class TerminalFacts(Value):
    """What standard output is; None where it is no terminal, or nobody tells."""

    terminal: bool
    term: str | None
    program: str | None
    inside: tuple[str, ...]
    """What stands between: tmux, screen, ssh."""
    columns: int | None
    lines: int | None
    colours: int | None
    """How many it has, by what it says of itself."""
    colorterm: str | None
    coloured: bool
    """Whether text output has colours, given `NO_COLOR` and `FORCE_COLOR`."""
    no_color: bool
    encoding: str
    unicode: bool
    locale: str | None
    clipboard: str | None
    """The program that takes what is copied; the terminal is asked as well (OSC 52)."""
    images: str
    """How pictures are shown: as blocks of colour, since no image protocol is spoken."""


def terminal_facts(env: Mapping[str, str]) -> TerminalFacts:
    """What is known of standard output and its surroundings; nothing is asked of the terminal."""
    columns = lines = None
    if is_terminal():
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
    command = clipboard_command(env)
    return TerminalFacts(
        terminal=is_terminal(),
        term=env.get("TERM") or None,
        program=_program(env),
        inside=tuple(name for variable, name in _INSIDE.items() if env.get(variable)),
        columns=columns,
        lines=lines,
        colours=_colours(),
        colorterm=env.get("COLORTERM") or None,
        coloured=wants_colour(env),
        no_color=bool(env.get("NO_COLOR")),
        encoding=sys.stdout.encoding or "",
        unicode=writes_unicode(),
        locale=next((env[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if env.get(name)), None),
        clipboard=Path(command[0]).name if command else None,
        images="half blocks",
    )


def _program(env: Mapping[str, str]) -> str | None:
    name, version = env.get("TERM_PROGRAM"), env.get("TERM_PROGRAM_VERSION")
    return f"{name} {version}" if name and version else name or None


def _colours() -> int | None:
    if not is_terminal():
        return None
    return _COLOURS.get(Console(no_color=False).color_system or "")
