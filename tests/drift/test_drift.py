"""The normalizers over every fixture: what was recorded is read today as what it is."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolOrigin, ToolState
from agentview.drift.fixtures import Fixtures, facts_of, from_text, read_allowlist, replay
from agentview.drift.trace import EntryKind
from agentview.normalize.json_values import fields_of
from agentview.providers import load_provider

FOLDER = Path(__file__).parents[1] / "fixtures"
FILE = FOLDER / "tool_fixtures.v1.json"
ALLOWLIST = FOLDER / "tool_fixtures.v1.allowlist.txt"

KINDS: dict[str, ToolKind] = {
    "Bash": ToolKind.SHELL,
    "Read": ToolKind.READ,
    "Write": ToolKind.WRITE,
    "Edit": ToolKind.EDIT,
    "MultiEdit": ToolKind.EDIT,
    "Glob": ToolKind.GLOB,
    "Grep": ToolKind.GREP,
    "LS": ToolKind.LS,
    "WebFetch": ToolKind.WEB_FETCH,
    "WebSearch": ToolKind.WEB_SEARCH,
    "TodoWrite": ToolKind.TODOS,
    "Task": ToolKind.SUBAGENT_TASK,
    "AskUserQuestion": ToolKind.ASK,
    "ExitPlanMode": ToolKind.PLAN,
}
"""What a canonical name stands for, wherever it comes from. A patch may be of several kinds."""

NAMES: dict[str, str] = {
    "log/claude_code/Bash": "Bash",
    "log/claude_code/MultiEdit": "MultiEdit",
    "log/claude_code/Agent": "Task",
    "log/codex/exec_command": "Bash",
    "log/codex/apply_patch": "Patch",
    "log/codex/update_plan": "TodoWrite",
    "log/codex/spawn_agent": "Task",
    "stream/codex/exec_command": "Bash",
    "log/gemini_cli/run_shell_command": "Bash",
    "log/gemini_cli/replace": "Edit",
    "log/gemini_cli/write_todos": "TodoWrite",
    "log/gemini_cli/google_web_search": "WebSearch",
    "log/gemini_cli/list_directory": "LS",
    "log/qwen_code/run_shell_command": "Bash",
    "log/qwen_code/todo_write": "TodoWrite",
    "stream/cursor/shellToolCall": "Bash",
    "log/pydantic_ai/run_shell": "Bash",
    "acp/acp/bash": "Bash",
    "acp/happier/execute": "Bash",
    "codex/happier/CodexPatch": "Patch",
}
"""Tools by protocol, provider and their own name, and what they are called here."""


@cache
def fixtures() -> Fixtures:
    return from_text(FILE.read_text("utf-8"))


def _examples() -> list[Any]:
    return [
        pytest.param(key, example, id=f"{key}-{number}")
        for key, examples in fixtures().examples.items()
        for number, example in enumerate(examples)
    ]


EXAMPLES = _examples()
every_example = pytest.mark.parametrize(("key", "example"), EXAMPLES)


def _call(example: dict[str, Any]) -> ToolCall:
    call, _ = replay(example)
    assert call is not None
    return call


@every_example
def test_names_kind_and_outcome_are_what_they_were(key: str, example: dict[str, Any]) -> None:
    _, told = replay(example)
    assert facts_of(told) == example["normalized"]


@every_example
def test_the_key_says_what_the_example_is(key: str, example: dict[str, Any]) -> None:
    protocol, provider, kind, _ = key.split("/", 3)
    marks = load_provider(provider).record_type_keys
    assert (example["protocol"], example["provider"], example["kind"]) == (protocol, provider, kind)
    assert marks.protocol(fields_of(example["raw"])) == protocol


@every_example
def test_a_canonical_name_stands_for_one_kind(key: str, example: dict[str, Any]) -> None:
    call = _call(example)
    assert KINDS.get(call.canonical_name, call.kind) is call.kind
    is_mcp = call.canonical_name.startswith("mcp__")
    assert (call.origin is ToolOrigin.MCP) == (is_mcp or call.kind is ToolKind.MCP)
    tool = "/".join((*key.split("/")[:2], key.split("/", 3)[3]))
    assert NAMES.get(tool, call.canonical_name) == call.canonical_name


@every_example
def test_arguments_are_kept_to_the_letter(key: str, example: dict[str, Any]) -> None:
    """As text they say what they say as a mapping; arguments that are no JSON are in the record."""
    call = _call(example)
    recorded = json.dumps([example["raw"], example.get("call")], ensure_ascii=False)
    if _is_json(call.args_json):
        assert json.loads(call.args_json) == call.args
    else:
        assert _escaped(call.args_json).strip() in recorded
    for value in (call.args or {}).values():
        if isinstance(value, str) and not isinstance(example["raw"], str):
            assert _escaped(value) in recorded or _escaped(_escaped(value)) in recorded


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


@every_example
def test_a_shell_command_is_told(key: str, example: dict[str, Any]) -> None:
    call = _call(example)
    if call.canonical_name == "Bash" and call.args_error is None and call.args:
        assert isinstance(call.payload, ShellPayload)
        assert call.payload.command.strip()


@every_example
def test_what_failed_says_why(key: str, example: dict[str, Any]) -> None:
    call = _call(example)
    if example["kind"] != EntryKind.RESULT:
        assert call.state in (ToolState.INPUT_AVAILABLE, ToolState.INPUT_STREAMING)
        return
    assert call.state is not ToolState.INPUT_AVAILABLE
    if call.state is ToolState.OUTPUT_ERROR:
        assert call.ok is False
        assert call.error or call.output or call.result is not None
    if call.state is ToolState.OUTPUT_DENIED:
        assert call.denial is not None


def test_every_wanted_key_has_examples_and_no_other_has() -> None:
    allowlist = read_allowlist(ALLOWLIST)
    assert all(allowlist.allows(key) for key in fixtures().shapes)
    assert fixtures().shapes.keys() == fixtures().examples.keys()
    assert all(fixtures().examples.values())
    lines = [line.partition("#")[0].strip() for line in ALLOWLIST.read_text().splitlines()]
    for line in filter(None, lines):
        assert any(_allowed(line, key) for key in fixtures().shapes), line


def _allowed(line: str, key: str) -> bool:
    parts, wanted = key.split("/"), line.split("/")
    return len(parts) == len(wanted) and all(
        part == want or want in ("*", part[: len(want) - 1] + "*")
        for part, want in zip(parts, wanted, strict=True)
    )


def test_each_provider_among_them_has_calls_and_results() -> None:
    kinds = {(key.split("/")[1], key.split("/")[2]) for key in fixtures().shapes}
    providers = {name for name, _ in kinds}
    assert {"acp", "claude_code", "codex", "gemini_cli", "happier", "opencode"} <= providers
    for name in providers:
        assert (name, EntryKind.CALL) in kinds
        if name != "cursor":
            assert (name, EntryKind.RESULT) in kinds


def test_results_of_all_outcomes_are_among_them() -> None:
    states = {example["normalized"].get("state") for _, example in map(_values, EXAMPLES)}
    assert {ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED} <= states
    assert any(key.split("/")[2] == EntryKind.PERMISSION for key in fixtures().shapes)


def _values(parameters: Any) -> tuple[str, dict[str, Any]]:
    key, example = parameters.values
    return key, example


def test_a_fixture_that_says_something_else_is_noticed() -> None:
    """So that these tests can fail: an example whose tool was renamed is no shell any more."""
    example = json.loads(json.dumps(fixtures().examples["log/claude_code/tool-call/Bash"][0]))
    for block in example["raw"]["message"]["content"]:
        block["name"] = "Bosh"
    _, told = replay(example)
    assert facts_of(told) != example["normalized"]


def test_an_unknown_provider_is_told() -> None:
    call, told = replay({"provider": "nobody", "kind": "tool-call", "raw": {}})
    assert call is None
    assert "nobody" in str(told["reason"])


def test_a_result_is_joined_with_the_call_of_another_record() -> None:
    example = fixtures().examples["log/codex/tool-result/exec_command"][0]
    assert "call" in example
    call = _call(example)
    assert isinstance(call.payload, ShellPayload)
    assert call.ok is True
