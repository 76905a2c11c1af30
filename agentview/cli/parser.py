"""The command line's grammar: every command, option and help text; imports nothing but argparse."""

import argparse
import os
import sys

import agentview
from agentview.errors import UsageError

LEVELS = ("title", "summary", "full")
SHELLS = ("bash", "zsh", "fish")
GROUPS = ("day", "project", "model", "tool", "provider", "session")

_TARGET = """\
TARGET is one of:
  a path           a log file, or a directory that holds logs
  a session id     or the first characters of one, as `agentview ls` shows it
  PROVIDER:PREFIX  the same within one provider
  @live            the session that is being written now
  -                standard input"""

_MAIN_EXAMPLES = """\
  agentview                     pick a session from all that are found on this machine
  agentview tail                follow the session of the directory you are in
  agentview open 3f2a           a past session, by the first characters of its id
  agentview ls                  all sessions as a table
  agentview demo                play a sample session; needs no logs"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence and a hint."""

    # The name of the type that says so, NoReturn, would cost the start two milliseconds.
    def error(self, message: str):  # pyright: ignore[reportUnknownParameterType]
        raise UsageError(
            f"{message[:1].upper()}{message[1:]}.", f"Run '{self.prog} --help' for what it takes."
        )


def _formatter(prog: str) -> argparse.HelpFormatter:
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


def build_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands; `options.command` names the module that runs."""
    parser = _Parser(
        prog="agentview",
        description="Watch and read the session logs of coding agents. Never writes to a log.",
        epilog=_examples(_MAIN_EXAMPLES),
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"agentview {agentview.__version__}")
    _add_selection(parser)
    _add_view(parser)
    parser.set_defaults(
        command="library",
        provider=None,
        project=None,
        detail=None,
        theme=None,
        raw=False,
        settings=[],
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _tail(commands)
    _open(commands)
    _ls(commands)
    _cat(commands)
    _events(commands)
    _stats(commands)
    _demo(commands)
    _config(commands)
    _completion(commands)
    return parser


_Commands = argparse._SubParsersAction  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def _command(
    commands: "_Commands[_Parser]", name: str, summary: str, examples: str, notes: str = ""
) -> _Parser:
    parser = commands.add_parser(
        name,
        help=summary[:1].lower() + summary[1:].rstrip("."),
        description=summary,
        epilog="\n\n".join(part for part in (notes, _examples(examples)) if part),
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    parser.set_defaults(command=name)
    return parser


def _examples(text: str) -> str:
    return f"examples:\n{text}"


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which sessions")
    group.add_argument(
        "--provider",
        metavar="NAME",
        default=argparse.SUPPRESS,
        help="only sessions of this provider; for a file: what it is read as",
    )
    group.add_argument(
        "--project",
        metavar="DIR|NAME",
        default=argparse.SUPPRESS,
        help="only sessions of this project: its directory, or the directory's name",
    )


def _add_view(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how they are shown")
    group.add_argument(
        "--detail",
        choices=LEVELS,
        default=argparse.SUPPRESS,
        help="how much of each activity is shown",
    )
    group.add_argument(
        "--theme", metavar="NAME", default=argparse.SUPPRESS, help="colours to show it in"
    )
    group.add_argument(
        "--raw",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show the bytes of each record as the provider wrote them",
    )
    _add_settings(group)


def _add_settings(group: "argparse._ActionsContainer") -> None:  # pyright: ignore[reportPrivateUsage]
    group.add_argument(
        "--set",
        dest="settings",
        action="append",
        metavar="KEY=VALUE",
        default=argparse.SUPPRESS,
        help="a setting for this run, such as timeline.density=compact; see 'agentview config'",
    )


def _add_target(parser: argparse.ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs=None if required else "?",
        default=None,
        help="the session"
        if required
        else "the session; without it, the newest one of this project, else of all",
    )


def _tail(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "tail",
        "Follow a session while it is written.",
        "  agentview tail\n"
        "  agentview tail @live --detail summary\n"
        "  agentview tail --wait --project .\n"
        "  ssh host cat session.jsonl | agentview tail -\n"
        "  PROGRAM | agentview tail - --tee | NEXT",
        _TARGET,
    )
    _add_target(parser, required=False)
    parser.add_argument(
        "--tee",
        action="store_true",
        help="with '-': pass the input on to standard output, unchanged",
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for a session, or for the file TARGET, that begins from now on",
    )
    _add_selection(parser)
    _add_view(parser)


def _open(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "open",
        "Open a past session.",
        "  agentview open 3f2a\n  agentview open ./session.jsonl --detail title",
        _TARGET,
    )
    _add_target(parser, required=True)
    _add_selection(parser)
    _add_view(parser)


def _ls(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "ls",
        "List all sessions, newest activity first.",
        "  agentview ls --project .\n  agentview ls --json | jq -r '.[0].path'",
    )
    parser.add_argument("--json", action="store_true", help="a JSON array, times in UTC")
    _add_selection(parser)


def _cat(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "cat",
        "Print the timeline of a session as text.",
        "  agentview cat 3f2a\n"
        "  agentview cat 3f2a --only edit,write --detail full | less -R\n"
        "  agentview cat session.jsonl --plain > session.txt",
        _TARGET,
    )
    _add_target(parser, required=True)
    parser.add_argument(
        "--only",
        metavar="KIND,...",
        help="only these kinds of activities, such as user,message,shell,edit",
    )
    parser.add_argument("--plain", action="store_true", help="ASCII marks and no colour")
    parser.add_argument("--no-pager", action="store_true", help="do not page on a terminal")
    _add_selection(parser)
    _add_view(parser)


def _events(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "events",
        "Print the normalized events of a session, one JSON object a line.",
        "  agentview events 3f2a | jq -c 'select(.type == \"tool_call\") | .args'\n"
        "  agentview events --follow @live\n"
        "  agentview events --schema > events.schema.json",
        _TARGET,
    )
    _add_target(parser, required=False)
    parser.add_argument("--follow", action="store_true", help="go on while the session is written")
    parser.add_argument(
        "--schema",
        dest="command",
        action="store_const",
        const="schema",
        help="print the JSON Schema of a line",
    )
    parser.add_argument(
        "--happy",
        action="store_true",
        help="print calls and results as V2 tool envelopes, with `_happy` and `_raw`",
    )
    parser.add_argument(
        "--no-subagents",
        action="store_true",
        help="leave out the logs of agents that the session started",
    )
    _add_selection(parser)


def _stats(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "stats",
        "Count what sessions used: tokens, estimated cost, time.",
        "  agentview stats                       all sessions\n"
        "  agentview stats 3f2a                  one session: turns, models, tools, context\n"
        "  agentview stats --by day --project .\n"
        "  agentview stats ./logs --by model --json | jq '.groups[] | {key, cost_estimate}'",
        f"{_TARGET}\n\n"
        "Without one, all sessions are counted; a directory stands for all sessions in it. Costs\n"
        "are estimates from list prices that come with agentview; nothing is fetched.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="the sessions")
    parser.add_argument(
        "--by", choices=GROUPS, help="what to tell sessions, or their parts, apart by"
    )
    parser.add_argument(
        "--json", action="store_true", help="a JSON object; what is unknown is null"
    )
    parser.add_argument(
        "--no-subagents",
        action="store_true",
        help="leave out what agents that the sessions started used",
    )
    _add_selection(parser)


def _demo(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "demo",
        "Play a sample session as if it were live.",
        "  agentview demo\n  agentview demo --speed 4 --detail full",
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="X",
        help="times faster than the 40 seconds it takes by default",
    )
    parser.add_argument("--provider", metavar="NAME", default=argparse.SUPPRESS, help="whose log")
    _add_view(parser)


def _config(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "config",
        "Show the settings, and where they are kept.",
        "  agentview config show                 each setting and where it comes from\n"
        "  agentview config show --set theme=nord --json\n"
        '  $EDITOR "$(agentview config path)"     the file, which need not exist yet\n'
        "  agentview config keys                 each binding by its id, for [keymap]\n"
        "  agentview config schema > agentview.schema.json",
        "Settings come from the file, then AGENTVIEW_... variables, then options; the last wins.\n"
        "AGENTVIEW_CONFIG names another file.",
    )
    parser.add_argument(
        "what",
        choices=("path", "show", "schema", "keys"),
        nargs="?",
        default="show",
        help="the path of the file, the settings in force, their JSON Schema, or all keys",
    )
    parser.add_argument("--json", action="store_true", help="show and keys as a JSON object")
    _add_settings(parser)


def _completion(commands: "_Commands[_Parser]") -> None:
    parser = _command(
        commands,
        "completion",
        "Print the code that completes agentview's command line in a shell.",
        '  eval "$(agentview completion bash)"       # in ~/.bashrc\n'
        '  eval "$(agentview completion zsh)"        # in ~/.zshrc, after compinit\n'
        "  agentview completion fish | source       # in ~/.config/fish/config.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads it")


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and up to 1000")
    return value
