"""The command that tells what sessions changed."""

from agentview.cli.grammar.parts import (
    TARGET,
    Commands,
    Parser,
    add_mask,
    add_selection,
    add_target,
    command,
)


def add_diff(commands: "Commands[Parser]") -> None:
    """`agentview diff`."""
    parser = command(
        commands,
        "diff",
        "Print what a session changed in files, as a patch.",
        "  agentview diff 3f2a                   the difference of the whole session\n"
        "  agentview diff 3f2a | git apply       in the state that the session began with\n"
        "  agentview diff 3f2a --stat\n"
        "  agentview diff 3f2a --file src/app.py --json",
        f"{TARGET}\n\n"
        "What the log does not have is told on standard error, step by step, and left out. Exit\n"
        "code 1 when nothing of what was changed can be told.",
    )
    add_target(parser, required=True)
    parser.add_argument("--stat", action="store_true", help="count added and removed lines only")
    parser.add_argument(
        "--file",
        dest="files",
        metavar="PATH",
        action="append",
        default=[],
        help="only this file, by its path or the end of it; may be given several times",
    )
    parser.add_argument(
        "--json", action="store_true", help="a JSON object with all files and all steps on them"
    )
    parser.add_argument(
        "--assume-new",
        action="store_true",
        help="take files for new that were written while nothing tells what was there before",
    )
    parser.add_argument(
        "--crlf",
        action="store_true",
        help="lines of files that were there end with CR LF where the log does not show it",
    )
    parser.add_argument("--no-pager", action="store_true", help="do not page on a terminal")
    add_mask(parser)
    add_selection(parser)
