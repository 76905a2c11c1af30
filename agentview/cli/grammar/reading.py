"""The commands that show sessions."""

import argparse

from agentview.cli.grammar.parts import (
    TARGET,
    Commands,
    Parser,
    add_hosts,
    add_linear,
    add_mask,
    add_period,
    add_selection,
    add_settings,
    add_target,
    add_view,
    command,
)

# The command that looks into all sessions.

_NOTES = """\
QUERY is a list of terms, all of which hold of one activity: a prompt, a message, a thought, a call
with its result. 'agentview help query' lists all forms.
  word  "a phrase"  -word  *inside  regex:/…/
  kind: in: tool: file: state: problems        the activity
  project: provider: title: branch: model: after: before: cost: tokens: tools: turns:
                                               its session

Of a result the first and last 4096 characters are searched; --full searches all. One argument is
a query as it is; of several, one with blanks is a phrase. Exit code 1 when nothing is found."""


def add_search(commands: "Commands[Parser]") -> None:
    """`agentview search`."""
    parser = command(
        commands,
        "search",
        "Search what was said and done in all sessions.",
        "  agentview search retry backoff\n"
        "  agentview search 'in:command pytest -coverage' --after 7d\n"
        "  agentview search src/retry.py kind:edit --project shop\n"
        "  agentview search 'regex:/ECONN(REFUSED|RESET)/' --json | jq '.[].path'",
        _NOTES,
    )
    parser.add_argument("query", metavar="QUERY", nargs="+", help="what to search for")
    parser.add_argument("--json", action="store_true", help="a JSON array of matches")
    parser.add_argument(
        "--limit",
        type=_count,
        default=100,
        metavar="N",
        help="matches in all, 0 for any number (100)",
    )
    parser.add_argument(
        "--per-session",
        type=_count,
        default=10,
        metavar="N",
        help="matches of one session, 0 for any number (10)",
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
    add_hosts(parser)
    add_mask(parser)
    add_period(parser, "what happened")
    add_selection(parser)


def _count(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 on")
    return int(text)


# The commands about agentview itself.

SHELLS = ("bash", "zsh", "fish")


def add_config(commands: "Commands[Parser]") -> None:
    """`agentview config`."""
    parser = command(
        commands,
        "config",
        "Show the settings and the path of the config file.",
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
        help="path of the file, effective settings, JSON Schema, or key bindings",
    )
    parser.add_argument("--json", action="store_true", help="show and keys as a JSON object")
    add_settings(parser)


def add_cache(commands: "Commands[Parser]") -> None:
    """`agentview cache`."""
    parser = command(
        commands,
        "cache",
        "Show the size of the cache, or clear it.",
        "  agentview cache                       its parts and their sizes\n"
        "  agentview cache clear                 remove all of it",
        "The cache holds what was read of logs, so that they are not read again. It can be\n"
        "cleared at any time. AGENTVIEW_CACHE_DIR names another directory.",
    )
    parser.add_argument(
        "what", choices=("show", "clear"), nargs="?", default="show", help="what to do with it"
    )
    parser.add_argument("--json", action="store_true", help="the parts as a JSON object")


def add_completion(commands: "Commands[Parser]") -> None:
    """`agentview completion`."""
    parser = command(
        commands,
        "completion",
        "Print a shell completion script.",
        '  eval "$(agentview completion bash)"       # in ~/.bashrc\n'
        '  eval "$(agentview completion zsh)"        # in ~/.zshrc, after compinit\n'
        "  agentview completion fish | source       # in ~/.config/fish/config.fish",
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def add_help(commands: "Commands[Parser]") -> None:
    """`agentview help`."""
    parser = command(
        commands,
        "help",
        "Show the help of agentview, of one of its commands, or of queries.",
        "  agentview help\n  agentview help tail\n  agentview help query\n"
        "  agentview help --man | man -l -",
    )
    parser.add_argument(
        "--man", action="store_true", help="print the manual page of agentview, for man"
    )
    parser.add_argument(
        "topic",
        metavar="TOPIC",
        nargs="?",
        choices=(*commands.choices, "query"),
        help="a command, or query",
    )


# The command that looks after agentview itself, and after what it makes of logs.


def add_doctor(commands: "Commands[Parser]") -> None:
    """`agentview doctor`."""
    parser = command(
        commands,
        "doctor",
        "Check the installation, or account for every record of a log.",
        "  agentview doctor                    providers, sessions, terminal, cache\n"
        "  agentview doctor 3f2a               the outcome of each record of a session\n"
        "  agentview doctor ~/logs --json      the same of all logs below a directory",
        f"{TARGET}\n\n"
        "A directory means all logs below it. Each record has one outcome, and each byte\n"
        "is in a record or between two. Unreadable records are listed with their position.\n"
        "The exit code is 1 when a log cannot be opened.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="the sessions")
    parser.add_argument("--json", action="store_true", help="a JSON object; unknown is null")
    parser.add_argument(
        "--provider",
        metavar="NAME",
        help="only sessions of this provider; for a file: force this format",
    )
    add_settings(parser)
    # A census is `agentview dev census` now; these keep the form that it had before.
    parser.add_argument("--census", nargs="*", help=argparse.SUPPRESS)
    parser.add_argument("--diff", help=argparse.SUPPRESS)
    parser.add_argument("--client-version", help=argparse.SUPPRESS)
    parser.add_argument("--versions", nargs=2, help=argparse.SUPPRESS)


def add_providers(commands: "Commands[Parser]") -> None:
    """`agentview providers`."""
    parser = command(
        commands,
        "providers",
        "List the formats that are read, and what the reading of each is based on.",
        "  agentview providers\n"
        "  agentview providers amp              with the guesses and the gaps of one format\n"
        "  agentview providers --json | jq '.[] | select(.basis == \"guess\") | .name'",
        "BASIS is 'measured' where logs were compared that the real client wrote for the\n"
        "project, 'public logs' where only logs of others were read, and 'guess' where\n"
        "the format is known from descriptions alone.",
    )
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these providers")
    parser.add_argument("--json", action="store_true", help="a JSON list; unknown is null")


def add_trace(commands: "Commands[Parser]") -> None:
    """`agentview trace`."""
    parser = command(
        commands,
        "trace",
        "Export raw records of calls, results and requests, redacted.",
        "  agentview trace 3f2a --out trace.jsonl\n"
        "  agentview trace ~/logs | jq -r .key | sort | uniq -c\n"
        "  agentview trace @live --follow\n"
        "  AGENTVIEW_TRACE=1 agentview tail",
        f"{TARGET}\n\n"
        "Each line is {v, ts, protocol, provider, client_version, kind, key, raw,\n"
        "normalized}. Secrets, user names and e-mail addresses are removed, long\n"
        "values are truncated.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="the sessions")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="append to FILE (created with mode 0600)",
    )
    parser.add_argument(
        "--follow", action="store_true", help="continue while the session is written"
    )
    parser.add_argument("--taken-for", type=int, help=argparse.SUPPRESS)
    parser.add_argument(
        "--provider",
        metavar="NAME",
        help="only sessions of this provider; for a file: force this format",
    )


# The commands that count.

GROUPS = ("hour", "day", "week", "month", "project", "model", "tool", "provider", "host", "session")


def add_stats(commands: "Commands[Parser]") -> None:
    """`agentview stats`."""
    parser = command(
        commands,
        "stats",
        "Show token, cost and time usage.",
        "  agentview stats                     all sessions\n"
        "  agentview stats 3f2a                one session: turns, models, tools\n"
        "  agentview stats --by day --after 'last week' --project .\n"
        "  agentview stats --budget            what was spent of the budgets\n"
        "  agentview stats ./logs --by model --json | jq '.groups[].cost_estimate'",
        f"{TARGET}\n\n"
        "Without TARGET, all sessions are counted; a directory means all sessions in\n"
        "it. Costs are estimates from list prices that come with agentview; no network\n"
        "is used.",
    )
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="the sessions")
    parser.add_argument("--by", choices=GROUPS, help="group by")
    parser.add_argument(
        "--budget",
        action="store_true",
        help="what was spent of each budget; exits with 10 at 80 %%, with 11 at 100 %%",
    )
    parser.add_argument("--json", action="store_true", help="a JSON object; unknown is null")
    parser.add_argument(
        "--no-subagents",
        action="store_true",
        help="leave out sub-agents",
    )
    add_hosts(parser)
    add_period(parser, "what was used")
    add_selection(parser)


# The command that shows what sessions changed.


def add_diff(commands: "Commands[Parser]") -> None:
    """`agentview diff`."""
    parser = command(
        commands,
        "diff",
        "Print what a session changed in files, as a patch.",
        "  agentview diff 3f2a                   the net change of the session\n"
        "  agentview diff 3f2a | git apply       in the state before the session\n"
        "  agentview diff 3f2a --stat\n"
        "  agentview diff 3f2a --file src/app.py --json",
        f"{TARGET}\n\n"
        "What the log does not have is left out and listed on standard error. The exit code\n"
        "is 1 when no change is known.",
    )
    add_target(parser, required=True)
    parser.add_argument("--stat", action="store_true", help="count added and removed lines only")
    parser.add_argument(
        "--file",
        dest="files",
        metavar="PATH",
        action="append",
        default=[],
        help="only this file, by its path or the end of it; may be given several times",
    )
    parser.add_argument(
        "--json", action="store_true", help="a JSON object with all files and their changes"
    )
    parser.add_argument(
        "--assume-new",
        action="store_true",
        help="treat files of unknown origin as new",
    )
    parser.add_argument(
        "--crlf",
        action="store_true",
        help="assume CR LF line endings for existing files",
    )
    parser.add_argument("--no-pager", action="store_true", help="do not page on a terminal")
    add_mask(parser)
    add_selection(parser)


def add_blame(commands: "Commands[Parser]") -> None:
    """`agentview blame`."""
    parser = command(
        commands,
        "blame",
        "Show which session, turn and prompt wrote each line of a file.",
        "  agentview blame src/app.py            the file as it is now\n"
        "  agentview blame src/app.py:40-60      some of its lines\n"
        "  agentview blame --commit HEAD         which sessions made a commit's lines\n"
        "  agentview blame src/app.py --json | jq '.lines[] | select(.session == null)'",
        "Recorded changes of all sessions of the project, of its working trees and under earlier\n"
        "names of the file are followed. '–' marks a line that no recorded call wrote, '?' one\n"
        "whose text before the call is not known.",
    )
    parser.add_argument(
        "file",
        metavar="FILE[:LINE[-LINE]]",
        nargs="?",
        default=None,
        help="a file, and lines of it",
    )
    parser.add_argument(
        "--commit",
        metavar="REV",
        default=None,
        help="the lines that a commit of this repository added, in place of a file",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="a JSON object with all lines")
    form.add_argument("--porcelain", action="store_true", help="the form of git blame, for tools")
    parser.add_argument(
        "--provider", metavar="NAME", default=None, help="only sessions of this provider"
    )
    add_mask(parser)


REVIEW_FORMATS = ("text", "json", "markdown", "html", "git-note", "agent-trace")


def add_review(commands: "Commands[Parser]") -> None:
    """`agentview review`."""
    parser = command(
        commands,
        "review",
        "Show the prompt, calls and test runs behind each hunk of a range of commits.",
        "  agentview review main..HEAD           the commits of a branch\n"
        "  agentview review HEAD                 the last commit\n"
        "  agentview review main..HEAD --format markdown\n"
        "  agentview review HEAD --format git-note | git notes add -F -",
        "The commits are compared with their merge base; a merge alone, with its first parent.\n"
        "Lines are attributed as by 'agentview blame': '–' marks a line that no recorded call\n"
        "changed, '?' one that another call may have changed too. Secrets are masked.",
    )
    parser.add_argument("range", metavar="RANGE", help="commits, such as main..HEAD, or one")
    parser.add_argument(
        "--format", choices=REVIEW_FORMATS, default="text", help="the form of the output"
    )
    parser.add_argument("--no-mask", action="store_true", help="leave secrets as they are")
    parser.add_argument("--no-pager", action="store_true", help="do not page on a terminal")
    parser.add_argument(
        "--provider", metavar="NAME", default=None, help="only sessions of this provider"
    )


def add_tail(commands: "Commands[Parser]") -> None:
    """`agentview tail`."""
    parser = command(
        commands,
        "tail",
        "Follow a session while it is written.",
        "  agentview tail\n"
        "  agentview tail @live --detail summary\n"
        "  agentview tail --wait --project .\n"
        "  agentview tail ssh://host/home/dev/.claude/projects/-shop/3f2a.jsonl\n"
        "  PROGRAM | agentview tail - --tee | NEXT",
        f"{TARGET}\n\n"
        "ssh://[USER@]HOST[:PORT]/PATH follows a log on another machine, /~/PATH one below the\n"
        "home directory there; ssh://HOST runs agentview there.",
    )
    add_target(parser, required=False)
    parser.add_argument(
        "--tee",
        action="store_true",
        help="with '-': pass the input on to standard output, unchanged",
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for the next session, or for the file TARGET",
    )
    add_selection(parser)
    add_view(parser)
    add_linear(parser)


def add_open(commands: "Commands[Parser]") -> None:
    """`agentview open`."""
    parser = command(
        commands,
        "open",
        "Open a past session.",
        "  agentview open 3f2a\n  agentview open ./session.jsonl --detail title",
        TARGET,
    )
    add_target(parser, required=True)
    add_selection(parser)
    add_view(parser)
    add_linear(parser)


def add_ls(commands: "Commands[Parser]") -> None:
    """`agentview ls`."""
    parser = command(
        commands,
        "ls",
        "List all sessions, newest activity first.",
        "  agentview ls --project .\n"
        "  agentview ls --starred\n"
        "  agentview ls --after yesterday --before today\n"
        "  agentview ls --json | jq -r '.[0].path'",
    )
    parser.add_argument("--json", action="store_true", help="a JSON array, times in UTC")
    parser.add_argument("--starred", action="store_true", help="only sessions with your star")
    parser.add_argument(
        "--tag",
        metavar="TAG",
        action="append",
        default=[],
        help="only sessions with this tag; may be given several times",
    )
    parser.add_argument("--hidden", action="store_true", help="only sessions that you have hidden")
    parser.add_argument(
        "--deleted",
        action="store_true",
        help="in their place, sessions without a log of which the client has kept the prompts",
    )
    add_period(parser, "sessions whose last activity was")
    add_hosts(parser)
    add_selection(parser)


def add_cat(commands: "Commands[Parser]") -> None:
    """`agentview cat`."""
    parser = command(
        commands,
        "cat",
        "Print the timeline of a session as text.",
        "  agentview cat 3f2a\n"
        "  agentview cat 3f2a --only edit,write --detail full | less -R\n"
        "  agentview cat session.jsonl --plain > session.txt",
        TARGET,
    )
    add_target(parser, required=True)
    parser.add_argument(
        "--only",
        metavar="KIND,...",
        help="only these kinds of activities, such as user,message,shell,edit",
    )
    parser.add_argument(
        "--turn", type=_turn, metavar="N", help="only the prompt number N and what followed it"
    )
    parser.add_argument("--plain", action="store_true", help="ASCII only, no color")
    parser.add_argument("--no-pager", action="store_true", help="do not page on a terminal")
    add_mask(parser)
    add_period(parser, "what happened")
    add_selection(parser)
    add_view(parser)


def _turn(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text[:9]) == int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def add_events(commands: "Commands[Parser]") -> None:
    """`agentview events`."""
    parser = command(
        commands,
        "events",
        "Print what happened in a session, one JSON object for each activity.",
        "  agentview events 3f2a | jq -c 'select(.type == \"tool_call\") | .args'\n"
        "  agentview events --all 3f2a | jq -r .status | sort | uniq -c\n"
        "  agentview events --follow @live\n"
        '  agentview events @all --follow --since "$CURSOR"\n'
        "  agentview events --schema > events.schema.json",
        f"{TARGET}\n  @all             all sessions as one stream; see docs/scale.md",
    )
    add_target(parser, required=False)
    parser.add_argument(
        "--follow", action="store_true", help="continue while the session is written"
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for the next session, or for the file TARGET, and follow it",
    )
    parser.add_argument(
        "--since",
        metavar="CURSOR",
        help="with @all: continue behind the line of type cursor that has this CURSOR",
    )
    parser.add_argument(
        "--schema",
        dest="command",
        action="store_const",
        const="schema",
        help="print the JSON Schema of a line",
    )
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument(
        "--all",
        action="store_true",
        help="also print abandoned, superseded and duplicate events; see `status`",
    )
    forms.add_argument(
        "--records",
        action="store_true",
        help="print each recorded fact, calls and results separately",
    )
    forms.add_argument(
        "--happy",
        action="store_true",
        help="print calls and results as V2 tool envelopes, with `_happy` and `_raw`",
    )
    parser.add_argument(
        "--no-subagents",
        action="store_true",
        help="leave out the logs of sub-agents",
    )
    add_mask(parser)
    add_period(parser, "what happened")
    _add_formats(parser)
    add_selection(parser)


def _add_formats(parser: Parser) -> None:
    """Options of the formats of other programs."""
    group = parser.add_argument_group("formats of other programs")
    group.add_argument(
        "--format",
        choices=("jsonl", "otlp", "parquet"),
        default="jsonl",
        help="JSON lines (default); of whole sessions OpenTelemetry spans, or tables as Parquet "
        "files, of @all only what changed; see docs/scale.md",
    )
    group.add_argument(
        "-o", "--output", metavar="DIR", help="for Parquet: the directory that gets the files"
    )
    group.add_argument(
        "--endpoint",
        metavar="URL",
        help="send OTLP to this receiver instead of printing it, such as http://localhost:4318",
    )
    group.add_argument(
        "--header",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a header of each request, such as one with a key; may be given several times",
    )
    group.add_argument(
        "--no-mask", action="store_true", help="do not mask secrets, which is the default here"
    )


def add_demo(commands: "Commands[Parser]") -> None:
    """`agentview demo`."""
    parser = command(
        commands,
        "demo",
        "Replay a sample session as if it were live.",
        "  agentview demo\n  agentview demo --speed 4 --detail full",
    )
    _add_speed(parser, "playback speed factor (1 takes 40 seconds)")
    parser.add_argument("--provider", metavar="NAME", default=argparse.SUPPRESS, help="whose log")
    add_view(parser)


def add_replay(commands: "Commands[Parser]") -> None:
    """`agentview replay`."""
    parser = command(
        commands,
        "replay",
        "Play a past session as if it were live.",
        "  agentview replay 3f2a --speed 10\n  agentview replay 3f2a --from 14:02",
        f"{TARGET}\n\n"
        "Keys: p pauses and continues, the right arrow key shows the next activity, the left one\n"
        "goes back, > and < play faster and slower. Idle times are shortened to 10 seconds.",
    )
    add_target(parser, required=True)
    _add_speed(parser, "playback speed factor (1 takes as long as the session did)")
    parser.add_argument(
        "--from",
        dest="start",
        metavar="TIME",
        help="start there: 14:02, 14:02:30 or '2026-11-21 14:02'",
    )
    add_selection(parser)
    add_view(parser)
    add_linear(parser)


def _add_speed(parser: Parser, meaning: str) -> None:
    parser.add_argument("--speed", type=_speed, default=1.0, metavar="X", help=meaning)


def _speed(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0 and up to 1000")
    return value
