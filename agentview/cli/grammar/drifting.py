"""The commands that keep up with what clients write."""

import argparse

from agentview.cli.grammar.parts import TARGET, Commands, Parser, command

_FIXTURES = """\
A fixture file holds, under keys such as log/PROVIDER/tool-call/NAME, a few
examples of what a client writes. The allowlist names the keys, one a line; *
stands for any part of one."""


def add_trace(commands: "Commands[Parser]") -> None:
    """`agentview trace`."""
    parser = command(
        commands,
        "trace",
        "Write the raw records of calls, results and requests, without secrets.",
        "  agentview trace 3f2a --out trace.jsonl\n"
        "  agentview trace ~/logs | jq -r .key | sort | uniq -c\n"
        "  agentview trace @live --follow\n"
        "  AGENTVIEW_TRACE=1 agentview tail",
        f"{TARGET}\n\n"
        "Each line is {v, ts, protocol, provider, client_version, kind, key, raw,\n"
        "normalized}. Secrets, names of users and e-mail addresses are taken out, long\n"
        "values are cut.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="the sessions")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="add to this file, which nobody else may read",
    )
    parser.add_argument("--follow", action="store_true", help="go on while the session is written")
    parser.add_argument("--taken-for", type=int, help=argparse.SUPPRESS)
    parser.add_argument(
        "--provider", metavar="NAME", help="only sessions of this provider; for a file: read it so"
    )


def add_fixtures(commands: "Commands[Parser]") -> None:
    """`agentview fixtures`."""
    parser = command(
        commands,
        "fixtures",
        "Keep examples of what clients write, and tell where a trace differs from them.",
        "  agentview fixtures build --allowlist tools.allowlist.txt ~/logs --write\n"
        "  agentview fixtures check --file tools.json trace.jsonl --strict",
        _FIXTURES,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    build = command(
        actions,
        "build",
        "Choose the smallest set of examples out of traces.",
        "  agentview fixtures build --allowlist keys.txt trace.jsonl > fixtures.json\n"
        "  agentview fixtures build --allowlist tools.allowlist.txt ~/logs --write\n"
        "  agentview fixtures build --shapes-only --file baseline.json ~/logs --write",
        _FIXTURES,
    )
    build.set_defaults(command="fixtures", action="build")
    _add_common(build)
    build.add_argument(
        "--examples", type=_count, default=3, metavar="N", help="examples of a key (default: 3)"
    )
    build.add_argument(
        "--shapes-only", action="store_true", help="keys and shapes without examples: a baseline"
    )
    build.add_argument("--write", action="store_true", help="write the file instead of printing it")
    check = command(
        actions,
        "check",
        "Tell which keys are missing, unexpected or of another shape.",
        "  agentview fixtures check --file fixtures.json trace.jsonl\n"
        "  agentview fixtures check --file baseline.json ~/logs --strict",
        f"{_FIXTURES} The exit code is 1 when something is.",
    )
    check.set_defaults(command="fixtures", action="check")
    _add_common(check)
    check.add_argument(
        "--strict", action="store_true", help="keys that are not expected are an error too"
    )
    check.add_argument("--json", action="store_true", help="a JSON object")


def _add_common(parser: Parser) -> None:
    parser.add_argument(
        "traces", metavar="TRACE", nargs="+", help="traces, logs, directories or fixture files"
    )
    parser.add_argument(
        "--allowlist", metavar="FILE", help="the keys that are kept or looked at; else all"
    )
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="the fixture file; without it, X.json beside an allowlist X.allowlist.txt",
    )
    parser.add_argument("--provider", metavar="NAME", help="only keys of this provider")


def _count(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 0 < value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 100")
    return value
