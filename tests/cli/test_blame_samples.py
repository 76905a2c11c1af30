"""Blame of each file that a sample session changed, against the records of the calls themselves."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.facts.edits.session_changes import SessionChanges
from agentview.providers import load_provider
from agentview.sessions.following.whole_session import load_session
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.test_blame import blamed

HOME = b"/home/dev"
PLACES = {
    "claude_code": (".claude/projects/-x", ("demo", "classic")),
    "codex": (".codex/sessions/2026/11/21", ("demo",)),
    "gemini_cli": (".gemini/tmp/shop/chats", ("demo",)),
}


def strings_in(value: object) -> Iterator[str]:
    """All texts of a record, those inside of texts that are JSON too."""
    if isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            try:
                yield from strings_in(json.loads(value))
            except ValueError:
                return
    elif isinstance(value, dict | list):
        members = value.values() if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        for member in members:  # pyright: ignore[reportUnknownVariableType]
            yield from strings_in(member)  # pyright: ignore[reportUnknownArgumentType]


def files_left(ref: SessionRef, below: Path) -> dict[Path, list[str]]:
    """Files that the session changed, with the lines that it left, as far as they are known."""
    changes = SessionChanges(load_session(ref), traced=True)
    for _ in changes.working():
        pass
    found: dict[Path, list[str]] = {}
    for file in changes.files.values():
        steps = [] if file.replay is None else list(file.replay.changes())
        if steps and steps[-1].after and Path(file.path).is_relative_to(below):
            after = steps[-1].after
            found[Path(file.path)] = [
                item if isinstance(item, str) else f"unknown {at}" for at, item in enumerate(after)
            ]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("provider", PLACES)
def test_a_line_is_in_the_record_of_the_call_that_wrote_it(
    agentview: CommandLine, tmp_path: Path, provider: str
):
    folder, names = PLACES[provider]
    root = tmp_path / "ws"
    logs: list[Path] = []
    for name in names:
        log = agentview.home / folder / f"{name}.jsonl"
        log.parent.mkdir(parents=True, exist_ok=True)
        data = (sample_sessions_dir() / provider / f"{name}.jsonl").read_bytes()
        log.write_bytes(data.replace(HOME, str(root).encode()))
        logs.append(log)
    records = [
        list(strings_in(json.loads(line))) for log in logs for line in log.read_bytes().splitlines()
    ]
    claimed = 0
    for log in logs:
        left = files_left(load_provider(provider).discovery.ref(log), root)
        for path, lines in left.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
            found = blamed(agentview, str(path))
            assert [line["text"] for line in found] == lines
            for line in found:
                if line["session"] is None:
                    continue
                claimed += 1
                of_call = [texts for texts in records if any(line["call"] in t for t in texts)]
                assert any(line["text"] in text for texts in of_call for text in texts), line
    assert claimed
