"""What single records say, and what the tree of them comes to."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Compaction,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Reset,
    SlashCommand,
    Title,
    TitleSource,
    TokenUsage,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from tests.providers.gemini.qwen_code.log import (
    AT,
    REF,
    SAMPLES,
    Record,
    answered,
    asked,
    bodies,
    events,
    joined,
    noted,
    record,
    said,
)
from tests.providers.joined_log import calls, shown, texts, write

COMPRESSED = {
    "type": "compression",
    "compression": {"originalTokenCount": 90, "newTokenCount": 30, "compressionStatus": 1},
}
BOTH_WAYS = pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])


def test_a_prompt_is_what_the_person_typed():
    assert bodies(said("user", "Sort it")) == [User("Sort it")]
    hook = "<qwen:user-prompt-submit-context>\nBe brief.\n</qwen:user-prompt-submit-context>"
    assert bodies(said("user", "Sort it", hook)) == [User("Sort it")]
    payload = {"displayText": "Sort it", "hookContext": "Be brief."}
    assert bodies(said("user", "Sort it, expanded", hook, systemPayload=payload)) == [
        User("Sort it"),
        Attachment("hook", "note", "Be brief."),
    ]
    between = said("user", "Wait", subtype="mid_turn_user_message")
    assert bodies(between) == [User("Wait", via="mid-turn")]


def test_a_shell_command_that_a_person_ran_is_one():
    told = (
        "I ran the following shell command:\n```sh\nls\n```\n\n"
        "This produced the following result:\n```\na.py\n```"
    )
    ran = True
    assert bodies(said("user", told))[0] == SlashCommand("ls", output="a.py", shell=ran)


def test_what_the_client_puts_in_is_no_prompt():
    assert isinstance(bodies(said("user", "<state_snapshot>x</state_snapshot>"))[0], Hidden)
    control = said("user", "Go on", provenance="goal_runtime")
    assert bodies(control) == [Attachment("goal_runtime", "note", "Go on")]


def test_files_named_in_a_prompt_stand_behind_it():
    parts = ("Why @a ?", "\n--- Content from referenced files ---", "\nContent from a:\n", "x")
    assert bodies(said("user", *parts)) == [
        User("Why @a ?"),
        Attachment("a", "file", "x", path="a"),
    ]


def test_a_response_keeps_the_order_of_its_parts():
    parts = ({"text": "Hm", "thought": True}, "So", " it is.", asked("glob", {"pattern": "*"}))
    usage = {
        "promptTokenCount": 100,
        "candidatesTokenCount": 20,
        "cachedContentTokenCount": 60,
        "thoughtsTokenCount": 5,
        "totalTokenCount": 120,
    }
    made = said("assistant", *parts, "Done", usageMetadata=usage, model="m")
    found = bodies(made)
    assert [type(body) for body in found] == [Reasoning, Message, ToolCall, Message, TokenUsage]
    assert found[1] == Message("So it is.", ends_turn=False)
    assert found[4] == TokenUsage("r-1", Usage(40, 60, None, 20, 5), "m")
    facts = events(made)[0].facts
    assert facts is not None
    assert (facts.cwd, facts.model, facts.client_version) == ("/home/dev/shop", "m", "0.24.4")


def test_a_response_whose_parts_are_elsewhere_is_not_empty():
    empty = bodies(said("assistant"))
    assert empty == [Hidden("a response without text", "assistant")]
    moved = record("assistant", content=[{"text": "Done."}])
    found = bodies(moved)[0]
    assert isinstance(found, Unparsed)
    assert found.reason == "a response without parts"


def test_arguments_are_as_recorded():
    raw = '{"pattern":  "*", "n": 1e2}'
    text = json.dumps(said("assistant", asked("glob", "@"))).replace('"@"', raw)
    call = bodies(text.encode())[0]
    assert isinstance(call, ToolCall)
    assert call.args_json == raw


def test_calls_that_name_no_response_are_not_told_apart_by_it():
    call = said("assistant", asked("glob", {}))
    assert events(call)[0].response_id is None
    assert events({**call, "usageMetadata": {"promptTokenCount": 1}})[0].response_id == "r-1"


def test_answers_have_their_status_and_media():
    assert bodies(answered("glob", output="x")) == [ToolResult("c-1", True, (TextBlock("x"),))]
    failed = bodies(answered("glob", "No", error="No"))[0]
    assert isinstance(failed, ToolResult)
    assert (failed.ok, failed.error) == (False, "No")
    response = {"functionResponse": {"id": "c-1", "name": "read_file", "response": {"output": "x"}}}
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    found = bodies(said("tool_result", response, image, toolCallResult={"callId": "c-1"}))[0]
    assert isinstance(found, ToolResult)
    assert found.output == (TextBlock("x"), ImageBlock("image/png", "AAAA", byte_size=3))
    alone = bodies(said("tool_result", "Done.", toolCallResult={"callId": "c-1"}))[0]
    assert isinstance(alone, ToolResult)
    assert alone.output == (TextBlock("Done."),)


def test_who_refused_a_call_is_told():
    refused = answered("edit", error="[Operation Cancelled] Reason: User did not allow tool call")
    found = bodies(refused)[0]
    assert isinstance(found, ToolResult)
    assert found.denial == Denial(DeniedBy.PERSON)


def test_an_agent_in_the_background_is_named_by_the_answer_that_starts_it():
    shown_as = {"type": "task_execution", "subagentName": "x", "status": "background"}
    told = "Background agent launched successfully.\ntask_id: x-c-1 (internal)"
    event = events(answered("agent", shown_as, output=told))[0]
    assert event.child == Stream(StreamKind.SUBAGENT, "x-c-1")
    assert events(answered("glob", output=told))[0].child is None


def test_reports_belong_to_the_calls_they_are_about():
    def report(call_id: str, words: str) -> str:
        return (
            f"<task-notification>\n<tool-use-id>{call_id}</tool-use-id>\n<summary>{words}</summary>"
            f"\n<result>all</result>\n</task-notification>"
        )

    text = report("c-1", "One ended.") + "\n\n" + report("c-2", "Two ended.")
    assert bodies(said("user", text, subtype="notification")) == [
        Notification(Topic.BACKGROUND, "One ended.", detail="all", call_id="c-1"),
        Notification(Topic.BACKGROUND, "Two ended.", detail="all", call_id="c-2"),
    ]
    plain = said("user", "x", subtype="cron", systemPayload={"displayText": "Woken"})
    assert bodies(plain) == [Notification(Topic.BACKGROUND, "Woken", detail="x")]


NOTED: tuple[tuple[Record, object], ...] = (
    (noted("ui_telemetry", uiEvent={"event.name": "qwen-code.api_response"}), Hidden),
    (
        noted("ui_telemetry", uiEvent={"event.name": "x.api_error", "error_message": "400 no"}),
        Notification(Topic.API_ERROR, "400 no", Level.ERROR),
    ),
    (noted("attribution_snapshot"), Hidden),
    (noted("file_history_snapshot"), Hidden),
    (noted("managed_session_event_v1"), Hidden),
    (noted("at_command", filesRead=["a"], status="success"), Hidden),
    (
        noted("at_command", status="error", message="No a"),
        Notification(Topic.SYSTEM, "No a", Level.WARNING),
    ),
    (noted("slash_command", phase="invocation", rawCommand="/m x y"), SlashCommand("/m", "x y")),
    (
        noted("slash_command", phase="result", outputHistoryItems=[{"type": "info", "text": "x"}]),
        SlashCommand("", output="x"),
    ),
    (
        noted("slash_command", phase="result", outputHistoryItems=[COMPRESSED]),
        SlashCommand("", output="Compressed: 90 tokens before, 30 after"),
    ),
    (noted("custom_title", customTitle="x"), Title("x", TitleSource.CUSTOM)),
    (noted("custom_title", customTitle="x", titleSource="auto"), Title("x", TitleSource.AI)),
    (
        noted("parent_session", parentSessionId="p"),
        Notification(Topic.LINK, "Started by session p"),
    ),
    (noted("turn_result", status="ok"), Notification(Topic.TURN_END, "Turn complete")),
)


@pytest.mark.parametrize(("given", "expected"), NOTED, ids=str)
def test_records_of_the_client_about_itself(given: Record, expected: object):
    found = bodies(given)[0]
    assert found == expected or type(found) is expected


def test_a_compaction_has_its_summary_and_sizes():
    history = [{"role": "user", "parts": [{"text": "So far."}]}]
    info = {"originalTokenCount": 90, "newTokenCount": 10}
    event = events(noted("chat_compression", info=info, compressedHistory=history))[0]
    assert event.body == Compaction(None, 90, 10, "So far.")
    assert event.resets is Reset.COMPACTED
    history[0]["parts"] = [{"text": "<state_snapshot>\nSo far.\n</state_snapshot>"}]
    event = events(noted("chat_compression", info=info, compressedHistory=history))[0]
    assert event.body == Compaction(None, 90, 10, "So far.")


def test_model_and_mode_are_facts():
    assert getattr(events(noted("session_model", modelId="m"))[0].facts, "model", None) == "m"
    facts = events(noted("session_approval_mode", mode="yolo"))[0].facts
    assert getattr(facts, "mode", None) == "yolo"


def test_records_of_an_agent_are_of_its_stream():
    own = said("assistant", "x", isSidechain=True, agentId="a-1")
    assert events(own)[0].stream == Stream(StreamKind.SUBAGENT, "a-1")
    log = SessionRef("qwen_code", "s-1", "x", Stream(StreamKind.SUBAGENT, "a-1"), parent_id="s-1")
    assert events(own, log)[0].stream == log.stream
    assert events(said("assistant", "x"), REF)[0].stream.kind is StreamKind.MAIN


@BOTH_WAYS
def test_a_rewind_goes_back_to_its_parent(tmp_path: Path, backward: bool):
    records = [
        said("user", "One", own="1"),
        said("assistant", "Two", own="2", parent="1"),
        said("user", "Three", own="3", parent="2"),
        said("assistant", "Four", own="4", parent="3"),
        noted("rewind", "5", "2", truncatedCount=2),
        said("user", "Five", own="6", parent="5"),
    ]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    assert texts(store) == ["One", "Two", "Went back to an earlier point", "Five"]
    records[4] = noted("rewind", "5", None, truncatedCount=4)
    store = joined(write(tmp_path / "t.jsonl", records), backward=backward)
    assert texts(store) == ["Went back to an earlier point", "Five"]
    del records[4]["parentUuid"]
    store = joined(write(tmp_path / "u.jsonl", records), backward=backward)
    said_all = ["One", "Two", "Three", "Four", "Went back to an earlier point", "Five"]
    assert texts(store) == said_all


@BOTH_WAYS
def test_parts_of_one_response_have_one_id_and_are_all_shown(tmp_path: Path, backward: bool):
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 2}
    records = [
        said("assistant", {"text": "Hm", "thought": True}, own="1", usageMetadata=usage),
        said("assistant", "So", own="1", usageMetadata={**usage, "candidatesTokenCount": 5}),
    ]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    assert texts(store) == ["Hm", "So"]
    assert store.summary.usage.output == 5
    assert len({event.id for each in records for event in events(each)}) > 3


@BOTH_WAYS
def test_a_whole_session(backward: bool):
    store = joined(SAMPLES / "tree.jsonl", backward=backward)
    assert "By price, then?" not in texts(store)
    assert store.summary.title == "Cart order"
    assert store.summary.text("mode") == "auto-edit"
    states = [a.body.state for a in shown(store) if isinstance(a.body, ToolCall)]
    assert states.count(ToolState.OUTPUT_DENIED) == 1
    assert states.count(ToolState.OUTPUT_AVAILABLE) == 5


def test_agents_are_linked_with_their_calls():
    name = "f52ac2be-1e94-454b-a2fa-e7cde2180ca9.jsonl"
    store = joined(SAMPLES / "agents" / "chats" / name)
    started = [a for a in shown(store) if isinstance(a.body, ToolCall) and a.child is not None]
    assert {a.child.id for a in started if a.child is not None} == {
        "general-purpose-call_ef38a4d0fb94a3af691b5499",
        "Explore-call_546df0512a4de5ed813a2d8e",
    }
    assert all(a.outcome is not None for a in started)


UNKNOWN = (record("brand_new"), noted("brand_new"), {"type": "user2", "timestamp": AT})


@pytest.mark.parametrize("given", UNKNOWN, ids=str)
def test_an_unknown_form_is_shown(given: Record):
    found = bodies(given)[0]
    assert isinstance(found, Unparsed)
    assert not found.malformed


def test_glued_and_damaged_lines_are_read_as_far_as_they_can_be():
    one, two = (json.dumps(said("user", text)).encode() for text in ('{"a": 1}', "Two"))
    found = events(one + two + b'{"uuid": "3", "par')
    assert [type(e.body) for e in found if not e.suffix.startswith("end")] == [
        User,
        User,
        Unparsed,
    ]
    assert len({event.id for event in found}) == 5
    assert isinstance(bodies(b"[1]")[0], Unparsed)


def test_an_exported_session_has_its_calls_with_their_outcomes(tmp_path: Path):
    def call(own: str, kind: str, title: str, status: str, said: str, **args: Any) -> Record:
        content = [{"type": "content", "content": {"type": "text", "text": said}}]
        told = {"toolCallId": own, "kind": kind, "title": title, "status": status}
        return record("tool_call", own, toolCall={**told, "rawInput": args, "content": content})

    head = {"type": "session_metadata", "sessionId": "s-1", "startTime": AT}
    log = [
        head,
        said("user", "Count the pears"),
        call("c-1", "execute", "Shell: count pears", "completed", "three", command="count pears"),
        call("c-2", "read", "ReadFile: pears.txt", "failed", "no such file", path="pears.txt"),
    ]
    store = joined(write(tmp_path / "export.jsonl", log))
    assert texts(store) == ["Count the pears"]
    first, second = calls(store).values()
    assert (first.kind, first.ok, first.args) == (ToolKind.SHELL, True, {"command": "count pears"})
    assert (second.kind, second.ok, second.error) == (ToolKind.READ, False, "no such file")
