"""Sessions of iFlow, against what a plain reading of their lines counts."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import Message, Notification, Reasoning, Topic, Unparsed, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ChangeResult, ReadResult, ShellResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.providers.gemini.iflow import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.gemini.iflow.call_count import calls as counted
from tests.providers.joined_log import calls, joined, shown

SAMPLES = sample_sessions_dir() / "iflow"
DEMO = SAMPLES / "demo.jsonl"


def bodies(path: Path) -> list[object]:
    return [each.body for each in shown(joined(PROVIDER, path))]


def test_it_is_told_from_the_client_whose_envelope_it_has():
    head = DEMO.read_bytes()[:HEAD_BYTES]
    assert recognise(head, Path("x.jsonl")) is load_provider(PROVIDER.name)
    assert load_provider("claude_code").discovery.probe(head, DEMO) == 0
    other = head.replace(b"session-6a1c2e30", b"6a1c2e30")
    assert PROVIDER.discovery.probe(other, DEMO) == 0


@pytest.mark.parametrize("backward", [False, True])
def test_a_call_on_two_records_is_shown_once(backward: bool):
    made = calls(joined(PROVIDER, DEMO, backward=backward))
    assert sorted(made) == sorted(counted(DEMO))
    assert {own: call.kind for own, call in made.items()} == {
        "call_01": ToolKind.READ,
        "call_02": ToolKind.GREP,
        "call_03": ToolKind.EDIT,
        "call_04": ToolKind.SHELL,
        "call_05": ToolKind.TODOS,
        "call_06": ToolKind.WRITE,
        "call_07": ToolKind.WEB_SEARCH,
        "call_08": ToolKind.LS,
        "call_09": ToolKind.READ,
    }


def test_results_failures_and_a_refusal():
    made = calls(joined(PROVIDER, DEMO))
    read, edit, shell = made["call_01"], made["call_03"], made["call_04"]
    assert isinstance(read.result, ReadResult)
    assert (read.result.content or "").startswith("berth 1: taken")
    assert isinstance(edit.result, ChangeResult)
    assert (edit.result.files[0].after or "").endswith("berth 3: taken\n")
    assert isinstance(shell.result, ShellResult)
    assert (shell.ok, shell.result.exit_code) == (False, 2)
    refused, missing = made["call_06"], made["call_09"]
    assert refused.state is ToolState.OUTPUT_DENIED
    assert refused.denial is not None
    assert refused.denial.by is DeniedBy.PERSON
    assert missing.ok is False
    assert (missing.error or "").startswith("File not found")


def test_prompts_thoughts_and_answers():
    found = bodies(DEMO)
    assert [each.text for each in found if isinstance(each, User)] == [
        "Which berths are free? Mark berth 3 as taken.",
        "Leave berth 4. Is it high tide now?",
    ]
    assert [each.text for each in found if isinstance(each, Reasoning)] == [
        "Only one line changes."
    ]
    assert [each.topic for each in found if isinstance(each, Notification)] == [Topic.INTERRUPT]
    last = found[-1]
    assert isinstance(last, Message)
    assert last.text.startswith("Berth 2 is free")


def test_facts_and_tokens():
    info = PROVIDER.info(PROVIDER.discovery.ref(DEMO))
    assert (info.project, info.branch, info.model) == (
        "/home/dev/harbour",
        "spring",
        "harbour-model",
    )
    assert info.state is SessionState.YOUR_TURN
    assert PROVIDER.resume_command(info.ref) == ("iflow", "--resume", info.ref.session_id)
    # Responses that count 0 tokens are not counted.
    assert joined(PROVIDER, DEMO).summary.usage == Usage(5120, output=64)


def test_a_command_that_runs():
    store = joined(PROVIDER, SAMPLES / "running.jsonl")
    (call,) = calls(store).values()
    assert call.state is ToolState.INPUT_AVAILABLE
    assert PROVIDER.info(store.session).state is SessionState.WORKING


def test_images_and_plain_results(tmp_path: Path):
    first = json.loads(DEMO.read_bytes().splitlines()[0])
    image = {"type": "image", "source": {"media_type": "image/png", "data": "aGk="}}
    contents: list[tuple[str, list[dict[str, Any]]]] = [
        ("user", [{"type": "text", "text": "What is this?"}, image]),
        ("assistant", [{"type": "tool_use", "id": "call_x", "name": "x", "input": {}}]),
        ("user", [{"type": "tool_result", "tool_use_id": "call_x", "content": "A pier."}]),
    ]
    records = [
        {**first, "uuid": str(at), "type": kind, "message": {"content": content}}
        for at, (kind, content) in enumerate(contents)
    ]
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    prompt, call = bodies(path)
    assert prompt == User("What is this?", (ImageBlock("image/png", "aGk="),))
    assert isinstance(call, ToolCall)
    assert (call.ok, call.output) == (True, (TextBlock("A pier."),))


def test_a_record_of_an_unknown_type_is_kept():
    raw = b'{"uuid":"1","type":"hologram","sessionId":"session-1"}'
    ref = PROVIDER.discovery.ref(DEMO)
    (event,) = PROVIDER.decode(raw, SourceRef(ref.path, 0, len(raw)), ref)
    assert isinstance(event.body, Unparsed)
    assert event.body.record_type == "hologram"


def test_changed_bytes_and_types_never_raise():
    chance = random.Random(11)  # noqa: S311
    ref = PROVIDER.discovery.ref(DEMO)
    lines = DEMO.read_bytes().splitlines()
    strange = (b"null", b"7", b'"x"', b"[]", b"{}", b"true", b"[[1]]", b'{"a":{"b":[]}}')
    for _ in range(2000):
        piece = bytearray(chance.choice(lines))
        colons = [at for at, byte in enumerate(piece) if byte == ord(":")]
        at = chance.choice(colons) + 1
        piece[at : at + chance.randrange(1, 6)] = chance.choice(strange)
        events = PROVIDER.decode(bytes(piece), SourceRef(ref.path, 0, len(piece)), ref)
        assert events
        assert all(not isinstance(each.body, ToolCall) or each.body.call_id for each in events)
