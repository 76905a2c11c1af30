"""The models of lines and facts take all that is written, and refuse everything else."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from agentview.api import (
    MAIN_STREAM,
    Stream,
    ToolCall,
    line_schema,
    model_of,
    open_log,
    to_json_line,
    validate_line,
)
from tests.claude_log import ClaudeLog, conversation, write

Line = dict[str, Any]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Line:
    """The line of a call of a shell with its result."""
    path = write(tmp_path_factory.mktemp("log") / "log.jsonl", conversation(ClaudeLog(), 1))
    (found,) = [event.fields for event in open_log(path).events() if event.type == "tool_call"]
    return json.loads(to_json_line(found))


def allowed(line: Line) -> bool:
    """Whether a line is one by the JSON Schema."""
    validator: Any = Draft202012Validator(line_schema())
    return validator.is_valid(line)


def test_the_schema_allows_a_line(call: Line) -> None:
    assert allowed(call)
    # A word of OpenAPI, which strict validators do not take.
    assert "discriminator" not in str(line_schema())


def test_a_line_has_its_keys_as_attributes(call: Line) -> None:
    line: Any = validate_line(json.dumps(call))
    assert (line.type, line.payload.type, line.payload.command) == (
        "tool_call", "shell", call["payload"]["command"],
    )  # fmt: skip


_UNKNOWN = "Input should be an object with a known `type`"


@pytest.mark.parametrize(
    ("changes", "place", "message"),
    [
        ({"type": ...}, "", _UNKNOWN),
        ({"type": "tool_talk"}, "", _UNKNOWN),
        ({"v": 1}, "v", "Input should be 2"),
        ({"v": ...}, "v", "Field required"),
        ({"session": 7}, "session", "Input should be a valid string"),
        ({"status": "gone"}, "status", "Input should be 'active', "),
        ({"more": 1}, "more", "Extra inputs are not permitted"),
        ({"ok": "yes"}, "ok", "Input should be a valid boolean"),
        ({"payload": {"type": "shell"}}, "payload.shell.command", "Field required"),
        ({"payload": {"type": "talk"}}, "payload", _UNKNOWN),
        ({"payload": {}}, "payload", _UNKNOWN),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(
    call: Line, changes: Line, place: str, message: str
) -> None:
    line = {key: value for key, value in {**call, **changes}.items() if value is not ...}
    with pytest.raises(ValidationError) as refused:
        validate_line(json.dumps(line))
    error = refused.value.errors()[0]
    assert ".".join(map(str, error["loc"])) == (f"tool_call.{place}" if place else "")
    assert message in error["msg"]
    assert not allowed(line)


@pytest.mark.parametrize("line", ["[]", "7", "null"])
def test_what_is_no_object_is_no_line(line: str) -> None:
    with pytest.raises(ValidationError, match=_UNKNOWN):
        validate_line(line)


def test_a_value_of_the_api_is_valid_as_it_is_written(call: Line) -> None:
    assert model_of(Stream).model_validate_json(to_json_line(MAIN_STREAM)).model_dump() == {
        "kind": "main",
        "id": "",
    }
    model = model_of(ToolCall)
    assert set(model.model_json_schema()["$defs"]["ToolCall"]["required"]) <= set(call)
