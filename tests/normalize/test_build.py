"""One maker of calls and one joining of results, for whatever was recorded."""

import pytest
from msgspec.structs import replace

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import ReadPayload, ShellPayload, UnknownPayload
from agentview.domain.tool_results import (
    MatchResult,
    PathsResult,
    ReadResult,
    Result,
    SearchHit,
    SearchResult,
    ShellResult,
    SubagentResult,
    TodosResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind, ToolState
from agentview.normalize.build import attach_result, merge_call, tool_call
from agentview.normalize.tools.read import bare_text


def call(name: str, arguments: dict[str, object] | str | None = None) -> ToolCall:
    return tool_call(call_id="c1", name=name, arguments=arguments, spec=None)


def text_result(text: str, *, ok: bool | None = True, structured: object = None) -> ToolResult:
    return ToolResult("c1", ok, (TextBlock(text),), structured)


def test_arguments_are_kept_to_the_letter():
    raw = b'{"command" : "ls",  "timeout":1e3}'
    made = tool_call(
        call_id="c1",
        name="shell",
        arguments={"command": "ls", "timeout": 1000.0},
        spec=None,
        raw=raw,
    )
    assert made.args_json == raw.decode()
    assert made.payload == ShellPayload("ls", timeout=1.0)
    assert (made.kind, made.canonical_name, made.provider_name) == (
        ToolKind.SHELL,
        "Bash",
        "shell",
    )


@pytest.mark.parametrize("text", ['{"command": "ls', "plain words", "[1]", "7", '"x"'])
def test_arguments_that_are_not_an_object(text: str):
    made = call("shell", text)
    assert made.args is None
    assert made.args_error is not None
    assert made.args_json == text
    assert made.payload == UnknownPayload()
    assert made.kind is ToolKind.SHELL


def test_arguments_as_text():
    made = call("read_file", '{"path":"a"}')
    assert made.args == {"path": "a"}
    assert made.args_error is None
    assert made.payload == ReadPayload("a")


UNWRITABLE: list[object] = ["\ud83d", 10**40, {"a": float("nan")}]


@pytest.mark.parametrize("value", UNWRITABLE)
def test_arguments_that_no_writer_accepts(value: object):
    made = call("frobnicate", {"a": value})
    assert made.args == {"a": value}
    assert made.args_json.startswith('{"a":')


def test_no_arguments():
    made = call("frobnicate")
    assert (made.args, made.args_json, made.args_error) == ({}, "", None)


@pytest.mark.parametrize(
    ("ok", "denial", "state"),
    [
        (True, None, ToolState.OUTPUT_AVAILABLE),
        (None, None, ToolState.OUTPUT_AVAILABLE),
        (False, None, ToolState.OUTPUT_ERROR),
        (False, Denial(DeniedBy.PERSON, "no"), ToolState.OUTPUT_DENIED),
    ],
)
def test_states(ok: bool | None, denial: Denial | None, state: ToolState):
    joined = attach_result(call("frobnicate"), ToolResult("c1", ok, denial=denial, error="e"))
    assert (joined.state, joined.ok, joined.denial, joined.error) == (state, ok, denial, "e")


IMAGE = ImageBlock("image/png", "aGk=")

PLAIN: list[tuple[str, dict[str, object], ToolResult, Result | None]] = [
    (
        "shell",
        {},
        text_result("Exit code 2\nboom", ok=False),
        ShellResult(output="boom", exit_code=2),
    ),
    ("shell", {}, text_result("fine"), ShellResult(output="fine")),
    (
        "bash",
        {},
        text_result("x", structured={"stdout": "out", "stderr": "err", "exit_code": "3"}),
        ShellResult(stdout="out", stderr="err", exit_code=3),
    ),
    ("shell", {}, ToolResult("c1", True), None),
    (
        "read_file",
        {},
        text_result("     7→a\n     8→\tb\n"),
        ReadResult("a\n\tb", start=7, line_count=2),
    ),
    ("read_file", {}, text_result("plain"), ReadResult("plain")),
    ("read_file", {}, ToolResult("c1", True, (IMAGE,)), ReadResult(media=(IMAGE,))),
    ("read_file", {}, text_result("no such file", ok=False), None),
    ("grep", {"pattern": "x"}, text_result("nothing found"), None),
    ("list_dir", {}, text_result("a\nb"), PathsResult(tree="a\nb")),
    (
        "codebase_search",
        {},
        ToolResult("c1", True, structured={"results": [{"path": "a", "score": 0.5}, {}]}),
        SearchResult((SearchHit("a", score=0.5),)),
    ),
    (
        "web_fetch",
        {"url": "https://x"},
        text_result("page"),
        WebFetchResult(url="https://x", text="page"),
    ),
    (
        "web_search",
        {},
        ToolResult("c1", True, structured={"results": [{"title": "t", "url": "u"}]}),
        WebSearchResult((WebHit("t", "u"),)),
    ),
    ("task", {}, text_result("done"), SubagentResult(text="done")),
    ("todo_write", {"todos": []}, text_result("ok"), TodosResult(after=())),
    ("write_file", {}, text_result("ok"), None),
]


@pytest.mark.parametrize(("name", "args", "outcome", "expected"), PLAIN)
def test_plain_results(
    name: str, args: dict[str, object], outcome: ToolResult, expected: Result | None
):
    joined = attach_result(call(name, args), outcome)
    assert joined.result == expected
    assert joined.output == outcome.output


def test_plain_matches():
    joined = attach_result(call("grep", {"pattern": "x"}), text_result("a.py:3:x\na.py:4:xx"))
    assert isinstance(joined.result, MatchResult)
    assert joined.result.match_count == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1|a\n2|  b", ("a\n  b", 1)),
        ("00007| a\n00008| b", ("a\nb", 7)),
        ("1|a", None),
        ("1: a\n2: b", None),
        ("<file>\n1: a\n2:\n3: b\n</file>", ("a\n\nb", 1)),
        ("1\ta\n2\tb", ("a\nb", 1)),
        ("    12→a\n    13→b\n", ("a\nb", 12)),
        ("1\ta\n2\t", ("a\n", 1)),
        ("1\ta\n3\tb", None),
        ("1\ta\nb", None),
        ("a\nb", None),
        ("", None),
        ("2024\tyear\n1999\tyear", None),
    ],
)
def test_line_numbers_are_removed_only_where_all_lines_have_them(
    text: str, expected: tuple[str, int] | None
):
    found = bare_text(text)
    assert (found.content, found.start) == (expected or (text, None))


def test_what_a_later_record_does_not_say_of_a_call_stays() -> None:
    first = tool_call(call_id="c", name="bash", arguments={"command": "ls"}, spec=None)
    later = replace(
        tool_call(call_id="c", name="", arguments=None, spec=None), title="List the files"
    )
    made = merge_call(first, later)

    assert made == replace(first, title="List the files")


def test_what_a_later_record_says_of_a_call_counts() -> None:
    first = tool_call(call_id="c", name="", arguments=None, spec=None, title="Terminal")
    later = tool_call(call_id="c", name="bash", arguments={"command": "ls"}, spec=None)
    made = merge_call(first, later)

    assert made == replace(later, title="Terminal")


def test_a_kind_that_either_record_knows_is_not_lost() -> None:
    known = tool_call(call_id="c", name="bash", arguments={"command": "ls"}, spec=None)
    first = replace(known, provider_name="`ls`")
    later = replace(tool_call(call_id="c", name="", arguments=None, spec=None), title="done")

    assert merge_call(first, later).kind is ToolKind.SHELL
    assert merge_call(later, first).kind is ToolKind.SHELL
