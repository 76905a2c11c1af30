"""Whose a file is, which session it holds, and where its agents' files lie."""

import json
import shutil
from pathlib import Path

import pytest

from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.providers.gemini.qwen_code import PROVIDER
from agentview.providers.gemini.qwen_code.discovery import DISCOVERY, probe_head
from tests.providers.gemini.qwen_code.log import SAMPLES, noted, said
from tests.providers.joined_log import write
from tests.providers.read_keys import unused_keys

SESSION = "f52ac2be-1e94-454b-a2fa-e7cde2180ca9"

FOREIGN: tuple[dict[str, object], ...] = (
    {
        "parentUuid": None,
        "sessionId": "s",
        "type": "user",
        "message": {"role": "user", "content": "x"},
        "uuid": "u",
        "timestamp": "t",
    },
    {
        "parentUuid": "p",
        "sessionId": "s",
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "u",
        "timestamp": "t",
    },
    {"uuid": "u", "parentUuid": None, "sessionId": "s", "timestamp": "t", "type": "tool_result"},
    {"type": "assistant", "uuid": "u", "session_id": "s", "message": {"parts": []}},
    {"role": "user", "parts": [{"text": "x"}]},
)


@pytest.mark.parametrize("record", FOREIGN, ids=str)
def test_records_of_others_are_not_claimed(record: dict[str, object]):
    head = json.dumps(record).encode()
    assert probe_head(head + b"\n") == 0.0
    assert probe_head(head[:-2]) == 0.0


def test_any_record_is_recognised_and_a_long_one_by_its_beginning():
    assert probe_head(json.dumps(said("user", "x")).encode()) > 0.9
    assert probe_head(json.dumps(noted("ui_telemetry")).encode()) > 0.9
    assert probe_head(json.dumps(said("user", "x" * 99_999)).encode()[:65_536]) == 0.8


def test_records_with_less_around_their_messages_are_recognised():
    parts = [{"text": "x"}]
    record = {"sessionId": "s", "type": "user", "message": {"role": "user", "parts": parts}}
    assert probe_head(json.dumps(record).encode()) > 0.9
    record["message"] = {"role": "user", "parts": []}
    assert probe_head(json.dumps(record).encode()) == 0.0


def test_roots_are_under_the_home_of_the_client():
    home = Path("/home/x/.qwen")
    assert DISCOVERY.roots({"HOME": "/home/x"}) == [home / "projects", home / "tmp"]
    assert DISCOVERY.roots({"HOME": "/h", "QWEN_HOME": "~/q"}) == [
        Path("/h/q/projects"),
        Path("/h/q/tmp"),
    ]
    assert DISCOVERY.roots({"QWEN_RUNTIME_DIR": "/r", "QWEN_HOME": "/q"}) == [
        Path("/r/projects"),
        Path("/r/tmp"),
    ]
    assert DISCOVERY.roots({}) == []


def test_agents_belong_to_the_session_that_started_them(tmp_path: Path):
    shutil.copytree(SAMPLES / "agents", tmp_path / "-home-dev-shop")
    refs = list(PROVIDER.scan(tmp_path))
    assert [ref.stream.kind for ref in refs].count(StreamKind.SUBAGENT) == 2
    assert {ref.session_id for ref in refs} == {SESSION}
    main = next(ref for ref in refs if ref.stream.kind is StreamKind.MAIN)
    place = tmp_path / "-home-dev-shop" / "subagents" / SESSION
    assert DISCOVERY.child_places(main) == (place,)
    children = DISCOVERY.children(main)
    assert {child.label for child in children} == {"Explore the docs", "Count the lines"}
    assert {child.parent_call for child in children} == {
        "call_546df0512a4de5ed813a2d8e",
        "call_ef38a4d0fb94a3af691b5499",
    }
    assert PROVIDER.resume_command(main) == ("qwen", "--resume", SESSION)
    assert [PROVIDER.resume_command(child) for child in children] == [None, None]


def test_a_session_tells_what_it_is_about():
    found = PROVIDER.info(DISCOVERY.ref(SAMPLES / "tree.jsonl"))
    assert (found.title, found.project) == ("Cart order", "/home/dev/shop")
    assert (found.branch, found.model, found.client_version) == ("main", "qwen3-coder", "0.24.4")
    assert found.state is SessionState.LIMITED


def test_a_title_that_a_person_gave_stays(tmp_path: Path):
    titles = [
        noted("custom_title", "1", customTitle="Given", titleSource="manual"),
        noted("custom_title", "2", "1", customTitle="Made", titleSource="auto"),
    ]
    path = write(tmp_path / "s.jsonl", [said("user", "Hello"), *titles])
    assert PROVIDER.info(DISCOVERY.ref(path)).title == "Given"


def test_nothing_outside_is_taken_for_an_output(tmp_path: Path):
    log = write(tmp_path / ".qwen" / "projects" / "p" / "chats" / "s.jsonl", [said("user", "x")])
    place = tmp_path / ".qwen" / "tmp" / "abc" / "out[1].txt"
    place.parent.mkdir(parents=True)
    place.write_text("all")
    ref = DISCOVERY.ref(log)
    assert DISCOVERY.externalized_output(ref, "/elsewhere/out[1].txt") == place
    for other in ("/etc/passwd", "..", "", "*"):
        assert DISCOVERY.externalized_output(ref, other) is None


def test_windows_are_not_known_and_unread_keys_are_named():
    assert PROVIDER.context_window("qwen3-coder") is None
    assert unused_keys("qwen_code", {**said("user", "x"), "brand": 1}) == [
        "/message/role",
        "/brand",
    ]
