"""The commands that show sessions."""

import argparse

from agentview.cli.grammar.parts import (
    TARGET,
    Commands,
    Parser,
    add_mask,
    add_selection,
    add_target,
    add_view,
    command,
)


def add_tail(commands: "Commands[Parser]") -> None:
    """`agentview tail`."""
    parser = command(
        commands,
        "tail",
        "Follow a session while it is written.",
        "  agentview tail\n"
        "  agentview tail @live --detail summary\n"
        "  agentview tail --wait --project .\n"
        "  ssh host cat session.jsonl | agentview tail -\n"
        "  PROGRAM | agentview tail - --tee | NEXT",
        TARGET,
    )
    add_target(parser, required=False)
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
    add_selection(parser)
    add_view(parser)


def add_open(commands: "Commands[Parser]") -> None:
    """`agentview open`."""
    parser = command(
        commands,
        "open",
        "Open a past session.",
        "  agentview open 3f2a\n  agentview open ./session.jsonl --detail title",
        TARGET,
    )
    add_target(parser, required=True)
    add_selection(parser)
    add_view(parser)


def add_ls(commands: "Commands[Parser]") -> None:
    """`agentview ls`."""
    parser = command(
        commands,
        "ls",
        "List all sessions, newest activity first.",
        "  agentview ls --project .\n  agentview ls --json | jq -r '.[0].path'",
    )
    parser.add_argument("--json", action="store_true", help="a JSON array, times in UTC")
    add_selection(parser)


def add_cat(commands: "Commands[Parser]") -> None:
    """`agentview cat`."""
    parser = command(
        commands,
        "cat",
        "Print the timeline of a session as text.",
        "  agentview cat 3f2a\n"
        "  agentview cat 3f2a --only edit,write --detail full | less -R\n"
        "  agentview cat session.jsonl --plain > session.txt",
        TARGET,
    )
    add_target(parser, required=True)
    parser.add_argument(
        "--only",
        metavar="KIND,...",
        help="only these kinds of activities, such as user,message,shell,edit",
    )
    parser.add_argument("--plain", action="store_true", help="ASCII marks and no colour")
    parser.add_argument("--no-pager", action="store_true", help="do not page on a terminal")
    add_mask(parser)
    add_selection(parser)
    add_view(parser)


def add_events(commands: "Commands[Parser]") -> None:
    """`agentview events`."""
    parser = command(
        commands,
        "events",
        "Print what happened in a session, one JSON object for each activity.",
        "  agentview events 3f2a | jq -c 'select(.type == \"tool_call\") | .args'\n"
        "  agentview events --all 3f2a | jq -r .status | sort | uniq -c\n"
        "  agentview events --follow @live\n"
        "  agentview events --schema > events.schema.json",
        TARGET,
    )
    add_target(parser, required=False)
    parser.add_argument("--follow", action="store_true", help="go on while the session is written")
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for a session, or for the file TARGET, that begins from now on, and follow it",
    )
    parser.add_argument(
        "--schema",
        dest="command",
        action="store_const",
        const="schema",
        help="print the JSON Schema of a line",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--all",
        action="store_true",
        help="also print abandoned, superseded and duplicate events; see `status`",
    )
    forms.add_argument(
        "--records",
        action="store_true",
        help="print each fact as its record says it, calls and results apart",
    )
    forms.add_argument(
        "--happy",
        action="store_true",
        help="print calls and results as V2 tool envelopes, with `_happy` and `_raw`",
    )
    parser.add_argument(
        "--no-subagents",
        action="store_true",
        help="leave out the logs of agents that the session started",
    )
    add_mask(parser)
    add_selection(parser)


def add_demo(commands: "Commands[Parser]") -> None:
    """`agentview demo`."""
    parser = command(
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
    add_view(parser)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and up to 1000")
    return value
