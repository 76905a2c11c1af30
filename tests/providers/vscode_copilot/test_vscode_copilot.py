"""Sessions of Copilot Chat in VS Code, against what a plain reading of their JSON counts."""

import json
import random
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import Attachment, Message, Notification, Topic, Unparsed, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import (
    ApprovalPayload,
    AskPayload,
    EditPayload,
    GrepPayload,
    McpPayload,
    ShellPayload,
    SubagentPayload,
    TodosPayload,
    TodoStatus,
    WebFetchPayload,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.providers.vscode_copilot import PROVIDER
from agentview.providers.vscode_copilot.discovery import DISCOVERY
from agentview.providers.vscode_copilot.tools import find_tool
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.providers.joined_log import calls, joined, shown
from tests.providers.vscode_copilot.call_count import calls as counted

SAMPLE = sample_sessions_dir() / "vscode_copilot" / "demo.json"
REF = SessionRef(PROVIDER.name, "s", "one.json")
STORAGE = Path(".config/Code/User/workspaceStorage/0f3a/chatSessions")


def document() -> Any:
    return json.loads(SAMPLE.read_bytes())


def written(folder: Path, requests: object, **more: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "one.json"
    path.write_text(json.dumps({**document(), "requests": requests, **more}))
    return path


def bodies(path: Path) -> list[object]:
    return [each.body for each in shown(joined(PROVIDER, path))]


def test_a_file_is_recognised_by_what_it_holds():
    assert recognise(SAMPLE.read_bytes()[:HEAD_BYTES], Path("x.json")) is load_provider(
        PROVIDER.name
    )
    assert PROVIDER.discovery.probe(b'{"version": 3, "requests": []}', Path("x.json")) == 0
    assert PROVIDER.discovery.probe(b'{"info": {"requests": 1}}', Path("x.json")) == 0


@pytest.mark.parametrize("backward", [False, True])
def test_each_call_of_the_rounds_is_shown_once(backward: bool):
    made = calls(joined(PROVIDER, SAMPLE, backward=backward))
    assert {own for own in made if own != "v-9"} == counted(SAMPLE)
    kinds = {call.provider_name: call.kind for call in made.values()}
    assert kinds["run_in_terminal"] is ToolKind.SHELL
    assert kinds["replace_string_in_file"] is ToolKind.EDIT
    assert ToolKind.UNKNOWN not in kinds.values()
    commands = [each.payload for each in made.values() if isinstance(each.payload, ShellPayload)]
    assert commands[0].command == "ls -la && git status --short"
    (page,) = [each.payload for each in made.values() if isinstance(each.payload, WebFetchPayload)]
    assert page.url.startswith("http")


def test_the_output_of_a_call_has_the_lines_of_its_tree():
    (call,) = [
        each
        for each in calls(joined(PROVIDER, SAMPLE)).values()
        if isinstance(each.payload, ShellPayload) and each.payload.command.endswith("app.py Ada")
    ]
    assert call.output == (TextBlock("Hello, Ada!\n"),)
    assert call.ok is None


def test_prompts_answers_and_ends():
    found = bodies(SAMPLE)
    prompts = [each.text for each in found if isinstance(each, User)]
    assert prompts == [each["message"]["text"] for each in document()["requests"]]
    (attached,) = [each for each in found if isinstance(each, Attachment)]
    assert (attached.name, (attached.path or "").endswith("/src/app.py")) == ("file:app.py", True)
    assert "It greets, as `app.py` says." in [x.text for x in found if isinstance(x, Message)]
    ends = [each.topic for each in found if isinstance(each, Notification)]
    assert ends == [Topic.TURN_END, Topic.TURN_END, Topic.API_ERROR, Topic.INTERRUPT]


def _invoked(tool: str, own: str, specific: object, **more: object) -> object:
    return {
        "kind": "toolInvocationSerialized", "toolId": tool, "toolCallId": own, "isComplete": True,
        "isConfirmed": {"type": 1}, "toolSpecificData": specific, **more,
    }  # fmt: skip


def test_calls_without_rounds_have_what_the_client_keeps_of_them(tmp_path: Path):
    line = {"original": "make tset", "userEdited": "make test"}
    todo = [{"id": "1", "title": "Round the prices", "status": "in-progress"}]
    parts = [
        _invoked("run_in_terminal", "c1", {
            "kind": "terminal", "commandLine": line, "terminalCommandState": {"exitCode": 2},
            "terminalCommandOutput": {"text": "1 failed"},
        }),
        _invoked("runSubagent", "c2", {
            "kind": "subagent", "description": "Find callers", "agentName": "explore",
            "prompt": "Find the callers", "result": "None.", "modelName": "Model 1",
        }),
        _invoked("manage_todo_list", "c3", {"kind": "todoList", "todoList": todo}),
        _invoked("copilot_findTextInFiles", "c4", {"kind": "input", "rawInput": {"query": "x"}}),
        _invoked("copilot_fetchWebPage", "c5", None),
    ]  # fmt: skip
    request = {"requestId": "r1", "message": {"text": "Round"}, "response": parts}
    made = calls(joined(PROVIDER, written(tmp_path, [request])))
    command, agent, todos, grep = (made[own].payload for own in ("c1", "c2", "c3", "c4"))
    assert isinstance(command, ShellPayload)
    assert command.command == "make test"
    assert (made["c1"].state, made["c1"].output) == (
        ToolState.OUTPUT_ERROR, (TextBlock("1 failed"),)
    )  # fmt: skip
    assert isinstance(agent, SubagentPayload)
    assert (agent.description, agent.prompt, agent.agent_name) == (
        "Find callers", "Find the callers", "explore"
    )  # fmt: skip
    assert made["c2"].output == (TextBlock("None."),)
    assert isinstance(todos, TodosPayload)
    assert [(each.text, each.status) for each in todos.items] == [
        ("Round the prices", TodoStatus.IN_PROGRESS)
    ]
    assert isinstance(grep, GrepPayload)
    assert grep.pattern == "x"
    assert made["c5"].kind is ToolKind.WEB_FETCH


@pytest.mark.parametrize("rounds", [True, False])
def test_calls_of_an_agent_are_below_the_call_that_started_it(tmp_path: Path, rounds: bool):
    terminal = {"kind": "terminal", "commandLine": {"original": "make test"}}
    parts: list[object] = [
        _invoked("runSubagent", "c1", {"kind": "subagent", "prompt": "Test it"}),
        _invoked("run_in_terminal", "c2", terminal, subAgentInvocationId="c1"),
        _invoked("run_in_terminal", "c3", terminal),
    ]
    mark = ("__vscode-1", "__vscode-2") if rounds else ("", "")
    asked: list[object] = [
        {"id": "c1__vscode-1", "name": "runSubagent", "arguments": '{"prompt": "Test it"}'},
        {"id": "c3__vscode-2", "name": "run_in_terminal", "arguments": '{"command": "make test"}'},
    ]
    result = {"metadata": {"toolCallRounds": [{"response": "", "toolCalls": asked}]}}
    request: dict[str, object] = {
        "requestId": "r1", "message": {"text": "Test"}, "response": parts,
        **({"result": result} if rounds else {}),
    }  # fmt: skip
    line = json.dumps(request).encode()
    made = [
        (each.body.provider_name, each.stream, each.child)
        for each in PROVIDER.decode(line, SourceRef("x", 0, len(line)), REF)
        if isinstance(each.body, ToolCall)
    ]
    agent = Stream(StreamKind.SUBAGENT, "c1")
    assert made == [
        ("runSubagent", Stream(), agent),
        ("run_in_terminal", agent, None),
        ("run_in_terminal", Stream(), None),
    ]
    assert list(calls(joined(PROVIDER, written(tmp_path, [request])))) == [
        f"c1{mark[0]}", "c2", f"c3{mark[1]}"
    ]  # fmt: skip


def test_what_an_editor_tells_next_to_a_response(tmp_path: Path):
    parts: list[object] = [
        {"kind": "markdownVuln", "content": {"value": "I look."}, "vulnerabilities": []},
        {"kind": "warning", "content": {"value": "The quota is nearly used up"}},
        {"kind": "progressMessage", "content": {"value": "Reading"}},
        {"kind": "pullRequest", "title": "Round the prices"},
        {"kind": "of-tomorrow"},
    ]
    request = {"requestId": "r1", "message": {"text": "Look"}, "response": parts}
    found = bodies(written(tmp_path, [request]))
    assert [each.text for each in found if isinstance(each, Message)] == ["I look."]
    assert [(each.topic, each.text) for each in found if isinstance(each, Notification)] == [
        (Topic.SYSTEM, "The quota is nearly used up"), (Topic.LINK, "Round the prices")
    ]  # fmt: skip
    assert [each.record_type for each in found if isinstance(each, Unparsed)] == [
        "response/of-tomorrow"
    ]


def test_replacements_in_several_files_are_one_change():
    spec = find_tool("multi_replace_string_in_file", {})
    assert spec is not None
    payload = spec.payload({
        "explanation": "Round", "replacements": [
            {"filePath": "/a.py", "oldString": "1", "newString": "2"},
            {"filePath": "/b.py", "oldString": "3", "newString": "4"},
        ],
    })  # fmt: skip
    assert isinstance(payload, EditPayload)
    assert [(file.path, file.edits[0].new) for file in payload.files] == [
        ("/a.py", "2"), ("/b.py", "4")
    ]  # fmt: skip


def test_facts_of_a_session_and_its_folder(tmp_path: Path):
    agentview = CommandLine(tmp_path, tmp_path)
    folder = tmp_path / STORAGE
    folder.mkdir(parents=True)
    shutil.copy(SAMPLE, folder / "5c1b7c1e.json")
    # What else an editor keeps there is no session.
    (folder.parent / "state.json").write_text(SAMPLE.read_text())
    (folder.parent / "workspace.json").write_text('{"folder": "file:///home/dev/my%20shop"}')
    (listed,) = json.loads(agentview("ls", "--json").stdout)
    assert (listed["provider"], listed["title"]) == ("vscode_copilot", document()["customTitle"])
    info = PROVIDER.info(PROVIDER.discovery.ref(folder / "5c1b7c1e.json"))
    assert (info.project, info.model) == ("/home/dev/my shop", "mock/mock-model")
    assert info.state is SessionState.INTERRUPTED


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"isCanceled": False}, SessionState.YOUR_TURN),
        ({"isCanceled": False, "result": None}, SessionState.WORKING),
        ({"isCanceled": False, "result": {"errorDetails": {"message": "x"}}}, SessionState.FAILED),
    ],
)
def test_states(tmp_path: Path, change: dict[str, object], state: SessionState):
    last = {**document()["requests"][1], **change}
    path = written(tmp_path, [last])
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).state is state


_WAITS = {"value": 4}


def _running(part: Mapping[str, object], state: Mapping[str, object]) -> dict[str, object]:
    return {
        "requestId": "r", "message": {"text": "Clean up"}, "timestamp": 1795220000000,
        "response": [{"value": "I clean up."}, part], "modelState": state,
    }  # fmt: skip


def test_a_call_that_waits_for_leave(tmp_path: Path):
    invoked = {
        "kind": "toolInvocationSerialized", "toolCallId": "c1", "toolId": "run_in_terminal",
        "invocationMessage": {"value": "Run `rm -r build`?"}, "isComplete": False,
    }  # fmt: skip
    path = written(tmp_path, [_running(invoked, _WAITS)])
    status = PROVIDER.info(PROVIDER.discovery.ref(path)).status
    assert (status.state, status.about) == (SessionState.NEEDS_APPROVAL, "Run `rm -r build`?")
    (call,) = calls(joined(PROVIDER, path)).values()
    (asked,) = call.requests
    assert isinstance(asked.payload, ApprovalPayload)
    # It runs, or it was refused: nothing waits any more.
    for more in ({"isConfirmed": {"type": 4}}, {"isConfirmed": {"type": 0}, "isComplete": True}):
        path = written(tmp_path, [_running({**invoked, **more}, {"value": 0})])
        assert PROVIDER.info(PROVIDER.discovery.ref(path)).state is not SessionState.NEEDS_APPROVAL
        (call,) = calls(joined(PROVIDER, path)).values()
        assert not call.requests
    assert call.denial == Denial(DeniedBy.PERSON)


def test_questions_to_the_person_and_their_answers(tmp_path: Path):
    options = [{"id": "a", "label": "Red"}, {"id": "b", "label": "Blue"}]
    asked = {"kind": "questionCarousel", "questions": [{"title": "Which?", "options": options}]}
    path = written(tmp_path, [_running(asked, _WAITS)])
    assert PROVIDER.info(PROVIDER.discovery.ref(path)).state is SessionState.NEEDS_ANSWER
    (call,) = calls(joined(PROVIDER, path)).values()
    assert isinstance(call.payload, AskPayload)
    assert [option.label for option in call.payload.questions[0].options] == ["Red", "Blue"]
    told = {"kind": "elicitationSerialized", "title": "Log in", "message": {"value": "to db"}}
    for part, said, by in (
        ({**asked, "isUsed": True, "data": {"q": "a"}}, '{"q":"a"}', None),
        ({**told, "state": "accepted"}, "accepted", None),
        ({**told, "state": "rejected"}, "rejected", DeniedBy.PERSON),
    ):
        path = written(tmp_path, [_running(part, {"value": 0})])
        (call,) = calls(joined(PROVIDER, path)).values()
        assert call.output == (TextBlock(said),)
        assert (call.denial and call.denial.by) == by
        assert not [each for each in bodies(path) if isinstance(each, Unparsed)]


def test_a_call_without_rounds_is_shown_as_the_editor_shows_it():
    call = calls(joined(PROVIDER, SAMPLE))["v-9"]
    assert (call.kind, call.title) == (ToolKind.READ, "Read app.py")


def test_images_texts_and_unknown_parts(tmp_path: Path):
    first = document()["requests"][0]
    metadata = first["result"]["metadata"]
    own = metadata["toolCallRounds"][0]["toolCalls"][0]["id"]
    image = {"mimeType": "image/png", "data": "aGk="}
    metadata["toolCallResults"][own]["content"] = [{"value": "text"}, image]
    made = calls(joined(PROVIDER, written(tmp_path, [first])))[own]
    assert made.output == (TextBlock("text"), ImageBlock("image/png", "aGk="))
    second = {**document()["requests"][1], "response": [{"kind": "hologram", "value": 1}]}
    unread = [each for each in bodies(written(tmp_path, [second])) if isinstance(each, Unparsed)]
    assert [each.record_type for each in unread] == ["response/hologram"]


def test_tools_of_servers():
    spec = find_tool("mcp_docs_look_up", {})
    assert spec is not None
    assert spec.kind is ToolKind.MCP
    assert spec.payload({}) == McpPayload("docs", "look_up")
    assert find_tool("mcp_", {}) is None


def test_a_deep_tree_ends(tmp_path: Path):
    first = document()["requests"][0]
    node: dict[str, object] = {"type": 2, "text": "deep"}
    for _ in range(200):
        node = {"type": 1, "children": [node]}
    results = first["result"]["metadata"]["toolCallResults"]
    own = next(iter(results))
    results[own]["content"] = [{"value": {"node": node}}]
    path = written(tmp_path, [first])
    assert own in calls(joined(PROVIDER, path))


@pytest.mark.slow
def test_changed_bytes_and_types_never_raise():
    chance = random.Random(7)  # noqa: S311
    data = SAMPLE.read_bytes()
    ref = PROVIDER.discovery.ref(SAMPLE)
    pieces = [data[start:end] for start, end in DISCOVERY.split(data)]
    strange = (b"null", b"7", b'"x"', b"[]", b"{}", b"true", b"[[1]]", b'{"a":{"b":[]}}')
    for _ in range(2000):
        piece = bytearray(chance.choice(pieces))
        colons = [at for at, byte in enumerate(piece) if byte == ord(":")]
        at = chance.choice(colons) + 1
        piece[at : at + chance.randrange(1, 6)] = chance.choice(strange)
        events = PROVIDER.decode(bytes(piece), SourceRef(ref.path, 0, len(piece)), ref)
        assert events
    for request in document()["requests"]:
        for key in request:
            for value in strange:
                raw = json.dumps({**request, key: json.loads(value)}).encode()
                events = PROVIDER.decode(raw, SourceRef(ref.path, 0, len(raw)), ref)
                assert events
                assert all(not isinstance(e.body, ToolCall) or e.body.call_id for e in events)


def invoked(own: str, **fields: object) -> dict[str, object]:
    part = {"kind": "toolInvocationSerialized", "toolCallId": own, "toolId": "mcp_s_a"}
    return {**part, "isComplete": True, "isConfirmed": {"type": 4}, **fields}


@pytest.mark.parametrize("in_rounds", [True, False])
def test_the_part_that_the_editor_shows_has_the_outcome(tmp_path: Path, in_rounds: bool):
    output = [{"type": "embed", "isText": True, "value": "said"}]
    details = {"input": '{"n": 1}', "output": output}
    shown_parts = [
        invoked("fine", resultDetails={**details, "isError": False}),
        invoked("failed", resultDetails={**details, "isError": True}),
        invoked("refused", isConfirmed={"type": 0}),
        invoked("exit", toolSpecificData={"terminalCommandState": {"exitCode": 2}}),
        invoked("unknown"),
    ]
    request: dict[str, Any] = {"requestId": "r1", "message": "go", "response": shown_parts}
    if in_rounds:
        own = [f"{each['toolCallId']}__vscode-1" for each in shown_parts]
        made = [{"id": each, "name": "mcp_s_a", "arguments": "{}"} for each in own]
        results = {each: {"content": [{"value": "said"}]} for each in own}
        metadata = {"toolCallRounds": [{"toolCalls": made}], "toolCallResults": results}
        request["result"] = {"metadata": metadata}
    found = calls(joined(PROVIDER, written(tmp_path, [request])))
    states = {own.partition("__")[0]: call for own, call in found.items()}
    assert {own: call.ok for own, call in states.items()} == {
        "fine": True,
        "failed": False,
        "refused": False,
        "exit": False,
        "unknown": None,
    }
    assert states["refused"].denial == Denial(DeniedBy.PERSON)
    assert states["failed"].error == "said"
    assert states["fine"].output == (TextBlock("said"),)
    assert states["fine"].args == ({} if in_rounds else {"n": 1})
