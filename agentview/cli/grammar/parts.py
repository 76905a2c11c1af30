"""Parts of all commands of the command line: parsers, common options, help texts."""

import argparse
import os
import sys
import time
from collections.abc import Iterable, Mapping

from agentview.errors import UsageError, choices_hint, nearest

LEVELS = ("title", "summary", "full")

TARGET = """\
TARGET is one of:
  a path           a log file, or a directory that holds logs
  a session id     or the first characters of one, as `agentview ls` shows it
  PROVIDER:PREFIX  the same within one provider
  @live            the session that is being written now
  -                standard input"""


_MOVED = {"fixtures": "dev"}
"""Commands that are below another one now, which still work in their old place."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence and a hint."""

    # The name of the type that says so, NoReturn, would cost the start two milliseconds.
    def error(self, message: str):  # pyright: ignore[reportUnknownParameterType]
        """Raise UsageError for what was given."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}.", f"See '{self.prog} --help'.")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse what is none of an option's choices, and name the nearest of these."""
        choices = [str(choice) for choice in action.choices or ()]
        if action.choices is not None and value not in action.choices:
            names = (*action.option_strings[-1:], action.metavar, action.dest.upper())
            name = next(name for name in names if name)
            raise UsageError(f"{name} cannot be {value}.", choices_hint(str(value), choices))

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> object:
        """The arguments of an action; where a command should be, another word is one to open."""
        if action.nargs == argparse.PARSER and arg_strings:
            commands = [str(name) for name in action.choices or ()]
            name = arg_strings[0]
            if name not in commands and _MOVED.get(name) in commands:
                note_moved(name, f"{_MOVED[name]} {name}")
                arg_strings = [_MOVED[name], *arg_strings]
            elif name not in commands and "open" in commands:
                _check_target(name, commands)
                arg_strings = ["open", *arg_strings]
        return super()._get_values(action, arg_strings)


class Listed(Parser):
    """Stands for a command that a help only lists: it takes options and keeps none."""

    def __init__(self, **_: object) -> None:
        """Keep nothing: what a list says of a command is kept by what lists it."""

    def __getattribute__(self, _: str) -> object:
        """The parser itself, for methods that add an option or a group of them."""

        def added(*_: object, **__: object) -> Listed:
            return self

        return added


def note_moved(old: str, new: str) -> None:
    print(f"agentview: 'agentview {old}' is 'agentview {new}' now.", file=sys.stderr)


def _check_target(word: str, commands: Iterable[str]) -> None:
    """Refuse a word that is a command spelled wrong, and no file and no beginning of an id."""
    if os.path.lexists(word) or any(char.isdigit() or char in "/@:." for char in word):
        return
    asked = nearest(word, commands, cutoff=0.6)
    if asked is not None:
        raise UsageError(f"Unknown command: {word}.", asked)


Commands = argparse._SubParsersAction  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def formatter(prog: str) -> argparse.HelpFormatter:
    # Left to itself the formatter imports shutil, and with it three compression libraries.
    return argparse.RawDescriptionHelpFormatter(prog, width=_columns() - 2)


def _columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    if columns.isdigit() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns
    except (OSError, ValueError):
        return 80


def command(
    commands: "Commands[Parser]", name: str, summary: str, examples: str, notes: str = ""
) -> Parser:
    """Add a command: what it does in a sentence, examples, and notes in front of these."""
    parser = commands.add_parser(
        name,
        help=summary[:1].lower() + summary[1:].rstrip("."),
        description=summary,
        epilog="\n\n".join(part for part in (notes, examples_text(examples)) if part),
        formatter_class=formatter,
        allow_abbrev=False,
    )
    parser.set_defaults(command=name)
    return parser


def show_in_groups(
    parser: Parser, commands: "Commands[Parser]", groups: Mapping[str, Iterable[str]]
) -> None:
    """Have the help list the commands below the headings of `groups`, before the options."""
    made = {action.dest: action for action in commands._get_subactions()}  # noqa: SLF001
    options = [group for group in parser._action_groups if commands not in group._group_actions]  # noqa: SLF001
    parser._action_groups = []  # noqa: SLF001
    for title, names in groups.items():
        listed = [made[name] for name in names if name in made]
        parser.add_argument_group(title)._group_actions.extend(listed)  # noqa: SLF001
    parser._action_groups += options  # noqa: SLF001


def examples_text(text: str) -> str:
    return f"examples:\n{text}"


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add options that select sessions."""
    group = parser.add_argument_group("which sessions")
    group.add_argument(
        "--provider",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help="only sessions of this provider; for a file: force this format",
    )
    group.add_argument(
        "--project",
        metavar="DIR|NAME",
        default=argparse.SUPPRESS,
        help="only sessions of this project: its directory, or the directory's name",
    )


def add_hosts(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host",
        dest="hosts",
        metavar="NAME",
        action="append",
        default=argparse.SUPPRESS,
        help="sessions of this machine, by ssh; repeatable; @here, @all; see docs/fleet.md",
    )


def add_period(parser: argparse.ArgumentParser, what: str) -> None:
    """Options that select by time; `what` is selected."""
    group = parser.add_argument_group("when", "TIME: 2h, 3d, today, monday, 14:00")
    group.add_argument("--after", metavar="TIME", help=f"only {what} at TIME or later")
    group.add_argument("--before", metavar="TIME", help=f"only {what} before TIME")


def chosen_period(options: argparse.Namespace):
    """The period that options ask for, None where they ask for none. Raises UsageError."""
    if options.after is None and options.before is None:
        return None
    # Who asks for none does not wait for the import.
    from agentview.query.values import period

    return period(options.after, options.before, time.time())


def add_view(parser: argparse.ArgumentParser) -> None:
    """Add options for how sessions are shown."""
    group = parser.add_argument_group("how they are shown")
    group.add_argument(
        "--detail",
        choices=LEVELS,
        default=argparse.SUPPRESS,
        help="detail level",
    )
    group.add_argument("--theme", metavar="NAME", default=argparse.SUPPRESS, help="color theme")
    group.add_argument(
        "--raw",
        action="store_true",
        default=argparse.SUPPRESS,
        help="start with the raw records",
    )
    add_settings(group)


def add_linear(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--linear",
        action="store_true",
        help="print the session line by line, for screen readers; see docs/accessibility.md",
    )


def add_mask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--mask",
        action="store_true",
        help="mask secrets and home directory names; see docs/secrets.md",
    )


def add_settings(group: "argparse._ActionsContainer") -> None:  # pyright: ignore[reportPrivateUsage]
    group.add_argument(
        "--set",
        dest="settings",
        action="append",
        metavar="KEY=VALUE",
        default=argparse.SUPPRESS,
        help="a setting for this run, such as timeline.density=compact; see 'agentview config'",
    )


def add_target(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs=None if required else "?",
        default=None,
        help="the session"
        if required
        else "the session; without it, the newest one of this project, else of all",
    )
