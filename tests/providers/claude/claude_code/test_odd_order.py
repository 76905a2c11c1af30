"""Logs whose records are in an odd order, or point in a circle: nothing is lost, nothing hangs."""

import json
from pathlib import Path

import pytest

from agentview.providers import load_provider
from tests.claude_log import SESSION, ClaudeLog, write
from tests.providers.joined_log import joined, texts

PROVIDER = load_provider("claude_code")
SAID = ["one", "two", "three", "four"]


def records() -> list[dict[str, object]]:
    log = ClaudeLog()
    made = [log.prompt("one"), log.text("two"), log.prompt("three"), log.text("four")]
    return [json.loads(record) for record in made]


def shown(place: Path, changed: list[dict[str, object]], backward: bool) -> list[str]:
    lines = [json.dumps(record).encode() + b"\n" for record in changed]
    return texts(joined(PROVIDER, write(place / f"{SESSION}.jsonl", lines), backward=backward))


@pytest.mark.parametrize("backward", [False, True])
def test_equal_and_earlier_times_leave_the_order_of_the_file(tmp_path: Path, backward: bool):
    changed = records()
    for record, second in zip(changed, (9, 9, 3, 3), strict=True):
        record["timestamp"] = f"2026-11-21T10:00:0{second}.000Z"
    assert shown(tmp_path, changed, backward) == SAID


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("circle", [(0, 3), (1, 1), (0, 1), (1, 3)])
def test_parents_that_form_a_circle_lose_nothing(
    tmp_path: Path, backward: bool, circle: tuple[int, int]
):
    changed = records()
    child, parent = circle
    changed[child]["parentUuid"] = changed[parent]["uuid"]
    assert shown(tmp_path, changed, backward) == SAID


@pytest.mark.parametrize("backward", [False, True])
def test_a_boundary_whose_parent_comes_after_it_loses_nothing(tmp_path: Path, backward: bool):
    log = ClaudeLog()
    first = [log.prompt("one"), log.text("two")]
    boundary = log.record(
        "system",
        subtype="compact_boundary",
        content="Conversation compacted",
        compactMetadata={"trigger": "auto", "preTokens": 9},
    )
    last = [log.prompt("three"), log.text("four")]
    changed = [json.loads(record) for record in (*first, boundary, *last)]
    changed[2]["parentUuid"] = changed[4]["uuid"]
    assert shown(tmp_path, changed, backward) == SAID
