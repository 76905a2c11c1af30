"""Blocks of a response come in their order: words behind a call are not put in front of it."""

import copy
from collections.abc import Iterator
from typing import Any, cast

import orjson

from agentview.domain.events import Event, Message
from agentview.domain.record_ref import SourceRef
from agentview.domain.tools import ToolCall
from tests.samples import Sample, all_samples

MIXED = frozenset({
    "amp", "cline", "crush", "cursor", "droid", "goose", "iflow", "openclaw", "pi", "pydantic_ai",
    "qwen_code",
})  # fmt: skip
"""Formats with samples of a response that is a list of words and calls."""


def lists_in(value: object) -> Iterator[list[Any]]:
    if isinstance(value, list):
        blocks = cast("list[Any]", value)
        yield blocks
        for each in blocks:
            yield from lists_in(each)
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from lists_in(each)


def replaced(value: object, old: str, new: str) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {key: replaced(each, old, new) for key, each in fields.items()}
    if isinstance(value, list):
        return [replaced(each, old, new) for each in cast("list[object]", value)]
    return new if value == old else value


def holds(value: Any, wanted: str) -> bool:
    return replaced(value, wanted, "") != value


def rearranged(record: Any, events: list[Event]) -> Iterator[bytes]:
    """The record with words in front of a call and behind it, for each list that has both."""
    words = [each.body.text for each in events if isinstance(each.body, Message) and each.body.text]
    calls = [each.body.call_id for each in events if isinstance(each.body, ToolCall)]
    for number, blocks in enumerate(lists_in(record)):
        said = [(each, text) for each in blocks for text in words if holds(each, text)]
        called = [each for each in blocks if any(holds(each, own) for own in calls)]
        if not said or not called or said[0][0] is called[0]:
            continue
        (block, text), call = said[0], called[0]
        made = copy.deepcopy(record)
        list(lists_in(made))[number][:] = [
            replaced(block, text, "ALPHA"),
            call,
            replaced(block, text, "OMEGA"),
        ]
        yield orjson.dumps(made)


def between(order: list[str]) -> list[str]:
    return order[order.index("ALPHA") : order.index("OMEGA")]


def misplaced(sample: Sample, seen: set[str]) -> Iterator[str]:
    for line in sample.lines():
        events = [] if line.data is None else sample.decode(line)
        kinds = {type(each.body) for each in events}
        if line.data is None or not {Message, ToolCall} <= kinds:
            continue
        try:
            record = orjson.loads(line.data)
        except ValueError:
            continue
        for data in rearranged(record, events):
            made = sample.provider.decode(data, SourceRef("x", 0, len(data)), sample.ref)
            order = [
                each.body.text if isinstance(each.body, Message) else "call"
                for each in made
                if isinstance(each.body, Message | ToolCall)
            ]
            if "ALPHA" in order and "OMEGA" in order:
                seen.add(sample.provider.name)
            if any("ALPHA" in word and "OMEGA" in word for word in order):
                yield f"{sample}: words are merged over a call"
            elif {"ALPHA", "OMEGA"} <= {*order} and "call" not in between(order):
                yield f"{sample}: {order}"


def test_words_and_calls_of_a_response_keep_their_order() -> None:
    seen: set[str] = set()
    assert [found for sample in all_samples() for found in misplaced(sample, seen)] == []
    assert seen >= MIXED
