"""Whole sessions: each message once, whatever was written again, replaced or taken back."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.events import Topic, User
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.domain.usage import Usage
from agentview.normalize.output_text import text_of
from tests.providers.gemini.gemini_cli.log import (
    AT,
    META,
    SAMPLES,
    Record,
    call,
    joined,
    model,
    response,
    user,
)
from tests.providers.joined_log import calls, shown, texts, write

BOTH_WAYS = pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])


@BOTH_WAYS
def test_a_message_that_is_written_again_is_shown_once(tmp_path: Path, backward: bool):
    done = call("c-1", "read_file", {"file_path": "a.py"}, "x = 1")
    records = [
        META,
        user("u", "Read it"),
        model("g", "Reading.", tokens={"input": 10, "output": 2, "cached": 4, "total": 12}),
        {"$set": {"lastUpdated": "2026-05-04T09:00:01.000Z"}},
        model("g", "Reading.", [done], tokens={"input": 10, "output": 2, "cached": 4, "total": 12}),
        user("r", response("c-1", "read_file", output="x = 1")),
    ]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    assert texts(store) == ["Read it", "Reading."]
    only = calls(store)["c-1"]
    assert (only.kind, only.state) == (ToolKind.READ, ToolState.OUTPUT_AVAILABLE)
    assert [getattr(block, "text", None) for block in only.output] == ["x = 1"]
    assert (store.summary.usage.input_uncached, store.summary.usage.output) == (6, 2)


@BOTH_WAYS
@pytest.mark.parametrize("parts", [1, 2])
def test_a_prompt_with_context_in_front_of_it_is_the_same_prompt(
    tmp_path: Path, backward: bool, parts: int
):
    context = "<session_context>\nThis is the Gemini CLI.\n</session_context>"
    again = [context, "Fix it"] if parts == 2 else [f"{context}\n\nFix it"]
    records = [
        META,
        user("u", "Fix it"),
        model("g", "Done."),
        {"$set": {"messages": [user("u", *again)]}},
    ]
    path = write(tmp_path / "s.jsonl", records)
    assert texts(joined(path, backward=backward)) == ["Fix it", "Done."]
    only = write(tmp_path / "only.jsonl", [META, user("u", *again)])
    (row,) = shown(joined(only, backward=backward))
    prompt = row.body
    assert isinstance(prompt, User)
    assert (prompt.text, prompt.context) == ("Fix it", (context,))


@BOTH_WAYS
def test_an_answer_counts_where_only_the_user_message_has_it(tmp_path: Path, backward: bool):
    asked = {"functionCall": {"id": "c-1", "name": "glob", "args": {"pattern": "*"}}}
    records = [META, model("g", [asked]), user("r", response("c-1", "glob", error="No such place"))]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    only = calls(store)["c-1"]
    assert (only.kind, only.state, only.error) == (
        ToolKind.GLOB,
        ToolState.OUTPUT_ERROR,
        "No such place",
    )
    assert texts(store) == []


@BOTH_WAYS
def test_a_history_told_anew_stays_where_it_was_said(backward: bool):
    store = joined(SAMPLES / "history.jsonl", backward=backward)
    assert texts(store)[:2] == [
        "Why does the cart total come out wrong?",
        "**Finding the cart**\n\nThe total is computed in src/cart.py.",
    ]
    assert texts(store).count("The total multiplies by the count now.") == 1
    found = calls(store)
    assert list(found) == ["read_1", "shell_1", "replace_1", "shell_2", "write_1"]
    # The person stopped the turn instead of answering.
    assert [request.state for request in found["write_1"].requests] == [ToolState.ABANDONED]
    assert len(found["read_1"].output) == 1
    assert found["shell_1"].state is ToolState.OUTPUT_ERROR
    assert store.summary.text("cwd") == "/home/dev/shop"
    assert store.summary.title == "Fix the cart total"


@BOTH_WAYS
def test_a_rewind_takes_back_the_message_it_names_and_all_behind_it(backward: bool):
    said = texts(joined(SAMPLES / "history.jsonl", backward=backward))
    assert "Now add a discount." not in said
    assert "Which discount?" not in said
    assert "Now write it down in the changelog." in said


@BOTH_WAYS
def test_a_rewind_to_an_unknown_message_takes_back_everything(tmp_path: Path, backward: bool):
    records = [META, user("u", "One"), model("g", "Two"), {"$rewindTo": "?"}, user("v", "Three")]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    topics = [getattr(activity.body, "topic", None) for activity in shown(store)]
    assert texts(store) == ["Went back to an earlier point", "Three"]
    assert topics[0] is Topic.REWIND


def test_a_document_says_what_its_lines_would_say(tmp_path: Path):
    document = SAMPLES / "document.json"
    loaded: Record = json.loads(document.read_bytes())
    head = {key: value for key, value in loaded.items() if key != "messages"}
    lines: list[Record] = [head, *loaded["messages"]]
    as_lines = joined(write(tmp_path / "s.jsonl", lines))
    as_document = joined(document)
    assert texts(as_document) == texts(as_lines)
    assert [each.state for each in calls(as_document).values()] == [
        each.state for each in calls(as_lines).values()
    ]
    assert as_document.summary.usage == as_lines.summary.usage
    assert "[Function Response" not in "".join(texts(as_document))


def test_deltas_are_one_message_each():
    said = texts(joined(SAMPLES / "printed" / "errors.jsonl"))
    assert said[:4] == [
        "Please do the scripted work.",
        "First.",
        "After the retries.",
        "Cut off by the limit in the mid",
    ]
    store = joined(SAMPLES / "printed" / "errors.jsonl")
    assert {each.state for each in calls(store).values()} == {ToolState.OUTPUT_AVAILABLE}


def test_agents_are_linked_with_the_calls_that_started_them():
    store = joined(SAMPLES / "agents" / "session-2026-11-21T00-16-7d1ee15f.jsonl")
    children = {
        activity.child.id
        for activity in shown(store)
        if isinstance(activity.body, ToolCall) and activity.child is not None
    }
    assert children == {
        "25d9dd4f-ef35-4502-8333-36319efb6b84",
        "d00de29a-20d9-4b45-b878-cb4830ece918",
    }


def appended(rounds: int, every: int) -> Iterator[Record]:
    """A session whose whole history is written again with new ids, then replaced, over and over."""
    yield META
    history: list[Record] = [user("u-0", "Count")]
    yield history[0]
    for turn in range(1, rounds + 1):
        name = f"c-{turn}"
        done = call(name, "run_shell_command", {"command": f"echo {turn}"}, f"Output: {turn}")
        fresh = [
            model(f"g-{turn}", f"Step {turn}", tokens={"input": 10, "output": 1, "total": 11}),
            model(
                f"g-{turn}",
                f"Step {turn}",
                [done],
                tokens={"input": 10, "output": 1, "total": 11},
            ),
            user(f"r-{turn}", response(name, output=f"Output: {turn}")),
        ]
        yield from fresh
        history += fresh[1:]
        if turn % every == 0:
            history = [_copied(message, turn) for message in history]
            yield from history
            yield {"$set": {"messages": history, "lastUpdated": META["lastUpdated"]}}


def _copied(message: Record, turn: int) -> Record:
    """A message as the client makes it of the history that the model was sent."""
    content = message["content"]
    parts: list[Record] = [{"text": content}] if isinstance(content, str) else list(content)
    parts += [
        {"functionCall": {key: done[key] for key in ("id", "name", "args")}}
        for done in message.get("toolCalls", ())
    ]
    own = f"{message['id'].split('/')[0]}/{turn}"
    made = {"id": own, "timestamp": message["timestamp"], "type": message["type"], "content": parts}
    return made if made["type"] == "user" else {**made, "thoughts": [], "tokens": None}


@BOTH_WAYS
def test_a_history_that_is_written_over_and_over_is_shown_once(tmp_path: Path, backward: bool):
    path = write(tmp_path / "s.jsonl", appended(60, 10))
    store = joined(path, backward=backward)
    assert texts(store) == ["Count", *(f"Step {turn}" for turn in range(1, 61))]
    found = calls(store)
    assert list(found) == [f"c-{turn}" for turn in range(1, 61)]
    assert {each.state for each in found.values()} == {ToolState.OUTPUT_AVAILABLE}
    assert all(len(each.output) == 1 for each in found.values())
    assert store.summary.usage.output == 60


def anew(record: Record, second: int, own: str = "") -> Record:
    """A message as the client makes it of its content, at some second."""
    copied = _copied(record, second)
    return {**copied, "id": own or copied["id"], "timestamp": f"2026-05-04T09:30:{second:02}.000Z"}


def bare(record: Record) -> Record:
    return {key: value for key, value in record.items() if key not in ("thoughts", "tokens")}


@BOTH_WAYS
def test_a_stopped_prompt_and_what_was_before_a_summary_stay(tmp_path: Path, backward: bool):
    """As 0.61 writes it: copies for a call that was stopped, then a list, then a summary."""
    done = call("c", "run_shell_command", {"command": "ls"}, "a.py")
    said = [user("u", "List"), model("g", "So.", [done], model="m"), {**user("i"), "type": "info"}]
    said[2]["content"] = "Request cancelled."
    copied = [anew(said[0], 10), anew(said[1], 10)]
    typed = {**user("v", "Go on"), "timestamp": "2026-05-04T09:30:15.000Z"}
    summary = anew(user("s", "<state_snapshot>Listed.</state_snapshot>"), 30, "s")
    thanks = bare(anew(model("k", "Got it. Thanks for the additional context!"), 30))
    kept = bare(anew(model("g", "So."), 30, "g/kept"))
    records = [
        *(META, *said, *copied),
        {"$set": {"messages": copied, "lastUpdated": "2026-05-04T09:30:10.001Z"}},
        *(typed, {**said[2], "id": "j"}),
        {"$set": {"messages": copied, "lastUpdated": "2026-05-04T09:30:20.000Z"}},
        {
            "$set": {
                "messages": [summary, thanks, kept],
                "lastUpdated": "2026-05-04T09:30:30.000Z",
            }
        },
        {**user("e"), "type": "info"},
        user("w", "And now?"),
        {"$set": {"messages": [summary, thanks, kept], "lastUpdated": "2026-05-04T09:31:00.000Z"}},
    ]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    assert texts(store) == [
        *("List", "So.", "Request cancelled.", "Go on", "Request cancelled.", "And now?"),
    ]
    kinds = [type(activity.body).__name__ for activity in shown(store)]
    assert kinds.index("Compaction") == len(kinds) - 2
    assert list(calls(store)) == ["c"]
    assert [block for each in calls(store).values() for block in each.output]


@pytest.mark.slow
def test_tens_of_thousands_of_lines_show_each_message_once(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", appended(1_000, 50))
    assert len(path.read_bytes().split(b"\n")) > 20_000
    began = time.process_time()
    store = joined(path)
    spent = time.process_time() - began
    assert len(texts(store)) == 1_001
    assert len(calls(store)) == 1_000
    assert spent < 30


def turn(role: str, *parts: Record | str) -> Record:
    return {"role": role, "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}


def asked(name: str, **args: str) -> Record:
    return {"functionCall": {"name": name, "args": args}}


def answered(name: str, **told: str) -> Record:
    return {"functionResponse": {"name": name, "response": told}}


@BOTH_WAYS
@pytest.mark.parametrize("indent", [None, 2])
def test_answers_in_a_saved_chat_belong_to_calls_without_ids(
    tmp_path: Path, backward: bool, indent: int | None
):
    reads = (asked("read_file", file_path="a"), asked("read_file", file_path="b"))
    back = (answered("read_file", output="A"), answered("glob", output="a"))
    turns = [
        turn("user", "Look"),
        turn("model", "So.", asked("glob", pattern="*"), *reads),
        turn("user", *back, answered("read_file", error="no b")),
        turn("model", asked("glob", pattern="c")),
        turn("user", response("glob-1", "glob", output="c")),
        turn("model", asked("glob", pattern="d")),
        turn("user", "Stop"),
    ]
    expected = [("*", "a"), ("a", "A"), ("b", "no b"), ("c", "c"), ("d", None)]
    for saved in (turns, {"history": turns, "authType": "x"}):
        path = tmp_path / "checkpoint-a.json"
        path.write_text(json.dumps(saved, indent=indent))
        store = joined(path, backward=backward)
        assert texts(store) == ["Look", "So.", "Stop"]
        found = [
            (next(iter((each.args or {}).values())), text_of(each.output))
            for each in calls(store).values()
        ]
        assert found == expected


@BOTH_WAYS
def test_a_context_that_is_written_again_takes_the_place_of_nothing(tmp_path: Path, backward: bool):
    context = user("c", "<session_context>\nThis is the client.\n</session_context>")
    again = {"$set": {"messages": [{**context, "id": "d"}], "lastUpdated": META["lastUpdated"]}}
    records = [META, user("u", "One"), model("g", "Two"), again, user("v", "Three")]
    store = joined(write(tmp_path / "s.jsonl", records), backward=backward)
    assert texts(store) == ["One", "Two", "Three"]


def test_what_is_said_later_of_a_response_leaves_its_words(tmp_path: Path):
    counts = {"input": 9, "output": 4, "cached": 0, "thoughts": 1, "tool": 0, "total": 14}
    head = {"type": "session_metadata", "sessionId": "s-1", "startTime": AT}
    told = [
        head,
        user("m-1", "Count the figs"),
        model("m-2", "Three.", model="fig-2", tokens={**counts, "output": 2}),
        {"type": "message_update", "id": "m-2", "tokens": counts},
    ]
    store = joined(write(tmp_path / "log.jsonl", told))
    assert texts(store) == ["Count the figs", "Three."]
    assert store.summary.usage == Usage(9, 0, None, 5, 1)


def test_changes_of_messages_tell_what_is_new_and_take_nothing_back(tmp_path: Path):
    begun = {**call("c-1", "read_file", {"file_path": "figs.txt"}), "status": "executing"}
    late = {"id": "c-1", "result": [response("c-1", "read_file", output="three figs")]}
    masked = {"id": "c-1", "result": [response("c-1", "read_file", output="(left out)")]}
    told = [
        META,
        user("m-1", "Count the figs"),
        model("m-2", "Counting.", [begun]),
        model("m-3", ""),
        {"$patch": {"updates": [{"id": "m-2", "toolCalls": [late]}]}},
        {"$patch": {"id": "m-3", "content": "Three."}},
        {"$patch": {"id": "m-1", "content": [{"text": "(left out)"}]}},
        {"$patch": {"updates": [{"id": "m-2", "toolCalls": [masked]}], "removeIds": ["m-1"]}},
    ]
    store = joined(write(tmp_path / "log.jsonl", told))
    assert texts(store) == ["Count the figs", "Counting.", "Three."]
    (made,) = calls(store).values()
    assert (made.kind, made.ok, text_of(made.output)) == (ToolKind.READ, True, "three figs")
