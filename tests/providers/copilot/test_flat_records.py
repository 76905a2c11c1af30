"""Logs of the first versions: lines without `data`, and sessions that are one document."""

import json
from pathlib import Path

import pytest

from agentview.domain.events import Unparsed
from agentview.providers import load_provider, recognise
from agentview.providers.copilot import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined, shown, texts

SAMPLES = sample_sessions_dir() / "copilot"
LINES, DOCUMENT = SAMPLES / "flat.jsonl", SAMPLES / "history.json"


@pytest.mark.parametrize("path", [LINES, DOCUMENT], ids=lambda path: path.name)
def test_all_that_was_said_is_shown_in_its_order(path: Path):
    data = path.read_text()
    records = (
        json.loads(data)["history"] if path is DOCUMENT else map(json.loads, data.split("\n")[:-1])
    )
    said = [
        next(record[key] for key in ("prompt", "content", "output", "result") if key in record)
        for record in records
    ]
    store = joined(PROVIDER, path)
    assert texts(store) == said
    times = [store.time(row) for row in range(store.first, store.end) if store.shown(row)]
    assert times[:2] == [1764100001.0, 1764100002.0]
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).project == "/home/dev/harbour"


def test_a_torn_line_is_all_that_cannot_be_read(tmp_path: Path):
    lines = LINES.read_bytes().split(b"\n")
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"\n".join([lines[0], lines[1][:40], *lines[2:]]))
    assert recognise(path.read_bytes(), Path("unnamed")) is load_provider(PROVIDER.name)
    bodies = [activity.body for activity in shown(joined(PROVIDER, path))]
    assert [isinstance(body, Unparsed) for body in bodies] == [False, True, False, False]
    assert PROVIDER.discovery.ref(path).session_id == "quay-1"


@pytest.mark.parametrize(
    "other",
    [
        {"history": [{"role": "user", "content": "x"}]},
        {"history": [{"text": "x"}], "workspacePath": "/x"},
        {"history": [], "workspacePath": "/x"},
    ],
)
def test_another_document_with_a_history_is_not_one(other: object):
    assert PROVIDER.discovery.probe(json.dumps(other).encode(), Path("x")) == 0.0


def test_a_message_with_a_role_is_of_another_client(tmp_path: Path) -> None:
    message = {"role": "user", "content": "Is the quay free?"}
    record = {
        "type": "user", "message": message, "session_id": "quay-1", "uuid": "u1",
        "timestamp": "2026-11-26T07:42:48.882Z",
    }  # fmt: skip
    head = json.dumps(record).encode() + b"\n"
    found = recognise(head, tmp_path / "a.jsonl")
    assert found is not None
    assert found.name == "claude_stream"
