"""Content blocks of types that nobody knows: a client may add one with any version."""

import json
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.system.paths import sample_sessions_dir

_BLOCK = {"type": "hologram", "note": "seen"}


def _with_block(role: str, path: Path) -> Path:
    """A sample whose first message of a role has one more block."""
    sample = sample_sessions_dir() / "droid" / "demo.jsonl"
    records = [json.loads(line) for line in sample.read_text().splitlines()]
    messages = (record["message"] for record in records if "message" in record)
    content = next(each["content"] for each in messages if each["role"] == role)
    content.append(_BLOCK)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_content_block_of_an_unknown_type_is_shown(
    role: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(_with_block(role, tmp_path / "a.jsonl"))
    assert main(["cat", "--provider", "droid", "--detail", "title", path]) == 0
    assert "1 attachment" in capsys.readouterr().out
    assert main(["cat", "--provider", "droid", "--detail", "full", path]) == 0
    lines = [line.strip(" │▎") for line in capsys.readouterr().out.splitlines()]
    head = lines.index("▾ content block  hologram")
    assert lines[head + 1 : head + 3] == ["type: hologram", "note: seen"]
