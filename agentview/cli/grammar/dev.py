"""`agentview dev`: the commands that keep up with what clients write."""

import argparse

from agentview.cli.grammar.parts import Commands, Parser, command

_FIXTURES = """\
A fixture file holds, under keys such as log/PROVIDER/tool-call/NAME, a few
examples of what a client writes. The allowlist names the keys, one a line; *
stands for any part of one."""

_BASELINES = """\
The project of a run is the directory SCENARIO/repo; its baseline is the file
PROVIDER/SCENARIO.json of the folder."""


def add_dev(commands: "Commands[Parser]") -> None:
    """`agentview dev` and its commands."""
    parser = command(
        commands,
        "dev",
        "Tools for maintainers: find changes in client formats, add providers.",
        "  agentview dev census ~ --json > before.json\n"
        "  agentview dev census ~ --diff before.json\n"
        "  agentview dev fixtures check --file tools.json trace.jsonl\n"
        "  agentview dev baselines check PROVIDER ~/runs\n"
        "  agentview dev new-provider harbour",
        "See docs/drift.md and docs/providers.md.",
    )
    tools = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_census(tools)
    _add_fixtures(tools)
    _add_baselines(tools)
    _add_new_provider(tools)


def _add_census(commands: "Commands[Parser]") -> None:
    parser = command(
        commands,
        "census",
        "Count record types, tools and schemas of keys, by provider and client version.",
        "  agentview dev census                all sessions\n"
        "  agentview dev census ~/logs --json > before.json\n"
        "  agentview dev census ~/logs --diff before.json\n"
        "  agentview dev census ~ --versions 0.128.0 0.169.0",
        "The exit code is 1 when something is new, gone or changed.",
    )
    parser.set_defaults(command="dev.census")
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="logs and directories; without one, all sessions"
    )
    parser.add_argument("--json", action="store_true", help="a JSON object; a baseline")
    parser.add_argument("--provider", metavar="NAME", help="only logs of this provider")
    parser.add_argument(
        "--diff",
        metavar="BASELINE",
        help="what is new, gone or changed since the file that --json wrote",
    )
    parser.add_argument(
        "--client-version", metavar="VERSION", help="only what this version of a client wrote"
    )
    parser.add_argument(
        "--versions",
        metavar=("OLD", "NEW"),
        nargs=2,
        help="compare two versions of a client among the logs",
    )


def _add_fixtures(commands: "Commands[Parser]") -> None:
    parser = command(
        commands,
        "fixtures",
        "Build format fixtures, and check traces against them.",
        "  agentview dev fixtures build --allowlist tools.allowlist.txt ~/logs --write\n"
        "  agentview dev fixtures check --file tools.json trace.jsonl --strict",
        _FIXTURES,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    build = command(
        actions,
        "build",
        "Select the smallest set of examples from traces.",
        "  agentview dev fixtures build --allowlist keys.txt trace.jsonl > fixtures.json\n"
        "  agentview dev fixtures build --allowlist tools.allowlist.txt ~/logs --write\n"
        "  agentview dev fixtures build --shapes-only --file baseline.json ~/logs --write",
        _FIXTURES,
    )
    build.set_defaults(command="dev.fixtures", action="build")
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
        "Report missing and unexpected keys, and changed schemas.",
        "  agentview dev fixtures check --file fixtures.json trace.jsonl\n"
        "  agentview dev fixtures check --file baseline.json ~/logs --strict",
        f"{_FIXTURES} The exit code is 1 when something is.",
    )
    check.set_defaults(command="dev.fixtures", action="check")
    _add_common(check)
    check.add_argument(
        "--strict", action="store_true", help="keys that are not expected are an error too"
    )
    check.add_argument("--json", action="store_true", help="a JSON object")


def _add_new_provider(commands: "Commands[Parser]") -> None:
    parser = command(
        commands,
        "new-provider",
        "Write a package that reads the logs of one more program, to begin with.",
        "  agentview dev new-provider harbour\n"
        "  agentview dev new-provider lighthouse --kind database\n"
        "  cd agentview-harbour && pip install -e . && pytest",
        "The package has a sample and tests that pass. See docs/providers.md.",
    )
    parser.set_defaults(command="dev.new_provider")
    parser.add_argument("name", metavar="NAME", help="name of the provider, such as harbour")
    parser.add_argument(
        "--kind",
        choices=("lines", "database"),
        default="lines",
        help="how its logs are kept: files of JSON lines (default), or a SQLite database",
    )
    parser.add_argument("--out", metavar="DIR", help="a new directory (default: agentview-NAME)")


def _add_baselines(commands: "Commands[Parser]") -> None:
    parser = command(
        commands,
        "baselines",
        "Record keys and schemas of scripted client runs, and compare new runs.",
        "  agentview dev baselines build PROVIDER ~/runs\n"
        "  agentview dev baselines check PROVIDER ~/runs --scenario tools",
        _BASELINES,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    for action, summary in (
        ("build", "Write the baseline of each scenario."),
        ("check", "Compare runs with their baselines; the exit code is 1 when they differ."),
    ):
        each = command(
            actions,
            action,
            summary,
            f"  agentview dev baselines {action} PROVIDER ~/runs",
            _BASELINES,
        )
        each.set_defaults(command="dev.baselines", action=action)
        each.add_argument("run_of", metavar="PROVIDER", help="the client of the runs")
        each.add_argument("home", metavar="DIR", help="directory that contains the logs")
        each.add_argument("--scenario", metavar="NAME", help="only this one")
        each.add_argument(
            "--folder",
            metavar="DIR",
            default="tests/baselines",
            help="where the baselines are (default: tests/baselines)",
        )


def _add_common(parser: Parser) -> None:
    parser.add_argument(
        "traces", metavar="TRACE", nargs="+", help="traces, logs, directories or fixture files"
    )
    parser.add_argument(
        "--allowlist", metavar="FILE", help="the keys that are kept or checked; else all"
    )
    parser.add_argument(
        "--file",
        metavar="FILE",
        help="the fixture file; without it, X.json next to an allowlist X.allowlist.txt",
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
