"""The command line's grammar: every command, option and help text; imports nothing but argparse."""

import argparse
from collections.abc import Iterable, Sequence

import agentview
from agentview.cli.grammar.agents import add_mcp, add_serve, add_skill
from agentview.cli.grammar.attention import (
    add_board,
    add_hooks,
    add_report,
    add_status,
    add_wait,
    add_watch,
)
from agentview.cli.grammar.dev import add_dev
from agentview.cli.grammar.handing_over import add_export, add_secrets
from agentview.cli.grammar.parts import (
    Listed,
    Parser,
    add_hosts,
    add_selection,
    add_view,
    examples_text,
    formatter,
    show_in_groups,
)
from agentview.cli.grammar.past import add_archive, add_compare, add_tag
from agentview.cli.grammar.reading import (
    add_blame,
    add_cache,
    add_cat,
    add_completion,
    add_config,
    add_demo,
    add_diff,
    add_doctor,
    add_events,
    add_help,
    add_ls,
    add_open,
    add_providers,
    add_replay,
    add_review,
    add_search,
    add_stats,
    add_tail,
    add_trace,
)

_MAIN_EXAMPLES = """\
  agentview                  pick a session from all that are found here
  agentview tail             follow the session of the directory you are in
  agentview 3f2a             a past session, by the first characters of its id or its file
  agentview ls               all sessions as a table
  agentview board            all live sessions, those that need you first
  agentview search WORDS     what was said and done in any of them
  agentview demo             play a sample session; needs no logs"""


_HELP = "help"
"""Takes the names of all others."""
_GROUPS = {
    "to learn first": {"tail": add_tail, "open": add_open, "board": add_board},
    "find": {"ls": add_ls, "search": add_search, "stats": add_stats, "report": add_report},
    "read": {
        "cat": add_cat,
        "diff": add_diff,
        "blame": add_blame,
        "review": add_review,
        "compare": add_compare,
        "replay": add_replay,
        "demo": add_demo,
    },
    "wait for what needs you": {
        "status": add_status,
        "wait": add_wait,
        "watch": add_watch,
        "hooks": add_hooks,
    },
    "keep and share": {
        "tag": add_tag,
        "export": add_export,
        "secrets": add_secrets,
        "archive": add_archive,
        "trace": add_trace,
    },
    "programs and agents": {
        "events": add_events,
        "mcp": add_mcp,
        "skill": add_skill,
        "serve": add_serve,
    },
    "this installation": {
        "doctor": add_doctor,
        "providers": add_providers,
        "config": add_config,
        "cache": add_cache,
        "completion": add_completion,
        "dev": add_dev,
        _HELP: add_help,
    },
}
"""The commands, in the order and under the headings of the help."""
_COMMANDS = {name: add for group in _GROUPS.values() for name, add in group.items()}


def build_parser(words: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Make the parser of all commands; `options.command` names the module that runs.

    Where `words` are to be parsed, only the command that they begin with is made, none where there
    are no words, and of those that a help lists no option: to make all takes longer than some run.
    """
    parser = Parser(
        prog="agentview",
        description="Watch and read the session logs of coding agents. Never writes to a log.\n"
        "Without a COMMAND, lists all sessions; a FILE or an ID in its place is opened.",
        epilog=examples_text(_MAIN_EXAMPLES),
        formatter_class=formatter,
        allow_abbrev=False,
    )
    add_hosts(parser)
    parser.add_argument("--version", action="version", version=f"agentview {agentview.__version__}")
    add_selection(parser)
    add_view(parser)
    parser.set_defaults(
        command="library",
        hosts=[],
        provider=None,
        project=None,
        detail=None,
        theme=None,
        raw=False,
        settings=[],
    )
    only_listed = bool(words) and words[0] in ("-h", "--help")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", parser_class=Listed if only_listed else Parser
    )
    for name in _needed(words):
        _COMMANDS[name](commands)
    show_in_groups(parser, commands, _GROUPS)
    return parser


def _needed(words: Sequence[str] | None) -> Iterable[str]:
    if words is None:
        return _COMMANDS
    alone = not words or (words[0] in _COMMANDS and words[0] != _HELP)
    return words[:1] if alone else _COMMANDS
