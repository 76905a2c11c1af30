"""What single records say: prompts, context, tokens, compaction, rollback, reviews, damage."""

import json
from pathlib import Path

import pytest

from agentview.domain.content import ImageBlock, JsonBlock, TextBlock
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
    Rewind,
    SlashCommand,
    Title,
    TitleSource,
    TokenUsage,
    ToolCall,
    ToolResult,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.providers.codex.event_builder import thread_of
from tests.providers.codex.log import (
    AGENT,
    AT,
    EARLIER_TURN,
    REF,
    THREAD,
    Record,
    answered,
    bodies,
    events,
    finished,
    item,
    joined,
    report,
    said,
)
from tests.providers.joined_log import shown, write

INJECTED = {
    "environment_context": "<environment_context>\n  <cwd>/w</cwd>\n</environment_context>",
    "user_instructions": "<user_instructions>\nBe brief.\n</user_instructions>",
    "AGENTS.md": "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>",
    "skill": "<skill>\n<name>x</name>\n</skill>",
    "turn_aborted": "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    "brand_new_context": "<brand_new_context>y</brand_new_context>",
}


@pytest.mark.parametrize(("name", "text"), INJECTED.items())
def test_what_the_client_puts_in_is_hidden_with_its_reason(name: str, text: str):
    assert bodies(said("user", text)) == [
        Hidden(f"context that the client put in: {name}", "message/user")
    ]


KINDS: list[tuple[list[str], object, object]] = [
    (["Sum"], ["user.text"], User("Sum")),
    (["<task>Sum</task>"], ["user.text"], User("<task>Sum</task>")),
    (["Warning: lights"], ["user.text"], User("Warning: lights")),
    (["Sum"], ["board.post"], Hidden("context that the client put in: board.post", "message/user")),
    (["A post", "Sum"], ["board.post", "user.text"], User("Sum", context=("A post",))),
    (
        [INJECTED["environment_context"]],
        ["user.text"],
        Hidden("context that the client put in: environment_context", "message/user"),
    ),
    (["Sum"], ["board.post", "user.text"], User("Sum")),
    (["Sum"], "board.post", User("Sum")),
    (["Sum"], [{"kind": 1}], User("Sum")),
]
"""Texts of a message, the kinds that the client has recorded of them, and what that is."""


@pytest.mark.parametrize(("texts", "kinds", "expected"), KINDS)
def test_a_recorded_kind_says_whose_a_text_is(texts: list[str], kinds: object, expected: Body):
    passed_on = {"turn_id": "t", "content_item_kinds": kinds}
    record = said("user", *texts, internal_chat_message_metadata_passthrough=passed_on)
    assert bodies(record) == [expected]


def test_a_prompt_that_looks_like_a_remark_is_there_once(tmp_path: Path):
    asked = "Warning: lights do not work"
    passed_on = {"content_item_kinds": ["user.text"]}
    records = [
        said("user", asked, internal_chat_message_metadata_passthrough=passed_on),
        report(type="user_message", message=asked),
    ]
    store = joined(write(tmp_path / "rollout.jsonl", records))
    assert [activity.body for activity in shown(store)] == [User(asked)]


def test_a_prompt_is_told_from_what_stands_around_it():
    both = bodies(said("user", INJECTED["environment_context"], "Add a total"))
    context = INJECTED["environment_context"].strip()
    assert both == [User("Add a total", context=(context,))]
    ide = "# Context from my IDE setup:\n\n## Open tabs: a.py\n\n## My request for Codex:\nFix it\n"
    folded = User("Fix it", context=(ide.removesuffix("\nFix it\n"),))
    assert bodies(said("user", ide)) == [folded]
    assert bodies(report(type="user_message", message=ide)) == [folded]
    quoted = "Look at <b>this</b> and say why"
    assert bodies(said("user", quoted)) == [User(quoted)]


def test_instructions_of_the_client_are_hidden():
    for role in ("developer", "system"):
        assert isinstance(bodies(said(role, "You are"))[0], Hidden)


def test_an_image_comes_with_the_prompt():
    content = [
        {"type": "input_text", "text": '<image name=[Image #1] path="pic.png">'},
        {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_text", "text": "What is it?"},
    ]
    prompt = bodies(item(type="message", role="user", content=content))[0]
    image = ImageBlock("image/png", "iVBORw0KGgo=", byte_size=8)
    assert prompt == User("What is it?", (image,))
    other = finished(
        type="UserMessage",
        id="u",
        content=[
            {"type": "local_image", "path": "pic.png"},
            {"type": "text", "text": "What is it?"},
        ],
    )
    assert bodies(other) == [User("What is it?", (ImageBlock(uri="pic.png"),))]


def test_what_the_agent_said_without_a_text_is_not_lost():
    refusal = {"type": "refusal", "refusal": "No."}
    record = item(type="message", role="assistant", content=[refusal])
    assert bodies(record) == [Message("", (JsonBlock(refusal),))]
    empty = item(type="message", role="assistant", content=[])
    assert isinstance(bodies(empty)[0], Hidden)


def test_a_thought_has_its_sections_or_is_withheld():
    summary = [{"type": "summary_text", "text": "One"}, {"type": "summary_text", "text": "Two"}]
    assert bodies(item(type="reasoning", summary=summary)) == [Reasoning("One"), Reasoning("Two")]
    sealed = item(type="reasoning", summary=[], encrypted_content="gAAA")
    assert bodies(sealed) == [Reasoning("", withheld=True)]


def counts(total: int, last: int) -> Record:
    parts = {
        "input_tokens": last,
        "cached_input_tokens": 100,
        "cache_write_input_tokens": 20,
        "output_tokens": 30,
        "reasoning_output_tokens": 10,
        "total_tokens": last + 30,
    }
    totals = {**parts, "input_tokens": total}
    return report(type="token_count", info={"total_token_usage": totals, "last_token_usage": parts})


def test_tokens_are_of_one_response_and_exclude_the_cache():
    usage = bodies(counts(1000, 500))[0]
    assert isinstance(usage, TokenUsage)
    assert usage.usage == Usage(380, 100, 20, 30, 10)


def test_totals_that_are_written_again_name_the_same_response():
    first, again, other = (bodies(counts(*given))[0] for given in ((9, 5), (9, 5), (10, 5)))
    assert first == again
    assert isinstance(first, TokenUsage)
    assert isinstance(other, TokenUsage)
    assert first.response_id != other.response_id


def test_both_records_of_the_tokens_name_the_same_response():
    told = counts(1000, 500)["payload"]["info"]
    record = {
        "timestamp": AT,
        "type": "token_usage_record",
        "payload": {
            "thread_id": THREAD,
            "usage": told["last_token_usage"],
            "thread_token_usage": told["total_token_usage"],
        },
    }
    assert bodies(record) == bodies(counts(1000, 500))


def test_limits_and_estimates_are_no_tokens():
    assert isinstance(bodies(report(type="token_count", info=None))[0], Hidden)
    estimate = counts(1000, 0)
    estimate["payload"]["info"]["last_token_usage"] = {
        "input_tokens": 0,
        "output_tokens": 0,
        "total_tokens": 9000,
    }
    assert isinstance(bodies(estimate)[0], Hidden)


def test_a_compaction_has_its_summary():
    record = {"timestamp": AT, "type": "compacted", "payload": {"message": "So far."}}
    event = events(record)[0]
    assert event.body == Compaction(summary="So far.")
    assert event.resets is Reset.COMPACTED
    other = events(report(type="context_compacted"))[0]
    assert (other.dedupe_key, other.body) == (event.dedupe_key, Compaction())


def test_a_rollback_goes_back_by_its_turns():
    event = events(report(type="thread_rolled_back", num_turns=2))[0]
    assert event.rewinds == Rewind(turns=2)
    assert isinstance(event.body, Notification)
    assert event.body.topic is Topic.REWIND
    assert events(report(type="thread_rolled_back"))[0].rewinds is None


def test_turns_end_and_are_interrupted():
    ended = bodies(report(type="task_complete", duration_ms=1500))
    assert ended == [Notification(Topic.TURN_END, "Turn complete", duration=1.5)]
    failed = bodies(report(type="task_complete", error={"message": "Too many requests"}))
    assert [body.topic for body in failed if isinstance(body, Notification)] == [
        Topic.LIMIT,
        Topic.TURN_END,
    ]
    aborted = bodies(report(type="turn_aborted", reason="interrupted"))[0]
    assert isinstance(aborted, Notification)
    assert aborted.topic is Topic.INTERRUPT


def test_a_review_begins_and_ends_with_its_findings():
    began = bodies(report(type="entered_review_mode", user_facing_hint="current changes"))
    assert began == [Notification(Topic.MODE, "Review began: current changes")]
    finding = {
        "title": "Off by one",
        "body": "The last is lost.",
        "code_location": {"absolute_file_path": "/w/a.py", "line_range": {"start": 7, "end": 8}},
    }
    output = {"findings": [finding], "overall_explanation": "Nearly."}
    ended = bodies(report(type="exited_review_mode", review_output=output))[0]
    assert isinstance(ended, Notification)
    assert ended.detail == "Nearly.\n\nOff by one\n/w/a.py:7\nThe last is lost."


def test_the_session_tells_of_itself_and_not_of_another_one():
    payload = {
        "id": THREAD,
        "cwd": "file:///home/dev/shop",
        "cli_version": "0.169.0",
        "git": {"branch": "main"},
    }
    facts = events({"timestamp": AT, "type": "session_meta", "payload": payload})[0].facts
    assert facts is not None
    assert (facts.cwd, facts.branch, facts.client_version) == ("/home/dev/shop", "main", "0.169.0")
    copied = {"timestamp": AT, "type": "session_meta", "payload": {**payload, "id": "another"}}
    assert events(copied)[0].facts is None


def test_a_fork_says_where_it_begins():
    base = {"thread_id": "t-0", "end_ordinal_exclusive": 41}
    payload = {"id": THREAD, "history_base": base}
    found = bodies({"timestamp": AT, "type": "session_meta", "payload": payload})
    assert isinstance(found[1], Notification)
    assert found[1].topic is Topic.LINK
    assert "t-0" in found[1].text


def test_history_that_an_agent_was_given_is_not_its_own():
    copied = said(
        "assistant",
        "I looked",
        internal_chat_message_metadata_passthrough={"turn_id": EARLIER_TURN},
    )
    assert isinstance(bodies(copied, AGENT)[0], Hidden)
    assert bodies(copied, REF) == [Message("I looked")]
    assert bodies(said("assistant", "I looked"), AGENT) == [Message("I looked")]
    assert thread_of(AGENT) == THREAD


def test_messages_between_agents():
    text = "Message Type: NEW_TASK\nTask name: /root/a\nSender: /root\nPayload:\nCount the lines."
    record = item(type="agent_message", author="/root", content=[{"text": text}])
    assert bodies(record, AGENT) == [User("Count the lines.", via="/root")]
    note = bodies(record)[0]
    assert isinstance(note, Notification)
    assert (note.topic, note.detail) == (Topic.BACKGROUND, "Count the lines.")


def test_an_agent_that_ended_is_reported():
    told = json.dumps({"agent_id": "t-9", "status": {"completed": "No findings."}})
    text = f"<subagent_notification>\n{told}\n</subagent_notification>"
    event = events(said("user", text))[0]
    assert event.child == Stream(StreamKind.SUBAGENT, "t-9")
    assert event.body == Notification(
        Topic.BACKGROUND, "Agent t-9: completed", detail="No findings."
    )


def test_names_errors_and_limits():
    named = bodies(report(type="thread_name_updated", thread_name="Cart"))
    assert named == [Title("Cart", TitleSource.CUSTOM)]
    limit = report(type="error", message="Limit", codex_error_info="usage_limit_exceeded")
    assert bodies(limit)[0] == Notification(
        Topic.LIMIT, "Limit", Level.ERROR, detail="usage_limit_exceeded"
    )
    retry = bodies(report(type="stream_error", message="Reconnecting"))[0]
    assert isinstance(retry, Notification)
    assert retry.level is Level.WARNING


def test_a_command_of_the_person_is_told_twice_and_is_no_call():
    result = "Exit code: 0\nDuration: 0.1 seconds\nOutput:\na"
    inner = f"<command>\nls\n</command>\n<result>\n{result}\n</result>"
    told = events(said("user", f"<user_shell_command>\n{inner}\n</user_shell_command>"))[0]
    assert told.body == SlashCommand("ls", "", "a", None, True)
    ran = finished(
        type="CommandExecution",
        id="x",
        source="user_shell",
        command=["/bin/zsh", "-lc", "ls"],
        aggregated_output="a\n",
        exit_code=0,
    )
    other = events(ran)[0]
    assert other.body == SlashCommand("ls", "", "a\n", None, True)
    shared = {told.dedupe_key, told.replaces} & {other.dedupe_key, other.replaces} - {None}
    assert len(shared) == 1


def test_a_command_of_the_person_that_failed_says_so():
    inner = "<command>\nls x\n</command>\n<result>\nExit code: 2\nOutput:\nno x\n</result>"
    told = bodies(said("user", f"<user_shell_command>\n{inner}\n</user_shell_command>"))
    assert told == [SlashCommand("ls x", "", "no x", "exit 2", True)]
    ran = finished(type="CommandExecution", source="user_shell", command="ls x", exit_code=2)
    assert bodies(ran) == [SlashCommand("ls x", "", None, "exit 2", True)]


def test_an_item_may_lie_deeper_or_lend_its_type_to_the_record():
    inner = said("assistant", "Done")["payload"]
    bare = {key: value for key, value in inner.items() if key != "type"}
    for record in (
        item(item=inner),
        {"type": "response_item", **bare},
        {"type": "message", "payload": bare},
        {"type": "request_item", "payload": inner},
    ):
        assert bodies(record) == [Message("Done")]
    snapshot = bodies({"type": "ghost_snapshot", "payload": {"ghost_commit": "abc"}})
    assert isinstance(snapshot[0], Hidden)


@pytest.mark.parametrize("kind", ["compaction_trigger", "configuration_update"])
def test_what_only_the_model_is_told_is_bookkeeping(kind: str):
    assert isinstance(bodies(item(type=kind))[0], Hidden)


def test_a_summary_may_have_its_own_key():
    told = bodies({"timestamp": AT, "type": "compacted", "payload": {"summary": "Sorted"}})
    assert told == [Compaction(summary="Sorted")]


def test_an_output_without_a_call_is_context():
    record = item(type="function_call_output", name="goal", output="Finish it")
    assert bodies(record) == [Attachment("goal", "tool output", "Finish it")]


def test_an_answer_may_name_the_agent_that_was_started():
    event = events(answered('{"agent_id": "t-9", "nickname": "Boole"}'))[0]
    assert event.child == Stream(StreamKind.SUBAGENT, "t-9")


def test_images_that_come_back_are_blocks():
    result = bodies(answered([{"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]))
    assert isinstance(result[0], ToolResult)
    assert result[0].output == (ImageBlock("image/png", "AAAA", byte_size=3),)
    assert bodies(answered("x"))[0] == ToolResult("call_1", None, (TextBlock("x"),))


UNKNOWN = (
    {"timestamp": AT, "type": "brand_new", "payload": {"x": 1}},
    item(type="brand_new", x=1),
    report(type="brand_new", x=1),
    finished(type="BrandNew", id="n"),
    said("narrator", "x"),
    {"type": "item.completed", "item": {"id": "i", "type": "brand_new"}},
    {"record_type": "brand_new"},
)


@pytest.mark.parametrize("record", UNKNOWN, ids=str)
def test_an_unknown_form_is_shown(record: dict[str, object]):
    found = bodies(record)[0]
    assert isinstance(found, Unparsed)
    assert not found.malformed
    assert found.excerpt


def test_glued_and_damaged_lines_are_read_as_far_as_they_can_be():
    one, two = (json.dumps(said("assistant", text)).encode() for text in ("one", "two"))
    found = events(b"\xef\xbb\xbf" + one + two + b'{"timestamp": "x", "pay')
    assert [type(event.body) for event in found] == [Message, Message, Unparsed]
    assert found[1].source.offset == 100 + 3 + len(one)
    assert len({event.id for event in found}) == 3
    assert isinstance(bodies(b'{"type": ')[0], Unparsed)
    assert isinstance(bodies(b"[1]")[0], Unparsed)


def test_the_oldest_items_have_no_envelope():
    header = {"id": THREAD, "timestamp": AT, "instructions": None, "git": {"branch": "main"}}
    facts = events(header)[0].facts
    assert facts is not None
    assert facts.branch == "main"
    bare = said("user", "List the files")["payload"]
    assert bodies(bare) == [User("List the files")]
    call = bodies({"type": "local_shell_call", "call_id": "c", "action": {"command": ["ls"]}})[0]
    assert isinstance(call, ToolCall)
    assert call.args_json == '{"command": ["ls"]}'


@pytest.mark.parametrize("mark", ["## My request:", "## My request for Codex:"])
@pytest.mark.parametrize(
    "around", ["Files mentioned by the user", "Browser comments", "Context from my IDE setup"]
)
def test_the_request_stands_behind_whatever_a_client_puts_in_front(around: str, mark: str):
    text = f"\n# {around}:\n\n## a.png: /w/a.png\n\n{mark}\nFix it\n"
    folded = User("Fix it", context=(text.strip().removesuffix("\nFix it"),))
    assert bodies(said("user", text)) == [folded]
    assert bodies(report(type="user_message", message=text)) == [folded]


def test_files_that_are_told_of_beside_the_request_are_not_asked():
    aside = "\n# Files mentioned by the user:\n\n## a.png: /w/a.png"
    assert bodies(said("user", aside, "Fix it")) == [User("Fix it", context=(aside.strip(),))]
    assert bodies(said("user", "# My own heading\n\nFix it")) == [
        User("# My own heading\n\nFix it")
    ]


def test_what_the_person_answered_later_is_what_was_said():
    replies = [
        {"questionItemId": "q", "question": "Which?", "answer": "The first"},
        {"answer": "Go"},
    ]
    tag = "send_user_message_question_reply"
    text = f"<{tag}>\n{json.dumps(replies)}\n</{tag}>"
    expected = [User("Which? → The first\nGo")]
    assert (
        bodies(said("user", text)) == bodies(report(type="user_message", message=text)) == expected
    )
    odd = f"<{tag}>\nnothing\n</{tag}>"
    assert isinstance(bodies(said("user", odd))[0], Hidden)


def test_the_list_of_what_was_remembered_is_not_said():
    sources = "<oai-mem-citation>\n<rollout_ids>\n</rollout_ids>\n</oai-mem-citation>"
    assert bodies(said("assistant", f"It is so.\n\n{sources}")) == [Message("It is so.")]
