"""Where the client marks that a conversation went back, what it left behind counts no more."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from agentview.domain.activity import RowKind
from agentview.domain.session import SessionRef
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from agentview.timeline.rows.session_store import SessionStore
from tests.claude_log import ClaudeLog, write
from tests.sessions.following.test_index_history import (
    facts,
    handed_over,
    in_one_pass,
    lines_of,
    picture,
)

GONE = "Went back to an earlier point"


def ref_of(path: Path) -> SessionRef:
    return load_provider("claude_code").discovery.ref(path)


def uuid_of(record: bytes) -> str:
    return orjson.loads(record)["uuid"]


def mark(kept: str | None) -> bytes:
    fields = {"leafUuid": kept, "explicit": True, "rewound": True, "sessionId": "s"}
    return orjson.dumps({"type": "last-prompt", **fields}) + b"\n"


def turn(log: ClaudeLog, name: str) -> list[bytes]:
    """A prompt, a command with its output, an answer, and what the client says at the end."""
    return [
        log.prompt(f"Do {name}."),
        log.call(f"call-{name}", "Bash", command=f"echo {name}"),
        log.result(f"call-{name}", name, {"stdout": name, "stderr": ""}),
        log.text(f"{name} is done."),
        log.record("system", subtype="turn_duration", durationMs=900),
    ]


def said(store: SessionStore) -> list[str]:
    found: list[str] = []
    for row in range(store.first, store.end):
        if store.shown(row) and store.kind(row) in (RowKind.USER, RowKind.NOTICE):
            body: Any = store.activity(row).body
            found.append(body.text)
    return found


def prompts(path: Path) -> list[tuple[int, str]]:
    return [(each.number, each.prompt) for each in measure(ref_of(path), unpriced).turns]


def log_that_went_back() -> list[bytes]:
    """The second turn is taken back, and another said in its place."""
    log = ClaudeLog()
    first, second = turn(log, "one"), turn(log, "two")
    return [*first, *second, mark(uuid_of(first[3])), *turn(log, "three")]


def test_the_turns_that_were_left_count_no_more(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", log_that_went_back())
    store = in_one_pass(ref_of(path), lines_of(path))
    first, ended, *others = said(store)
    assert [first, *others[:-1]] == ["Do one.", GONE, "Do three."]
    assert ended == others[-1]
    assert store.summary.turns == 2
    # What was left was paid for.
    assert prompts(path) == [(1, "Do one."), (1, "Do two."), (2, "Do three.")]
    assert store.summary.usage.input_uncached == 6 * 5


def log_that_went_back_behind_all() -> list[bytes]:
    """All prompts are taken back, and nothing is said in their place."""
    log = ClaudeLog()
    begun = log.text("Welcome back.")
    prompts = [log.prompt(f"Do {name}.") for name in ("one", "two", "three")]
    return [begun, log.text("Ready."), *prompts, log.text("All done."), mark(uuid_of(begun))]


@pytest.mark.parametrize("records", [log_that_went_back(), log_that_went_back_behind_all()])
def test_it_is_so_in_whatever_order_the_log_is_read(tmp_path: Path, records: list[bytes]):
    path = write(tmp_path / "s.jsonl", records)
    ref, lines = ref_of(path), lines_of(path)
    whole = in_one_pass(ref, lines)
    for tail in range(len(lines)):
        for end in (tail, (tail + len(lines)) // 2, len(lines)):
            store = handed_over(ref, lines, tail, end, 1)
            assert picture(store) == picture(whole), (tail, end)
            assert facts(store) == facts(whole), (tail, end)


def test_nothing_is_kept_where_the_first_prompt_was_taken_back(tmp_path: Path):
    log = ClaudeLog()
    path = write(tmp_path / "s.jsonl", [*turn(log, "one"), mark(None), *turn(log, "two")])
    store = in_one_pass(ref_of(path), lines_of(path))
    assert (store.summary.turns, store.summary.title) == (1, "Do two.")
    assert prompts(path) == [(0, "Do one."), (1, "Do two.")]


@pytest.mark.parametrize("kept", ["nowhere", 7])
def test_a_mark_that_names_nothing_known_drops_nothing(tmp_path: Path, kept: Any):
    log = ClaudeLog()
    path = write(tmp_path / "s.jsonl", [*turn(log, "one"), mark(kept), *turn(log, "two")])
    store = in_one_pass(ref_of(path), lines_of(path))
    assert store.summary.turns == 2
    assert [number for number, _ in prompts(path)] == [1, 2]


def test_going_back_twice_and_a_command_that_was_taken_back(tmp_path: Path):
    log = ClaudeLog()
    first = turn(log, "one")
    command = log.prompt("<command-name>/review</command-name>\n<command-args>all</command-args>")
    kept = mark(uuid_of(first[4]))
    records = [*first, command, log.text("Reviewed."), kept, *turn(log, "two"), kept]
    path = write(tmp_path / "s.jsonl", records)
    store = in_one_pass(ref_of(path), lines_of(path))
    assert store.summary.turns == 1
    assert store.summary.count(RowKind.COMMAND) == 0
    assert store.summary.count(RowKind.MESSAGE) == 1
    assert [number for number, _ in prompts(path)] == [1, 1]


def test_a_prompt_that_is_the_last_to_be_kept_stands(tmp_path: Path):
    log = ClaudeLog()
    first, kept = turn(log, "one"), log.prompt("Do two.")
    records = [*first, kept, *turn(log, "three"), mark(uuid_of(kept)), log.text("Two is done.")]
    path = write(tmp_path / "s.jsonl", records)
    assert in_one_pass(ref_of(path), lines_of(path)).summary.turns == 2
    assert prompts(path) == [(1, "Do one."), (2, "Do two."), (2, "Do three.")]
