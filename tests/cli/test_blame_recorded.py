"""Blame against known edits: real clients carried out what a scripted model asked for."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine, Printed
from tests.cli.scripted_edits import FIRST, FORK, FRESH, SECOND, Author, Lines, left

RECORDED = Path(__file__).parent.parent / "fixtures" / "blame"
ROOT = b"/home/dev/ws/repo"
RUNS = {
    "claude_code": (FIRST, SECOND, FORK, FRESH),
    "codex": (FIRST, SECOND, FRESH),
    "gemini_cli": (FIRST, SECOND, FRESH),
}
NOBODYS = "# No call wrote this."


def lay_out(provider: str, home: Path, root: Path) -> dict[str, Lines]:
    """The logs of a client in a home, of a project that has what it left and lines of a person."""
    shutil.copytree(RECORDED / provider, home, dirs_exist_ok=True)
    for log in (path for path in home.rglob("*") if path.is_file()):
        log.write_bytes(log.read_bytes().replace(ROOT, str(root).encode()))
    subprocess.run(["git", "init", "-q", root], check=True)
    files = left(RUNS[provider])
    for name, lines in files.items():
        for at in (len(lines), len(lines) // 2, 0):
            lines.insert(at, (NOBODYS, None))
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line, _ in lines))
    return files


@pytest.mark.parametrize("provider", RUNS)
def test_each_line_has_the_writer_that_the_script_gave_it(
    agentview: CommandLine, printed: Printed, tmp_path: Path, provider: str
):
    files = lay_out(provider, agentview.home, tmp_path / "repo")
    ids: dict[str, str] = {}
    wrong: list[str] = []
    for name, lines in files.items():
        found = json.loads(printed("blame", "--json", str(tmp_path / "repo" / name)))["lines"]
        assert [line["text"] for line in found] == [text for text, _ in lines]
        for line, (text, author) in zip(found, lines, strict=True):
            if not _is_by(line, author, name, ids):
                wrong.append(f"{name}: {text!r} is by {author and author.run.prompt}, not {line}")
    assert not wrong, "\n".join(wrong)
    assert len({*ids.values()}) == len({run.session for run in RUNS[provider]})


def _is_by(line: dict[str, Any], author: Author | None, name: str, ids: dict[str, str]) -> bool:
    """Compare what is told of a line; `ids` gets the id of each session when it is first seen."""
    if author is None or line["session"] is None:
        return author is None and line["session"] is None
    # Whether `mv src lib` renamed a directory, or moved it into one, its log does not show.
    sure = author.run is FRESH or not name.startswith("lib/")
    return (
        line["session"] == ids.setdefault(author.run.session, line["session"])
        and line["prompt"].startswith(author.run.prompt)
        and (line["subagent"] is not None) == author.agent
        and line["exact"] == sure
    )
