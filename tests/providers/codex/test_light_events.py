"""Light events: what is known of a body that is not made, and what does not fit."""

from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from agentview.domain.events import Message, TokenUsage
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.domain.usage import Usage
from agentview.providers.codex import PROVIDER
from tests.providers.codex.log import (
    AGENT,
    REF,
    Record,
    bodies,
    called,
    finished,
    item,
    report,
)
from tests.providers.light import light_of
from tests.providers.read_keys import unused_keys
from tests.samples import line_samples

RECORDS = [
    line.data
    for sample in line_samples()
    if sample.provider.name == PROVIDER.name
    for line in sample.lines()
    if line.data is not None
]
REPEATED = replace(REF, own_from=1_000)


@pytest.mark.parametrize("ref", [REF, AGENT, REPEATED], ids=["main", "agent", "repeated"])
def test_what_is_known_of_a_body_is_so_in_any_stream(ref: SessionRef):
    for record in RECORDS:
        light_of(PROVIDER, record, ref)


def test_most_records_are_indexed_without_a_body():
    assert sum(all(light_of(PROVIDER, record, REF)) for record in RECORDS) > 0.6 * len(RECORDS)


USED: dict[str, Any] = {"input_tokens": 7, "output_tokens": 2}
RARE: list[Record] = [
    called("wait", {"cell_id": 3}),
    called("wait", {"ids": ["a"]}),
    called("exec_command", "*** Begin Patch\n*** End Patch"),
    called("echo", {"a": 1}, namespace="mcp__server"),
    item(type="function_call", name="no_such_tool", arguments="{}", call_id=5),
    item(type="function_call", name="shell", arguments={"command": ["ls"]}, id="c"),
    item(type="custom_tool_call", name="exec_command", input={"cmd": "ls"}),
    item(type="custom_tool_call", name="update_plan", input='{"plan": []}'),
    item(type="local_shell_call", call_id="c"),
    item(type="function_call_output", output="no id"),
    item(type="function_call_output", call_id="c", output='{"agent_id": "a", "nickname": "n"}'),
    item(type="function_call_output", call_id="c", output={"content": "x", "success": False}),
    item(type="reasoning", summary=[]),
    item(item={"type": "message", "role": "assistant", "content": "One level deeper."}),
    report(type="token_count", info={"total_token_usage": USED}),
    report(type="token_count", info=None, rate_limits={"primary": {"used_percent": "4"}}),
    report(type="token_count", **USED, rate_limits={"primary_used_percent": 4}),
    report(type="exec_command_end", callId="c", exit_code=1),
    report(type="exec_command_end", call_id="", command=["ls"], source="user_shell"),
    finished(type="CommandExecution", id="c", exitCode=3, command="ls"),
    finished(type="CommandExecution", id="c", status="inProgress", duration={"secs": 2}),
    finished(type="AgentMessage", text="Which?", questions=[]),
    {"id": "0", "msg": {"type": "exec_command_end", "call_id": "c", "exit_code": 0}},
]


@pytest.mark.parametrize("record", RARE, ids=str)
def test_rare_forms(record: Record):
    for ref in (REF, AGENT, REPEATED):
        light_of(PROVIDER, orjson.dumps(record), ref)


PLACES: list[tuple[list[Any], object, str]] = [
    (["ordinal"], {}, "/ordinal"),
    (["metadata"], [1], "/metadata"),
    (["payload", "namespace"], 5, "/payload/namespace"),
    (["payload", "turn_id"], ["x"], "/payload/turn_id"),
    (["payload", "usage"], 3, "/payload/usage"),
]


@pytest.mark.parametrize(("path", "value", "pointer"), PLACES, ids=[each[2] for each in PLACES])
def test_a_value_that_does_not_fit_is_set_aside_and_shown(
    path: list[Any], value: object, pointer: str
):
    record = called("exec_command", {"cmd": "ls"})
    (holder := record if len(path) == 1 else record["payload"])[path[-1]] = value
    (call,) = bodies(record)
    assert isinstance(call, ToolCall)
    assert call.args_json == '{"cmd": "ls"}'
    assert pointer in unused_keys("codex", record)
    holder.pop(path[-1])
    assert pointer not in unused_keys("codex", record)


def test_arguments_and_numbers_of_a_mended_record_are_as_they_are_written():
    given: Record = {**called("exec_command", {}), "ordinal": {}}
    given["payload"]["arguments"] = {"cmd": "ls"}
    raw = orjson.dumps(given).replace(b'{"cmd":"ls"}', b'{ "cmd" : "ls" }')
    (call,) = bodies(raw)
    assert isinstance(call, ToolCall)
    assert call.args_json == '{ "cmd" : "ls" }'
    last = {"input_tokens": "7", "output_tokens": [2], "cached_input_tokens": 3}
    (used,) = bodies(report(type="token_count", info={"last_token_usage": last}))
    assert isinstance(used, TokenUsage)
    assert used.usage == Usage(input_uncached=4, input_cached=3)


def test_half_a_character_in_a_text_keeps_the_others():
    record = item(
        type="message", role="assistant", content=[{"type": "output_text", "text": "@ b"}]
    )
    (message,) = bodies(orjson.dumps(record).replace(b"@", b"\\ud83d"))
    assert isinstance(message, Message)
    assert message.text.endswith(" b")
