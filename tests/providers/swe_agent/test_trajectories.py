"""Trajectories, joined as they are shown, against what a plain reading of the files counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Attachment, Notification, ToolResult, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import EditPayload, ShellPayload
from agentview.domain.tools import ToolKind, ToolState
from agentview.providers.swe_agent import PROVIDER
from agentview.sources.document import DocumentLines
from agentview.sources.line_splitter import Line
from agentview.sources.lines import Reset
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "swe_agent"
SAMPLES = sorted(FOLDER.iterdir())


def counted(document: Any) -> int:
    """Calls of a trajectory, by a reading of its own."""
    messages: Any = document.get("history", document.get("messages"))
    if not messages:
        return sum(bool(step["action"]) for step in document["trajectory"])
    return sum(map(calls_of, messages))


def calls_of(message: Any) -> int:
    extra: Any = message.get("extra", {})
    if "interrupt_type" in extra:
        choices: Any = extra["response"]["choices"] if "response" in extra else ()
        return sum(len(choice["message"]["tool_calls"] or ()) for choice in choices)
    if message["role"] != "assistant":
        return 0
    if message.get("tool_calls"):
        return len(message["tool_calls"])
    if "action" in message:
        return bool(message["action"].strip())
    return (message["content"] or "").count("```bash")


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_all_calls_are_shown_and_answered(path: Path):
    found = calls(joined(PROVIDER, path))
    assert len(found) == counted(json.loads(path.read_bytes())) > 0
    assert {call.state for call in found.values()} <= {
        ToolState.OUTPUT_AVAILABLE,
        ToolState.OUTPUT_ERROR,
    }
    assert ToolKind.UNKNOWN not in {call.kind for call in found.values()}


def test_a_command_has_its_output_and_exit_code():
    found = list(calls(joined(PROVIDER, FOLDER / "demo.traj.json")).values())
    codes = [getattr(call.result, "exit_code", None) for call in found]
    assert {1, 2, 3, 7} < set(codes)
    assert all(
        (call.state is ToolState.OUTPUT_ERROR)
        for call, code in zip(found, codes, strict=True)
        if code
    )


def test_a_call_that_the_client_refused_has_its_words():
    found = calls(joined(PROVIDER, FOLDER / "demo.traj.json")).values()
    refused = [call for call in found if (call.error or "").startswith("Tool call error")]
    assert len(refused) == 1
    assert refused[0].ok is False


def test_tokens_of_each_response_count_once():
    store = joined(PROVIDER, FOLDER / "demo.traj.json")
    document = json.loads((FOLDER / "demo.traj.json").read_bytes())
    used = [
        message["extra"]["response"]["usage"]
        for message in document["messages"]
        if "response" in message.get("extra", {})
    ]
    tokens = store.summary.tokens
    assert tokens["output"] == sum(each["completion_tokens"] for each in used)
    given = tokens["input_uncached"] + tokens["input_cached"]
    assert given == sum(each["prompt_tokens"] for each in used)


def test_a_cost_of_nothing_is_unknown():
    assert joined(PROVIDER, FOLDER / "demo.traj.json").summary.cost is None
    assert joined(PROVIDER, FOLDER / "text_actions.traj").summary.cost == 0.25


def test_text_actions_are_shell_commands_and_the_last_one_has_what_was_submitted():
    store = joined(PROVIDER, FOLDER / "text_actions.traj")
    found = list(calls(store).values())
    assert [call.payload for call in found] == [
        ShellPayload("open quay.py"),
        ShellPayload("edit 2:2\n    return n\nend_of_edit"),
        ShellPayload("submit"),
    ]
    assert "diff --git" in str(found[-1].output)
    bodies = [activity.body for activity in shown(store)]
    assert [body.name for body in bodies if isinstance(body, Attachment)] == [
        "system prompt",
        "demonstration",
        "what was wrong with a message that has no action",
    ]
    (prompt,) = [body.text for body in bodies if isinstance(body, User)]
    assert prompt.startswith("We're solving this issue")


def test_functions_are_the_commands_that_they_are_and_an_editor_edits():
    found = list(calls(joined(PROVIDER, FOLDER / "functions.traj")).values())
    assert found[1].payload == ShellPayload("open quay.py")
    assert isinstance(found[2].payload, EditPayload)


def test_ids_that_come_again_join_nothing():
    found = list(calls(joined(PROVIDER, FOLDER / "replayed.traj")).values())
    outputs = [str(call.output) for call in found]
    assert ["ls" in outputs[0], "quay.py (2 lines" in outputs[1]] == [False, True]


def test_the_first_version_of_mini_swe_agent_has_commands_in_its_text():
    store = joined(PROVIDER, FOLDER / "first_version.traj.json")
    found = list(calls(store).values())
    assert [call.payload for call in found] == [ShellPayload("ls -F"), ShellPayload("cat nowhere")]
    assert [call.ok for call in found] == [True, False]
    assert "THOUGHT: Look around." in texts(store)
    notes = [a.body for a in shown(store) if isinstance(a.body, Notification)]
    assert notes[-1].text == "Run ended: LimitsExceeded"


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_a_run_that_ended_says_so(path: Path):
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    ended = "info" in json.loads(path.read_bytes())
    assert (info.state is SessionState.ENDED) == ended
    assert info.title


def test_a_document_that_grows_is_followed(tmp_path: Path):
    document = json.loads((FOLDER / "demo.traj.json").read_bytes())
    path = tmp_path / "run.traj.json"
    assert PROVIDER.documents is not None
    reader = DocumentLines(path, PROVIDER.documents.split)
    whole = document["messages"]
    seen: set[str] = set()
    for count in (3, 6, len(whole)):
        document["info"]["model_stats"]["api_calls"] = count
        path.write_text(json.dumps({**document, "messages": whole[:count]}))
        items = reader.poll().items
        if count > 3:
            assert isinstance(items[0], Reset)
        for line in (item for item in items if isinstance(item, Line)):
            assert line.data is not None
            place = SourceRef(str(path), line.offset, line.length)
            for event in PROVIDER.decode(line.data, place, PROVIDER.discovery.ref(path)):
                if isinstance(event.body, ToolResult):
                    seen.add(event.body.call_id)
    assert len(seen) == counted(document)


def test_where_trajectories_lie():
    roots = PROVIDER.discovery.roots({"HOME": "/home/dev"})
    assert Path("/home/dev/.config/mini-swe-agent") in roots
    assert Path("/home/dev/Library/Application Support/mini-swe-agent") in roots
    told = {"HOME": "/h", "MSWEA_GLOBAL_CONFIG_DIR": "/m", "SWE_AGENT_TRAJECTORY_DIR": "/s"}
    assert PROVIDER.discovery.roots(told) == [Path("/m"), Path("/s")]


def test_totals_without_responses_are_of_the_session():
    told = joined(PROVIDER, FOLDER / "text_actions.traj").summary.total
    assert told is not None
    assert (told[1].input_uncached, told[1].output) == (5200, 130)


def test_a_list_that_begins_with_no_object_gives_records():
    text = '{"info": {"model_stats": {"instance_cost": 0, "api_calls": 1}}, '
    text += '"history": [1, {"role": "user", "content": "x"}]}'
    assert PROVIDER.documents is not None
    assert len(PROVIDER.documents.split(text.encode())) > 2
