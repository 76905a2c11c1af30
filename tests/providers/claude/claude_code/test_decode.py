"""Records of all versions become the events that they stand for."""

import json
from typing import Any

import pytest

from agentview.domain.content import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import (
    Attachment,
    Body,
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
    ToolProgress,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import MAIN_STREAM, SessionRef, Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.domain.usage import Usage
from agentview.providers.claude.claude_code.decode import decode
from tests.providers.claude.claude_code.lines import (
    ENVELOPE,
    REF,
    assistant,
    bodies,
    events,
    result,
    sample_records,
    user,
)


def only(found: list[Body], kind: type) -> list[Body]:
    return [body for body in found if isinstance(body, kind)]


def test_the_envelope_is_carried_by_every_event():
    event = events(user("hello", permissionMode="plan"))[0]
    assert (event.session_id, event.record_id, event.parent_id) == ("s-1", "u-1", "p-1")
    assert event.time == 1795255200.5
    assert event.stream == MAIN_STREAM
    assert event.facts is not None
    assert (event.facts.cwd, event.facts.branch) == ("/home/dev/shop", "main")
    assert (event.facts.client_version, event.facts.mode) == ("2.1.329", "plan")


def test_a_record_without_ids_gets_them_from_its_place():
    first, second = events({"type": "mode", "mode": "x"}), events({"type": "mode", "mode": "x"})
    assert first[0].id == second[0].id
    assert first[0].session_id == "s-1"
    other = decode(b'{"type":"mode"}', SourceRef("log.jsonl", 200, 15), REF)
    assert other[0].id != first[0].id


def test_a_removed_id_does_not_make_twins():
    gone = user("one", uuid="[removed for this test]")
    found = events(gone)
    assert found[0].dedupe_key is None
    assert found[0].record_id is None


@pytest.mark.parametrize("moment", ["yesterday", None, True, [], 10**400, "2026-13-45", ""])
def test_a_time_that_is_none_is_unknown(moment: object):
    assert events(user("x", timestamp=moment))[0].time is None


def test_times_of_other_forms():
    assert events(user("x", timestamp=1795255200500))[0].time == 1795255200.5
    assert events(user("x", timestamp="2026-11-21T10:00:00"))[0].time == 1795255200.0


def test_parts_of_a_response_share_its_id():
    thought, text = (
        events(assistant({"type": "thinking", "thinking": "hm", "signature": "s"})),
        events(assistant({"type": "text", "text": "so"})),
    )
    assert thought[0].body == Reasoning("hm")
    assert text[0].body == Message("so")
    assert {event.response_id for event in (*thought, *text)} == {"msg_1"}
    assert thought[1].replaces == text[1].replaces == "usage:msg_1"
    counts = Usage(input_uncached=5, output=7, unfinished=1)
    assert text[1].body == TokenUsage("msg_1", counts, "claude-opus-5-5")


@pytest.mark.parametrize("usage", [None, [], "many", 7])
def test_a_part_without_usage_counts_no_tokens(usage: object):
    found = bodies(assistant({"type": "text", "text": "so"}, usage=usage))
    assert not only(found, TokenUsage)


def test_cache_writes_may_be_told_by_age_only():
    usage = {
        "output_tokens": 9,
        "output_tokens_details": {"thinking_tokens": 4},
        "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 12},
    }
    (found,) = counted(usage)
    assert found.usage == Usage(cache_write=42, output=9, reasoning=4, cache_write_1h=12)


def counted(usage: object, stop: str | None = "end_turn") -> list[TokenUsage]:
    """What a response with a usage object counts."""
    record = assistant({"type": "text", "text": "so"}, usage=usage, stop_reason=stop)
    return [body for body in bodies(record) if isinstance(body, TokenUsage)]


def test_a_count_is_final_once_the_reason_of_the_end_is_known():
    usage = {"input_tokens": 5, "output_tokens": 7}
    assert counted(usage)[0].usage == Usage(5, output=7)
    assert counted(usage, None)[0].usage == Usage(5, output=7, unfinished=1)
    assert counted({"input_tokens": 0, "output_tokens": 0}, None)[0].usage == Usage(0, output=0)


def test_a_speed_is_a_part_of_the_name_that_has_a_price():
    for speed, name in ((None, ""), ("standard", ""), ("fast", "[fast]"), (7, "")):
        (found,) = counted({"input_tokens": 5, "output_tokens": 7, "speed": speed})
        assert found.model == f"claude-opus-5-5{name}"


MAIN = [
    {"type": "message", "input_tokens": 1, "output_tokens": 45},
    {"type": "message", "input_tokens": 1, "output_tokens": 446},
]
ADVISOR = {
    "type": "advisor_message", "model": "claude-opus-4-7", "input_tokens": 100, "output_tokens": 80,
}  # fmt: skip


@pytest.mark.parametrize("included", [False, True])
def test_requests_beside_those_of_the_model_count_under_their_own(*, included: bool):
    usage = {"input_tokens": 2 + 100 * included, "output_tokens": 491 + 80 * included}
    requests = [MAIN[0], ADVISOR, None, MAIN[1], {"type": "compaction", "input_tokens": 0}]
    own, advisor, compaction = counted({**usage, "iterations": requests})
    assert (own.usage, own.model, own.aside) == (Usage(2, output=491), "claude-opus-5-5", False)
    assert advisor == TokenUsage("msg_1:1", Usage(100, output=80), "claude-opus-4-7", aside=True)
    assert (compaction.response_id, compaction.model) == ("msg_1:4", "claude-opus-5-5")
    assert len(counted({**usage, "iterations": MAIN})) == 1
    # Another model answered in the place of the one that was asked.
    asked = {**MAIN[0], "model": "claude-opus-4-7"}
    answered = {**usage, "type": "fallback_message", "model": "claude-opus-5-5"}
    own, asked_first = counted({**usage, "iterations": [asked, answered]})
    assert own.usage == Usage(usage["input_tokens"], output=usage["output_tokens"])
    assert asked_first == TokenUsage("msg_1:0", Usage(1, output=45), "claude-opus-4-7", aside=True)
    assert len(counted({**usage, "iterations": "many"})) == 1


@pytest.mark.parametrize(
    "block", [{"type": "thinking", "thinking": ""}, {"type": "redacted_thinking"}]
)
def test_a_thought_may_be_withheld(block: dict[str, object]):
    assert bodies(assistant(block))[0] == Reasoning("", withheld=True)


def test_a_stub_before_another_model_answers():
    found = bodies(assistant(usage=None))
    assert found == [Hidden("a part of a response without content", "assistant")]
    fallback = {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}}
    notice = bodies(assistant(fallback))[0]
    assert isinstance(notice, Notification)
    assert (notice.topic, notice.text) == (Topic.MODEL, "b answered in place of a")


def test_texts_of_the_client_in_the_model_s_place():
    failed = assistant({"type": "text", "text": "API Error: 500"}, model="<synthetic>")
    assert bodies(failed) == [Notification(Topic.API_ERROR, "API Error: 500", Level.ERROR)]
    idle = assistant({"type": "text", "text": "No response requested."}, model="<synthetic>")
    assert bodies(idle) == [Notification(Topic.TURN_END, "No response requested.")]
    limit = {
        **assistant({"type": "text", "text": "You've hit your limit"}, model="<synthetic>"),
        "isApiErrorMessage": True,
        "apiErrorStatus": 429,
        "error": "rate_limit",
    }
    notice = bodies(limit)[0]
    assert isinstance(notice, Notification)
    assert (notice.topic, notice.detail) == (Topic.LIMIT, "HTTP status 429, rate_limit")


@pytest.mark.parametrize("fields", [{"apiErrorStatus": 429}, {"error": "rate_limit"}])
def test_fields_of_the_record_tell_a_rate_limit(fields: dict[str, object]):
    said = {"type": "text", "text": "You've hit your session limit · resets 3:20pm"}
    record = {**assistant(said, model="<synthetic>"), "isApiErrorMessage": True, **fields}
    notice = bodies(record)[0]
    assert isinstance(notice, Notification)
    assert notice.topic is Topic.LIMIT


@pytest.mark.parametrize(
    "written",
    [
        b'{"command":"ls -la","timeout":1e3}',
        b'{ "command" : "ls" , "n": 1.50 }',
        b'{"command":"caf\\u00e9 \\/ \\ud83d"}',
        b'{"command":"ls","command":"pwd"}',
        b"{}",
    ],
)
def test_arguments_are_kept_to_the_letter(written: bytes):
    block = b'{"type":"tool_use","id":"toolu_1","name":"Bash","input":' + written + b"}"
    record = json.dumps({**ENVELOPE, "type": "assistant"}).encode()[:-1]
    record += b', "message": {"id":"m","content":[{"type":"text","text":"x"},' + block + b"]}}"
    call = bodies(record)[1]
    assert isinstance(call, ToolCall)
    assert call.args_json == written.decode()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"__unparsedToolInput": {"raw": '{"command": "echo', "len": 17}}, '{"command": "echo'),
        ({"__unparsedToolInput": '{"command"'}, '{"command"'),
        ('{"command": "echo', '{"command": "echo'),
        (["echo"], '["echo"]'),
        (7, "7"),
    ],
)
def test_arguments_that_are_no_object_are_kept(given: object, text: str):
    record = assistant({"type": "tool_use", "id": "t", "name": "Bash", "input": given})
    call = bodies(json.dumps(record, separators=(",", ":")).encode())[0]
    assert isinstance(call, ToolCall)
    assert (call.args, call.args_json) == (None, text)
    assert call.args_error is not None


@pytest.mark.parametrize("kind", [None, 7, [], {}])
def test_a_block_of_no_type_does_not_take_the_others_with_it(kind: object):
    found = bodies(assistant({"type": kind}, {"type": "text", "text": "still here"}))
    assert [type(body) for body in found] == [Unparsed, Message, TokenUsage]


def test_a_call_without_id_or_name_is_still_a_call():
    call = bodies(assistant({"type": "tool_use", "input": {"a": 1}}))[0]
    assert isinstance(call, ToolCall)
    assert (call.call_id, call.provider_name, call.args) == ("u-1:0", "", {"a": 1})


def test_a_call_to_a_server_of_the_vendor():
    call = bodies(
        assistant(
            {
                "type": "mcp_tool_use",
                "id": "t",
                "name": "stat",
                "server_name": "fs",
                "input": {"a": 1},
            }
        )
    )[0]
    assert isinstance(call, ToolCall)
    assert call.provider_name == "mcp__fs__stat"
    answer = {"type": "web_search_tool_result", "tool_use_id": "t", "content": [{"url": "u"}]}
    assert bodies(assistant(answer))[0] == ToolResult(
        "t", ok=True, output=(JsonBlock({"url": "u"}),)
    )


def test_a_result_without_a_flag_is_a_success():
    assert bodies(result("done", {"stdout": "done"})) == [
        ToolResult("toolu_1", ok=True, output=(TextBlock("done"),), structured={"stdout": "done"})
    ]


def test_blocks_of_a_result():
    content = [
        {"type": "text", "text": "a"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
        {"type": "tool_reference", "tool_name": "WebFetch"},
        {"type": "resource_link", "uri": "file:///b", "name": "b"},
        "bare",
        {"type": "audio"},
        None,
    ]
    body = bodies(result(content))[0]
    assert isinstance(body, ToolResult)
    assert body.output == (
        TextBlock("a"),
        ImageBlock("image/png", "QUJD", byte_size=3),
        TextBlock("WebFetch"),
        ResourceBlock(uri="file:///b", name="b"),
        TextBlock("bare"),
        JsonBlock({"type": "audio"}),
        JsonBlock(None),
    )


def test_an_error_loses_its_tags():
    text = "<tool_use_error>String to replace not found in file.</tool_use_error>"
    body = bodies(result(text, "Error: String…", is_error=True))[0]
    assert isinstance(body, ToolResult)
    assert (body.ok, body.error) == (False, "String to replace not found in file.")
    assert (body.denial, body.interrupted) == (None, False)


NO = "The user doesn't want to proceed with this tool use. The tool use was rejected. "
WHY = "The user provided the following reason for the rejection:  use pnpm"


@pytest.mark.parametrize(
    ("error", "fields", "denial"),
    [
        (NO + "STOP what you are doing", {}, Denial(DeniedBy.PERSON)),
        (NO + WHY, {}, Denial(DeniedBy.PERSON, "use pnpm")),
        (
            NO + "To tell you how to proceed, the user said:\nuse pnpm",
            {},
            Denial(DeniedBy.PERSON, "use pnpm"),
        ),
        ("The user doesn't want to take this action right now.", {}, Denial(DeniedBy.PERSON)),
        ("This command requires approval", {}, Denial(DeniedBy.APPROVAL)),
        (
            "Claude requested permissions to write to x, but you haven't granted it yet.",
            {
                "toolDenialKind": "user-rejected",
                "permissionDecision": {"decision": "reject", "source": "config"},
            },
            Denial(DeniedBy.APPROVAL),
        ),
        ("nope", {"toolDenialKind": "automode-unavailable"}, Denial(DeniedBy.CLASSIFIER)),
        ("nope", {"toolDenialKind": "something-new"}, Denial(DeniedBy.UNKNOWN)),
        ("nope", {"permissionDecision": {"decision": "reject"}}, Denial(DeniedBy.UNKNOWN)),
        ("nope", {"permissionDecision": {"decision": "accept"}}, None),
        ("Exit code 1\nPermission to use x was not the problem", {}, None),
    ],
)
def test_refusals(error: str, fields: dict[str, object], denial: Denial | None):
    body = bodies(result(error, f"Error: {error}", is_error=True, **fields))[0]
    assert isinstance(body, ToolResult)
    assert body.denial == denial


def test_words_of_a_refusal_in_a_success_are_only_words():
    body = bodies(result(f"1\t{NO}", {"type": "text"}))[0]
    assert isinstance(body, ToolResult)
    assert (body.ok, body.denial) == (True, None)


@pytest.mark.parametrize(
    ("error", "structured"),
    [
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "Sibling tool call errored"),
        ("[Request interrupted by user for tool use]", None),
        ("Cancelled: parallel tool call Bash(x) errored", None),
    ],
)
def test_interrupted_calls(error: str, structured: object):
    body = bodies(result(error, structured, is_error=True))[0]
    assert isinstance(body, ToolResult)
    assert body.interrupted
    assert body.denial is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("out\n\n<system-reminder>\nnote\n</system-reminder>\n", "out"),
        ("out\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>", "out"),
        ("a line with </system-reminder>", "a line with </system-reminder>"),
        (
            "x <system-reminder>quoted</system-reminder>",
            "x <system-reminder>quoted</system-reminder>",
        ),
        ("<system-reminder>all there is</system-reminder>",) * 2,
    ],
)
def test_reminders_at_the_end_of_a_result(text: str, kept: str):
    body = bodies(result(text))[0]
    assert isinstance(body, ToolResult)
    assert body.output == (TextBlock(kept),)


def test_a_call_and_its_result_may_be_records_of_their_own():
    envelope = {"timestamp": "2026-11-21T10:00:00Z"}
    asked = {"type": "tool_use", "uuid": "c", "name": "Bash", "input": {"command": "ls"}}
    told = {"type": "tool_result", "uuid": "r", "tool_use_id": "c", "content": "a.py"}
    in_message = {"type": "tool_result", "message": {"role": "user", "content": [told]}}
    (call,) = bodies({**asked, **envelope})
    assert isinstance(call, ToolCall)
    assert (call.call_id, call.provider_name, call.args) == ("c", "Bash", {"command": "ls"})
    output = {"type": "tool_result", "uuid": "r", "output": "a.py"}
    alone = {"type": "tool_result", "uuid": "r", "message": {"role": "tool", "content": "a.py"}}
    for record, call_id in ((told, "c"), (in_message, "c"), (output, "r:0"), (alone, "r:0")):
        (answer,) = bodies({**record, **envelope})
        assert isinstance(answer, ToolResult)
        assert (answer.call_id, answer.output) == (call_id, (TextBlock("a.py"),))


def test_a_message_without_a_type_is_told_by_its_role():
    record = {key: value for key, value in user("Hi.").items() if key != "type"}
    assert any(isinstance(body, User) for body in bodies(record))
    assert isinstance(bodies({**record, "type": None})[0], Unparsed)


def test_several_results_in_one_record_are_all_there():
    blocks = [
        {"type": "tool_result", "tool_use_id": "a", "content": "1"},
        {"type": "tool_result", "tool_use_id": "b", "content": "2"},
    ]
    found = bodies(user(blocks, toolUseResult={"stdout": "?"}))
    assert [body.call_id for body in found if isinstance(body, ToolResult)] == ["a", "b"]
    assert all(isinstance(body, ToolResult) and body.structured is None for body in found)


def test_an_agent_s_result_leads_to_its_log():
    event = events(result("ok", {"agentId": "a1", "status": "async_launched"}))[0]
    assert event.child == Stream(StreamKind.SUBAGENT, "a1")
    own = SessionRef("claude_code", "s-1", "x", Stream(StreamKind.SUBAGENT, "a1"), "s-1")
    assert events(result("ok", {"agentId": "a1"}), own)[0].child is None


def test_streams_of_a_main_file_and_of_an_agent_s():
    inline = events(user("go", isSidechain=True))[0]
    assert inline.stream == Stream(StreamKind.SIDECHAIN, "sidechain")
    named = events(user("go", isSidechain=True, agentId="a7"))[0]
    assert named.stream == Stream(StreamKind.SIDECHAIN, "a7")
    stream = Stream(StreamKind.SUBAGENT, "a7")
    own = SessionRef("claude_code", "s-1", "x", stream, "s-1")
    found = events(user("go", isSidechain=True, agentId="a7"), own)
    assert [event.stream for event in found] == [stream]
    assert found[0].body == User("go", via="agent")


def test_a_compaction_and_its_summary():
    boundary = {
        **ENVELOPE,
        "type": "system",
        "subtype": "compact_boundary",
        "compactMetadata": {"trigger": "auto", "preTokens": 90, "postTokens": 9},
    }
    event = events(boundary)[0]
    assert event.body == Compaction("auto", 90, 9)
    assert event.resets is Reset.COMPACTED
    summary = user("This session is being continued…", isCompactSummary=True)
    assert [type(body) for body in bodies(summary)] == [Attachment]


@pytest.mark.parametrize("mark", [{"scheduledTaskId": "1a"}, {"promptSource": "system"}])
def test_what_the_client_sends_when_its_time_has_come_is_a_prompt(mark: dict[str, object]):
    sent, *_ = bodies(user("Look again.", isMeta=True, **mark))
    assert isinstance(sent, User)
    assert (sent.text, sent.via is not None) == ("Look again.", True)
    (note,) = bodies(user("Look again.", isMeta=True))
    assert isinstance(note, Attachment)


def test_what_another_agent_hands_back_is_no_prompt():
    origin = {"kind": "peer", "from": "counter"}
    assert bodies(user("14 shelves.", origin=origin)) == [
        Attachment("counter", "agent-message", "14 shelves.")
    ]
    assert any(isinstance(body, User) for body in bodies(user("Hi.", origin={"kind": "human"})))


def test_what_lets_the_agent_go_on_is_no_prompt():
    origin = {"kind": "auto-continuation"}
    goal = user("Goal set: all tests pass.", promptSource="system", origin=origin)
    note = Attachment("Goal set: all tests pass.", "instructions", "Goal set: all tests pass.")
    assert bodies(goal) == bodies({**goal, "isMeta": True}) == [note]
    queued = {"type": "queued_command", "prompt": "Go on.", "origin": origin}
    assert bodies({**ENVELOPE, "type": "attachment", "attachment": queued}) == [
        Attachment("Go on.", "instructions", "Go on.")
    ]


@pytest.mark.parametrize(
    ("origin", "body"),
    [
        ({"kind": "coordinator"}, Attachment("coordinator", "agent-message", "MARK")),
        ({"kind": "observer", "from": "ada"}, Attachment("ada", "agent-message", "MARK")),
        ({"kind": "voice-call"}, Attachment("MARK", "instructions", "MARK")),
        ({"kind": "plugin", "name": "stock"}, Attachment("MARK", "instructions", "MARK")),
        ({"kind": "plugin", "name": "stock", "asUser": True}, User("MARK", via="plugin")),
        ({"kind": "slack-ping"}, User("MARK", via="slack-ping")),
        ({"kind": "unclassified"}, User("MARK", via="unclassified")),
        ({"kind": "of a later version"}, Attachment("MARK", "instructions", "MARK")),
        ({"kind": "human"}, User("MARK")),
        ({}, User("MARK")),
    ],
)
def test_an_origin_says_who_wrote_a_text(origin: dict[str, Any], body: object):
    assert bodies(user("MARK", origin=origin))[:1] == [body]
    queued = {"type": "queued_command", "prompt": "MARK", "origin": origin, "isMeta": True}
    waited = bodies({**ENVELOPE, "type": "attachment", "attachment": queued})
    assert not any(isinstance(each, User) for each in waited)


def test_what_reaches_an_agent_that_waits_is_shown_as_what_it_is():
    report = "<task-notification><task-id>b1</task-id><summary>MARK</summary></task-notification>"
    parts = [{"type": "text", "text": "MARK"}]
    polled = {"type": "poll_events", "envelopes": [report, "MARK", parts, None]}
    assert bodies({**ENVELOPE, "type": "attachment", "attachment": polled}) == [
        Notification(Topic.BACKGROUND, "MARK"),
        Attachment("an event", "agent-message", "MARK"),
        Attachment("an event", "agent-message", "MARK"),
    ]


def test_what_came_through_a_channel_is_a_prompt():
    said = '<channel source="phone">Are you there?</channel>'
    assert bodies(user(said, isMeta=True, origin={"kind": "channel"})) == [
        User("Are you there?", (), "channel")
    ]


def test_a_conversation_that_went_back_says_so():
    mark = {"type": "last-prompt", "leafUuid": "u-1", "sessionId": "s-1"}
    (went,) = bodies({**mark, "rewound": True})
    assert isinstance(went, Notification)
    assert went.topic is Topic.REWIND
    assert only(bodies(mark), Hidden) == bodies(mark)


def test_where_a_conversation_goes_on_and_that_it_was_ended():
    moved = {"type": "continued-in", "sessionId": "s-1", "continuedInSessionId": "s-2"}
    (link,) = bodies(moved)
    assert link == Notification(Topic.LINK, "Continues in session s-2")
    (end,) = events({"type": "ended-by-model", "sessionId": "s-1"})
    assert end.dedupe_key == "ended-by-model"
    assert isinstance(end.body, Notification)


def test_titles_and_whom_they_belong_to():
    found = bodies({"type": "summary", "summary": "Old one", "leafUuid": "leaf"})
    assert found == [Title("Old one", TitleSource.SUMMARY, "leaf")]
    assert bodies({"type": "ai-title", "aiTitle": "A"}) == [Title("A", TitleSource.AI)]
    assert bodies({"type": "custom-title", "customTitle": "C"}) == [Title("C", TitleSource.CUSTOM)]


def test_the_cost_that_the_client_counted():
    partial = {"type": "cost-state", "totalCostUSD": 0.25, "hasUnknownModelCost": True}
    told = events(partial)[0].facts
    assert told is not None
    assert told.cost is None
    event = events({"type": "cost-state", "totalCostUSD": 0.25})[0]
    assert event.facts is not None
    assert event.facts.cost == 0.25


def test_a_queued_prompt_gives_way_to_the_one_that_was_sent():
    queued = events({"type": "queue-operation", "operation": "enqueue", "content": "go on\n"})
    assert queued[0].body == User("go on\n", via="queued")
    sent = events(user("go on"))
    assert sent[0].body == User("go on")
    assert sent[0].replaces is None
    assert isinstance(sent[1].body, Hidden)
    assert sent[1].replaces == queued[0].replaces


def test_a_queued_prompt_that_was_handed_over_in_the_middle_of_a_turn():
    attachment = {"type": "queued_command", "prompt": "go on", "commandMode": "prompt"}
    sent = events({**ENVELOPE, "type": "attachment", "attachment": attachment})
    assert sent[0].body == User("go on", via="queued")
    left = {"type": "queue-operation", "operation": "remove", "content": "go on"}
    absorbed = events({**left, "reason": "absorbed_mid_turn"})
    assert absorbed[0].replaces is None
    taken_back = events({**left, "operation": "popAll"})
    assert taken_back[0].replaces == sent[1].replaces


def test_the_outcome_of_a_background_task_is_told_once():
    text = (
        "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_9</tool-use-id>\n"
        "<output-file>/var/tasks/b1</output-file>\n<status>failed</status>\n"
        "<summary>It failed</summary>\n</task-notification>"
    )
    attachment = {"type": "queued_command", "prompt": text, "commandMode": "task-notification"}
    copies = [
        events({"type": "queue-operation", "operation": "enqueue", "content": text}),
        events({**ENVELOPE, "type": "attachment", "attachment": attachment}),
        events(user(text)),
    ]
    for found in copies:
        assert [event.body for event in found] == [
            Notification(Topic.BACKGROUND, "It failed", Level.ERROR, "/var/tasks/b1", "toolu_9")
        ]
    assert len({found[0].dedupe_key for found in copies}) == 1


def test_progress_of_a_shell_command():
    data = {"type": "bash_progress", "output": "b", "fullOutput": "a\nb", "totalLines": 2}
    record = {**ENVELOPE, "type": "progress", "toolUseID": "bash-progress-0", "data": data}
    event = events({**record, "parentToolUseID": "toolu_1"})[0]
    assert event.body == ToolProgress("toolu_1", "a\nb", total_lines=2)


def test_an_agent_s_message_told_by_its_parent_is_a_twin_of_its_own_record():
    told = [record for record in sample_records("progress.jsonl") if record["type"] == "progress"]
    nested = next(record for record in told if record["data"].get("message"))
    outer = events(nested)
    inner = {**nested["data"]["message"], "sessionId": nested["sessionId"], "isSidechain": True}
    stream = Stream(StreamKind.SUBAGENT, "af2c878")
    own = SessionRef("claude_code", nested["sessionId"], "x", stream, "s-1")
    assert outer[0].dedupe_key == events(inner, own)[0].dedupe_key
    assert outer[0].stream == stream
    assert (outer[-1].child, outer[-1].stream) == (stream, MAIN_STREAM)
    assert not any(isinstance(event.body, TokenUsage) for event in outer)


def test_a_copy_in_another_session_is_a_twin():
    first, second = events(user("x")), events(user("x", sessionId="s-2"))
    assert first[0].dedupe_key == second[0].dedupe_key
    assert first[0].id != second[0].id


def test_unknown_types_are_said_and_not_lost():
    for record, name in (
        ({"type": "hologram", "x": 1}, "hologram"),
        ({**ENVELOPE, "type": "system", "subtype": "hologram"}, "system/hologram"),
        (
            {**ENVELOPE, "type": "attachment", "attachment": {"type": "hologram"}},
            "attachment/hologram",
        ),
        ({**ENVELOPE, "type": "progress", "data": {"type": "hologram"}}, "progress/hologram"),
        (user([{"type": "hologram"}]), "user/hologram"),
        ({"x": 1}, "(none)"),
    ):
        found = bodies(record)
        assert [body.record_type for body in found if isinstance(body, Unparsed)] == [name]
        assert all(not body.malformed for body in found if isinstance(body, Unparsed))


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"\x00" * 9,
        b"[1]",
        b'"x"',
        b"12",
        b"null",
        b"true",
        b"not json",
        b'{"type":"user',
        b"{" * 2000,
    ],
)
def test_what_is_no_record_is_accounted_for(record: bytes):
    found = bodies(record)
    assert [type(body) for body in found] == [Unparsed]
    assert isinstance(found[0], Unparsed)
    assert found[0].malformed
    assert len(found[0].excerpt) <= 200


def test_deep_nesting_is_read_or_said():
    deep = json.dumps(user("x"))[:-1].encode() + b',"x":' + b"[" * 3000 + b"]" * 3000 + b"}"
    assert [type(body) for body in bodies(deep)] in ([Unparsed], [User, Hidden])


def test_damaged_lines_give_what_is_whole_in_them():
    one, two = json.dumps(user("one")).encode(), json.dumps(user("two", uuid="u-2")).encode()
    glued = events(one + two)
    assert [event.body for event in glued if isinstance(event.body, User)] == [
        User("one"),
        User("two"),
    ]
    places = {(event.source.offset, event.source.length) for event in glued}
    assert places == {(100, len(one)), (100 + len(one), len(two))}
    torn = events(one[:60] + two)
    assert isinstance(torn[0].body, Unparsed)
    assert (torn[0].source.offset, torn[0].source.length) == (100, 60)
    assert torn[1].body == User("two")
    assert bodies(b"\xef\xbb\xbf" + one)[0] == bodies(b"\x00\x00" + one)[0] == User("one")
    marked = events(b"\xef\xbb\xbf" + one + two)
    places = {(event.source.offset, event.source.length) for event in marked}
    assert places == {(100, 3 + len(one)), (103 + len(one), len(two))}


def test_text_that_cannot_be_encoded_is_mended():
    lone = bodies(b'{"type":"user","message":{"content":"a \\ud83d b"}}')[0]
    assert lone == User("a \ufffd b")
    invalid = bodies(b'{"type":"user","message":{"content":"a \xff b"}}')[0]
    assert invalid == User("a \ufffd b")
    pair = bodies(b'{"type":"user","message":{"content":"\\ud83d\\ude00 \\ud83d"}}')[0]
    assert pair == User("\U0001f600 \ufffd")


def test_a_command_of_the_client_in_a_system_record():
    record = {**ENVELOPE, "type": "system", "subtype": "local_command"}
    said = bodies({**record, "content": "<local-command-stdout>ok</local-command-stdout>"})
    assert said == [SlashCommand("", output="ok")]
