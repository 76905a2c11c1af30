"""The commands about agentview itself."""

from agentview.cli.grammar.parts import Commands, Parser, add_settings, command

SHELLS = ("bash", "zsh", "fish")


def add_config(commands: "Commands[Parser]") -> None:
    """`agentview config`."""
    parser = command(
        commands,
        "config",
        "Show the settings, and where they are kept.",
        "  agentview config show                 each setting and where it comes from\n"
        "  agentview config show --set theme=gruvbox --json\n"
        '  $EDITOR "$(agentview config path)"     the file, which need not exist yet\n'
        "  agentview config keys                 each binding by its id, for [keymap]\n"
        "  agentview config schema > agentview.schema.json",
        "Settings come from the file, then AGENTVIEW_... variables, then options; the\n"
        "last wins. AGENTVIEW_CONFIG names another file.",
    )
    parser.add_argument(
        "what",
        choices=("path", "show", "schema", "keys"),
        nargs="?",
        default="show",
        help="the path of the file, the settings in force, their JSON Schema, or all keys",
    )
    parser.add_argument("--json", action="store_true", help="show and keys as a JSON object")
    add_settings(parser)


def add_completion(commands: "Commands[Parser]") -> None:
    """`agentview completion`."""
    parser = command(
        commands,
        "completion",
        "Print the code that completes agentview's command line in a shell.",
        '  eval "$(agentview completion bash)"       # in ~/.bashrc\n'
        '  eval "$(agentview completion zsh)"        # in ~/.zshrc, after compinit\n'
        "  agentview completion fish | source       # in ~/.config/fish/config.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell that reads it")


def add_help(commands: "Commands[Parser]") -> None:
    """`agentview help`."""
    parser = command(
        commands,
        "help",
        "Show the help of agentview, or of one of its commands.",
        "  agentview help\n  agentview help tail",
    )
    parser.add_argument(
        "topic", metavar="COMMAND", nargs="?", choices=commands.choices, help="the command"
    )
