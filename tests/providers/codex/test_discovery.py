"""Whose a file is, which session it holds, and where its agents' files lie."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentview.domain.index_entry import LightEvent
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, StreamKind
from agentview.domain.session_state import SessionState
from agentview.providers.codex import PROVIDER, context_window
from agentview.providers.codex.discovery import DISCOVERY
from agentview.providers.codex.probing import probe_head
from agentview.sources.files import END_BYTES
from tests.providers.codex.log import SAMPLES, THREAD, answered, called, item, report, said
from tests.providers.joined_log import write
from tests.providers.read_keys import unused_keys

AGENTS = SAMPLES / "agents"
PARENT = "01a1fb6e-f722-7853-b71d-aeb3f6ceefc4"

FOREIGN: tuple[dict[str, object], ...] = (
    {"type": "user", "message": {"role": "user", "content": "x"}, "sessionId": "s"},
    {"type": "message", "timestamp": "2026-01-01T00:00:00Z", "message": {"role": "user"}},
    {"type": "session", "id": "x", "cwd": "/w", "timestamp": "2026-01-01T00:00:00Z"},
    {"type": "response.completed", "response": {}},
    {"type": "item", "item": {"id": "x", "type": "message"}},
    {"jsonrpc": "2.0", "method": "session/update", "params": {}},
    {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "x"},
    {"id": "x", "timestamp": "y", "cwd": "/w"},
)


@pytest.mark.parametrize("record", FOREIGN, ids=str)
def test_records_of_others_are_not_claimed(record: dict[str, object]):
    assert probe_head(json.dumps(record).encode() + b"\n") == 0.0


def test_a_first_line_that_is_longer_than_the_head_is_known_by_its_beginning():
    payload = {"id": THREAD, "cwd": "/w", "base_instructions": {"text": "x" * 100_000}}
    line = json.dumps({"timestamp": "t", "ordinal": 0, "type": "session_meta", "payload": payload})
    assert probe_head(line.encode()[:65_536]) > 0.9
    late = json.dumps({"timestamp": "t", "type": "response_item", "payload": {"x": "y" * 99_999}})
    assert probe_head(late.encode()[:65_536]) >= 0.8


def test_any_part_of_a_log_is_recognised():
    assert probe_head(json.dumps(said("user", "x")).encode()) > 0.5
    assert probe_head(b'{"type":"thread.started","thread_id":"t"}\n') > 0.9
    assert probe_head(b'{"type":"item.completed","item":{"id":"i","type":"reasoning"}}\n') > 0.9


def test_roots_are_under_the_home_of_the_client(tmp_path: Path):
    assert DISCOVERY.roots({"HOME": "/home/x"}) == [
        Path("/home/x/.codex/sessions"),
        Path("/home/x/.codex/archived_sessions"),
        Path("/home/x/.openinterpreter/sessions"),
        Path("/home/x/.openinterpreter/archived_sessions"),
        Path("/home/x/.code/sessions"),
        Path("/home/x/.trae/cli/sessions"),
    ]
    assert DISCOVERY.roots({"HOME": "/h", "CODEX_HOME": "~/c"})[0] == Path("/h/c/sessions")
    assert DISCOVERY.roots({"CODEX_HOME": str(tmp_path)})[1] == tmp_path / "archived_sessions"
    assert DISCOVERY.roots({}) == []


def home(tmp_path: Path) -> Path:
    """A home with a session, two agents of it, and an archived session."""
    day = tmp_path / "sessions" / "2026" / "11" / "21"
    shutil.copytree(AGENTS, day)
    archive = tmp_path / "archived_sessions"
    name = f"rollout-2026-03-02T10-00-00-{THREAD}.jsonl"
    archive.mkdir()
    shutil.copy(SAMPLES / "events.jsonl", archive / name)
    return tmp_path


def test_all_sessions_are_found_archived_ones_too(tmp_path: Path):
    refs = list(PROVIDER.scan(home(tmp_path)))
    assert {ref.session_id for ref in refs} == {PARENT, THREAD}
    assert [ref.stream.kind for ref in refs].count(StreamKind.SUBAGENT) == 2
    assert {ref.provider for ref in refs} == {PROVIDER.name}
    inner = list(PROVIDER.scan(tmp_path / "sessions"))
    assert len(inner) == 3


def test_an_agent_belongs_to_the_session_that_started_it(tmp_path: Path):
    place = home(tmp_path)
    parent = next(
        ref for ref in PROVIDER.scan(place) if ref.stream.id == "" and ref.session_id == PARENT
    )
    found = DISCOVERY.children(parent)
    assert [child.parent_id for child in found] == [PARENT, PARENT]
    assert {child.label for child in found} == {"Carson", "Kuhn"}
    assert DISCOVERY.child_places(parent) == (place / "sessions",)
    assert DISCOVERY.children(found[0]) == ()


@pytest.mark.parametrize(
    ("told", "label"),
    [
        ({"source": {"subagent": {"other": "guardian"}}}, "guardian"),
        ({"source": {"subagent": "review"}, "parent_thread_id": PARENT}, "review"),
        ({"thread_source": "guardian_review"}, None),
    ],
)
def test_an_agent_of_the_client_belongs_to_the_session_that_it_serves(
    tmp_path: Path, told: dict[str, object], label: str | None
):
    payload = {"id": THREAD, "session_id": PARENT, "cwd": "/w", **told}
    path = write(tmp_path / "a.jsonl", [{"type": "session_meta", "payload": payload}])
    found = DISCOVERY.ref(path)
    assert (found.parent_id, found.label) == (PARENT, label)
    assert found.stream.kind is StreamKind.SUBAGENT


@pytest.mark.parametrize("more", [{"parent_thread_id": PARENT}, {}], ids=["agent", "alone"])
def test_the_reviewer_of_calls_goes_by_its_name(tmp_path: Path, more: dict[str, object]):
    payload = {"id": THREAD, "cwd": "/w", "source": {"subagent": {"other": "guardian"}}, **more}
    asked = "The following is the Codex agent history whose request action you are assessing."
    records = [{"type": "session_meta", "payload": payload}, said("user", asked)]
    found = DISCOVERY.ref(write(tmp_path / "a.jsonl", records))
    assert PROVIDER.info(found).title == "guardian"


@pytest.mark.parametrize(
    "told",
    [{}, {"source": {"subagent": "review"}}, {"source": True, "thread_source": [["x"]]}],
    ids=["nothing", "an agent", "nonsense"],
)
def test_a_thread_that_serves_itself_is_no_agent(tmp_path: Path, told: dict[str, object]):
    served = {"session_id": THREAD, "parent_thread_id": THREAD}
    payload = {"id": THREAD, "cwd": "/w", **served, **told}
    path = write(tmp_path / "a.jsonl", [{"type": "session_meta", "payload": payload}])
    assert DISCOVERY.ref(path).stream.kind is StreamKind.MAIN


def test_agents_of_agents_belong_to_the_first_session(tmp_path: Path):
    def log(name: str, parent: str | None) -> Path:
        spawned = {"thread_spawn": {"parent_thread_id": parent}}
        source = {"source": {"subagent": spawned}} if parent else {}
        meta = {"id": name, "cwd": "/w", **source}
        record = {"timestamp": "2026-03-02T10:00:00Z", "type": "session_meta", "payload": meta}
        place = tmp_path / "sessions" / "2026" / "03" / "02"
        return write(place / f"rollout-2026-03-02T10-00-00-{name}.jsonl", [record])

    ids = [f"019cb1a0-000{i}-4aaa-8bbb-0123456789ab" for i in range(3)]
    first = log(ids[0], None)
    log(ids[1], ids[0])
    log(ids[2], ids[1])
    found = DISCOVERY.children(DISCOVERY.ref(first))
    assert {child.stream.id for child in found} == {ids[1], ids[2]}
    assert {child.session_id for child in found} == {ids[0]}


def test_the_id_is_in_the_record_else_in_the_name(tmp_path: Path):
    name = f"rollout-2026-03-02T10-00-00-{THREAD}.jsonl"
    lone = write(tmp_path / name, [said("user", "x")])
    assert DISCOVERY.ref(lone).session_id == THREAD
    assert DISCOVERY.ref(tmp_path / "gone.jsonl").session_id == "gone"
    root = {"type": "session_meta", "payload": {"session_id": "root", "cwd": "/w"}}
    assert DISCOVERY.ref(write(tmp_path / "a.jsonl", [root])).session_id == "root"
    printed = DISCOVERY.ref(SAMPLES / "printed" / "agents.jsonl")
    assert printed.session_id == PARENT


def test_a_first_line_too_long_to_be_read_still_names_its_parent(tmp_path: Path):
    meta = {
        "id": THREAD,
        "parent_thread_id": PARENT,
        "agent_nickname": "Boole",
        "base_instructions": {"text": "x" * 400_000},
    }
    record = {"timestamp": "2026-03-02T10:00:00Z", "type": "session_meta", "payload": meta}
    ref = DISCOVERY.ref(write(tmp_path / "a.jsonl", [record]))
    assert (ref.parent_id, ref.stream.id, ref.label) == (PARENT, THREAD, "Boole")


def test_info_is_of_both_ends(tmp_path: Path):
    records = [
        {
            "timestamp": "2026-03-02T10:00:00Z",
            "type": "session_meta",
            "payload": {"id": THREAD, "cwd": "/home/dev/shop", "cli_version": "0.169.0"},
        },
        {"timestamp": "2026-03-02T10:00:01Z", "type": "turn_context", "payload": {"model": "m-1"}},
        said("user", "Add  a total\n", at="2026-03-02T10:00:02Z"),
        *(item(at="2026-03-02T10:00:03Z", type="x", pad="y" * 4000) for _ in range(80)),
        said("assistant", "Done.", at="2026-03-02T10:05:00Z"),
        report(at="2026-03-02T10:05:01Z", type="task_complete"),
    ]
    path = tmp_path / "sessions" / "2026" / f"rollout-2026-03-02T10-00-00-{THREAD}.jsonl"
    ref = DISCOVERY.ref(write(path, records))
    info = PROVIDER.info(ref)
    assert (info.title, info.project, info.model) == ("Add a total", "/home/dev/shop", "m-1")
    assert (info.client_version, info.state) == ("0.169.0", SessionState.YOUR_TURN)
    assert info.last_activity is not None
    assert info.started is not None
    assert info.last_activity - info.started == 299.0
    index = tmp_path / "session_index.jsonl"
    index.write_text(json.dumps({"id": THREAD, "thread_name": "Cart"}) + "\n")
    assert PROVIDER.info(ref).title == "Cart"


def test_of_a_long_log_only_both_ends_and_what_describes_it_are_decoded(tmp_path: Path):
    work = [
        record
        for number in range(1_000)
        for record in (
            called("shell", {"command": ["ls"]}, f"call_{number}"),
            answered("x" * 200, f"call_{number}"),
        )
    ]
    begun = {"type": "turn_context", "payload": {"cwd": "/w", "model": "gpt-6"}}
    later = {"type": "turn_context", "payload": {"cwd": "/w", "model": "gpt-7"}}
    records = [
        begun,
        said("user", "go"),
        *work[:100],
        *work,
        later,
        *work[:100],
        said("user", "on"),
    ]
    path = write(tmp_path / f"rollout-2026-03-02T10-00-00-{THREAD}.jsonl", records)
    ref, decoded = DISCOVERY.ref(path), list[bytes]()

    def noting(record: bytes, source: SourceRef, session: SessionRef) -> Sequence[LightEvent]:
        decoded.append(record)
        return PROVIDER.light(record, source, session)

    info = DISCOVERY.info(ref, noting)
    assert (info.title, info.model) == ("go", "gpt-7")
    assert info.status.state is SessionState.WORKING
    assert path.stat().st_size > 3 * END_BYTES
    assert len(decoded) <= 24 + 1 + 24


def test_what_runs_the_session_again():
    ref = DISCOVERY.ref(SAMPLES / "demo.jsonl")
    assert PROVIDER.resume_command(ref) == ("codex", "resume", ref.session_id)


def test_windows_of_models_that_are_known():
    assert context_window("gpt-5.2-codex") == 258_400
    assert context_window("another-model") is None


def test_keys_that_nothing_reads_are_named():
    record = said("user", "x", brand_new=1)
    record |= {"ordinal": 7, "signed": "x"}
    assert set(unused_keys("codex", record)) == {"/signed", "/payload/brand_new"}
    flat = report(type="token_count", input_tokens=1, output_tokens=1, spare=1)
    assert unused_keys("codex", flat) == ["/payload/spare"]
    assert unused_keys("codex", b"{") == []
    aborted = report(type="turn_aborted", reason={"a": 1}, duration_ms=3)
    assert unused_keys("codex", aborted) == ["/payload/reason"]


def test_an_agent_whose_task_is_encrypted_goes_by_its_name(tmp_path: Path):
    meta = {"id": THREAD, "parent_thread_id": PARENT, "agent_nickname": "Boole"}
    address = "Message Type: NEW_TASK\nTask name: /root/tester\nSender: /root\nPayload:\n"
    task = {
        "type": "agent_message",
        "author": "/root",
        "recipient": "/root/tester",
        "content": [{"type": "input_text", "text": address}],
    }
    records = [
        {"timestamp": "2026-03-02T10:00:00Z", "type": "session_meta", "payload": meta},
        {"timestamp": "2026-03-02T10:00:01Z", "type": "response_item", "payload": task},
    ]
    path = write(tmp_path / "a.jsonl", records)
    assert PROVIDER.info(DISCOVERY.ref(path)).title == "Boole"
    task["content"] = [{"type": "input_text", "text": f"{address}Count the tests"}]
    path = write(tmp_path / "b.jsonl", records)
    assert PROVIDER.info(DISCOVERY.ref(path)).title == "Count the tests"
