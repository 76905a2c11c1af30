"""How events become lines: joined, told apart, and never held for long."""

import json

from msgspec.structs import replace

from agentview.domain.content import ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Event, Message, ToolResult, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.providers import load_provider
from agentview.reports.export.encoding import TAGS, iso_time, to_json_document, to_json_line
from agentview.reports.export.records import HELD_EVENTS, RecordLines

PROVIDER = load_provider("claude_code")
REF = SessionRef(PROVIDER.name, "s", "/log.jsonl")


def event(number: int, body: User | Message | ToolCall | ToolResult) -> Event:
    source = SourceRef("/log.jsonl", number * 10, 9, number + 1)
    return Event("x", "s", source, body, record_id=str(number))


def call(call_id: str) -> ToolCall:
    return tool_call(call_id=call_id, name="Bash", arguments={"command": "true"}, spec=None)


def fed(lines: RecordLines, *given: Event) -> list[dict[str, object]]:
    return [line for one in given for line in lines.feed(one, REF)]


def test_a_result_waits_for_its_call_but_not_for_ever():
    lines = RecordLines(PROVIDER)
    assert fed(lines, event(0, ToolResult("c", True))) == []
    others = [event(number, User(str(number))) for number in range(1, HELD_EVENTS)]
    assert [line["type"] for line in fed(lines, *others)] == ["user"] * len(others)
    late = fed(lines, event(HELD_EVENTS, User("late")))
    assert [line["type"] for line in late] == ["tool_result", "user"]
    assert late[0]["kind"] is None


def test_results_that_wait_keep_their_order():
    lines = RecordLines(PROVIDER)
    fed(lines, *(event(number, ToolResult(f"c{number}", True)) for number in (1, 2, 3)))
    after = fed(lines, event(4, call("c2")))
    assert [(line["type"], line["call_id"]) for line in after] == [
        ("tool_call", "c2"),
        ("tool_result", "c2"),
    ]
    assert after[1]["kind"] is ToolKind.SHELL
    assert [line["call_id"] for line in lines.release()] == ["c1", "c3"]
    assert list(lines.release()) == []


def test_results_of_parallel_calls_with_one_id_have_the_tool_of_their_own_call():
    lines = RecordLines(PROVIDER)
    named = [tool_call(call_id="c", name=name, arguments={}, spec=None) for name in ("one", "two")]
    again = tool_call(call_id="c", name="three", arguments={}, spec=None)
    bodies = (*named, ToolResult("c", True), ToolResult("c", False), again, ToolResult("c", True))
    response = {number: "r1" if number < 4 else "r2" for number in range(len(bodies))}
    found = fed(
        lines,
        *(
            replace(event(number, body), response_id=response[number])
            for number, body in enumerate(bodies)
        ),
    )
    assert [(line["type"], line["provider_name"]) for line in found] == [
        ("tool_call", "one"),
        ("tool_call", "two"),
        ("tool_result", "one"),
        ("tool_result", "two"),
        ("tool_call", "three"),
        ("tool_result", "three"),
    ]
    assert not any("twin_of" in line for line in found)


def test_twins_and_replacements_name_each_other():
    lines = RecordLines(PROVIDER)
    first = replace(event(1, Message("a")), dedupe_key="k")
    second = replace(event(2, Message("a")), dedupe_key="k")
    draft = replace(event(3, Message("dra")), replaces="r")
    final = replace(event(4, Message("draft")), replaces="r")
    found = fed(lines, first, second, draft, final)
    assert [line.get("twin_of") for line in found] == [None, str(first.id), None, None]
    assert [line.get("takes_place_of") for line in found] == [None, None, None, str(draft.id)]


def test_after_a_reset_nothing_is_a_twin_of_what_is_gone():
    lines = RecordLines(PROVIDER)
    one = replace(event(1, Message("a")), dedupe_key="k")
    fed(lines, one)
    first, second = lines.reset(REF, "truncated"), lines.reset(REF, "truncated")
    assert first["id"] != second["id"]
    assert "twin_of" not in fed(lines, one)[0]


def test_members_of_a_union_are_told_apart():
    assert to_json_line((TextBlock("a"), JsonBlock({"b": 1}))) == (
        b'[{"type":"text","text":"a"},{"type":"json","value":{"b":1}}]\n'
    )
    assert TAGS[ImageBlock] == "image"
    assert len(TAGS) > 30


def test_what_json_does_not_have_is_replaced():
    assert to_json_line(["\ud83d", float("nan")]) == '["\ufffd",null]\n'.encode()
    assert to_json_line({"\udc00": 1 << 70, "n": {1: ()}}) == (
        '{"\ufffd":1180591620717411303424,"n":{"1":[]}}\n'.encode()
    )


def test_what_acts_on_a_terminal_is_escaped_and_keeps_its_value():
    acting = "\x7f\x9b31m\x9d\u202e\u2066\u200b\u2028\ufeff é 日本"
    for written in (
        to_json_line({acting: [acting]}),
        to_json_document({acting: [acting, 1 << 70]}),
    ):
        assert json.loads(written)[acting][0] == acting
        text = written.decode()
        assert "é 日本" in text
        assert text.replace("\n", "").isprintable()


def test_times_are_utc_to_the_millisecond():
    assert iso_time(0.0) == "1970-01-01T00:00:00.000Z"
    assert iso_time(1_795_000_000.123) == "2026-11-18T11:06:40.123Z"
    assert iso_time(None) is None
    assert iso_time(1e20) is None
    assert iso_time(float("nan")) is None
