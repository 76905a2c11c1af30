"""The command line's grammar: every command, option and help text; imports nothing but argparse."""

import argparse

import agentview
from agentview.cli.grammar.agents import add_mcp, add_skill
from agentview.cli.grammar.attention import add_board, add_hooks, add_status, add_wait, add_watch
from agentview.cli.grammar.dev import add_dev
from agentview.cli.grammar.handing_over import add_export, add_secrets
from agentview.cli.grammar.parts import (
    Parser,
    add_selection,
    add_view,
    examples_text,
    formatter,
)
from agentview.cli.grammar.past import add_archive, add_compare
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


def build_parser() -> argparse.ArgumentParser:
    """Make the parser of all commands; `options.command` names the module that runs."""
    parser = Parser(
        prog="agentview",
        description="Watch and read the session logs of coding agents. Never writes to a log.",
        epilog=examples_text(_MAIN_EXAMPLES),
        formatter_class=formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"agentview {agentview.__version__}")
    add_selection(parser)
    add_view(parser)
    parser.set_defaults(
        command="library",
        provider=None,
        project=None,
        detail=None,
        theme=None,
        raw=False,
        settings=[],
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    add_tail(commands)
    add_open(commands)
    add_ls(commands)
    add_cat(commands)
    add_events(commands)
    add_board(commands)
    add_status(commands)
    add_wait(commands)
    add_watch(commands)
    add_search(commands)
    add_diff(commands)
    add_blame(commands)
    add_stats(commands)
    add_archive(commands)
    add_compare(commands)
    add_replay(commands)
    add_demo(commands)
    add_doctor(commands)
    add_providers(commands)
    add_trace(commands)
    add_export(commands)
    add_secrets(commands)
    add_hooks(commands)
    add_mcp(commands)
    add_skill(commands)
    add_config(commands)
    add_cache(commands)
    add_completion(commands)
    add_dev(commands)
    add_help(commands)
    return parser
