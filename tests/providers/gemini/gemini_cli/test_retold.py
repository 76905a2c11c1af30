"""Histories that the client writes again: copies, and what a saved chat leaves out."""

from pathlib import Path

import pytest

from agentview.domain.events import User
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from tests.providers.gemini.gemini_cli.log import META, Record, call, model, response, user
from tests.providers.joined_log import texts, write
from tests.sessions.following.test_index_history import (
    facts,
    handed_over,
    in_one_pass,
    lines_of,
    picture,
)

ref_of = load_provider("gemini_cli").discovery.ref
LONG = "words " * 400
TOKENS = {"input": 9, "output": 3, "total": 12}


def turn(name: str, prompt: str) -> list[Record]:
    """A prompt, a call and an answer, as they are written the first time."""
    done = call(f"c-{name}", "read_file", {"file_path": name}, LONG)
    return [
        user(f"{name}1", prompt),
        model(f"{name}2", f"Reading {name}.", [done], model="m", tokens=TOKENS),
        user(f"{name}3", response(f"c-{name}", "read_file", output=LONG)),
        model(f"{name}4", f"{name} is read.", model="m", tokens=TOKENS),
    ]


def again(minute: int, *turns: tuple[str, str]) -> list[Record]:
    """The lines of turns that are written again at some minute, and the history of them."""
    lines: list[Record] = []
    for name, prompt in turns:
        asked = Record(functionCall={"id": f"c-{name}", "name": "read_file", "args": {}})
        own, rest = f"{name}@{minute}-", Record(thoughts=[], tokens=None)
        lines += [
            user(f"{own}1", prompt),
            model(f"{own}2", [{"text": f"Reading {name}."}, asked], **rest),
            user(f"{own}3", response(f"c-{name}", "read_file", output="masked")),
            model(f"{own}4", [{"text": f"{name} is read."}], **rest),
        ]
    moment = f"2026-05-04T10:{minute:02}:00.000Z"
    lines = [{**line, "timestamp": moment} for line in lines]
    return [*lines, {"$set": {"messages": lines, "lastUpdated": moment}}]


A, B, C, D = ("a", "Look."), ("b", "Go on."), ("c", "Go on."), ("d", "Another way.")
E, F = ("e", "From elsewhere."), ("f", "And there.")
BEFORE = [META, *turn(*A), *turn(*B), *turn(*C)]

HISTORIES = [
    pytest.param([*BEFORE, *again(1, A, B, C), *turn(*D)], "abcd", 0, id="shortened"),
    pytest.param([*BEFORE, *again(1, A), *turn(*D)], "ad", 2, id="saved"),
    pytest.param([*BEFORE, *again(1, A, B), *turn(*D)], "abd", 1, id="equal-prompts"),
    pytest.param(
        [*BEFORE, *again(1, A, B), *turn(*D), *again(2, A, B, D)], "abd", 1, id="then-shortened"
    ),
    pytest.param(
        [*BEFORE, *again(1, A, B), *turn(*D), *again(2, A), *turn(*E)], "ae", 3, id="saved-twice"
    ),
    pytest.param([*BEFORE, *again(1, E), *turn(*D)], "abced", 0, id="of-another-session"),
    pytest.param([*BEFORE, *again(1, A, E, F), *turn(*D)], "abcd", 0, id="unknown-end"),
]


@pytest.mark.parametrize(("records", "active", "left"), HISTORIES)
def test_a_saved_chat_leaves_out_what_came_after_it(
    tmp_path: Path, records: list[Record], active: str, left: int
):
    path = write(tmp_path / "s.jsonl", records)
    ref, lines = ref_of(path), lines_of(path)
    store = in_one_pass(ref, lines)
    bodies = [store.activity(row).body for row in range(store.first, store.end) if store.shown(row)]
    said = dict((A, B, C, D, E, F))
    assert [body.text for body in bodies if isinstance(body, User)] == [
        said[name] for name in active
    ]
    assert [text for text in texts(store) if "is read" in text] == [
        f"{name} is read." for name in active
    ]
    heads = {branch for row in range(store.end) if (branch := store.branch(row)) is not None}
    counts = [store.branch_counts(branch) for branch in heads]
    assert (sum(c.prompts for c in counts), sum(c.calls for c in counts)) == (left, left)
    assert measure(ref, unpriced).abandoned.responses == 2 * left
    for tail in range(0, len(lines), 3):
        pieces = handed_over(ref, lines, tail, (tail + len(lines)) // 2, 1)
        assert picture(pieces) == picture(store), tail
        assert facts(pieces) == facts(store), tail


def test_a_prompt_without_an_answer_is_not_left_out(tmp_path: Path):
    records = [META, *turn(*A), user("p", "Wait."), *again(1, A), *turn(*D)]
    path = write(tmp_path / "s.jsonl", records)
    store = in_one_pass(ref_of(path), lines_of(path))
    assert [row for row in range(store.end) if store.branch(row) is not None] == []
    assert "Wait." in texts(store)
