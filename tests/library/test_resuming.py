import shlex
import subprocess
from pathlib import Path

import pytest

from agentview.library.resuming import resume_line


def test_the_line_enters_the_directory_and_resumes() -> None:
    assert resume_line(["tool", "--resume", "3f"], "/ws/shop") == "cd /ws/shop && tool --resume 3f"
    assert resume_line(["tool", "--resume", "3f"], None) == "tool --resume 3f"


@pytest.mark.parametrize("name", ["two words", "a'b", '"; touch pwned; "', "$(touch pwned)", "-x"])
def test_a_shell_takes_any_name_as_it_is(tmp_path: Path, name: str) -> None:
    directory = tmp_path / name
    directory.mkdir()
    line = resume_line(["printf", "%s", name], str(directory))
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout == name
    assert list(directory.iterdir()) == []
    assert shlex.split(line)[1] == str(directory)


@pytest.mark.parametrize("name", ["a\nb", "a\x1b]52;c;x\x07", "a\u202eb"])
def test_what_no_line_should_hold_is_not_copied(name: str) -> None:
    assert resume_line(["tool", name], "/ws") == ""
    assert resume_line(["tool"], name) == ""
