"""What single records say: prompts and what is none, thoughts, tokens, changes, what is printed."""

import json

import pytest

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import (
    REPEATED,
    Attachment,
    Compaction,
    Facts,
    Hidden,
    Level,
    Message,
    Notification,
    Reasoning,
    Rewind,
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
from agentview.domain.session import Stream, StreamKind
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind
from agentview.domain.usage import Usage
from tests.providers.gemini.gemini_cli.log import (
    AT,
    META,
    Record,
    bodies,
    call,
    events,
    model,
    response,
    user,
)

CONTEXT = (
    "<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n"
    "- **Workspace Directories:**\n  - /home/dev/shop\n</session_context>"
)
INJECTED = {
    "session_context": CONTEXT,
    "context": "This is the Gemini CLI. We are setting up the context for our chat.\nToday is ...",
    "hook_context": "<hook_context>Mind the style.</hook_context>",
    "answers of tools": "[Function Response: read_file]<image/png>[Function Response: glob]",
}


def test_what_the_client_says_in_the_models_place_is_no_answer():
    told = {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]}
    assert isinstance(bodies(told)[0], Hidden)
    assert bodies(model("g", "Got it. Thanks!")) == [Message("Got it. Thanks!")]


def test_a_context_that_was_cut_is_no_prompt():
    assert isinstance(bodies(user("u", CONTEXT[:90]))[0], Hidden)


@pytest.mark.parametrize(("name", "text"), INJECTED.items())
def test_what_the_client_puts_in_is_no_prompt(name: str, text: str):
    assert bodies(user("u", text)) == [Hidden(f"context that the client put in: {name}", "user")]


def test_the_first_message_says_where_the_session_works():
    facts = events(user("u", CONTEXT))[0].facts
    assert facts is not None
    assert facts.cwd == "/home/dev/shop"


@pytest.mark.parametrize("text", ["Fix <b>this</b>", "<div>x</div>", "[Function Response: why?"])
def test_what_a_person_wrote_is_a_prompt(text: str):
    assert bodies(user("u", text)) == [User(text)]
    assert bodies({**user("u"), "content": text}) == [User(text)]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/chat save work", SlashCommand("/chat", "save work")),
        ("/help", SlashCommand("/help")),
        ("/etc/hosts is wrong", None),
        ("/", None),
    ],
)
def test_a_command_to_the_client_is_no_prompt(text: str, command: SlashCommand | None):
    assert bodies(user("u", text))[0] == (command or User(text))
    prompt = {"sessionId": "s", "messageId": 1, "type": "user", "message": text}
    assert bodies(prompt) == [command or User(text)]
    assert isinstance(bodies({**prompt, "message": ""})[0], Hidden)


def test_a_prompt_that_was_joined_with_the_context_is_one():
    context = (
        "<session_context>\n- **Workspace Directories:**\n  - /home/dev/shop\n</session_context>"
    )
    found = events(user("u", context, "Look"))
    assert [event.body for event in found] == [User("Look", context=(context,))]
    assert found[0].facts == Facts(cwd="/home/dev/shop")
    alone = events(user("u", context, "--- Full File Context ---\nx"))
    assert [type(event.body) for event in alone] == [Hidden]


def test_a_shell_command_that_a_person_ran_is_one():
    told = (
        "I ran the following shell command:\n```sh\necho \\`x\\`\n```\n\n"
        "This produced the following result:\n```\nx\n```"
    )
    ran = True
    assert bodies(user("u", told)) == [SlashCommand("echo `x`", output="x", shell=ran)]
    noticed = "System: Potential loop detected. Details: The same call. Please take a step back."
    assert [type(body) for body in bodies(user("u", noticed))] == [Hidden]


def test_what_a_person_says_while_tools_run_is_a_prompt_in_their_words():
    told = "User steering update:\n<user_input>\nSkip it\n</user_input>\nInternal instruction: Now."
    found = bodies(user("u", told, response("c", output="x")))
    assert found[0] == User("Skip it")
    assert isinstance(found[1], ToolResult)
    ended = "Background execution update:\n<background_output>\n1\n</background_output>\n\nNow."
    assert [type(body) for body in bodies(user("u", ended))] == [Hidden]


def test_files_named_in_a_prompt_stand_behind_it():
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    record = user(
        "u",
        "What is @a.md ?",
        "\n--- Content from referenced files ---",
        "\nContent from @a.md:\n",
        "# A",
        image,
        "\n--- End of content ---",
    )
    assert bodies(record) == [
        User("What is @a.md ?", (ImageBlock("image/png", "iVBORw0KGgo=", byte_size=8),)),
        Attachment("a.md", "file", "# A", path="a.md"),
    ]
    typed = user("u", "Expanded", displayContent=[{"text": "As typed"}])
    assert bodies(typed) == [User("As typed")]


def test_answers_of_tools_are_results_and_no_prompt():
    found = bodies(user("r", response("c-1", output="a"), response("c-2", "glob", error="b")))
    assert found[0] == Hidden("answers of tools", "user")
    assert found[1] == ToolResult("c-1", True, (TextBlock("a"),))
    assert found[2] == ToolResult("c-2", False, (TextBlock("b"),), error="b")


def test_a_response_has_thoughts_text_and_tokens():
    thoughts = [{"subject": "Look", "description": "Read it.", "timestamp": AT}]
    tokens = {"input": 100, "output": 20, "cached": 60, "thoughts": 5, "tool": 3, "total": 128}
    record = model("g", "Reading.", thoughts=thoughts, tokens=tokens, model="gemini-3-pro")
    assert bodies(record) == [
        Reasoning("**Look**\n\nRead it."),
        Message("Reading."),
        TokenUsage("g", Usage(43, 60, None, 25, 5), "gemini-3-pro"),
    ]
    assert [event.replaces for event in events(record)] == ["g", "g#1", None]
    assert {event.response_id for event in events(record)} == {"g"}


def test_thoughts_that_the_total_has_inside_of_the_output_are_not_added():
    tokens = {"input": 100, "output": 20, "cached": 0, "thoughts": 5, "tool": 0, "total": 120}
    usage = bodies(model("g", "x", tokens=tokens))[1]
    assert isinstance(usage, TokenUsage)
    assert usage.usage.output == 20
    assert bodies(model("g", "x", tokens=None)) == [Message("x")]


def test_a_call_and_its_result_are_one_object():
    raw = '{"file_path":  "a.py", "n": 1e2}'
    text = json.dumps(model("g", "", [call("c", "read_file", "@", "x")])).replace('"@"', raw)
    found = bodies(text.encode())
    assert isinstance(found[1], ToolCall)
    assert found[1].args_json == raw
    assert found[2] == ToolResult("c", True, (TextBlock("x"),))
    keys = [event.replaces for event in events(text.encode())]
    assert keys == ["g", "call:g/c", None]


def test_a_call_without_a_result_shows_how_far_it_is():
    running = call("c", "run_shell_command", {"command": "make"}, status="executing")
    found = bodies(model("g", "", [{**running, "resultDisplay": "1 of 2"}]))
    assert found[2] == ToolProgress("c", "1 of 2")
    waiting = bodies(model("g", "", [{**running, "status": "awaiting_approval"}]))
    (asked,) = [body for body in waiting if isinstance(body, ToolCall) and body.call_id != "c"]
    assert (len(waiting), asked.kind) == (3, ToolKind.ASK)


def test_who_refused_a_call_is_told():
    def outcome(error: str, status: str = "cancelled") -> ToolResult:
        made = call("c", "write_file", {}, status=status, result=[response("c", error=error)])
        found = bodies(model("g", "", [made]))[2]
        assert isinstance(found, ToolResult)
        return found

    person = outcome("[Operation Cancelled] Reason: User did not allow tool call")
    assert (person.denial, person.error) == (
        Denial(DeniedBy.PERSON),
        "User did not allow tool call",
    )
    rule = outcome("Tool execution denied by policy.", "error")
    assert rule.denial == Denial(DeniedBy.RULE)
    stopped = outcome("[Operation Cancelled] Reason: The operation was aborted.")
    assert (stopped.denial, stopped.interrupted, stopped.ok) == (None, True, False)


def test_an_exit_code_is_a_failure_though_the_client_calls_it_success():
    told = "Output: no\nExit Code: 3\nProcess Group PGID: 9"
    output = f"<untrusted_context>\n{told}\n</untrusted_context>"
    found = bodies(model("g", "", [call("c", "run_shell_command", {"command": "x"}, output)]))[2]
    assert isinstance(found, ToolResult)
    assert found.ok is False


def test_an_agent_is_named_by_its_call():
    made = call("c", "invoke_agent", {"agent_name": "x", "prompt": "y"}, "z", agentId="a-1")
    children = [event.child for event in events(model("g", "", [made]))]
    assert children[1:] == [Stream(StreamKind.SUBAGENT, "a-1")] * 2


def test_calls_that_only_the_history_has():
    asked = {"functionCall": {"id": "c", "name": "glob", "args": {"pattern": "*"}}}
    found = bodies(model("g", [{"text": "Hm", "thought": True}, {"text": "So"}, asked]))
    assert found[:2] == [Reasoning("Hm"), Message("So")]
    assert isinstance(found[2], ToolCall)
    assert found[2].kind is ToolKind.GLOB
    both = model("g", [asked], [call("c", "glob", {"pattern": "*"}, "x")])
    assert [type(body) for body in bodies(both)] == [Hidden, ToolCall, ToolResult]


def test_notices_have_their_level():
    told = {"info": Level.INFO, "warning": Level.WARNING, "error": Level.ERROR}
    for kind, level in told.items():
        record = {"id": "i", "timestamp": AT, "type": kind, "content": "Head\nrest"}
        assert bodies(record) == [Notification(Topic.SYSTEM, "Head", level, detail="rest")]
    stopped = {"id": "i", "timestamp": AT, "type": "info", "content": "Request cancelled."}
    assert bodies(stopped) == [Notification(Topic.INTERRUPT, "Request cancelled.")]


def test_changes_of_the_session():
    assert isinstance(bodies({"$set": {"lastUpdated": AT}})[0], Hidden)
    assert bodies({"$set": {"summary": "Cart"}})[1] == Title("Cart", TitleSource.SUMMARY)
    event = events({"$rewindTo": "u-7"})[0]
    assert event.rewinds == Rewind(key="u-7")
    facts = events({**META, "kind": "subagent", "directories": ["/w"]})[0].facts
    assert facts is not None
    assert facts.cwd == "/w"


def test_a_history_told_anew_is_all_in_its_record_and_takes_no_place():
    messages = [user("u", "One"), model("g", "Two", [call("c", "glob", {}, "x")])]
    record = {"$set": {"messages": messages, "lastUpdated": LATER["timestamp"]}}
    raw = json.dumps(record).encode()
    found = events(raw, offset=500)
    assert not any(event.resets or event.rewinds for event in found)
    assert [type(event.body) for event in found[1:]] == [User, Message, ToolCall, ToolResult]
    start = found[1].source.offset - 500
    assert json.loads(raw[start : start + found[1].source.length]) == messages[0]
    assert found[1].source.pointer == "/$set/messages/0"
    assert [event.id for event in found] == [event.id for event in events(raw, offset=500)]
    later = events(raw, offset=900)
    assert not {event.id for event in found} & {event.id for event in later}
    lines = [event for message in messages for event in events(message)]
    # What is told again says so; the call and its result stay with their first records.
    same = [event.dedupe_key for event in found[1:3]]
    assert same == [event.dedupe_key for event in lines[:2]]
    assert [event.path for event in found[3:]] == [REPEATED, REPEATED]
    assert [event.replaces for event in found[1:]] == ["u", "g", None, None]


@pytest.mark.parametrize(
    ("told", "words", "topic"),
    [
        ('{"error":{"code":429,"message":"Slow down"}}', "Slow down", Topic.LIMIT),
        ("fetch failed", "fetch failed", Topic.API_ERROR),
    ],
)
def test_an_error_of_the_interface_is_told_in_its_words(told: str, words: str, topic: Topic):
    notice = {**user("e"), "type": "error", "content": f"[API Error: {told}]"}
    body = bodies(notice)[0]
    assert isinstance(body, Notification)
    assert (body.topic, body.text, body.level) == (topic, words, Level.ERROR)
    assert body.detail == (told if words != told else None)


LATER = {"timestamp": "2026-05-04T09:30:00.000Z"}
SNAPSHOT = {**user("s", "<state_snapshot>\nOne was done.\n</state_snapshot>"), **LATER}
THANKS = {**model("k", [{"text": "Got it."}]), **LATER}
KEPT: list[Record] = [{**user("v", "Two?"), **LATER}, {**model("g2", [{"text": "Two"}]), **LATER}]


@pytest.mark.parametrize(
    ("behind", "shown"),
    [
        ([], []),
        ([THANKS], []),
        ([THANKS, *KEPT], []),
        # A message that was there before, and one whose words no client has laid out as parts.
        ([THANKS, model("g", "Two", model="m", tokens=None)], [Message]),
        ([THANKS, {**model("g", "Two"), **LATER}], [Message]),
    ],
)
def test_copies_behind_a_summary_are_not_shown(behind: list[Record], shown: list[type]):
    changes = {"messages": [SNAPSHOT, *behind], "lastUpdated": LATER["timestamp"]}
    found = events({"$set": changes}, offset=5_000)
    seen = [event for event in found if not isinstance(event.body, Hidden)]
    assert [type(event.body) for event in seen] == [Compaction, *shown]
    assert seen[0].body == Compaction(summary="One was done.")
    line = events(SNAPSHOT)
    assert line[-1].dedupe_key == seen[0].dedupe_key


def test_a_history_with_nothing_above_it_is_no_copy():
    changes: Record = {"messages": KEPT, "lastUpdated": LATER["timestamp"]}
    assert [type(event.body) for event in events({"$set": changes}, offset=5_000)] == [Hidden] * 3
    shown = [type(event.body) for event in events({"$set": changes}, offset=100)]
    assert shown == [Hidden, User, Message]


def test_lines_that_are_copies_are_taken_back_where_there_is_enough_above_them():
    copied: list[Record] = [KEPT[0], {**KEPT[1], "thoughts": [], "tokens": None}]
    changes: Record = {"messages": copied, "lastUpdated": LATER["timestamp"]}
    assert events({"$set": changes}, offset=5_000)[0].rewinds == Rewind(key="v", repeats=True)
    assert events({"$set": changes}, offset=300)[0].rewinds is None
    earlier: Record = {**changes, "lastUpdated": "2026-05-04T09:31:00.000Z"}
    assert events({"$set": earlier}, offset=5_000)[0].rewinds is None


PRINTED: tuple[tuple[Record, type], ...] = (
    ({"type": "init", "session_id": "s", "model": "m"}, Hidden),
    ({"type": "message", "role": "user", "content": "x"}, User),
    ({"type": "message", "role": "assistant", "content": "x", "delta": True}, Message),
    ({"type": "tool_use", "tool_id": "c", "tool_name": "glob", "parameters": {}}, ToolCall),
    ({"type": "tool_result", "tool_id": "c", "status": "success", "output": "x"}, ToolResult),
    ({"type": "error", "severity": "warning", "message": "x"}, Notification),
    ({"type": "result", "status": "success", "stats": {}}, Notification),
)


@pytest.mark.parametrize(("record", "body"), PRINTED, ids=str)
def test_printed_lines(record: Record, body: type):
    event = events({**record, "timestamp": AT})[0]
    assert isinstance(event.body, body)
    assert event.run == {User: "", ToolCall: ""}.get(
        body, "message" if record.get("delta") else None
    )


def test_a_failed_result_says_why():
    error = {"type": "tool_not_registered", "message": "No such tool"}
    record = {"type": "tool_result", "tool_id": "c", "status": "error", "error": error}
    assert bodies(record) == [
        ToolResult("c", False, (TextBlock("No such tool"),), error="No such tool")
    ]
    ended = {"type": "result", "status": "error", "error": {"type": "Fatal", "message": "Out"}}
    assert bodies(ended) == [Notification(Topic.API_ERROR, "Out", Level.ERROR, detail="Fatal")]


def test_a_line_of_the_prompts_of_all_sessions():
    line = {"sessionId": "s", "messageId": 0, "timestamp": AT, "type": "user", "message": "x"}
    assert bodies(line) == [User("x")]


UNKNOWN = (
    {"brandNew": 1},
    {"id": "x", "timestamp": AT, "type": "brand_new", "content": "x"},
    {"type": "brand_new", "timestamp": AT},
)


@pytest.mark.parametrize("record", UNKNOWN, ids=str)
def test_an_unknown_form_is_shown(record: Record):
    found = bodies(record)[0]
    assert isinstance(found, Unparsed)
    assert not found.malformed


def test_glued_and_damaged_lines_are_read_as_far_as_they_can_be():
    one, two = json.dumps(user("u", "One")).encode(), json.dumps(model("g", "Two")).encode()
    found = events(b"\xef\xbb\xbf" + one + two + b'{"id": "h", "timest')
    assert [type(event.body) for event in found] == [User, Message, Unparsed]
    assert found[1].source.offset == 100 + 3 + len(one)
    assert isinstance(bodies(b'{"id": ')[0], Unparsed)
    assert isinstance(bodies(b"[1]")[0], Unparsed)


def test_a_response_whose_content_is_elsewhere_is_not_empty():
    assert bodies(model("g", ""))[0] == Hidden("a response without text", "gemini")
    moved = {key: value for key, value in model("g", "").items() if key != "content"}
    found = bodies({**moved, "texts": ["Done."]})[0]
    assert isinstance(found, Unparsed)
    assert found.reason == "a response without content"
    called = bodies({**moved, "toolCalls": [call("c", "glob", {})]})
    assert [type(body) for body in called] == [Hidden, ToolCall, ToolResult]


def thoughts(*told: tuple[str, str]) -> list[Record]:
    return [{"subject": subject, "description": text, "timestamp": AT} for subject, text in told]


def test_clients_that_grew_out_of_this_one_name_responses_after_themselves():
    tokens = {"input": 9, "output": 2, "cached": 4, "total": 11}
    record = {**model("g", "Done.", tokens=tokens), "type": "other-shell"}
    assert bodies(record) == [Message("Done."), TokenUsage("g", Usage(5, 4, None, 2))]
    assert isinstance(bodies({**user("u", "x"), "type": "other-shell"})[0], Unparsed)
    untyped = {"timestamp": AT, "tokens": tokens, "model": "m"}
    assert isinstance(bodies(untyped)[0], Hidden)
    assert isinstance(bodies(untyped)[1], TokenUsage)


def test_a_thought_takes_the_place_of_its_drafts():
    told = thoughts(("", ""), ("", "**Look"), ("Look around", ""), ("Look around", "I see"))
    told += thoughts(("Plan", "First"))
    record = model("g", "<thinking>Plan\nFirst</thinking>\n\nSo.", thoughts=told)
    texts = ["**Look around**\n\nI see", "**Plan**\n\nFirst", "Plan\nFirst"]
    assert bodies(record) == [*map(Reasoning, texts), Message("So.")]
    same = model("g", "<thought>**Plan**\nFirst</thought>\n\nSo.", thoughts=told[-1:])
    assert bodies(same) == [Reasoning("**Plan**\n\nFirst"), Message("So.")]


@pytest.mark.parametrize(
    ("described", "title"),
    [
        ("Fails at all times.", None),
        ("Ends.", None),
        ('{"a": 1}', '{"a": 1}'),
        ("src/a.py", "src/a.py"),
    ],
)
def test_what_a_tool_does_in_general_is_no_title_of_a_call(described: str, title: str | None):
    made = call("c", "mcp_shop_find", {"a": 1}, "x", description=described)
    found = next(body for body in bodies(model("g", calls=[made])) if isinstance(body, ToolCall))
    assert found.title == title


def test_what_was_used_in_all_is_told_model_by_model():
    def told(given: int, said: int) -> Record:
        return {"input_tokens": given, "output_tokens": said, "cached": 0, "input": given}

    record: Record = {"type": "result", "status": "success", "timestamp": AT}
    models = {"a": told(10, 1), "b": told(5, 2)}
    found = bodies({**record, "stats": {**told(15, 3), "models": models}})[1:]
    expected = [("a", 10, 1), ("b", 15, 3), (None, 15, 3)]
    totals = [body for body in found if isinstance(body, TokenUsage) and body.total]
    assert expected == [
        (each.model, each.usage.input_uncached, each.usage.output) for each in totals
    ]
    only = bodies({**record, "stats": {**told(10, 1), "models": {"a": told(10, 1)}}})[1:]
    assert [getattr(body, "model", None) for body in only] == ["a"]
