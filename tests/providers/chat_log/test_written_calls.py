"""Calls that a model writes as tags, and what a loop gives back in the person's place."""

import json
from pathlib import Path

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import Message, User
from agentview.domain.tools import ToolCall
from agentview.providers._kit.written_calls import written_calls, written_results
from agentview.providers.chat_log import PROVIDER
from tests.providers.joined_log import joined, shown

FUNCTION = "<function=bash>\n<parameter=command>\nls -l\n</parameter>\n</function>"
FORMS = {
    "json": (
        '<tool_call>\n{"name": "bash", "arguments": {"command": "ls -l"}}\n</tool_call>',
        "<tool_response>\na.py\n</tool_response>",
    ),
    "function": (FUNCTION, "EXECUTION RESULT of [bash]:\na.py"),
    "function in tags": (
        f"<tool_call>\n{FUNCTION}\n</tool_call>",
        "<tool_response>\na.py\n</tool_response>",
    ),
    "function of JSON": (
        '<function=bash>{"command": "ls -l"}</function>',
        "<tool_response>a.py</tool_response>",
    ),
    "invoke": (
        (
            '<function_calls>\n<invoke name="bash">\n<parameter name="command">ls -l</parameter>\n'
            "</invoke>\n</function_calls>"
        ),
        "<tool_response>\na.py\n</tool_response>",
    ),
    "action": (
        'Action: bash\nAction Input: {"command": "ls -l"}',
        "Observation: a.py",
    ),
}


def said(path: Path, *messages: tuple[str, str]) -> list[object]:
    rows = [{"role": role, "content": content} for role, content in messages]
    path.write_text(json.dumps({"messages": rows}))
    return [each.body for each in shown(joined(PROVIDER, path))]


@pytest.mark.parametrize("form", FORMS)
def test_tags_are_a_call_and_its_result(form: str, tmp_path: Path):
    call, result = FORMS[form]
    bodies = said(
        tmp_path / "log.json",
        ("user", "List."),
        ("assistant", f"Looking.\n{call}"),
        ("user", result),
        ("assistant", "Done."),
    )
    assert [each.text for each in bodies if isinstance(each, User)] == ["List."]
    assert [each.text for each in bodies if isinstance(each, Message)] == ["Looking.", "Done."]
    made = [each for each in bodies if isinstance(each, ToolCall)]
    assert [(each.provider_name, each.args) for each in made] == [("bash", {"command": "ls -l"})]
    assert made[0].output == (TextBlock("a.py"),)


def test_words_about_tags_are_words(tmp_path: Path):
    asked = "What does <tool_response> mean?"
    answered = "Write `<function=name>` in front, see `<invoke name=` too."
    bodies = said(tmp_path / "log.json", ("user", asked), ("assistant", answered))
    assert [each.text for each in bodies if isinstance(each, User)] == [asked]
    assert [each.text for each in bodies if isinstance(each, Message)] == [answered]


def test_an_action_with_words_for_its_input_has_them(tmp_path: Path):
    bodies = said(
        tmp_path / "log.json",
        ("user", "Find."),
        ("assistant", "Thought: look.\nAction: search\nAction Input: tea in Kyoto"),
        ("user", "Observation: 3 places"),
    )
    made = [each for each in bodies if isinstance(each, ToolCall)]
    assert [(each.provider_name, each.args) for each in made] == [
        ("search", {"input": "tea in Kyoto"})
    ]
    assert made[0].output == (TextBlock("3 places"),)
    assert [each.text for each in bodies if isinstance(each, Message)] == ["Thought: look."]


def test_an_action_that_was_observed_in_the_same_words_stays_as_it_is(tmp_path: Path):
    words = "Action: search\nAction Input: tea\nObservation: none\nFinal Answer: none"
    bodies = said(tmp_path / "log.json", ("user", "Find."), ("assistant", words))
    assert [each.text for each in bodies if isinstance(each, Message)] == [words]


def test_a_count_of_tokens_is_no_row(tmp_path: Path):
    path = tmp_path / "log.json"
    rows = [{"role": "user", "content": "Look."}]
    path.write_text(json.dumps({"r": {"raw": rows, "usage": {"prompt": 10, "completion": 5}}}))
    prompts = [e.body.text for e in shown(joined(PROVIDER, path)) if isinstance(e.body, User)]
    assert prompts == ["Look."]


@pytest.mark.parametrize(
    "piece",
    ["<function=a>\n", '<invoke name="a">\n', "<tool_call>{", "<parameter=b>", "<tool_response>"],
)
def test_what_opens_without_an_end_is_looked_for_once(piece: str) -> None:
    words = f"<function=f>{piece * 100_000}"
    assert list(written_calls(words)) == [words]
    assert written_results(words) == []
