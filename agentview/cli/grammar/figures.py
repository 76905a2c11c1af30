"""The commands that count."""

from agentview.cli.grammar.parts import TARGET, Commands, Parser, add_selection, command

GROUPS = ("day", "project", "model", "tool", "provider", "session")


def add_stats(commands: "Commands[Parser]") -> None:
    """`agentview stats`."""
    parser = command(
        commands,
        "stats",
        "Count what sessions used: tokens, estimated cost, time.",
        "  agentview stats                     all sessions\n"
        "  agentview stats 3f2a                one session: turns, models, tools\n"
        "  agentview stats --by day --project .\n"
        "  agentview stats ./logs --by model --json | jq '.groups[].cost_estimate'",
        f"{TARGET}\n\n"
        "Without one, all sessions are counted; a directory stands for all sessions in\n"
        "it. Costs are estimates from list prices that come with agentview; nothing is\n"
        "fetched.",
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
    add_selection(parser)
