"""Results by patterns of a client's words: what is taken off, and what it says."""

import pytest

from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    Match,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall
from agentview.normalize.build import tool_call
from agentview.normalize.tools.registry import FAMILIES
from agentview.providers._kit.result_text import ResultText, refusal

COMMAND = ResultText(
    head=r"Saved to (?P<spill_path>\S+)\n",
    tail=(
        r"\n?\[exit (?P<exit_code>-?\d+)(?P<timed_out>, too late)?\]\s*$",
        r"\n?\[(?P<launched>task) (?P<task_id>\w+) is (?P<status>running)\]$",
    ),
    none=r"\(no output\)\Z",
)


def _call(family: str, **args: object) -> ToolCall:
    return tool_call(call_id="1", name="x", arguments=args, spec=FAMILIES[family])


def _outcome(said: str | None, *, ok: bool | None = True) -> ToolResult:
    return ToolResult("1", ok, (TextBlock(said),) if said is not None else ())


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("a\nb", ShellResult(output="a\nb")),
        ("a\n[exit -1]\n", ShellResult(output="a", exit_code=-1)),
        ("a[exit 3, too late]", ShellResult(output="a", exit_code=3, timed_out=True)),
        ("(no output)\n[exit 3]", ShellResult(output="", exit_code=3)),
        ("[exit 3] is what it said", ShellResult(output="[exit 3] is what it said")),
        ("Saved to /x\nend", ShellResult(output="end", spill_path="/x")),
        (
            "a\n[task 7 is running]\n[exit 0]",
            ShellResult(output="a", exit_code=0, task_id="7", launched=True, status="running"),
        ),
        (None, None),
    ],
)
def test_what_a_client_adds_to_a_command_is_taken_off_and_read(
    said: str | None, result: ShellResult | None
):
    assert COMMAND.shell(_call("bash"), _outcome(said)) == result


def test_the_exit_code_is_known_without_a_call():
    assert COMMAND.exit_code("a\n[exit 3]") == 3
    assert COMMAND.exit_code("a") is None


def test_a_file_is_read_without_what_stands_around_it():
    shown = ResultText(
        head=r"File \S+:\n", tail=(r"\n(?P<truncated>more) of (?P<total_lines>\d+)$",)
    )
    call = _call("read", path="a.py")
    assert shown.read(call, _outcome("File a.py:\nx\nmore of 9")) == ReadResult(
        content="x", total_lines=9, truncated=True
    )
    assert shown.read(call, _outcome("x", ok=False)) is None
    image = ImageBlock("image/png", "AA==")
    assert shown.read(call, ToolResult("1", True, (image,))) == ReadResult(media=(image,))


def test_matches_stand_under_their_files_or_as_the_usual_tools_print_them():
    found = ResultText(
        head=r"(?P<match_count>\d+) matches in (?P<file_count>\d+) files\n",
        none=r"nothing\Z",
        file=r"(\S+):",
        line=r"  (?P<line>\d+)(?::|(?P<context>-)) (?P<text>.*)",
    )
    call = _call("grep", pattern="x")
    assert found.grep(call, _outcome("1 matches in 1 files\na.py:\n  3: x\n  4- y")) == MatchResult(
        (Match("a.py", 3, "x"), Match("a.py", 4, "y", context=True)), match_count=1, file_count=1
    )
    assert found.grep(call, _outcome("nothing")) == MatchResult(match_count=0, file_count=0)
    assert found.grep(call, _outcome("nothing", ok=False)) is None
    plain = found.grep(call, _outcome("a.py:3:x"))
    assert plain is not None
    assert plain.matches == (Match("a.py", 3, "x"),)


def test_paths_are_none_or_cut():
    found = ResultText(tail=(r"\n(?P<truncated>and more)$",), none=r"nothing\Z")
    call = _call("glob", pattern="*")
    assert found.paths(call, _outcome("a\nb\nand more")) == PathsResult(("a", "b"), truncated=True)
    assert found.paths(call, _outcome("nothing")) == PathsResult(count=0)
    assert found.paths(call, _outcome("a", ok=False)) is None


def test_an_answer_belongs_to_the_only_question():
    answer = ResultText(head=r"User chose: ")
    said = _outcome("User chose: tea")
    assert answer.answer(_call("ask", question="Tea?"), said) == AskResult(
        (AskAnswer("Tea?", "tea"),)
    )
    two = _call("ask", questions=[{"question": "Tea?"}, {"question": "Rum?"}])
    assert answer.answer(two, said) is None


def test_the_first_refusal_that_a_text_begins_with_counts():
    table = ((r"no(?:: (?P<words>.*))?", DeniedBy.PERSON), (r"never", DeniedBy.RULE))
    assert refusal("no: too late ", table) == Denial(DeniedBy.PERSON, "too late")
    assert refusal("no", table) == Denial(DeniedBy.PERSON)
    assert refusal("never", table) == Denial(DeniedBy.RULE)
    assert refusal("he says no", table) is None
