"""Sessions of Copilot Chat that are logs of changes, replayed as the client writes them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Message, Notification, Title, Topic, Unparsed, User
from agentview.domain.session_state import SessionState
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.providers.vscode_copilot import PROVIDER
from agentview.providers.vscode_copilot.discovery import DISCOVERY
from agentview.sources.lines import LineReader, Reset
from agentview.sources.member import holds_sessions
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.cli.conftest import CommandLine
from tests.providers.joined_log import calls, joined, shown

DOCUMENT: Any = json.loads((sample_sessions_dir() / "vscode_copilot" / "demo.json").read_bytes())
SAMPLE = Path(__file__).with_name("changes.jsonl")
CHATS = Path(".config/Code/User/workspaceStorage/0f3a/chatSessions")
EMPTY: dict[str, Any] = {**DOCUMENT, "sessionId": "s-1", "creationDate": 1, "requests": []}


def whole(**more: object) -> dict[str, object]:
    return {"kind": 0, "v": {**EMPTY, **more}}


def put(*path: object, value: object) -> dict[str, object]:
    return {"kind": 1, "k": path, "v": value}


def push(*path: object, value: Sequence[object], start: int | None = None) -> dict[str, object]:
    return {"kind": 2, "k": path, "v": value, **({} if start is None else {"i": start})}


def request(number: int, text: str = "Say hello", **more: object) -> dict[str, object]:
    return {
        "requestId": f"r{number}",
        "timestamp": 1795000000000 + number,
        "message": {"text": text},
        "response": [],
        **more,
    }


def log(folder: Path, *changes: object, end: str = "\n") -> Path:
    """The path of the session in a log of these changes."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "s-1.jsonl"
    path.write_text("\n".join(json.dumps(each) for each in changes) + end)
    return path / "s-1"


def said(path: Path) -> list[str]:
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    return [body.text for body in bodies if isinstance(body, (User, Message, Notification))]


def facts(store: SessionStore) -> list[object]:
    return [(each.body, each.started, each.ended) for each in shown(store)]


def test_a_log_gives_what_the_document_gives(tmp_path: Path):
    changes = [json.loads(line) for line in SAMPLE.read_text().splitlines()]
    assert {each["kind"] for each in changes} == {0, 1, 2, 3}
    document = tmp_path / "one.json"
    document.write_text(json.dumps(DOCUMENT))
    path = log(tmp_path, *changes)
    kept = [each for each in shown(joined(PROVIDER, path)) if not isinstance(each.body, Title)]
    of_document = calls(joined(PROVIDER, document))
    assert {own: call.state for own, call in calls(joined(PROVIDER, path)).items()} == {
        own: call.state for own, call in of_document.items()
    }
    assert len(of_document) > 5
    prompts = [each.body.text for each in kept if isinstance(each.body, User)]
    wanted = [each["message"]["text"] for each in DOCUMENT["requests"]]
    assert [text for text in prompts if text in wanted] == wanted


def test_saved_rows_are_those_of_the_log():
    saved = sample_sessions_dir() / "vscode_copilot" / "replayed.jsonl"
    rows = [item.data or b"" for item in lines(LineReader(SAMPLE / "changes"))]
    assert saved.read_bytes() == b"\n".join(rows) + b"\n"
    assert recognise(saved.read_bytes()[:HEAD_BYTES], Path("unnamed")) is load_provider(
        PROVIDER.name
    )
    assert facts(joined(PROVIDER, saved)) == facts(joined(PROVIDER, SAMPLE / "changes"))


def test_the_log_itself_is_no_session():
    head = SAMPLE.read_bytes()[:HEAD_BYTES]
    assert holds_sessions(SAMPLE)
    assert recognise(head, Path("unnamed")) is None


@pytest.mark.parametrize(
    "line",
    ['{"kind":1,"k":["other"],"v":1}', '{"kind":0,"v":{"a":1}}', '{"kind":"user","v":[]}', "{"],
)
def test_other_lines_are_no_log_of_changes(tmp_path: Path, line: str):
    path = tmp_path / "a.jsonl"
    path.write_text(line + "\n")
    assert list(DISCOVERY.files(path)) == []


def test_parts_are_added_behind_those_that_stay(tmp_path: Path):
    part = [{"value": word} for word in ("One ", "two ", "three")]
    path = log(
        tmp_path,
        whole(),
        push("requests", value=[request(0)]),
        push("requests", 0, "response", value=part),
        push("requests", 0, "response", value=[{"value": "2"}], start=1),
        put("requests", 0, "modelState", value={"value": 1, "completedAt": 1795000009000}),
    )
    store = joined(PROVIDER, path)
    assert said(path) == ["Say hello", "One 2", "The turn ended"]
    assert shown(store)[-1].started == 1795000009.0


@pytest.mark.parametrize(
    ("state", "topic"), [(2, Topic.INTERRUPT), (3, Topic.API_ERROR), (1, Topic.TURN_END), (0, None)]
)
def test_the_state_of_a_request_says_how_it_ended(tmp_path: Path, state: int, topic: Topic | None):
    path = log(tmp_path, whole(requests=[request(0, modelState={"value": state})]))
    ends = [each.body for each in shown(joined(PROVIDER, path))]
    assert [each.topic for each in ends if isinstance(each, Notification)] == [topic] * bool(topic)


def test_prompts_that_were_written_again_stay_as_a_branch(tmp_path: Path):
    path = log(
        tmp_path,
        whole(requests=[request(0, "first"), request(1, "second"), request(2, "third")]),
        push("requests", value=[request(3, "second again")], start=1),
        push("requests", value=[request(4, "another")], start=0),
    )
    store = joined(PROVIDER, path)
    rows = range(store.first, store.end)
    bodies = [(store.activity(row).body, store.branch(row) is not None) for row in rows]
    assert [(body.text, left) for body, left in bodies if isinstance(body, User)] == [
        ("first", True), ("second", True), ("third", True), ("second again", True),
        ("another", False),
    ]  # fmt: skip
    assert said(path) == ["Went back by 2", "another"]


def test_a_change_that_cannot_be_made_is_shown(tmp_path: Path):
    path = log(
        tmp_path,
        whole(),
        put("requests", 7, "result", value={}),
        {"kind": 9, "k": ["requests"]},
        push("requests", value=[request(0)]),
    )
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    unread = [body for body in bodies if isinstance(body, Unparsed)]
    assert len(unread) == 2
    assert said(path) == ["Say hello"]


def test_a_log_without_its_first_line_is_read_as_far_as_it_goes(tmp_path: Path):
    path = log(tmp_path, put("hasPendingEdits", value=False), push("requests", value=[request(0)]))
    assert said(path) == ["Say hello"]


def test_a_session_is_followed_while_it_is_written(tmp_path: Path):
    first = [whole(), push("requests", value=[request(0)])]
    path = log(tmp_path, *first, end='\n{"kind":1,"k":["requ')
    reader = LineReader(path)
    assert [json.loads(item.data or b"").get("requestId") for item in lines(reader)] == [None, "r0"]
    log(tmp_path, *first, push("requests", value=[request(1)]))
    assert [json.loads(item.data or b"").get("requestId") for item in lines(reader)] == ["r1"]
    log(tmp_path, *first, put("requests", 0, "isCanceled", value=True))
    items = reader.poll().items
    assert isinstance(items[0], Reset)
    assert [json.loads(item.data or b"")["isCanceled"] for item in items[2:]] == [True]  # type: ignore[union-attr]


def lines(reader: LineReader) -> list[Any]:
    return reader.poll().items


def test_a_log_stands_in_the_list_with_its_folder(tmp_path: Path):
    path = log(
        tmp_path / CHATS, whole(customTitle="Greeting"), push("requests", value=[request(0)])
    )
    (tmp_path / CHATS / "s-1.json").write_text(json.dumps(EMPTY))
    (tmp_path / CHATS).with_name("workspace.json").write_text('{"folder": "file:///home/dev/x"}')
    (found,) = DISCOVERY.files(tmp_path / ".config/Code/User/workspaceStorage")
    assert found.path == str(path)
    ref = PROVIDER.session_in(Path(found.path))
    assert ref is not None
    info = PROVIDER.info(ref)
    assert (info.ref.session_id, info.title, info.project) == ("s-1", "Greeting", "/home/dev/x")
    assert info.status.state is SessionState.WORKING


@pytest.mark.slow
def test_commands_open_a_log_by_its_path(tmp_path: Path):
    path = log(tmp_path, whole(), push("requests", value=[request(0), request(1, "Go on")]))
    agentview = CommandLine(tmp_path, tmp_path)
    assert "Go on" in agentview("cat", str(path.parent)).stdout
    found = json.loads(agentview("doctor", "--json", str(path.parent)).stdout)
    assert found["total"]["records"] == 3
