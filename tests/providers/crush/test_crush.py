"""Sessions of Crush, in databases of projects, against what is written in them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import (
    Compaction,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    ToolResult,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import FileOperation
from agentview.domain.tool_results import ChangeResult, Match, MatchResult, ReadResult, ShellResult
from agentview.domain.tools import DeniedBy, ToolKind, ToolState
from agentview.providers import provider_roots
from agentview.providers.crush import PROVIDER
from agentview.sources.lines import LineReader
from agentview.system.paths import sample_sessions_dir
from tests.providers.crush.store import (
    AGENT,
    CONVERSATION,
    MAIN,
    START,
    call,
    change,
    done,
    insert,
    part,
    result,
    write,
)
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "crush"
DEMO = FOLDER / "demo.jsonl"
KINDS = {
    "c1": ToolKind.SHELL,
    "c2": ToolKind.READ,
    "c3": ToolKind.GREP,
    "c4": ToolKind.EDIT,
    "c5": ToolKind.SHELL,
    "c6": ToolKind.SHELL,
    "c7": ToolKind.MCP,
    "c8": ToolKind.TODOS,
    "c10": ToolKind.WRITE,
    "c9": ToolKind.SUBAGENT_TASK,
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "quay" / ".crush" / "crush.db"
    write(path)
    return path


def test_the_samples_are_what_the_store_writes(database: Path):
    reader = LineReader(database / MAIN)
    lines = [getattr(item, "data", b"") for item in reader.poll().items]
    assert lines == DEMO.read_bytes().splitlines()


def test_each_call_is_shown_with_its_kind_and_its_outcome():
    made = calls(joined(PROVIDER, DEMO))
    asked = [p["data"]["id"] for _, _, parts in CONVERSATION for p in parts if "input" in p["data"]]
    assert list(made) == asked
    assert {own: each.kind for own, each in made.items()} == KINDS
    assert {own for own, each in made.items() if each.ok is False} == {"c5", "c6"}


def test_results_are_typed():
    made = {own: each.result for own, each in calls(joined(PROVIDER, DEMO)).items()}
    assert made["c1"] == ShellResult(output="grease.txt", exit_code=0)
    assert made["c5"] == ShellResult(output="\njammed", exit_code=3)
    assert made["c2"] == ReadResult(content="LIMIT = 5\n", start=3, line_count=2)
    grep = made["c3"]
    assert isinstance(grep, MatchResult)
    assert grep.matches == (
        Match("/home/dev/quay/crane.py", 3, "LIMIT = 5"),
        Match("/home/dev/quay/test.py", 7, "assert LIMIT"),
    )
    edit, written = made["c4"], made["c10"]
    assert isinstance(edit, ChangeResult)
    assert (edit.files[0].before, edit.files[0].after) == ("LIMIT = 5\n", "LIMIT = 9\n")
    assert isinstance(written, ChangeResult)
    assert written.files[0].operation is FileOperation.CREATE


def test_a_refusal_is_the_persons():
    denied = calls(joined(PROVIDER, DEMO))["c6"]
    assert denied.state is ToolState.OUTPUT_DENIED
    assert denied.denial is not None
    assert denied.denial.by is DeniedBy.PERSON


@pytest.mark.parametrize(
    ("name", "said", "failed", "ok", "denied"),
    [
        ("", "Permission denied", True, False, True),
        ("bash", "User denied permission", True, False, True),
        ("view", "open /root/x: permission denied", True, False, False),
        ("bash", "\nExit code 1\n<cwd>/tmp/demo</cwd>", False, False, False),
        ("bash", "out\n\n<cwd>/tmp/demo</cwd>", False, True, False),
    ],
)
def test_how_a_call_ended(name: str, said: str, failed: bool, ok: bool, denied: bool):
    data = {"tool_call_id": "c", "name": name, "content": said, "is_error": failed}
    row = {"table": "messages", "id": "m", "role": "tool"}
    line = json.dumps({**row, "parts": [{"type": "tool_result", "data": data}]}).encode()
    events = PROVIDER.decode(line, SourceRef("x", 0, len(line)), PROVIDER.discovery.ref(DEMO))
    (outcome,) = [each.body for each in events if isinstance(each.body, ToolResult)]
    assert (outcome.ok, outcome.denial is not None) == (ok, denied)


def test_who_said_what():
    bodies = [each.body for each in shown(joined(PROVIDER, DEMO))]
    prompt = bodies[0]
    assert isinstance(prompt, User)
    assert prompt.text == "Grease the crane."
    assert isinstance(prompt.blocks[0], ImageBlock)
    assert Reasoning("First the shed.", duration=2.0) in bodies
    assert SlashCommand("make test", "", "2 failed", "exit code 2", True) in bodies
    assert bodies[-1] == Message("The crane is greased.", ends_turn=True)


def test_a_session_has_its_project_and_its_cost(database: Path):
    main, agent = sorted(PROVIDER.scan(database), key=lambda ref: ref.parent_id or "")
    info = PROVIDER.info(main)
    assert (info.title, info.model) == ("Grease the crane", "model-1")
    assert info.project == str(database.parent.parent)
    assert (info.state, info.last_activity) == (SessionState.YOUR_TURN, START + 8)
    assert joined(PROVIDER, database / MAIN).summary.cost == 0.25
    assert agent.stream.kind is StreamKind.SUBAGENT
    assert (agent.parent_id, agent.parent_call) == (MAIN, "c9")
    assert [each.session_id for each in PROVIDER.discovery.children(main)] == [AGENT]
    assert PROVIDER.resume_command(main) == ("crush", "--session", MAIN)
    assert PROVIDER.resume_command(agent) is None


def test_tokens_of_the_last_request_are_no_sum():
    assert joined(PROVIDER, DEMO).summary.total is None


def grown(path: Path, own: str, role: str, *states: list[dict[str, Any]], **more: Any):
    """What is shown after each state of a message that is written again in the same second."""
    reader = LineReader(path / MAIN)
    reader.poll()
    for at, parts in enumerate(states):
        with closing(sqlite3.connect(path)) as connection, connection:
            if at == 0:
                insert(connection, MAIN, own, 20, role, parts, **more)
            else:
                change(connection, own, parts)
        assert len(reader.poll().items) == 1
        yield joined(PROVIDER, path / MAIN)


def test_a_message_grows_on_the_screen_while_it_is_streamed(database: Path):
    asked = call("n1", "bash", command="make")
    begun = {**asked, "data": {**asked["data"], "input": '{"comm', "finished": False}}
    said = [part("text", text="Next"), part("text", text="Next step.")]
    states = ([said[0]], [said[1]], [said[1], begun], [said[1], asked, done("tool_use", 21)])
    seen = list(grown(database, "n", "assistant", *states))
    assert [texts(store)[-1] for store in seen] == ["Next", *["Next step."] * 3]
    made = [calls(store).get("n1") for store in seen]
    assert [each and each.state for each in made] == [
        None, None, ToolState.INPUT_STREAMING, ToolState.INPUT_AVAILABLE,
    ]  # fmt: skip
    info = PROVIDER.info(PROVIDER.discovery.ref(database / MAIN))
    assert (info.state, info.status.about) == (SessionState.WORKING, "make")
    (store,) = grown(database, "r", "tool", [result("n1", "bash", "made")])
    backward = joined(PROVIDER, database / MAIN, backward=True)
    for each in (store, backward):
        answered = calls(each)["n1"]
        assert (answered.state, answered.args) == (
            ToolState.OUTPUT_AVAILABLE, {"command": "make"},
        )  # fmt: skip


def test_a_summary_replaces_the_history_once_it_is_written(database: Path):
    words = part("text", text="Greased.")
    states = ([part("text", text="Grea")], [words, done("end_turn", 22)])
    seen = list(grown(database, "s", "assistant", *states, summary=True))
    found = [[e.body for e in shown(each) if isinstance(e.body, Compaction)] for each in seen]
    assert found == [[], [Compaction(summary="Greased.")]]


@pytest.mark.parametrize(
    ("finish", "state"),
    [
        (done("canceled", 21), SessionState.INTERRUPTED),
        (done("error", 21, message="Bad request", details="400"), SessionState.FAILED),
        (done("error", 21, message="Rate limit reached"), SessionState.LIMITED),
    ],
)
def test_how_a_response_ended_is_the_state(
    database: Path, finish: dict[str, Any], state: SessionState
):
    (store,) = grown(database, "e", "assistant", [part("text", text="Hm."), finish])
    assert isinstance(shown(store)[-1].body, Notification)
    info = PROVIDER.info(PROVIDER.discovery.ref(database / MAIN))
    assert info.state is state


def test_a_command_in_the_background_has_no_exit_code(database: Path):
    asked = call("b1", "bash", command="make serve", run_in_background=True)
    told = {"output": "", "background": True, "shell_id": "00A"}
    answer = result("b1", "bash", "Background shell started with ID: 00A", metadata=told)
    list(grown(database, "b", "assistant", [asked]))
    (store,) = grown(database, "r", "tool", [answer])
    found = calls(store)["b1"].result
    assert isinstance(found, ShellResult)
    assert (found.launched, found.task_id, found.exit_code) == (True, "00A", None)


def test_projects_are_those_that_the_client_lists(database: Path, tmp_path: Path):
    folder = tmp_path / "data"
    folder.mkdir()
    gone = str(tmp_path / "gone" / ".crush")
    places = [str(database.parent), gone, "relative", 7, None, "/a\0b"]
    listed: list[object] = [{"path": "p", "data_dir": place} for place in places]
    (folder / "projects.json").write_text(json.dumps({"projects": [*listed, "x", {}]}))
    env = {"HOME": str(tmp_path), "CRUSH_GLOBAL_DATA": str(folder)}
    assert list(provider_roots("crush", env)) == [database.parent, Path(gone)]
    refs = [ref for root in provider_roots("crush", env) for ref in PROVIDER.scan(root)]
    assert {ref.session_id for ref in refs} == {MAIN, AGENT}
    for content in ("", "[]", '{"projects": 1}', "{", '{"projects": [[]]}'):
        (folder / "projects.json").write_text(content)
        assert list(provider_roots("crush", env)) == []
    assert list(provider_roots("crush", {"HOME": str(tmp_path)})) == []


@pytest.mark.parametrize(
    "env",
    [
        {"HOME": "{}"},
        {"HOME": "/nowhere", "XDG_DATA_HOME": "{}/.local/share"},
        {"HOME": "/nowhere", "CRUSH_GLOBAL_DATA": "{}/.local/share/crush"},
    ],
)
def test_where_the_list_of_projects_is(tmp_path: Path, env: dict[str, str]):
    folder = tmp_path / ".local" / "share" / "crush"
    folder.mkdir(parents=True)
    (folder / "projects.json").write_text('{"projects": [{"data_dir": "/w/.crush"}]}')
    filled = {key: value.format(tmp_path) for key, value in env.items()}
    assert list(provider_roots("crush", filled)) == [Path("/w/.crush")]
