"""The discovery of the kit: files of lines, and those of agents next to them."""

from pathlib import Path

import pytest

from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.normalize.json_fields import text
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.signatures import Signature


class _Logs(LogFiles):
    signatures = (Signature(1.0, {"quay": str}),)
    endings = (".log", ".log.old")
    other_files = frozenset({"all.log"})
    other_endings = (".index.log",)

    def session(self, path: Path, head: bytes) -> SessionRef:
        own, agent = text(first_record(head), "quay") or "", text(first_record(head), "agent")
        stream = Stream(StreamKind.SUBAGENT, agent) if agent else Stream()
        return SessionRef(self.name, own, str(path), stream)

    def child_places(self, ref: SessionRef) -> list[Path]:
        return [Path(ref.path).with_suffix("")]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A session; next to it the files of its agents, and others."""
    agents = tmp_path / "7"
    (agents / "deeper").mkdir(parents=True)
    files = ("b.log", "a.log.old", "c.jsonl", "all.log", "a.index.log", "deeper/d.log")
    for name in files:
        (agents / name).write_text(f'{{"quay": "7", "agent": "{name}"}}\n')
    (agents / "other.log").write_text('{"quay": "8", "agent": "other"}\n')
    (agents / "main.log").write_text('{"quay": "7"}\n')
    path = tmp_path / "7.log"
    path.write_text('{"quay": "7"}\n')
    return path


def test_agents_have_files_with_the_endings_of_the_client(log: Path):
    logs = _Logs("harbour")
    found = logs.children(logs.ref(log))
    assert [each.stream.id for each in found] == ["a.log.old", "b.log"]


def test_a_session_without_agents_has_none(tmp_path: Path):
    logs = _Logs("harbour")
    assert not logs.children(SessionRef("harbour", "9", str(tmp_path / "9.log")))


def test_files_with_other_endings_are_no_logs(log: Path):
    found = {Path(entry.path).name for entry in _Logs("harbour").files(log.parent)}
    assert found == {"7.log", "b.log", "a.log.old", "d.log", "other.log", "main.log"}
