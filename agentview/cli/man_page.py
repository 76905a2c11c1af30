"""The manual page of agentview, made from the grammar of its command line."""

import argparse
import re
from collections.abc import Iterator, Mapping
from typing import cast

import agentview
from agentview.cli.grammar import build_parser


def page() -> str:
    """The page in the language of `man`, with all commands and options."""
    parser = build_parser()
    lines = [
        f'.TH AGENTVIEW 1 "" "agentview {agentview.__version__}" "User Commands"',
        ".SH NAME",
        "agentview \\- watch and read the session logs of coding agents",
        ".SH SYNOPSIS",
        ".B agentview",
        "[\\fIOPTION\\fR ...] [\\fICOMMAND\\fR|\\fIFILE\\fR|\\fIID\\fR]",
        ".SH DESCRIPTION",
        _text(parser.description or ""),
        ".SH OPTIONS",
        *_options(parser),
        ".SH COMMANDS",
    ]
    for name, command in _commands(parser):
        lines += _command(f"agentview {name}", command)
    lines += [
        ".SH EXAMPLES",
        *_verbatim((parser.epilog or "").removeprefix("examples:\n")),
        ".SH FILES",
        ".TP",
        "\\fI~/.config/agentview/config.toml\\fR",
        "Settings; \\fBagentview config path\\fR prints the place.",
        ".SH SEE ALSO",
        "\\fBagentview help\\fR \\fICOMMAND\\fR, \\fBagentview help query\\fR",
    ]
    return "\n".join(lines) + "\n"


def _command(name: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    usage = parser.format_usage().removeprefix("usage: ")
    yield f".SS {_text(name)}"
    yield _text(" ".join(usage.split()))
    yield ".PP"
    yield _text(parser.description or "")
    yield from _options(parser)
    if parser.epilog:
        yield from _verbatim(parser.epilog)
    for inner, command in _commands(parser):
        yield from _command(f"{name} {inner}", command)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if action.nargs == argparse.PARSER or action.help in (None, argparse.SUPPRESS):
            continue
        yield ".TP"
        yield _invocation(action)
        yield _text(str(action.help).replace("%%", "%"))


def _invocation(action: argparse.Action) -> str:
    """How an option or an argument is written."""
    value = action.metavar
    if value is None:
        choices = list(map(str, action.choices or ()))
        value = "{" + ",".join(choices) + "}" if choices else action.dest.upper()
    shown = value if isinstance(value, str) else " ".join(value)
    if not action.option_strings:
        return f"\\fI{_text(shown)}\\fR"
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
    return names if action.nargs == 0 else f"{names} \\fI{_text(shown)}\\fR"


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        if action.nargs == argparse.PARSER:
            yield from cast("Mapping[str, argparse.ArgumentParser]", action.choices).items()


def _verbatim(text: str) -> Iterator[str]:
    yield ".PP"
    yield ".nf"
    yield from (_text(line) or ".sp" for line in text.splitlines())
    yield ".fi"


def _text(text: str) -> str:
    """Text in which nothing is a request or an escape."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace("–", "\\(en").replace("…", "...")
    plain = re.sub(r"[^\x20-\x7e\n]", "?", plain)
    return re.sub(r"^(?=[.'])", r"\\&", plain, flags=re.MULTILINE)
