"""Where the client wrote beside each response what it cost, the cost is their sum."""

from pathlib import Path

import orjson
import pytest

from agentview.domain.session import SessionRef
from agentview.facts.usage.claims import ResponseDedupe
from agentview.facts.usage.group_by import GroupKey, Totals
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.reader import measure
from agentview.facts.usage.report import SessionUsage
from agentview.providers import load_provider
from tests.claude_log import ClaudeLog, write
from tests.sessions.following.test_index_history import facts, handed_over, in_one_pass, lines_of

PRICES = PriceList()
MODEL = "claude-opus-4-1"


def ref_of(path: Path) -> SessionRef:
    return load_provider("claude_code").discovery.ref(path)


def answer(
    log: ClaudeLog, name: str, cost: float | None, *tools: str, tokens: int = 9, model: str = MODEL
) -> bytes:
    """A response as one record with all of its parts, as versions up to 1.0.8 wrote it."""
    calls = [
        {"type": "tool_use", "id": f"{name}-{at}", "name": tool, "input": {"path": "/a"}}
        for at, tool in enumerate(tools)
    ]
    message = {
        "id": name,
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": f"This is {name}."}, *calls],
        "usage": {"input_tokens": tokens, "output_tokens": tokens},
    }
    told = {} if cost is None else {"costUSD": cost, "durationMs": 900}
    return log.record("assistant", message=message, **told)


def two_turns(*costs: float | None, model: str = MODEL) -> list[bytes]:
    """A turn of two responses, one of which calls two tools, and a turn of one response."""
    log = ClaudeLog()
    return [
        log.prompt("First."),
        answer(log, "a", costs[0], "LS", "View", model=model),
        answer(log, "b", costs[1], model=model),
        log.prompt("Second."),
        answer(log, "c", costs[2], model=model),
    ]


def parts(usage: SessionUsage) -> list[str]:
    turns = [turn.tally.worth().text() for turn in usage.turns]
    models = [tally.worth().text() for tally in usage.by_model.values()]
    kinds = sorted(tally.worth().text() for tally in usage.by_tool.values())
    return [*turns, *models, *kinds]


def test_the_figures_of_the_responses_add_up(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", two_turns(0.25, 0.5, 0.125, model="unheard-of"))
    usage = measure(ref_of(path), PRICES)
    assert usage.cost.text() == "$0.88"
    assert parts(usage) == ["$0.75", "$0.12", "$0.88", "$0.12", "$0.12", "$0.62"]
    totals = Totals(GroupKey.DAY)
    totals.add(usage)
    assert (totals.all.cost.client, totals.all.client_sessions) == (0.875, 1)


@pytest.mark.parametrize("costs", [(0.25, None, 0.125), (0.25, 0.0, 0.125), (0.0, 0.0, 0.0)])
def test_what_only_some_responses_tell_is_estimated_as_a_whole(
    tmp_path: Path, costs: tuple[float | None, ...]
):
    path = write(tmp_path / "s.jsonl", two_turns(*costs))
    usage = measure(ref_of(path), PRICES)
    estimate = measure(ref_of(write(path, two_turns(None, None, None))), PRICES)
    assert usage.cost == estimate.cost
    assert usage.cost.source == "estimate"
    # A turn in which all is told stands for itself.
    assert usage.turns[0].tally.client_cost is None
    assert usage.turns[1].tally.client_cost == (costs[2] or None)


def test_a_response_that_used_nothing_has_nothing_to_tell(tmp_path: Path):
    log = ClaudeLog()
    records = [log.prompt("Go."), answer(log, "a", 0.5), answer(log, "b", None, tokens=0)]
    path = write(tmp_path / "s.jsonl", records)
    assert measure(ref_of(path), PRICES).cost.client == 0.5
    assert in_one_pass(ref_of(path), lines_of(path)).summary.cost == 0.5


def test_the_newest_record_of_a_response_tells_and_a_copy_in_another_log_is_not_paid_again(
    tmp_path: Path,
):
    log = ClaudeLog()
    past = [log.prompt("Go."), answer(log, "a", 0.125), answer(log, "a", 0.5)]
    first = write(tmp_path / "a.jsonl", past)
    second = write(tmp_path / "b.jsonl", [*past, answer(log, "b", 0.25)])
    claims = ResponseDedupe()
    found = [
        measure(ref_of(path), PRICES, claims.of("claude_code")).cost.client
        for path in (first, second)
    ]
    assert found == [0.5, 0.25]
    assert measure(ref_of(second), PRICES).cost.client == 0.75


def test_the_store_knows_it_in_whatever_order_the_log_is_read(tmp_path: Path):
    records = two_turns(0.1, 0.2, 0.4)
    copy = {**orjson.loads(records[2]), "uuid": "other", "costUSD": 0.3}
    records.insert(4, orjson.dumps(copy) + b"\n")
    path = write(tmp_path / "s.jsonl", records)
    ref, lines = ref_of(path), lines_of(path)
    whole = in_one_pass(ref, lines)
    assert whole.summary.cost == 0.8
    for tail in range(len(lines)):
        for end in range(tail, len(lines) + 1):
            assert facts(handed_over(ref, lines, tail, end, 1)) == facts(whole), (tail, end)


def test_the_clients_own_figure_of_the_whole_session_goes_before(tmp_path: Path):
    total = b'{"type":"cost-state","totalCostUSD":2.5}\n'
    path = write(tmp_path / "s.jsonl", [*two_turns(0.1, 0.2, 0.4), total])
    store = in_one_pass(ref_of(path), lines_of(path))
    assert store.summary.cost == measure(ref_of(path), PRICES).cost.client == 2.5


def test_a_figure_from_before_a_turn_is_not_that_of_the_session_whatever_follows(tmp_path: Path):
    total = b'{"type":"cost-state","totalCostUSD":2.5}\n'
    log = ClaudeLog()
    records = [
        log.prompt("First."),
        answer(log, "a", None),
        total,
        log.prompt("Second."),
        answer(log, "b", None),
        log.prompt("Third."),
    ]
    path = write(tmp_path / "s.jsonl", records)
    ref, lines = ref_of(path), lines_of(path)
    whole = in_one_pass(ref, lines)
    assert whole.summary.cost is None
    assert measure(ref, PRICES).cost.client is None
    for tail in range(len(lines)):
        for end in range(tail, len(lines) + 1):
            assert handed_over(ref, lines, tail, end, 1).summary.cost is None, (tail, end)
