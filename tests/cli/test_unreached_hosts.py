"""JSON about machines that do not answer: a list of nothing is not an answer."""

from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.cli.test_fleet import fake_ssh


@pytest.mark.parametrize("command", ["ls --json", "status --json", "search --json color"])
def test_json_of_a_machine_that_does_not_answer_fails(
    agentview: CommandLine, tmp_path: Path, command: str
):
    fake_ssh(agentview, tmp_path / "bin", "echo 'ssh: no route' >&2; exit 255")
    done = agentview(*command.split(), "--host", "gone")
    assert done.stdout.strip() == "[]"
    assert done.stderr == "agentview: gone: ssh says: no route. Try 'ssh gone'.\n"
    assert done.returncode == 1
