from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.content import ImageBlock, JsonBlock, ResourceBlock, TextBlock
from agentview.domain.events import Reasoning, SlashCommand, ToolResult, Unparsed
from agentview.domain.tool_results import ShellResult
from agentview.timeline.view.activity.activity_text import (
    blocks_text,
    file_paths,
    output_text,
    searchable,
    subject_text,
)
from tests.timeline.view.memory import MemorySession, answer, prompt, read, shell


def _activity(body: object) -> Activity:
    return MemorySession([body]).activity(0)  # pyright: ignore[reportArgumentType]


def test_what_an_activity_is_about() -> None:
    assert subject_text(_activity(shell("make check"))) == "make check"
    assert subject_text(_activity(read("src/a.py"))) == "src/a.py"
    assert subject_text(_activity(prompt("please"))) == "please"
    assert subject_text(_activity(SlashCommand("/model", "opus"))) == "/model opus"


def test_what_came_of_it() -> None:
    assert output_text(_activity(shell("ls", "a\nb"))) == "a\nb"
    both = replace(shell("ls"), result=ShellResult(stdout="out", stderr="err"))
    assert output_text(_activity(both)) == "out\nerr"
    assert output_text(_activity(shell("sleep 9", exit_code=None))) == ""
    running = replace(_activity(shell("sleep 9", exit_code=None)), progress="zzz")
    assert output_text(running) == "zzz"
    assert output_text(_activity(ToolResult("x", ok=False, error="gone"))) == "gone"
    assert output_text(_activity(answer("done"))) == "done"


def test_files_are_named_once() -> None:
    assert list(file_paths(_activity(read("src/a.py")))) == ["src/a.py"]
    assert list(file_paths(_activity(prompt("src/a.py")))) == []


def test_blocks_of_every_form_have_text() -> None:
    blocks = (
        TextBlock("one"),
        ResourceBlock(uri="file:///two", text="three"),
        ImageBlock(uri="four"),
        JsonBlock({"five": 6}),
    )
    assert blocks_text(blocks) == 'one\nfile:///two\nthree\nfour\n{\n  "five": 6\n}'


def test_arguments_that_are_no_json_are_searched_as_they_are() -> None:
    broken = replace(shell("ls"), args=None, args_json='{"command": "l')
    assert '{"command": "l' in list(searchable(_activity(broken)))


def test_deep_arguments_are_searched_without_recursion() -> None:
    nested: object = "needle"
    for _ in range(5_000):
        nested = [nested]
    deep = replace(shell("ls"), args={"x": nested})
    assert "needle" in list(searchable(_activity(deep)))


def test_other_facts_are_searched() -> None:
    assert list(searchable(_activity(Reasoning("hm")))) == ["hm"]
    assert list(searchable(_activity(Unparsed("torn", "{")))) == ["torn {"]
