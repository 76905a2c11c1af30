"""`agentview dev fixtures` and `agentview dev census`, as a person runs them."""

import json
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import CommandLine

SAMPLES = sample_sessions_dir()
DENIED = str(SAMPLES / "codex" / "denied.jsonl")


@pytest.fixture
def allowlist(tmp_path: Path) -> Path:
    path = tmp_path / "tools.allowlist.txt"
    path.write_text("log/codex/tool-*/exec_command\n")
    return path


@pytest.mark.slow
def test_they_are_written_beside_the_allowlist_and_checked(
    agentview: CommandLine, allowlist: Path, tmp_path: Path
) -> None:
    said = agentview.ok(
        "dev", "fixtures", "build", "--allowlist", str(allowlist), DENIED, "--write"
    )
    assert said.startswith(f"{tmp_path / 'tools.json'}: 2 keys")
    written = json.loads((tmp_path / "tools.json").read_text())
    assert set(written["examples"]) == {
        "log/codex/tool-call/exec_command",
        "log/codex/tool-result/exec_command",
    }
    assert agentview.ok(
        "dev", "fixtures", "check", "--allowlist", str(allowlist), DENIED, "--strict"
    )
    printed = agentview.ok("dev", "fixtures", "build", "--allowlist", str(allowlist), DENIED)
    assert json.loads(printed) == written


@pytest.mark.slow
def test_a_baseline_has_shapes_alone(agentview: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "baselines" / "denied.json"
    agentview.ok(
        "dev", "fixtures", "build", "--shapes-only", "--file", str(file), DENIED, "--write"
    )
    assert set(json.loads(file.read_text())) == {"v", "shapes"}
    assert agentview.ok("dev", "fixtures", "check", "--file", str(file), DENIED).startswith("As in")


def _calls(path: Path, *calls: tuple[str, object]) -> Path:
    log = ClaudeLog()
    records = [log.call(f"t{n}", name, a=value) for n, (name, value) in enumerate(calls)]
    return write(path, [log.prompt("Go"), *records])


@pytest.mark.slow
def test_differences_are_told_with_exit_code_1(agentview: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    before = _calls(tmp_path / "a.jsonl", ("Bash", [1]), ("Read", ""))
    after = _calls(tmp_path / "b.jsonl", ("Bash", {}), ("View", ""))
    agentview.ok("dev", "fixtures", "build", "--file", str(file), str(before), "--write")
    done = agentview("dev", "fixtures", "check", "--file", str(file), str(after))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "missing: log/claude_code/tool-call/Read",
        "changed: log/claude_code/tool-call/Bash",
        "  ~ raw.message.content[tool_use].input.a: list<number> → object",
        "unexpected; an error only with --strict: log/claude_code/tool-call/View",
    ]
    told = json.loads(
        agentview("dev", "fixtures", "check", "--file", str(file), str(after), "--json").stdout
    )
    assert told["missing"] == ["log/claude_code/tool-call/Read"]
    assert told["unexpected"] == ["log/claude_code/tool-call/View"]
    (change,) = told["changed"]["log/claude_code/tool-call/Bash"]
    assert (change["before"], change["after"]) == ("list<number>", "object")


@pytest.mark.slow
def test_mistakes_say_what_to_do(agentview: CommandLine, tmp_path: Path) -> None:
    assert "--file is missing" in agentview.fails(2, "dev", "fixtures", "check", DENIED)
    assert "No such file" in agentview.fails(
        1, "dev", "fixtures", "check", "--file", str(tmp_path / "none.json"), DENIED
    )
    (tmp_path / "empty.allowlist.txt").write_text("# nothing\n")
    assert "no entry of a wanted key" in agentview.fails(
        1, "dev", "fixtures", "build", "--allowlist", str(tmp_path / "empty.allowlist.txt"), DENIED
    )
    assert "from 1 to 100" in agentview.fails(
        2, "dev", "fixtures", "build", "--examples", "0", "--file", "f.json", DENIED
    )


@pytest.mark.slow
def test_a_census_is_a_table_or_a_baseline(agentview: CommandLine) -> None:
    text = agentview.ok("dev", "census", str(SAMPLES / "codex"))
    assert "Codex 0.169.0: " in text
    assert "RECORD TYPE" in text
    assert "response_item/function_call " in text
    assert "exec_command" in text
    form = json.loads(agentview.ok("dev", "census", str(SAMPLES / "codex"), "--json"))
    assert form["v"] == 1
    assert "0.169.0" in form["providers"]["codex"]


@pytest.mark.slow
def test_versions_of_a_client_are_compared(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    log.prompt("Go")
    old = log.call("t", "Bash", command="ls").replace(b"2.1.329", b"2.0.76")
    new = log.call("t", "Bash", command="ls", fresh="x")
    write(tmp_path / "a.jsonl", [old])
    write(tmp_path / "b.jsonl", [new])
    done = agentview("dev", "census", str(tmp_path), "--versions", "2.0.76", "2.1.329")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        "Claude Code 2.0.76 → 2.1.329: 1 new. It is read in agentview/providers/claude_code.",
        "  new in arguments and results",
        "    arguments of Bash",
        "      + fresh: string  [1]:1",
        f"  [1] {tmp_path / 'b.jsonl'}",
    ]
    same = agentview("dev", "census", str(tmp_path), "--versions", "2.0.76", "2.0.76")
    assert same.returncode == 0
    assert "nothing new, gone or changed" in same.stdout


@pytest.mark.slow
def test_a_baseline_may_be_of_one_version(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    write(tmp_path / "a.jsonl", [log.prompt("a").replace(b"2.1.329", b"2.0.76")])
    write(tmp_path / "b.jsonl", [log.prompt("b"), b'{"type": "mood", "sessionId": "x"}\n'])
    base = tmp_path / "base.json"
    base.write_text(
        agentview.ok("dev", "census", str(tmp_path), "--client-version", "2.0.76", "--json")
    )
    assert list(json.loads(base.read_text())["providers"]["claude_code"]) == ["2.0.76"]
    done = agentview(
        "dev", "census", str(tmp_path), "--client-version", "2.1.329", "--diff", str(base)
    )
    assert done.returncode == 1
    assert "+ mood: 1 record; agentview cannot read it  [1]:2" in done.stdout


@pytest.mark.slow
def test_what_only_one_of_two_has_is_said(agentview: CommandLine, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    base.write_text(agentview.ok("dev", "census", DENIED, "--json"))
    other = str(SAMPLES / "gemini_cli" / "denied.jsonl")
    assert agentview.ok("dev", "census", other, "--diff", str(base)).splitlines() == [
        "gemini_cli: not in the baseline.",
        "codex: only in the baseline, no log of it was given.",
    ]


@pytest.mark.slow
def test_mistakes_of_a_census(agentview: CommandLine, tmp_path: Path) -> None:
    assert "No session log" in agentview.fails(1, "dev", "census", str(tmp_path))
    assert "There are: 0.169.0" in agentview.fails(
        1, "dev", "census", DENIED, "--client-version", "9.9"
    )
    (tmp_path / "base.json").write_text("{}")
    assert "not a census" in agentview.fails(
        1, "dev", "census", DENIED, "--diff", str(tmp_path / "base.json")
    )
    assert "No such file" in agentview.fails(
        1, "dev", "census", DENIED, "--diff", str(tmp_path / "gone.json")
    )
    assert "compares two versions" in agentview.fails(
        2, "dev", "census", DENIED, "--versions", "1", "2", "--client-version", "1"
    )


@pytest.mark.slow
def test_nothing_of_a_log_acts_on_the_terminal(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    hostile = "\x1b[2J\x07evil"
    path = write(
        tmp_path / "a.jsonl",
        [log.call("t", hostile, **{hostile: 1}), json.dumps({"type": hostile}).encode() + b"\n"],
    )
    assert "\x1b" not in agentview.ok("dev", "census", str(path))
    base = tmp_path / "base.json"
    base.write_text(agentview.ok("dev", "census", DENIED, "--json"))
    write(tmp_path / "b.jsonl", [log.prompt("x")])
    base.write_text(agentview.ok("dev", "census", str(tmp_path / "b.jsonl"), "--json"))
    assert "\x1b" not in agentview("dev", "census", str(path), "--diff", str(base)).stdout
    assert "\x1b" not in agentview.ok("trace", str(path))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("fixtures", "build", DENIED), ("dev", "fixtures", "build", DENIED)),
        (("doctor", "--census", DENIED, "--json"), ("dev", "census", DENIED, "--json")),
    ],
)
def test_the_old_forms_work_and_name_the_new_ones(
    agentview: CommandLine, old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    before, now = agentview(*old), agentview(*new)
    assert (before.returncode, before.stdout) == (now.returncode, now.stdout) == (0, before.stdout)
    assert not now.stderr
    (notice,) = before.stderr.splitlines()
    assert f"'agentview {new[0]} {new[1]}'" in notice


def test_a_word_that_is_no_command_of_dev_is_named(agentview: CommandLine) -> None:
    said = agentview.fails(2, "dev", "cencus")
    assert "COMMAND cannot be cencus" in said
    assert "census" in said
