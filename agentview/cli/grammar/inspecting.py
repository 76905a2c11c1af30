"""The command that looks after agentview itself, and after what it makes of logs."""

from agentview.cli.grammar.parts import TARGET, Commands, Parser, add_settings, command


def add_doctor(commands: "Commands[Parser]") -> None:
    """`agentview doctor`."""
    parser = command(
        commands,
        "doctor",
        "Tell what agentview finds, and what it makes of every record of a log.",
        "  agentview doctor                    providers, sessions, terminal, cache\n"
        "  agentview doctor 3f2a               what became of each record of a session\n"
        "  agentview doctor ~/logs --json      the same of all logs below a directory\n"
        "  agentview doctor --census ~/logs --json > before.json\n"
        "  agentview doctor --census ~/logs --diff before.json",
        f"{TARGET}\n\n"
        "A directory stands for all logs below it. Each record has one fate, each byte\n"
        "is in a record or between two; what could not be read is told with its place.\n"
        "The exit code is 1 when a log cannot be opened.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="the sessions")
    parser.add_argument("--json", action="store_true", help="a JSON object; unknown is null")
    parser.add_argument(
        "--provider", metavar="NAME", help="only sessions of this provider; for a file: read it so"
    )
    add_settings(parser)
    group = parser.add_argument_group("record types and shapes")
    group.add_argument(
        "--census",
        metavar="PATH",
        nargs="*",
        help="count record types, tools and shapes of keys, by provider and client version",
    )
    group.add_argument(
        "--diff",
        metavar="BASELINE",
        help="with --census: what is new, gone or changed since the file --census --json wrote",
    )
    group.add_argument(
        "--client-version",
        metavar="VERSION",
        help="with --census: only what this version of a client wrote",
    )
    group.add_argument(
        "--versions",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="with --census: compare two versions of a client among the logs",
    )
