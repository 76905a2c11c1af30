"""The commands that say which session needs somebody."""

import argparse

from agentview.cli.grammar.parts import (
    TARGET,
    Commands,
    Parser,
    add_hosts,
    add_mask,
    add_selection,
    add_target,
    add_view,
    command,
)

STATES = (
    "starting", "working", "needs-approval", "needs-answer", "your-turn", "limited", "failed",
    "interrupted", "ended", "unknown",
)  # fmt: skip
"""The words for states, most used here for `--until`; a test compares them with the domain's."""


def add_board(commands: "Commands[Parser]") -> None:
    """`agentview board`."""
    parser = command(
        commands,
        "board",
        "Show all live sessions, those that need you first.",
        "  agentview board\n"
        "  agentview board --project .\n"
        "  agentview board --host build --host @here",
    )
    add_hosts(parser)
    add_selection(parser)
    add_view(parser)


def add_status(commands: "Commands[Parser]") -> None:
    """`agentview status`."""
    parser = command(
        commands,
        "status",
        "Print the state of all live sessions.",
        "  agentview status\n"
        "  agentview status --json | jq -r '.[] | select(.state == \"needs-approval\") | .about'\n"
        "  agentview status --format '{needs} need you'\n"
        "  set -g status-right '#(agentview status --format \"{needs} need you\")'    # tmux",
        "The fields of FORMAT are counts: {live}, {needs} for the sessions that need you, and\n"
        "{needs-approval}, {working} and the other states. '{{' prints a brace.",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="a JSON array; unknown is null")
    forms.add_argument("--format", metavar="FORMAT", help="one line, such as '{needs} need you'")
    add_hosts(parser)
    add_selection(parser)


def add_report(commands: "Commands[Parser]") -> None:
    """`agentview report`."""
    parser = command(
        commands,
        "report",
        "Show what sessions did while you were away.",
        "  agentview report                       since you looked at each session\n"
        "  agentview report --since 14:00         since then, whatever you have seen\n"
        "  agentview report --since 2h --project . --markdown\n"
        "  agentview report --json | jq -r '.sessions[] | select(.needs_you) | .about'",
        "Of each session: prompts, files changed, failures, failing tests, open questions, cost,\n"
        "and the last sentence of the agent. Those that need you come first. Nothing is sent to a\n"
        "model. A session that was never on a screen is reported since the beginning of the day.",
    )
    parser.add_argument("--since", metavar="TIME", help="since TIME: 2h, 3d, today, monday, 14:00")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="a JSON object; unknown is null")
    forms.add_argument("--markdown", action="store_true", help="Markdown, to paste or to send")
    add_mask(parser)
    add_selection(parser)


def add_wait(commands: "Commands[Parser]") -> None:
    """`agentview wait`."""
    parser = command(
        commands,
        "wait",
        "Wait until a session is in one of some states.",
        "  agentview wait 3f2a\n"
        "  agentview wait @live --until your-turn,needs-approval --timeout 600\n"
        "  agentview wait 3f2a --until ended && make test",
        f"{TARGET}\n\n"
        "STATE is one of: starting, working, needs-approval, needs-answer, your-turn, limited,\n"
        "failed, interrupted, ended, unknown. The state is printed. Uncertain states, such as\n"
        "'working?', do not count.\n\n"
        "exit codes: 0 the first STATE of the list, 10 the second, 11 the third and so on;\n"
        "1 not found, 2 wrong usage, 3 the session ended and that is not in the list,\n"
        "124 timeout, 130 interrupted.",
    )
    add_target(parser, required=True)
    parser.add_argument(
        "--until",
        type=_states,
        metavar="STATE,...",
        default=_states("your-turn,needs-approval,needs-answer,failed"),
        help="the states (your-turn,needs-approval,needs-answer,failed)",
    )
    parser.add_argument(
        "--timeout", type=_seconds, metavar="S", help="seconds to wait at most (no limit)"
    )
    add_selection(parser)


def add_watch(commands: "Commands[Parser]") -> None:
    """`agentview watch`."""
    parser = command(
        commands,
        "watch",
        "Print a line each time a session changes its state.",
        "  agentview watch\n"
        "  agentview watch --json | jq --unbuffered -r 'select(.state == \"failed\") | .title'",
        "First comes a line for each live session, with `before` null.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    add_selection(parser)


def add_hooks(commands: "Commands[Parser]") -> None:
    """`agentview hooks`."""
    parser = command(
        commands,
        "hooks",
        "Print settings that make a client report its states.",
        "  agentview hooks print claude\n  agentview hooks print gemini",
        "For clients whose logs and lists do not show what they wait for. Merge the settings into\n"
        "the file that is named on standard error; agentview does not change settings.\n"
        "The hooks write a file for each running client, below the state directory of agentview.",
    )
    parser.add_argument("action", choices=("print",), help="print the settings")
    parser.add_argument(
        "client",
        metavar="CLIENT",
        help="the client that runs the hooks, by the name of its command or format",
    )


def _states(text: str) -> tuple[str, ...]:
    states = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    unknown = [state for state in states if state not in STATES]
    if unknown or not states:
        raise argparse.ArgumentTypeError(
            f"{text!r} has no state" if not states else f"unknown state {unknown[0]!r}"
        )
    return states


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return value
