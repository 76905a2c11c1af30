"""The commands for sessions that are over: kept, compared, played again."""

from agentview.cli.grammar.parts import (
    TARGET,
    Commands,
    Parser,
    add_mask,
    add_selection,
    add_target,
    command,
)


def add_archive(commands: "Commands[Parser]") -> None:
    """`agentview archive`."""
    parser = command(
        commands,
        "archive",
        "Copy sessions, so that they stay when their client deletes them.",
        "  agentview archive --all --older-than 20d    what clients may delete soon\n"
        "  agentview archive --follow                  everything, as it is written\n"
        "  agentview archive 3f2a                      one session with its agents\n"
        "  agentview archive --list                    what is archived\n"
        "  agentview archive --verify                  whether all copies are as they were",
        f"{TARGET}\n\n"
        "Copies are packed with zstd and verified. What is archived already is not copied again.\n"
        "All commands read archived sessions once the original is gone. AGENTVIEW_DATA_DIR names\n"
        "another directory.",
    )
    add_target(parser, required=False)
    parser.add_argument("--all", action="store_true", help="all sessions")
    parser.add_argument(
        "--older-than",
        metavar="AGE",
        default=None,
        help="only sessions not written to for so long: 12h, 20d, 4w",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--follow", action="store_true", help="copy all sessions, and again what has changed"
    )
    what.add_argument(
        "--unit",
        choices=("launchd", "systemd"),
        help="print the unit that keeps --follow running",
    )
    what.add_argument("--list", action="store_true", help="list archived sessions")
    what.add_argument(
        "--verify", action="store_true", help="read all copies and compare them with their hashes"
    )
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    add_selection(parser)


def add_tag(commands: "Commands[Parser]") -> None:
    """`agentview tag`."""
    parser = command(
        commands,
        "tag",
        "Give sessions tags, or hide them from lists.",
        "  agentview tag                        all tags\n"
        "  agentview tag 3f2a                   the tags of a session\n"
        "  agentview tag 3f2a retry review      add two\n"
        "  agentview tag 3f2a --remove review\n"
        "  agentview tag 3f2a --hide            its log stays\n"
        "  agentview ls --tag retry",
        f"{TARGET}\n\n"
        "A tag has letters, digits, '-', '_', '.' and '/'. Tags are kept with your notes, not in\n"
        "the log. Hidden sessions are left out of ls and of the list of sessions.",
    )
    parser.add_argument(
        "target",
        metavar="TARGET",
        nargs="?",
        default=None,
        help="the session; without it, all tags are listed",
    )
    parser.add_argument("tags", metavar="TAG", nargs="*", help="tags to add")
    parser.add_argument(
        "--remove", metavar="TAG", action="append", default=[], help="a tag to remove"
    )
    hide = parser.add_mutually_exclusive_group()
    hide.add_argument("--hide", action="store_true", help="leave it out of lists and board")
    hide.add_argument("--show", action="store_true", help="have it in lists again")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    add_selection(parser)


def add_compare(commands: "Commands[Parser]") -> None:
    """`agentview compare`."""
    parser = command(
        commands,
        "compare",
        "Show where two sessions differ: prompts, tools, files, result, tokens, cost, time.",
        "  agentview compare 3f2a 9c8d\n  agentview compare 3f2a 9c8d --json | jq '.files'",
        "A and B are sessions as TARGET of other commands: a path, an id or its beginning.\n"
        "Equal prompts stand next to each other; those between them are paired by their order.",
    )
    parser.add_argument("a", metavar="A", help="a session")
    parser.add_argument("b", metavar="B", help="the session to compare it with")
    parser.add_argument("--json", action="store_true", help="a JSON object")
    add_mask(parser)
    add_selection(parser)
