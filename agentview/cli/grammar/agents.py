"""The commands that agents use."""

from agentview.cli.grammar.parts import Commands, Parser, command


def add_mcp(commands: "Commands[Parser]") -> None:
    """`agentview mcp`."""
    parser = command(
        commands,
        "mcp",
        "Serve past sessions to an agent by the Model Context Protocol.",
        "  claude mcp add agentview -- agentview mcp\n"
        "  codex mcp add agentview -- agentview mcp\n"
        "  pip install 'agentview[mcp]'",
        "Tools: list_sessions, search, read_session, file_history and usage. They only read.\n"
        "Secrets are masked. See docs/agents.md.",
    )
    parser.add_argument("--no-mask", action="store_true", help="do not mask secrets")


def add_serve(commands: "Commands[Parser]") -> None:
    """`agentview serve`."""
    parser = command(
        commands,
        "serve",
        "Answer agentview on another machine, which asks with --host.",
        "  agentview ls --host build              runs it on build, through ssh",
        "It reads one request from standard input, writes the answers to standard output, and\n"
        "ends with the connection. It only reads logs. See docs/fleet.md.",
    )
    parser.add_argument(
        "--stdio", action="store_true", required=True, help="by standard input and output"
    )


def add_skill(commands: "Commands[Parser]") -> None:
    command(
        commands,
        "skill",
        "Print a SKILL.md that teaches an agent to use agentview.",
        "  mkdir -p ~/.claude/skills/agentview\n"
        "  agentview skill > ~/.claude/skills/agentview/SKILL.md",
    )
