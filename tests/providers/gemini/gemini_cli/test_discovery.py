"""Whose a file is, which session it holds, what divides it, and where its agents' files lie."""

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from agentview.domain.events import Topic
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.normalize.json_document import outer_members
from agentview.providers.gemini.gemini_cli import PROVIDER
from agentview.providers.gemini.gemini_cli.discovery import DISCOVERY, probe_head
from agentview.providers.gemini.gemini_cli.documents import is_document, split
from tests.providers.gemini.gemini_cli.log import META, SAMPLES, Record, joined, model, user
from tests.providers.joined_log import calls, shown, texts, write
from tests.providers.read_keys import unused_keys

SESSION = "7d1ee15f-0c54-4cae-8d6a-127e9dc532da"
DOCUMENT = {**META, "messages": [user("u", "One"), model("g", "Two")]}

FOREIGN: tuple[object, ...] = (
    {"type": "user", "message": {"role": "user", "content": "x"}, "sessionId": "s", "uuid": "u"},
    {"type": "session_meta", "timestamp": "x", "payload": {"id": "y"}},
    {"type": "message", "id": "m", "timestamp": "x", "message": {"role": "user"}},
    {"type": "tool_use", "id": "x", "name": "y", "input": {}},
    {"type": "result", "subtype": "success", "session_id": "s", "usage": {}},
    {"type": "system", "subtype": "init", "session_id": "s", "model": "m"},
    {"id": "x", "timestamp": "y", "type": "user", "content": [{"type": "text", "text": "z"}]},
    {"messages": [{"role": "user", "content": "x"}]},
    {"messages": [{"id": "m", "role": "user", "parts": [1]}]},
    {"info": {"id": "ses"}, "messages": [{"info": {"id": "m"}, "parts": [1]}]},
    [{"role": "user", "content": "x"}],
    [{"ts": 1, "type": "say", "text": "x"}],
    {"messages": [1]},
    {"history": [1]},
)


@pytest.mark.parametrize("value", FOREIGN, ids=str)
def test_files_of_others_are_not_claimed(value: object):
    for indent in (None, 2):
        head = json.dumps(value, indent=indent).encode()
        assert probe_head(head) == 0.0
        assert not is_document(head)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_is_one_however_it_is_written(indent: int | None):
    data = json.dumps(DOCUMENT, indent=indent).encode()
    assert probe_head(data) > 0.9
    assert is_document(data)
    other = {"messages": DOCUMENT["messages"], "projectHash": "x", "sessionId": "s"}
    assert is_document(json.dumps(other, indent=indent).encode()[:150])


def test_lines_are_no_document(tmp_path: Path):
    head = write(tmp_path / "s.jsonl", [META, user("u", "One")]).read_bytes()
    assert probe_head(head) > 0.9
    for size in range(0, len(head), 7):
        assert not is_document(head[:size])


def test_lines_are_known_without_times_and_by_the_names_of_others():
    own: Record = {"id": "g", "type": "gemini", "content": []}
    other = {**model("g", "x", thoughts=[], tokens=None, model="m"), "type": "other-shell"}
    printed: Record = {"type": "tool_use", "tool_name": "n", "tool_id": "c", "parameters": {}}
    for line in (own, other, printed):
        assert probe_head(json.dumps(line).encode()) >= 0.8


def test_every_record_of_a_document_lies_in_it():
    data = json.dumps({**DOCUMENT, "summary": "Cart"}, indent=2).encode()
    records = [data[start:end] for start, end in split(data)]
    assert [json.loads(record)["id"] for record in records[1:3]] == ["u", "g"]
    head = outer_members(records[0])
    assert head is not None
    assert head["sessionId"] == "s-1"
    tail = outer_members(records[3])
    assert tail is not None
    assert tail["summary"] == "Cart"
    assert records[3].endswith(data[-20:])


def test_other_documents_are_known():
    saved: list[Record] = [
        {"role": "user", "parts": [{"text": "One"}]},
        {"role": "model", "parts": []},
    ]
    assert is_document(json.dumps(saved).encode())
    assert is_document(json.dumps({"history": saved}).encode())
    prompts = [{"sessionId": "s", "messageId": 0, "type": "user", "message": "x"}]
    assert is_document(json.dumps(prompts).encode())
    bare = [{"type": "user", "content": "One"}, {"type": "gemini", "content": "Two"}]
    assert is_document(json.dumps({"messages": bare}).encode())
    assert not is_document(json.dumps({"messages": bare[:1]}).encode())
    answer: Record = {"session_id": "s", "response": "x", "stats": {"models": {}}}
    assert is_document(json.dumps(answer, indent=2).encode())
    assert is_document(json.dumps(answer).encode())


ANSWER: Record = {
    "session_id": "s-9",
    "response": "Two {lines}\nünd",
    "stats": {"models": {"gemini-3-pro": {"tokens": {"prompt": 10, "candidates": 2, "cached": 3}}}},
}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("before", ["", "Loaded credentials.\n[STARTUP] {3}\n\n"])
@pytest.mark.parametrize("behind", ["", '\nBye, "all".'])
def test_an_answer_is_read_between_what_else_was_printed(
    tmp_path: Path, indent: int | None, before: str, behind: str
):
    path = tmp_path / "answer.json"
    printed = json.dumps(ANSWER, indent=indent, ensure_ascii=False)
    path.write_text(before + printed + behind)
    data = path.read_bytes()
    assert DISCOVERY.probe(data, path) == 0.95
    assert is_document(data)
    spans = split(data)
    console = [line for line in (before + behind).split("\n") if line]
    assert [data[start:end].decode() for start, end in spans] == [
        *(line for line in before.split("\n") if line),
        printed,
        *(line for line in behind.split("\n") if line),
    ]
    store = joined(path)
    kinds = [type(activity.body).__name__ for activity in shown(store)]
    assert kinds.count("Unparsed") == len(console)
    assert kinds.count("Message") == 1
    assert store.summary.usage.output == 2
    assert DISCOVERY.ref(path).session_id == "s-9"
    assert PROVIDER.info(DISCOVERY.ref(path)).model == "gemini-3-pro"


def test_an_answer_that_is_an_error_alone_is_known(tmp_path: Path):
    failed = {"session_id": "s-9", "error": {"type": "FatalAuth", "message": "No key", "code": 41}}
    path = tmp_path / "answer.json"
    path.write_text("Loading.\n" + json.dumps(failed, indent=2))
    assert DISCOVERY.probe(path.read_bytes(), path) == 0.5
    topics = [getattr(activity.body, "topic", None) for activity in shown(joined(path))]
    assert topics == [None, Topic.API_ERROR, Topic.TURN_END]
    assert probe_head(json.dumps({"error": failed["error"]}).encode()) == 0.0


@pytest.mark.slow
def test_what_is_kept_to_restore_files_is_the_history_up_to_a_call(tmp_path: Path):
    screen: list[Record] = [
        {"type": "user", "text": "Change it", "id": 1},
        {"type": "tool_group", "tools": [], "id": 2},
    ]
    asked = {"functionCall": {"name": "replace", "args": {"file_path": "a"}, "id": "c"}}
    kept: Record = {
        "history": screen,
        "clientHistory": [
            {"role": "user", "parts": [{"text": "Change it"}]},
            {"role": "model", "parts": [{"text": "So."}, asked]},
        ],
        "toolCall": {"name": "replace", "args": {"file_path": "a"}},
        "commitHash": "8c1f",
    }
    path = tmp_path / "tmp" / "shop" / "checkpoints" / "2026-05-04T09-00-00_000Z-a-replace.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(kept, indent=2))
    assert DISCOVERY.probe(path.read_bytes(), path) == 0.6
    store = joined(path)
    assert texts(store) == ["Change it", "So."]
    assert list(calls(store)) == ["c"]
    info = PROVIDER.info(DISCOVERY.ref(path))
    assert (info.title, info.state) == ("Change it", SessionState.WORKING)
    # A library has the session itself.
    assert list(DISCOVERY.files(tmp_path)) == []


def test_roots_are_under_the_home_of_the_client():
    assert DISCOVERY.roots({"HOME": "/home/x"}) == [Path("/home/x/.gemini/tmp")]
    assert DISCOVERY.roots({"HOME": "/h", "GEMINI_CLI_HOME": "/g"}) == [Path("/g/.gemini/tmp")]
    assert DISCOVERY.roots({}) == []


def project(tmp_path: Path) -> Path:
    """A project's folder with a session of lines, its agents, and a document."""
    chats = tmp_path / "shop" / "chats"
    shutil.copytree(SAMPLES / "agents", chats)
    shutil.copy(SAMPLES / "document.json", chats / "session-2026-11-21T00-54-051865ee.json")
    (tmp_path / "shop" / "logs.json").write_text("[]")
    (tmp_path / "shop" / ".project_root").write_text("/home/dev/shop\n")
    return tmp_path


def test_all_sessions_are_found_and_agents_belong_to_theirs(tmp_path: Path):
    refs = list(PROVIDER.scan(project(tmp_path)))
    assert len(refs) == 4
    main = next(ref for ref in refs if ref.session_id == SESSION and not ref.stream.id)
    children = DISCOVERY.children(main)
    assert [child.parent_id for child in children] == [SESSION, SESSION]
    assert {child.stream.kind for child in children} == {StreamKind.SUBAGENT}
    assert {child.session_id for child in children} == {SESSION}
    assert DISCOVERY.child_places(main)[0] == tmp_path / "shop" / "chats" / SESSION
    assert DISCOVERY.children(children[0]) == ()
    assert PROVIDER.resume_command(children[0]) is None
    assert PROVIDER.resume_command(main) == ("gemini", "--resume", SESSION)


def test_agents_of_agents_belong_to_the_first_session(tmp_path: Path):
    def agent(name: str) -> dict[str, object]:
        return {**META, "sessionId": name, "kind": "subagent"}

    main = write(tmp_path / "session-x.jsonl", [META])
    write(tmp_path / "s-1" / "a.jsonl", [agent("a")])
    inner = write(tmp_path / "a" / "b.jsonl", [agent("b")])
    found = DISCOVERY.children(DISCOVERY.ref(main))
    assert {child.stream.id: child.parent_id for child in found} == {"a": "s-1", "b": "a"}
    assert DISCOVERY.ref(inner).session_id == "s-1"


def test_a_document_tells_what_it_is_about(tmp_path: Path):
    path = project(tmp_path) / "shop" / "chats" / "session-2026-11-21T00-54-051865ee.json"
    found = PROVIDER.info(DISCOVERY.ref(path))
    assert found.ref.session_id == "051865ee-4348-4549-95a1-90616a9ec0d6"
    assert (found.title, found.project) == ("Please do the scripted work.", "/home/dev/shop")
    assert (found.model, found.state) == ("gemini-2.5-pro", SessionState.YOUR_TURN)
    assert found.started is not None
    assert found.last_activity is not None
    assert found.started < found.last_activity


def test_a_document_that_was_resumed_is_copied_into_a_log_beside_it(tmp_path: Path):
    (tmp_path / "s-1.json").write_text(json.dumps(DOCUMENT))
    assert [ref.path for ref in PROVIDER.scan(tmp_path)] == [str(tmp_path / "s-1.json")]
    lines = write(tmp_path / "s-1.jsonl", [META, user("u", "One")])
    assert [ref.path for ref in PROVIDER.scan(tmp_path)] == [str(lines)]


def test_a_log_that_resuming_leaves_empty_is_no_session(tmp_path: Path):
    meta = {**META, "sessionId": SESSION}
    context = user("c", "<session_context>\nThis is the client.\n</session_context>")
    empty = [meta, {"$set": {"messages": [context]}}]
    place = write(tmp_path / f"session-2026-11-21T01-{SESSION[:8]}.jsonl", empty)
    assert [ref.path for ref in PROVIDER.scan(tmp_path)] == [str(place)]
    own = write(tmp_path / f"session-2026-11-21T00-{SESSION[:8]}.jsonl", [*empty, user("u", "One")])
    assert [ref.path for ref in PROVIDER.scan(tmp_path)] == [str(own)]
    write(place, [*empty, user("u", "One"), model("g", "Two")])
    assert len(list(PROVIDER.scan(tmp_path))) == 2


def test_the_list_of_projects_names_the_directory_of_one(tmp_path: Path):
    listed = {"projects": {"/home/dev/shop": "shop", "/home/dev/old": "old"}}
    (tmp_path / "projects.json").write_text(json.dumps(listed))
    for name, place in (
        ("shop", "/home/dev/shop"),
        (sha256(b"/home/dev/old").hexdigest(), "/home/dev/old"),
        ("other", None),
    ):
        log = write(tmp_path / "tmp" / name / "chats" / "s.jsonl", [META, user("u", "One")])
        assert PROVIDER.info(DISCOVERY.ref(log)).project == place


@pytest.mark.parametrize(
    ("records", "title"),
    [
        ([user("m", "One"), {"$rewindTo": "m"}, user("n", "Two")], "Two"),
        ([user("m", "One"), user("n", "Two"), {"$rewindTo": "n"}], "One"),
        ([user("m", "One"), {"$set": {"messages": [user("n", "Two")]}}], "One"),
        ([user("m", "One"), user("m", "One more")], "One more"),
        ([user("m", "One"), {"$rewindTo": "g"}], "One"),
    ],
)
def test_a_prompt_that_was_taken_back_is_no_title(
    tmp_path: Path, records: list[Record], title: str
):
    log = write(tmp_path / "s.jsonl", [META, *records])
    assert PROVIDER.info(DISCOVERY.ref(log)).title == title


def test_documents_of_clients_that_grew_out_of_this_one_are_known(tmp_path: Path):
    reply: Record = {**model("g", "Two", thoughts=[], tokens=None), "type": "other-shell"}
    messages: list[Record] = [{**user("u", "One"), "more": 1}, reply, {**user("n"), "type": "note"}]
    for indent in (None, 2):
        path = tmp_path / "session.json"
        path.write_text(json.dumps({**META, "messages": messages}, indent=indent))
        assert probe_head(path.read_bytes()) > 0.9
        found = PROVIDER.info(DISCOVERY.ref(path))
        assert (found.title, found.state) == ("One", SessionState.YOUR_TURN)


def test_a_large_document_is_known_by_its_two_ends(tmp_path: Path):
    filling = [model(f"g-{number}", "x" * 1000) for number in range(400)]
    last = {**user("u-9", "Last"), "timestamp": "2026-05-04T10:00:00.000Z"}
    whole = {**META, "messages": [user("u", "First"), *filling, last]}
    path = tmp_path / "s.json"
    path.write_text(json.dumps(whole, indent=2))
    found = PROVIDER.info(DISCOVERY.ref(path))
    assert found.title == "First"
    assert found.last_activity == 1777888800.0
    assert found.state is SessionState.WORKING


def test_an_output_in_a_file_is_found_where_the_client_keeps_it(tmp_path: Path):
    place = project(tmp_path) / "shop" / "tool-outputs" / f"session-{SESSION}" / "x.txt"
    place.parent.mkdir(parents=True)
    place.write_text("all of it")
    log = tmp_path / "shop" / "chats" / "session-2026-11-21T00-16-7d1ee15f.jsonl"
    session = DISCOVERY.ref(log)
    assert DISCOVERY.externalized_output(session, "/elsewhere/x.txt") == place
    for other in ("/etc/passwd", "..", "", "../x.txt/.."):
        assert DISCOVERY.externalized_output(session, other) is None
    longer = place.with_name("run_shell_command_1773_0_ab1.txt")
    place.rename(longer)
    assert DISCOVERY.externalized_output(session, "/x/shell_command_1773_0.txt") == longer
    assert DISCOVERY.externalized_output(session, "/x/x.txt") is None


def test_windows_and_read_keys():
    assert PROVIDER.context_window("gemini-2.5-pro") == 1_048_576
    assert PROVIDER.context_window("other") is None
    record = {**user("u", "x"), "brand": 1}
    assert unused_keys("gemini_cli", record) == ["/brand"]
    scratch: dict[str, object] = {"$set": {"memoryScratchpad": {}}}
    assert unused_keys("gemini_cli", scratch) == ["/$set/memoryScratchpad"]


def test_a_document_of_another_program_with_figures_is_not_mine(tmp_path: Path):
    other: dict[str, object] = {
        "version": 2,
        "status": "error",
        "stats": {"started_at": "2026-11-23T10:00:00", "model_usage": {}},
        "error": {"message": "stopped", "traceback": ""},
    }
    head = json.dumps(other, indent=2).encode()
    assert DISCOVERY.probe(head, tmp_path / "log.json") == 0
