"""The table of families in docs/providers.md names keys that the families read."""

import re

import pytest

from agentview.api import FAMILIES, TextBlock, ToolResult, tool_call
from agentview.providers._kit.unused_keys import NotingObject
from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs" / "providers.md").read_text()
ROWS = re.findall(
    r"^\| (`[^|]+`) \| ([^|]*) \| ([^|]*)\|$", PAGE.partition("## Tools")[2], re.MULTILINE
)
CASES = [
    (family, re.findall(r"`(\w+)`", arguments), re.findall(r"`(\w+)`", structured))
    for families, arguments, structured in ROWS
    for family in re.findall(r"`(\w+)`", families)
]
WORDS_OF_TODOS = {"content", "status", "pending", "in_progress", "completed"}


def noting(keys: list[str]) -> NotingObject:
    made = NotingObject()
    made.update(dict.fromkeys(keys, "1"))
    return made


def test_the_table_is_found():
    assert len(CASES) > 10


@pytest.mark.parametrize(("family", "arguments", "structured"), CASES)
def test_each_key_is_read(family: str, arguments: list[str], structured: list[str]):
    spec = FAMILIES[family]
    keys = set(arguments) - (WORDS_OF_TODOS if family == "todo_write" else set[str]())
    # Of spellings of one thing only the first is read where all are given.
    read: set[object] = set()
    for given in (noting(arguments), *(noting([key]) for key in keys)):
        spec.payload(given)
        read |= given.noted
    assert keys <= read
    if structured:
        assert spec.result is not None
        call = tool_call(call_id="1", name="x", arguments={}, spec=spec)
        found = noting(structured)
        spec.result(call, ToolResult("1", True, (TextBlock("x"),), structured=found))
        assert set(structured) <= found.noted


def test_a_todo_list_has_its_words():
    todos = [{"content": word, "status": word} for word in ("pending", "in_progress", "completed")]
    call = tool_call(call_id="1", name="x", arguments={"todos": todos}, spec=FAMILIES["todo_write"])
    items = getattr(call.payload, "items", ())
    assert [(item.text, item.status.value) for item in items] == [
        ("pending", "pending"),
        ("in_progress", "in_progress"),
        ("completed", "completed"),
    ]
