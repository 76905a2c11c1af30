"""Which branch of a Qwen Code conversation is active, as the parents of its records show."""

from pathlib import Path

import pytest

from agentview.domain.events import User
from agentview.facts.accounting.log_report import account_log
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from agentview.timeline.rows.branches.branch_tree import BranchCounts
from tests.providers.gemini.qwen_code.log import Record, asked, noted, record, said
from tests.providers.joined_log import write
from tests.sessions.following.test_index_history import (
    facts,
    handed_over,
    in_one_pass,
    lines_of,
    picture,
)

ref_of = load_provider("qwen_code").discovery.ref
USAGE = {"promptTokenCount": 9, "candidatesTokenCount": 3, "totalTokenCount": 12}


def turn(name: str, parent: str | None) -> list[Record]:
    """A prompt, a call, its result in a record behind the call's, and an answer."""
    call = asked("read_file", {"file_path": name}, f"c-{name}")
    response = {"id": f"c-{name}", "name": "read_file", "response": {"output": name}}
    return [
        said("user", f"Do {name}.", own=f"{name}1", parent=parent),
        said("assistant", call, own=f"{name}2", parent=f"{name}1", usageMetadata=USAGE),
        said("tool_result", {"functionResponse": response}, own=f"{name}3", parent=f"{name}2"),
        said("assistant", f"{name} is done.", own=f"{name}4", parent=f"{name}3"),
    ]


RESUMED = [*turn("a", None), *turn("b", "a4"), *turn("c", "a4")]
TWICE = [*RESUMED, *turn("d", "a4")]
TAKEN_UP_AGAIN = [*RESUMED, *turn("d", "b4")]
FROM_THE_START = [*turn("a", None), *turn("b", None)]
BEHIND_NOTES = [
    *turn("a", None),
    *turn("b", "a4"),
    noted("session_model", "n1", "a4", modelId="m"),
    record("system", "n2", "n1", subtype="ui_telemetry", systemPayload={}),
    *turn("c", "n2"),
]
REWOUND = [
    *turn("a", None),
    *turn("b", "a4"),
    noted("rewind", "w1", "a4", truncatedCount=4),
    *turn("c", "w1"),
]
REWOUND_INTO_A_TURN = [
    *turn("a", None),
    *turn("b", "a4"),
    said("user", "Do x.", own="x1", parent="b4"),
    said("assistant", asked("glob", {"pattern": "x"}, "c-x"), own="x2", parent="x1"),
    said("assistant", "x is done.", own="x3", parent="x2", usageMetadata=USAGE),
    noted("rewind", "w1", "x1", truncatedCount=2),
    *turn("c", "w1"),
]
BACK_BEFORE_A_REWIND = [*REWOUND, *turn("d", "b4")]

FORKS = [
    pytest.param(RESUMED, "ac", 1, id="resumed"),
    pytest.param(TWICE, "ad", 2, id="twice"),
    pytest.param(TAKEN_UP_AGAIN, "abd", 1, id="taken-up-again"),
    pytest.param(FROM_THE_START, "b", 1, id="from-the-start"),
    pytest.param(BEHIND_NOTES, "ac", 1, id="behind-notes"),
    pytest.param(REWOUND, "ac", 1, id="rewound"),
    pytest.param(BACK_BEFORE_A_REWIND, "abd", 1, id="back-before-a-rewind"),
]


@pytest.mark.parametrize(("records", "active", "left"), FORKS)
def test_the_branch_of_the_newest_record_is_the_active_one(
    tmp_path: Path, records: list[Record], active: str, left: int
):
    path = write(tmp_path / "s.jsonl", records)
    ref, lines = ref_of(path), lines_of(path)
    store = in_one_pass(ref, lines)
    bodies = [store.activity(row).body for row in range(store.first, store.end) if store.shown(row)]
    wanted = [f"Do {name}." for name in active]
    assert [body.text for body in bodies if isinstance(body, User)] == wanted
    heads = {branch for row in range(store.end) if (branch := store.branch(row)) is not None}
    counts = [store.branch_counts(branch) for branch in heads]
    assert (sum(c.prompts for c in counts), sum(c.calls for c in counts)) == (left, left)
    usage = measure(ref, unpriced)
    assert [each.prompt for each in usage.turns if not each.abandoned] == wanted
    assert usage.abandoned.responses == left
    assert account_log(ref).by_fate[RecordOutcome.ABANDONED].records > 0
    for tail in range(len(lines)):
        pieces = handed_over(ref, lines, tail, (tail + len(lines)) // 2, 1)
        assert picture(pieces) == picture(store), tail
        assert facts(pieces) == facts(store), tail


def test_a_rewind_takes_back_the_answer_alone_where_it_says_so(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", REWOUND_INTO_A_TURN)
    ref, lines = ref_of(path), lines_of(path)
    store = in_one_pass(ref, lines)
    heads = {branch for row in range(store.end) if (branch := store.branch(row)) is not None}
    assert [store.branch_counts(branch) for branch in heads] == [BranchCounts(0, 1)]
    assert store.summary.turns == 4
    for tail in range(len(lines)):
        assert picture(handed_over(ref, lines, tail, len(lines), 1)) == picture(store), tail


def test_nothing_is_abandoned_where_the_conversation_went_on(tmp_path: Path):
    calls = [asked("glob", {"pattern": name}, f"c-{name}") for name in "xy"]
    results = [
        {"functionResponse": {"id": f"c-{name}", "name": "glob", "response": {"output": name}}}
        for name in "xy"
    ]
    records = [
        *turn("a", "in-another-file"),
        said("user", "Do both.", own="p", parent="a4"),
        said("assistant", *calls, own="q", parent="p"),
        said("tool_result", results[0], own="r", parent="q"),
        said("tool_result", results[1], own="s", parent="q"),
        said("assistant", "Both are done.", own="t", parent="s"),
        noted("custom_title", "u", "q", customTitle="Both"),
        *turn("b", "t"),
    ]
    path = write(tmp_path / "s.jsonl", records)
    store = in_one_pass(ref_of(path), lines_of(path))
    assert [row for row in range(store.end) if store.branch(row) is not None] == []
    assert measure(ref_of(path), unpriced).abandoned.responses == 0
