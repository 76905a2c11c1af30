"""`agentview secrets`: the place and the rule of each secret of a log, and nothing of its text."""

import json
from pathlib import Path

import pytest

from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.redaction.planted import ENCODED, PASSWORD, STATED, VENDORS


def _planted(path: Path) -> tuple[Path, list[str]]:
    """A log with one shape of secret in each prompt, and the texts that must not be printed."""
    log = ClaudeLog()
    shapes = {name: text for name, (text, _) in VENDORS.items()} | STATED
    secrets = [secret for _, secret in VENDORS.values()] + [PASSWORD, ENCODED]
    # A vendor's own name says whose a token is, where its form does not.
    records = [log.prompt(f"{name} token: {text}") for name, text in shapes.items()]
    return write(path, records), secrets


@pytest.mark.slow
def test_each_planted_shape_is_listed_with_its_line_and_never_its_text(
    agentview: CommandLine, tmp_path: Path
) -> None:
    path, secrets = _planted(tmp_path / "log.jsonl")
    count = len(path.read_bytes().splitlines())
    assert count == len(VENDORS) + len(STATED)
    text, listed = agentview("secrets", str(path)), agentview("secrets", "--json", str(path))
    assert text.returncode == listed.returncode == 1
    found = json.loads(listed.stdout)["secrets"]
    assert {each["line"] for each in found} == set(range(1, count + 1))
    assert {each["file"] for each in found} == {str(path)}
    assert all(each["rule"] and each["count"] >= 1 for each in found)
    assert [line.split(":")[:2] for line in text.stdout.splitlines()] == [
        [str(path), str(each["line"])] for each in found
    ]
    for secret in secrets:
        assert secret not in text.stdout + text.stderr + listed.stdout + listed.stderr


def test_a_secret_in_what_is_not_read_of_a_record_is_listed(
    agentview: CommandLine, tmp_path: Path
) -> None:
    log = ClaudeLog()
    token = VENDORS["GitHub"][0]
    records = [log.prompt("Go on"), log.record("file-history-snapshot", brandNew={"a": [token]})]
    path = write(tmp_path / "log.jsonl", records)
    done = agentview("secrets", str(path))
    assert done.returncode == 1
    assert f"{path}:2: " in done.stdout
    assert done.stdout.rstrip().endswith("raw: token: ghp_")
    assert token not in done.stdout


@pytest.mark.slow
def test_logs_of_agents_and_of_a_directory_are_read_once(
    agentview: CommandLine, tmp_path: Path
) -> None:
    log = ClaudeLog()
    agent = ClaudeLog(agent="a1")
    write(tmp_path / f"{log.session}.jsonl", conversation(log, 2))
    write(
        tmp_path / log.session / "subagents" / "agent-a1.jsonl",
        [agent.prompt(f"DB_PASSWORD={PASSWORD}")],
    )
    for target in (tmp_path, tmp_path / f"{log.session}.jsonl"):
        done = agentview("secrets", "--json", str(target))
        document = json.loads(done.stdout)
        assert document["logs"] == 2
        assert [Path(each["file"]).name for each in document["secrets"]] == ["agent-a1.jsonl"]
        assert "1 secret in 1 log; 2 logs read." in done.stderr


@pytest.mark.slow
def test_no_secret_is_an_answer(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    done = agentview("secrets", str(path))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "0 secrets; 1 log read.\n"
    assert agentview("secrets", "--all").stderr.endswith("0 secrets; 0 logs read.\n")
    piped = agentview("secrets", "-", stdin=path.read_bytes())
    assert piped.returncode == 0


def test_which_sessions_must_be_said(agentview: CommandLine) -> None:
    assert "--all" in agentview.fails(2, "secrets")
    assert "--all" in agentview.fails(2, "secrets", "--all", "3f2a")
