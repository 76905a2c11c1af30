"""The commands for what leaves the machine, and for what must not."""

import argparse

from agentview.cli.grammar.parts import (
    LEVELS,
    TARGET,
    Commands,
    Parser,
    add_selection,
    add_target,
    command,
)

FORMATS = ("html", "markdown", "json", "svg")

MOST_ROWS = 2_000
"""Rows of a picture."""

LEAST_CHARACTERS = 1_000
"""The shortest Markdown that can be asked for."""


def add_secrets(commands: "Commands[Parser]") -> None:
    """`agentview secrets`."""
    parser = command(
        commands,
        "secrets",
        "List secrets in session logs: where each is and which rule found it, never its text.",
        "  agentview secrets 3f2a\n"
        "  agentview secrets --all --project .\n"
        "  agentview secrets ./logs --json | jq -r '.secrets[].rule' | sort | uniq -c",
        f"{TARGET}\n\n"
        "A line is FILE:LINE: SESSION PART: RULE. PART is the type of an event as in\n"
        "'agentview events', or 'raw'. The exit code is 1 when there are secrets.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="the sessions")
    parser.add_argument("--all", action="store_true", help="all sessions that are found")
    parser.add_argument("--json", action="store_true", help="a JSON object; unknown is null")
    add_selection(parser)


def add_export(commands: "Commands[Parser]") -> None:
    """`agentview export`."""
    parser = command(
        commands,
        "export",
        "Write a session as a document to hand over, secrets masked.",
        "  agentview export 3f2a -o session.html     a page, without any network\n"
        "  agentview export 3f2a -o session.md       for a pull request or an issue\n"
        "  agentview export 3f2a --turns 3-7 --format json\n"
        "  agentview export 3f2a --turns 3 --rows 1-60 -o turn.svg\n"
        "  agentview export 3f2a --check             what would be masked; exit code 1 if any",
        f"{TARGET}\n\nWhat was masked is reported on standard error by rule, never by its text.",
    )
    add_target(parser, required=True)
    parser.add_argument("--format", choices=FORMATS, help="the form; else by the ending of FILE")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to FILE (mode 0600)")
    parser.add_argument("--turns", metavar="FIRST-LAST", help="only these turns, such as 3-7")
    parser.add_argument("--only", metavar="KIND,...", help="only these kinds of activities")
    parser.add_argument("--detail", choices=LEVELS, default=None, help="detail level")
    parser.add_argument(
        "--max-chars",
        type=_characters,
        default=60_000,
        metavar="N",
        help="for Markdown: characters at most, without a limit if 0 (60000)",
    )
    parser.add_argument(
        "--rows",
        type=_rows,
        default=(1, 40),
        metavar="FIRST-LAST",
        help="for SVG: the rows of the timeline that are drawn (1-40)",
    )
    parser.add_argument(
        "--columns",
        type=_columns,
        default=100,
        metavar="N",
        help="for SVG: width in characters (100)",
    )
    parser.add_argument("--theme", metavar="NAME", default=None, help="for SVG: color theme")
    parser.add_argument("--no-mask", action="store_true", help="leave secrets as they are")
    parser.add_argument(
        "--check", action="store_true", help="only report what would be masked, write nothing"
    )
    add_selection(parser)


def _characters(text: str) -> int:
    if not text.isdecimal() or 0 < int(text) < LEAST_CHARACTERS:
        message = f"{text!r} is neither 0 nor a number from {LEAST_CHARACTERS} on"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _rows(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if dash and all(part.isascii() and part.isdecimal() for part in (first, last)):
        begin, end = int(first[:9]), int(last[:9])
        if 0 < begin <= end < begin + MOST_ROWS:
            return begin, end
    message = f"{text!r} is not FIRST-LAST, from 1 on and of {MOST_ROWS:,} rows at most"
    raise argparse.ArgumentTypeError(message)


def _columns(text: str) -> int:
    if text.isascii() and text.isdecimal() and 20 <= int(text[:9]) <= 400:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 20 to 400")
