"""What the words in front of an output tell of it."""

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.tools import Denial, DeniedBy
from agentview.providers.codex.tool_outcome import ToolOutcome, bare, judged, outcome_in

HEADS: dict[str, ToolOutcome] = {
    '{"output":"a\\n","metadata":{"exit_code":3,"duration_seconds":0.5}}': ToolOutcome("a\n", 3),
    '{\n  "metadata": {"exit_code": 4},\n  "output": "b"\n}': ToolOutcome("b", 4),
    "Exit code: 0\nWall time: 0.1 seconds\nTotal output lines: 2\nOutput:\na\nb": ToolOutcome(
        "a\nb", 0
    ),
    "Chunk ID: 1a2b\nProcess exited with code 1\nOriginal token count: 3\nOutput:\nx": ToolOutcome(
        "x", 1
    ),
    "Chunk ID: 1a2b\nProcess running with session ID 7\nOutput:\n": ToolOutcome("", running="7"),
    "Script completed\nWall time 0.8 seconds\nOutput:\n": ToolOutcome("", script="completed"),
    "Script running with cell ID 6\nWall time 1.5 seconds\nOutput:\n": ToolOutcome("", running="6"),
    "Plan updated": ToolOutcome("Plan updated"),
    "The words Exit code: 7 are its own": ToolOutcome("The words Exit code: 7 are its own"),
    '{"output":1}': ToolOutcome('{"output":1}'),
}
FAILED = (
    "failed to parse function arguments: EOF",
    "unsupported call: no_such_tool",
    "apply_patch verification failed: no such lines",
    "execution error: Io(Os)",
    "failed in sandbox MacosSeatbelt",
    "tool call error: timed out",
    "request_user_input is unavailable in Default mode",
)


@pytest.mark.parametrize(("text", "told"), HEADS.items())
def test_the_lines_in_front_of_an_output(text: str, told: ToolOutcome):
    assert outcome_in([TextBlock(text)]) == told


def test_the_last_of_several_outputs_that_tells_something_counts():
    blocks = [
        TextBlock("progress 1"),
        TextBlock("Script running with cell ID 6\nOutput:\n"),
        TextBlock("Script completed\nWall time 0.8 seconds\nOutput:\n"),
        TextBlock("the end"),
    ]
    assert outcome_in(blocks) == ToolOutcome("progress 1\nthe end", script="completed")
    assert bare(blocks) == (TextBlock("progress 1"), TextBlock("the end"))


@pytest.mark.parametrize("text", FAILED)
def test_words_of_failure(text: str):
    assert judged("c", (TextBlock(text),), None).ok is False


def test_a_text_that_tells_nothing_is_neither_good_nor_bad():
    for text in ("Plan updated", "", "The build failed to start", "2 tests failed"):
        assert judged("c", (TextBlock(text),), None).ok is not True
    assert judged("c", (TextBlock("Plan updated"),), None).ok is None


def test_refusals_name_who_refused():
    person = judged("c", (TextBlock("exec command rejected by user"),), None)
    assert (person.ok, person.denial) == (False, Denial(DeniedBy.PERSON))
    rule = "patch rejected: read-only sandbox; rejected by user approval settings"
    assert judged("c", (TextBlock(rule),), None).denial == Denial(DeniedBy.RULE)
    never = "approval policy is Never; reject command — you cannot ask for escalated permissions"
    assert judged("c", (TextBlock(never),), None).denial == Denial(DeniedBy.RULE)
    assert judged("c", (TextBlock(f"1: {never}"),), None).denial is None
    stopped = judged("c", (TextBlock("aborted by user after 3.0s"),), None)
    assert (stopped.ok, stopped.interrupted, stopped.denial) == (False, True, None)
