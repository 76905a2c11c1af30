"""The command that looks into all sessions."""

import argparse

from agentview.cli.grammar.parts import Commands, Parser, add_selection, command

_NOTES = """\
QUERY is words, all of which stand in one activity: a prompt, a message, a thought, a call with its
result. Case and accents do not count; `_ . / -` part words, and so do capitals inside a name.
  "a phrase"       words that follow each other; also src/retry.py, test_retry_cap
  retr*            words that begin so
  -word            without it
  in:PLACE         prompt, message, reasoning, command, path, args or result
  kind:KIND        shell, edit, read, user, message ...
  regex:/…/        a pattern over the records as they are written; reads all logs
  project: provider: model: branch: tool: file: state: before: after: problems:
                   sessions, as in the filter of the library

Of a result the first and last 4096 characters are looked at; --full looks at all. One argument is
a query as it is; of several, one with blanks is a phrase. Exit code 1 when nothing is found."""


def add_search(commands: "Commands[Parser]") -> None:
    """`agentview search`."""
    parser = command(
        commands,
        "search",
        "Search what was said and done in all sessions.",
        "  agentview search retry backoff\n"
        "  agentview search 'in:command pytest -coverage after:7d'\n"
        "  agentview search src/retry.py kind:edit --project shop\n"
        "  agentview search 'regex:/ECONN(REFUSED|RESET)/' --json | jq '.[].path'",
        _NOTES,
    )
    parser.add_argument("query", metavar="QUERY", nargs="+", help="what to look for")
    parser.add_argument("--json", action="store_true", help="a JSON array of hits")
    parser.add_argument(
        "--limit", type=_count, default=100, metavar="N", help="hits in all, 0 for any number (100)"
    )
    parser.add_argument(
        "--per-session",
        type=_count,
        default=10,
        metavar="N",
        help="hits of one session, 0 for any number (10)",
    )
    parser.add_argument(
        "--sort",
        choices=("time", "rank"),
        default="time",
        help="which sessions come first: the newest (the default), or those that match best",
    )
    parser.add_argument(
        "--full", action="store_true", help="look at all of long texts; reads all logs"
    )
    index = parser.add_mutually_exclusive_group()
    index.add_argument(
        "--index", action="store_true", help="first bring the index up to date with all logs"
    )
    index.add_argument("--no-index", action="store_true", help="read all logs")
    add_selection(parser)


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)
