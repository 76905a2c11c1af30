"""The commands for what leaves the machine, and for what must not."""

from agentview.cli.grammar.parts import TARGET, Commands, Parser, add_selection, command


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
