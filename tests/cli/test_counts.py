"""One session has one set of counts: in `events`, in `cat`, in the timeline and in `stats`."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolCall
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sessions.following.whole_session import load_session
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.architecture.sources import ROOT
from tests.cli import jq_program
from tests.cli.conftest import CommandLine, Printed

SAMPLES = {
    path: provider.name
    for path in sorted(sample_sessions_dir().rglob("*"))
    if path.is_file() and (provider := recognise(path.read_bytes()[:HEAD_BYTES], path)) is not None
}
NOT_SHOWN = frozenset({"hidden", "title", "token_usage", "tool_input", "tool_progress"})
"""Types of lines that have no row in a timeline."""
ROW_KINDS: dict[str, str] = {
    "slash_command": RowKind.COMMAND,
    "notification": RowKind.NOTICE,
    "tool_result": RowKind.RESULT,
}

Line = dict[str, Any]


def joined(text: str) -> list[Line]:
    return [json.loads(line) for line in text.splitlines()]


def line_counts(lines: list[Line]) -> Counter[str]:
    """Lines that have a row, by kind and state."""
    counts: Counter[str] = Counter()
    for line in lines:
        if line["type"] in ("tool_call", "permission_request"):
            counts[f"{line['kind']} {line['state']}"] += 1
        elif line["type"] not in NOT_SHOWN:
            name: str = line["type"]
            counts[ROW_KINDS.get(name, name)] += 1
    return counts


def row_counts(store: SessionStore) -> Counter[str]:
    """Rows that the timeline shows, by kind and state."""
    counts: Counter[str] = Counter()
    for row in range(store.first, store.end):
        if store.shown(row):
            body = store.activity(row).body
            # A topic is set by a call, and is none.
            if isinstance(body, ToolCall) and store.kind(row) is not RowKind.TOPIC:
                counts[f"{body.kind} {body.state}"] += 1
            else:
                counts[store.kind(row)] += 1
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_all_commands_count_the_same(printed: Printed, path: Path):
    lines = joined(printed("events", "--no-subagents", str(path)))
    counts = line_counts(lines)
    ref = load_provider(SAMPLES[path]).discovery.ref(path)
    rows = row_counts(load_session(ref))
    # An abandoned branch is one folded row, and no line.
    folded = rows.pop(RowKind.BRANCH, 0)
    assert counts == rows
    shown = printed("cat", "--detail", "title", "--plain", "--no-pager", str(path))
    assert len(shown.splitlines()) == counts.total() + folded
    every = joined(printed("events", "--all", str(path)))
    made = [each for each in every if each["type"] == "tool_call" and each["status"] == "active"]
    stats = json.loads(printed("stats", "--json", str(path)))
    kinds = Counter[str]()
    for each in stats["tools"]:
        kinds[each["kind"]] += each["calls"]
    assert kinds == Counter(each["kind"] for each in made)
    prompts = [each for each in lines if each["type"] == "user" and _of_log(each, lines)]
    assert stats["turns"] == len(prompts)


def _of_log(line: Line, lines: list[Line]) -> bool:
    return line["stream"] in (lines[0]["stream"], {"kind": "main", "id": ""})


def examples() -> list[str]:
    """Lines of the documents and of the help that give events to jq."""
    texts = [(ROOT / name).read_text() for name in ("README.md", "docs/events.md")]
    texts.append(parser_help())
    found = re.findall(r"^ *(agentview events .*\| jq .*)$", "\n".join(texts), re.MULTILINE)
    return sorted({line for line in found if "--follow" not in line})


def parser_help() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "agentview", "events", "--help"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    return done.stdout


@pytest.mark.slow
def test_the_examples_for_jq_count_rightly(agentview: CommandLine):
    """They are run by a shell, against what the rows of the timeline come to."""
    path = sample_sessions_dir() / "codex" / "demo.jsonl"
    rows = row_counts(load_session(load_provider("codex").discovery.ref(path)))
    calls = Counter[str]()
    for name, count in rows.items():
        if " " in name:
            calls[name.partition(" ")[0]] += count
    failed = sum(count for name, count in rows.items() if name.endswith(" output-error"))
    wanted: dict[str, Callable[[str], bool]] = {
        "| .kind": lambda out: _uniq(out) == calls,
        "{provider_name, error}": lambda out: len(out.splitlines()) == failed,
        '.type == "user"': lambda out: int(out) == rows[RowKind.USER],
        "| .args": lambda out: len(out.splitlines()) == calls.total(),
        "-r .status": lambda out: _uniq(out)["active"] >= rows.total(),
        ".usage.output": lambda out: int(out) == _stats(agentview, path)["total"]["output"],
    }
    found = examples()
    for line in found:
        said = agentview_shell(agentview, line.replace("3f2a", shlex.quote(str(path))))
        (check,) = [check for mark, check in wanted.items() if mark in line]
        assert check(said), (line, said)
    assert len(found) == len(wanted)


def agentview_shell(agentview: CommandLine, line: str) -> str:
    command = shlex.join(agentview.command()) + line.removeprefix("agentview")
    jq = shlex.join([sys.executable, str(Path(jq_program.__file__))])
    command = command.replace("| jq ", f"| {jq} ")
    done = subprocess.run(
        ["sh", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        cwd=agentview.cwd,
        env=agentview.environment,
    )
    assert done.stderr == ""
    return done.stdout


def _uniq(out: str) -> Counter[str]:
    return Counter({name: int(count) for count, name in map(str.split, out.splitlines())})


def _stats(agentview: CommandLine, path: Path) -> Line:
    return json.loads(agentview.ok("stats", "--json", str(path)))
