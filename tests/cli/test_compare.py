"""`agentview compare`: two sessions side by side."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine, Refused
from tests.cli.test_blame import FIRST, SECOND, Keep, client
from tests.cli.test_blame import keep as keep  # noqa: PLC0414
from tests.cli.test_blame import project as project  # noqa: PLC0414


@pytest.fixture
def two(agentview: CommandLine, keep: Keep, project: Path) -> None:
    """Two tries at one task: the second one has another prompt in the middle and writes more."""
    one = client({}, FIRST, "Write the app")
    one.write("app.py", "a\n")
    one.write("same.py", "x\n")
    one.flush()
    one.records.append(one.log.prompt("Test it"))
    one.command("true")
    keep(one, FIRST, 20)
    two = client({}, SECOND, "Write  the app")
    two.write("app.py", "a\nb\n")
    two.write("same.py", "x\n")
    two.flush()
    two.records.append(two.log.prompt("Another thing"))
    two.records.append(two.log.prompt("Test it"))
    two.write("more.py", "m\n")
    keep(two, SECOND, 21, project.parent / "other")


@pytest.mark.slow
def test_prompts_are_aligned(agentview: CommandLine, two: None):
    found = json.loads(agentview.ok("compare", FIRST, SECOND, "--json"))
    assert [
        (pair["same"], *(side and (side["turn"], side["calls"]) for side in (pair["a"], pair["b"])))
        for pair in found["prompts"]
    ] == [(True, (1, 2), (1, 2)), (False, None, (2, 0)), (True, (2, 1), (3, 1))]
    assert found["prompts"][1]["b"]["prompt"] == "Another thing"


@pytest.mark.slow
def test_tools_and_files_are_compared(agentview: CommandLine, two: None):
    found = json.loads(agentview.ok("compare", FIRST, SECOND, "--json"))
    assert found["tools"] == {"Write": {"a": 2, "b": 3}, "Bash": {"a": 1, "b": 0}}
    assert {
        path: tuple(side and side["added"] for side in (each["a"], each["b"]))
        for path, each in found["files"].items()
    } == {"app.py": (1, 2), "more.py": (None, 1), "same.py": (1, 1)}
    assert (found["a"]["session"], found["b"]["session"]) == (FIRST, SECOND)


@pytest.mark.slow
def test_the_table_has_both_sides_and_the_difference(agentview: CommandLine, two: None):
    done = agentview("compare", FIRST, SECOND, COLUMNS="100")
    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[0].split() == ["A", "B", "DIFFERENCE"]
    assert ["prompts", "2", "3", "+1"] in [line.split() for line in lines]
    assert next(line for line in lines if "same.py" in line).endswith("=")
    assert "not changed" in next(line for line in lines if "more.py" in line)
    assert any(line.strip().startswith("2 Another thing") for line in lines)
    assert max(map(len, lines)) <= 100


@pytest.mark.slow
def test_secrets_are_masked_when_asked(agentview: CommandLine, keep: Keep, two: None):
    secret = "sk-ant-" + "api03-" + "aB3dE5gH7jK9" * 8 + "-AAAAAA"
    keep(client({}, FIRST, f"Use {secret}"), FIRST, 20)
    for more in ((), ("--json",)):
        assert secret[:20] not in agentview.ok("compare", FIRST, SECOND, "--mask", *more)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((FIRST, FIRST), 2, "the same session"),
        (("-", FIRST), 2, "Standard input"),
        ((FIRST, "99999999"), 1, "No session id begins with"),
        ((FIRST,), 2, "B"),
    ],
)
def test_a_wrong_command_line_is_a_sentence(
    refused: Refused, two: None, arguments: tuple[str, ...], code: int, words: str
):
    assert words in refused(code, "compare", *arguments)


@pytest.mark.slow
def test_escapes_of_a_log_reach_no_terminal(agentview: CommandLine, keep: Keep, two: None):
    keep(client({}, FIRST, "Do \x1b]0;x\x07 it"), FIRST, 20)
    text = agentview.ok("compare", FIRST, SECOND)
    assert "\x1b" not in text
    assert "\x07" not in text


@pytest.mark.slow
def test_a_session_without_a_prompt_is_compared(agentview: CommandLine, keep: Keep, two: None):
    other = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0009"
    lone = client({}, other, "never sent")
    del lone.records[:]
    lone.command("true")
    keep(lone, other, 22)
    found = json.loads(agentview.ok("compare", FIRST, other, "--json"))
    assert [pair["b"] for pair in found["prompts"]] == [None, None]
