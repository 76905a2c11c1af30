"""Prompts that a client wrapped into text of its own: search, blame and lists have the person's."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.cli import main
from tests.claude_log import ClaudeLog, write

SESSION = "44444444-0000-4000-8000-000000000004"
SENDER = 'Sender (untrusted metadata):\n```json\n{\n  "label": "gateway-client"\n}\n```\n\n'


def wrapped(said: str) -> dict[str, Any]:
    text = f"{SENDER}[Thu 2026-04-09 04:00 GMT+2] {said}"
    return {"role": "user", "content": [{"type": "text", "text": text}]}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session of OpenClaw that wrote a file."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    project = tmp_path / "shop"
    project.mkdir()
    call = {"type": "toolCall", "id": "c1", "name": "write",
            "arguments": {"path": str(project / "app.py"), "content": "import os\n"}}  # fmt: skip
    messages: list[dict[str, Any]] = [
        wrapped("write the login page"),
        {"role": "assistant", "content": [call]},
        {"role": "toolResult", "toolCallId": "c1", "toolName": "write",
         "content": [{"type": "text", "text": "ok"}], "isError": False},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        wrapped("and now the tests"),
        {"role": "assistant", "content": [{"type": "text", "text": "Tested."}]},
    ]  # fmt: skip
    records: list[dict[str, Any]] = [{"type": "session", "version": 3, "cwd": str(project)}]
    records += [{"type": "message", "message": message} for message in messages]
    lines: list[str] = []
    for number, record in enumerate(records):
        own = {
            "id": f"m{number}" if number else SESSION,
            "timestamp": f"2026-04-09T02:00:0{number}.000Z",
        }
        parent = {"parentId": f"m{number - 1}"} if number > 1 else {}
        lines.append(json.dumps(record | own | parent))
    log = tmp_path / ".openclaw" / "agents" / "main" / "sessions" / f"{SESSION}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("\n".join(lines) + "\n")
    (project / "app.py").write_text("import os\n")
    return tmp_path


@pytest.mark.parametrize("index", ["--no-index", "--index"])
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("gateway", [("attachment", 2), ("attachment", 1)]),
        ("*ateway", [("attachment", 2), ("attachment", 1)]),
        ("kind:attached untrusted", [("attachment", 2), ("attachment", 1)]),
        ("kind:user gateway", []),
        ("kind:you untrusted", []),
        ("in:prompt gateway", []),
        ("login", [("user", 1)]),
        ("kind:you tests", [("user", 2)]),
        ("kind:you -gateway", [("user", 2), ("user", 1)]),
        ("login gateway", []),
    ],
)
def test_a_search_of_prompts_finds_only_what_the_person_wrote(
    home: Path,
    capsys: pytest.CaptureFixture[str],
    query: str,
    found: list[tuple[str, int]],
    index: str,
) -> None:
    assert main(["search", "--json", index, query]) == (0 if found else 1)
    rows = json.loads(capsys.readouterr().out or "[]")
    offsets = [row["offset"] for row in rows]
    assert [row["kind"] for row in rows] == [kind for kind, _ in found]
    assert offsets == sorted(offsets, reverse=True)
    for row, (kind, number) in zip(rows, found, strict=True):
        prompt = Path(row["path"]).read_bytes()[row["offset"] :].partition(b"\n")[0]
        assert ("login" in prompt.decode()) == (number == 1)
        assert ("gateway" in row["text"]) == (kind == "attachment")


def test_lists_and_blame_name_the_words_of_the_person(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ls", "--json"]) == 0
    (session,) = json.loads(capsys.readouterr().out)
    assert (session["title"], session["state"]) == ("write the login page", "your-turn")
    assert main(["blame", "--json", str(home / "shop" / "app.py")]) == 0
    (line,) = json.loads(capsys.readouterr().out)["lines"]
    assert (line["session"], line["prompt"]) == (SESSION, "write the login page")


@pytest.mark.parametrize("index", ["--no-index", "--index"])
def test_a_search_finds_a_queued_prompt_once_and_none_that_was_taken_back(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    index: str,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    log = ClaudeLog()
    sent = {"type": "queued_command", "prompt": "Sail at noon", "commandMode": "prompt"}
    write(
        tmp_path / ".claude" / "projects" / "-ship" / f"{SESSION}.jsonl",
        [
            log.prompt("Sail"),
            log.record("queue-operation", operation="enqueue", content="Sail at noon"),
            log.record("queue-operation", operation="enqueue", content="Sail at night"),
            log.record("queue-operation", operation="popAll", content="Sail at night"),
            log.record("queue-operation", operation="remove"),
            log.record("attachment", attachment=sent),
            log.text("We sail."),
        ],
    )
    assert main(["search", "--json", index, "kind:user sail"]) == 0
    found = [row["text"] for row in json.loads(capsys.readouterr().out)]
    assert sorted(found) == ["Sail", "Sail at noon"]
    assert main(["search", "--json", index, "kind:hidden"]) == 1
