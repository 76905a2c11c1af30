"""Hostile logs through every command and screen: nothing in them acts on the terminal."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentview.cli.grammar import build_parser
from agentview.providers import provider_names
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.hostile_logs import ACTS, MARK, hostile_logs, providers_of_lines

pytestmark = pytest.mark.slow

_RUNNER = """
import json, sys
from agentview.cli import main
for arguments in json.load(open(sys.argv[1])):
    print("<<", *arguments[:1], ">>", flush=True)
    try:
        code = main(arguments)
    except SystemExit as error:
        code = error.code
    # `wait` says by its code which state came, or that none did.
    codes = (0, 1, 2, 3, *range(10, 20), 124) if arguments[0] == "wait" else (0, 1, 2)
    assert code in codes, (arguments, code)
    sys.stdout.flush()
print("<< done >>")
"""

ALLOWED = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[K|\x1b\[K|\r\n|\r|\n|\t")
"""What commands may send to a terminal: colours, a line of progress, ends of lines, tabs."""

OWN_COLOURS = re.compile(rf"\x1b\[(?:8|5;6|38;5;{MARK})m")
"""Colours that only a log asks for."""

_OTHER = str(sample_sessions_dir() / "codex" / "demo.jsonl")

EACH: dict[str, Sequence[Sequence[str]]] = {
    "cat": (("--detail", "title"), ("--detail", "summary"), ("--detail", "full"), ("--raw",)),
    "events": (*((), ("--happy",), ("--format", "otlp"), ("--format", "parquet", "-o", "tables")),),
    "diff": (("--stat",), ("--json",), ()),
    "blame": ((), ("--porcelain",), ("--json",)),
    "stats": ((), ("--json",)),
    "doctor": ((), ("--json",)),
    "trace": ((),),
    "wait": (("--timeout", "0.05"),),
    "export": (
        *(("--format", form) for form in ("markdown", "json", "html", "svg")),
        ("--no-mask",),
        ("--check",),
    ),
    "secrets": ((), ("--json",)),
    "compare": ((_OTHER,), ("--json", _OTHER)),
}
"""Options of commands that take one log."""

ALL: dict[str, Sequence[Sequence[str]]] = {
    "ls": ((), ("--json",)),
    "status": ((), ("--json",), (), ("--json",), ("--format", "{needs}")),
    "search": (("markup", "--full", "--limit", "0"), ("markup", "--json"), ("nothingatall",)),
    "stats": (*(("--by", by) for by in ("session", "project", "model", "tool", "provider")),),
    "doctor": ((), ("{logs}",)),
    "cat": (("nothing-of-that-name",), ("{logs}",)),
    "dev": (("fixtures", "build", "{logs}"), ("census", "{home}")),
    "config": (("show",),),
    "hooks": (("print", "claude"),),
    "cache": ((), ("clear",)),
    "completion": (("bash",),),
    "help": ((),),
    "providers": ((),),
    "archive": (("--all",), ("--list",), ("--verify",), ("--list", "--json")),
    "secrets": (("--all",),),
    "events": (("@all",),),
    "skill": ((),),
    "review": (("HEAD",),),
    "tag": ((),),
    "report": tuple(
        ("--since", "2020-01-01", *form) for form in ((), ("--json",), ("--markdown",))
    ),
}
"""Options of commands that are about many sessions, or about none."""

SCREENS = {"tail", "open", "demo", "replay", "board", "watch", "mcp", "serve"}
"""Commands that show a screen, or that never end."""


_PATIENCE = 300.0
"""Seconds for a batch of commands; a busy machine takes long."""


def _acting(output: str) -> list[str]:
    rest = ALLOWED.sub("", output)
    return [
        repr(rest[max(0, found.start() - 60) : found.end() + 20])
        for found in (*ACTS.finditer(rest), *re.finditer("\x1b", rest))
    ] + [repr(output[max(0, m.start() - 60) : m.end() + 20]) for m in OWN_COLOURS.finditer(output)]


def _commands() -> set[str]:
    actions = build_parser()._actions
    return {
        name for action in actions for name in (action.choices or ()) if action.dest != "detail"
    }


def test_every_command_is_tried() -> None:
    assert _commands() - SCREENS == set(EACH) | set(ALL)


def _run(agentview: CommandLine, commands: Sequence[Sequence[str]], tmp_path: Path) -> str:
    """What the commands send to a terminal, standard error included."""
    script, asked = tmp_path / "runner.py", tmp_path / "commands.json"
    script.write_text(_RUNNER)
    asked.write_text(json.dumps(commands))
    env = {**agentview.environment, "PAGER": "cat", "COLUMNS": "120"}
    command = [sys.executable, str(script), str(asked)]
    with PseudoTerminal(command, env, agentview.cwd, columns=120, screen=False) as terminal:
        assert terminal.wait(_PATIENCE) == 0, terminal.output[-2000:]
        return terminal.output.decode("utf-8", "surrogateescape")


@pytest.mark.parametrize("command", EACH)
def test_no_command_about_one_log_lets_it_act(
    agentview: CommandLine, tmp_path: Path, command: str
) -> None:
    logs = list(hostile_logs(tmp_path / "logs"))
    assert {provider for provider, _ in logs} == providers_of_lines()
    asked = [[command, *options, str(path)] for options in EACH[command] for _, path in logs]
    output = _run(agentview, asked, tmp_path)
    assert "<< done >>" in output
    assert _acting(output)[:3] == []


def test_no_command_about_all_sessions_lets_them_act(
    agentview: CommandLine, tmp_path: Path
) -> None:
    home = agentview.home
    logs = tmp_path / "logs"
    places = {
        "claude_code": home / ".claude" / "projects" / "-home",
        "codex": home / ".codex" / "sessions",
        "gemini_cli": home / ".gemini" / "tmp" / "x" / "chats",
        "qwen_code": home / ".qwen" / "projects" / "x" / "chats",
        "happier": home / ".happier" / "tool-traces",
    }
    for provider, path in hostile_logs(logs):
        if provider in places:
            places[provider].mkdir(parents=True, exist_ok=True)
            (places[provider] / path.name).write_bytes(path.read_bytes())
    filled = {"{home}": str(home), "{logs}": str(logs)}
    asked = [
        [command, *(filled.get(option, option) for option in options)]
        for command, variants in ALL.items()
        for options in variants
    ]
    output = _run(agentview, asked, tmp_path)
    for part in output.split("<< ")[1:]:
        assert _acting(part)[:3] == [], part[:200]
    assert set(places) <= set(provider_names())


SENT_BY_A_LOG = re.compile(
    rf"\x1b\[[0-?]{{0,40}}{MARK}|\x1b[\]PX^_][^\x1b\x07m]{{0,40}}{MARK}|\x1b(?:c|#8|\(0|M)|[\x80-\x9f]|[\u202a-\u202e\u2066-\u2069]"
)
"""What only a payload sends."""


_PARTS = 8
"""How many tests share the providers, so that no one of them is long."""


@pytest.mark.parametrize("part", range(_PARTS))
def test_no_screen_lets_a_log_act(agentview: CommandLine, tmp_path: Path, part: int) -> None:
    logs = dict(reversed(list(hostile_logs(tmp_path / "logs"))))
    for provider, path in sorted(logs.items())[part::_PARTS]:
        command = agentview.command("open", str(path))
        with PseudoTerminal(command, agentview.environment, agentview.cwd, columns=140) as screen:
            screen.wait_for("help")
            for keys in ("3", "R", "g", "o", "\t", "\t", "\t", "\t", "\x1b", "s", "\t", "?"):
                screen.press(keys)
                screen.run_for(0.25)
            output = screen.output.decode("utf-8", "replace")
        found = [
            repr(output[max(0, m.start() - 40) : m.end()]) for m in SENT_BY_A_LOG.finditer(output)
        ]
        assert found[:3] == [], provider
        assert "\u241b" in output, provider
