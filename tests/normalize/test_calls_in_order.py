"""Which call a record belongs to, told to consumers that have no rows, as the store has it."""

from pathlib import Path

from agentview.domain.index_entry import Flag, Role
from agentview.facts.kept.indexed_log import IndexedLog
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.normalize.calls_in_order import CallsInOrder
from agentview.providers import load_provider
from tests.claude_log import ClaudeLog, write


def test_calls_that_share_an_id_have_numbers_and_outcomes_of_their_own(tmp_path: Path) -> None:
    log = ClaudeLog()
    records: list[bytes] = []
    for step in range(3):
        records += [
            log.prompt(f"Step {step}"),
            log.call("terminal:0", "Bash", command="make"),
            log.result("terminal:0", f"out {step}", is_error=step == 1),
        ]
    ref = load_provider("claude_code").discovery.ref(write(tmp_path / "log.jsonl", records))
    order, calls, failed = CallsInOrder(), list[int](), list[int]()
    with IndexedLog(ref) as indexed:
        for fact in (fact for record in indexed.poll().records for fact in record.events):
            found = order.take(fact)
            if found is not None and found.new:
                calls.append(found.call)
            if found is not None and fact.role == Role.RESULT and fact.flags & Flag.PROBLEM:
                failed.append(found.call)
    assert len(set(calls)) == 3
    assert failed == [calls[1]]
    shell = measure(ref, PriceList()).tools["shell"]
    assert (shell.calls, shell.problems, shell.seconds) == (3, 1, 3.0)
