"""Which branch of a Claude Code conversation is active, as the parents of its records show."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agentview.domain.events import User
from agentview.domain.session import SessionInfo
from agentview.facts.accounting.log_report import account_log
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import unpriced
from agentview.providers import load_provider
from agentview.sessions.library.log_totals import totals_of_log
from tests.claude_log import ClaudeLog, write
from tests.sessions.following.test_index_history import (
    facts,
    handed_over,
    in_one_pass,
    lines_of,
    picture,
)

ref_of = load_provider("claude_code").discovery.ref


def turn(log: ClaudeLog, name: str) -> list[bytes]:
    """A prompt, a command with its output, and an answer."""
    return [
        log.prompt(f"Do {name}."),
        log.call(f"call-{name}", "Bash", command=f"echo {name}"),
        log.result(f"call-{name}", name, {"stdout": name, "stderr": ""}),
        log.text(f"{name} is done."),
    ]


def from_parent(log: ClaudeLog, parent: str | None, make: Callable[[], list[bytes]]) -> list[bytes]:
    """Records that go on behind an earlier record."""
    log.last = parent
    return make()


def edited(log: ClaudeLog) -> list[bytes]:
    """The second prompt is edited twice."""
    records = turn(log, "one")
    fork = log.last
    for name in ("two", "three", "four"):
        records += from_parent(log, fork, lambda name=name: turn(log, name))
    return records


def edited_from_the_start(log: ClaudeLog) -> list[bytes]:
    records = turn(log, "one")
    return [*records, *from_parent(log, None, lambda: turn(log, "two"))]


def taken_up_again(log: ClaudeLog) -> list[bytes]:
    """After a second branch the first one goes on."""
    records = turn(log, "one")
    fork = log.last
    records += turn(log, "two")
    left = log.last
    records += from_parent(log, fork, lambda: turn(log, "three"))
    return [*records, *from_parent(log, left, lambda: turn(log, "four"))]


def behind_a_note(log: ClaudeLog) -> list[bytes]:
    """A note of a hook stands between the fork and the prompt."""
    records = turn(log, "one")
    fork = log.last
    records += turn(log, "two")
    log.last = fork
    attachment = {"type": "hook_additional_context", "content": ["be brief"], "hookName": "x"}
    return [*records, log.record("attachment", attachment=attachment), *turn(log, "three")]


def ended_late(log: ClaudeLog) -> list[bytes]:
    """A command of the branch that was left ends behind the fork: only its result is there."""
    records = turn(log, "one")
    fork = log.last
    records += [log.prompt("Do two."), log.call("late", "Bash", command="late")]
    left = log.last
    records += from_parent(log, fork, lambda: turn(log, "three"))
    active = log.last
    records += from_parent(log, left, lambda: [log.result("late", "2")])
    return [*records, *from_parent(log, active, lambda: [log.text("Still here.")])]


FORKS: list[tuple[Callable[[ClaudeLog], list[bytes]], list[str], int]] = [
    (edited, ["Do one.", "Do four."], 2),
    (edited_from_the_start, ["Do two."], 1),
    (taken_up_again, ["Do one.", "Do two.", "Do four."], 1),
    (behind_a_note, ["Do one.", "Do three."], 1),
    (ended_late, ["Do one.", "Do three."], 1),
]


@pytest.mark.parametrize(("make", "active", "left"), FORKS)
def test_the_branch_of_the_newest_record_is_the_active_one(
    tmp_path: Path, make: Callable[[ClaudeLog], list[bytes]], active: list[str], left: int
):
    path = write(tmp_path / "s.jsonl", make(ClaudeLog()))
    store = in_one_pass(ref_of(path), lines_of(path))
    bodies = [store.activity(row).body for row in range(store.first, store.end) if store.shown(row)]
    assert [body.text for body in bodies if isinstance(body, User)] == active
    assert store.summary.turns == len(active)
    heads = {branch for row in range(store.end) if (branch := store.branch(row)) is not None}
    assert sum(store.branch_counts(branch).prompts for branch in heads) == left


@pytest.mark.parametrize(("make", "active", "left"), FORKS)
def test_it_is_the_same_in_whatever_pieces_the_log_is_read(
    tmp_path: Path, make: Callable[[ClaudeLog], list[bytes]], active: list[str], left: int
):
    path = write(tmp_path / "s.jsonl", make(ClaudeLog()))
    ref, lines = ref_of(path), lines_of(path)
    whole = in_one_pass(ref, lines)
    for tail in range(len(lines)):
        for end in (tail, (tail + len(lines)) // 2, len(lines)):
            store = handed_over(ref, lines, tail, end, 1)
            assert picture(store) == picture(whole), (tail, end)
            assert facts(store) == facts(whole), (tail, end)
    assert (whole.summary.turns, left > 0) == (len(active), True)


@pytest.mark.parametrize(("make", "active", "left"), FORKS)
def test_usage_library_and_account_agree_about_it(
    tmp_path: Path, make: Callable[[ClaudeLog], list[bytes]], active: list[str], left: int
):
    path = write(tmp_path / "s.jsonl", make(ClaudeLog()))
    ref = ref_of(path)
    store = in_one_pass(ref, lines_of(path))
    usage = measure(ref, unpriced)
    standing = [each.prompt for each in usage.turns if not each.abandoned]
    assert standing == active
    assert sum(each.abandoned for each in usage.turns) == left
    responses = usage.total.responses
    assert 0 < usage.abandoned.responses < responses
    assert usage.total.usage.output == store.summary.usage.output
    assert totals_of_log(SessionInfo(ref), PriceList()).turns == len(active)
    abandoned = account_log(ref).by_fate[RecordOutcome.ABANDONED].records
    rows = range(store.first, store.end)
    places = {store.source(row).offset for row in rows if store.branch(row) is not None}
    assert 0 < abandoned <= len(places)


def parallel(log: ClaudeLog) -> list[bytes]:
    """Two calls of one response; each result goes on behind its call."""
    begun = [log.prompt("Do both."), log.call("a", "Bash", command="a")]
    first = log.last
    second = [log.call("b", "Bash", command="b")]
    other = log.last
    log.last = first
    results = [log.result("a", "1")]
    log.last = other
    return [*begun, *second, *results, log.result("b", "2"), log.text("Done."), *turn(log, "on")]


def written_by_two(log: ClaudeLog) -> list[bytes]:
    """Two clients write in turns."""
    records = turn(log, "one")
    fork = log.last
    records += [log.prompt("Do two."), log.text("Working on two.")]
    left = log.last
    records += from_parent(log, fork, lambda: turn(log, "three"))
    return [*records, *from_parent(log, left, lambda: [log.text("two is done.")])]


def asked_while_commands_run(log: ClaudeLog) -> list[bytes]:
    """The result of a first command goes on beside the answer to a prompt typed meanwhile."""
    records = [log.prompt("Do both."), log.call("a", "Bash", command="a")]
    first = log.last
    records += [log.record("progress", toolUseID="p", parentToolUseID="a", data={"type": "x"})]
    records += [log.prompt("Are you stuck?"), log.text("No."), log.call("b", "Bash", command="b")]
    second, log.last = log.last, first
    records += [log.result("a", "1"), log.call("c", "Bash", command="c"), log.result("c", "3")]
    third, log.last = log.last, second
    records += [log.result("b", "2"), log.text("All is done.")]
    return [*records, *from_parent(log, third, lambda: turn(log, "on"))]


def answered_beside_a_late_result(log: ClaudeLog) -> list[bytes]:
    """The answer goes on behind the prompt, though a result came between them."""
    records = [log.prompt("Do it."), log.call("a", "Bash", command="a")]
    first = log.last
    records += [log.prompt("Hurry."), log.text("Yes.")]
    asked, log.last = log.last, first
    records.append(log.result("a", "1"))
    return [*records, *from_parent(log, asked, lambda: [log.text("Done.")])]


def answered_on_both_sides_of_an_edit(log: ClaudeLog) -> list[bytes]:
    """A prompt is edited, and the answer to its first version goes on all the same."""
    records = turn(log, "one")
    fork = log.last
    records += [log.prompt("Do two."), log.call("a", "Bash", command="a")]
    left = log.last
    records += from_parent(log, fork, lambda: [log.prompt("Do three."), log.text("Three.")])
    return [*records, *from_parent(log, left, lambda: [log.result("a", "1"), log.text("Two.")])]


def compacted(log: ClaudeLog) -> list[bytes]:
    records = turn(log, "one")
    last, log.last = log.last, None
    boundary = log.record("system", subtype="compact_boundary", logicalParentUuid=last, content="c")
    summary = log.record(
        "user", isCompactSummary=True, message={"role": "user", "content": "All of it."}
    )
    return [*records, boundary, summary, *turn(log, "two")]


def compacted_before_its_parent(log: ClaudeLog) -> list[bytes]:
    """The parent of a boundary is a record that follows from it."""
    records = turn(log, "one")
    log.last = "main-00000007"
    boundary = log.record("system", subtype="compact_boundary", content="c")
    return [*records, boundary, *turn(log, "two")]


def without_its_parent(log: ClaudeLog) -> list[bytes]:
    records = turn(log, "one")
    return [*records, *from_parent(log, "in-another-file", lambda: turn(log, "two"))]


def with_a_stale_note(log: ClaudeLog) -> list[bytes]:
    """A note that belongs to an older record comes late."""
    records = turn(log, "one")
    old = log.last
    records += turn(log, "two")
    last, log.last = log.last, old
    records.append(log.record("system", subtype="turn_duration", durationMs=900))
    log.last = last
    return [*records, *turn(log, "three")]


def with_a_command_of_the_person(log: ClaudeLog) -> list[bytes]:
    """A command on an old record, to which nobody answers."""
    records = turn(log, "one")
    old = log.last
    records += turn(log, "two")
    log.last = old
    return [*records, log.prompt("<bash-input>ls</bash-input>")]


def without_any_parent(log: ClaudeLog) -> list[bytes]:
    """A log whose writer fills in no parents."""
    records: list[bytes] = []
    for name in ("one", "two"):
        for make in (log.prompt, log.text):
            log.last = None
            records.append(make(name))
    return records


@pytest.mark.parametrize(
    "make",
    [
        parallel,
        written_by_two,
        asked_while_commands_run,
        answered_beside_a_late_result,
        answered_on_both_sides_of_an_edit,
        compacted,
        compacted_before_its_parent,
        without_its_parent,
        with_a_stale_note,
        with_a_command_of_the_person,
        without_any_parent,
    ],
)
def test_nothing_is_abandoned_where_the_conversation_went_on(
    tmp_path: Path, make: Callable[[ClaudeLog], list[bytes]]
):
    path = write(tmp_path / "s.jsonl", make(ClaudeLog()))
    ref, lines = ref_of(path), lines_of(path)
    store = in_one_pass(ref, lines)
    assert [row for row in range(store.end) if store.branch(row) is not None] == []
    assert measure(ref, unpriced).abandoned.responses == 0
    for tail in range(len(lines)):
        assert picture(handed_over(ref, lines, tail, len(lines), 1)) == picture(store)
