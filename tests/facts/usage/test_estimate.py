"""What the header of a session says it cost, against what is counted from the whole log."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from datetime import time
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import TieredPrices

from agentview.domain.events import Facts, TokenUsage
from agentview.domain.index_entry import NO_ROW, EventFact, RecordFacts
from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.facts.usage.estimate import Estimate
from agentview.facts.usage.pricing import PriceList
from agentview.facts.usage.rates import Rates
from agentview.facts.usage.reader import measure
from agentview.facts.usage.tally import Price
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.timeline.rows.assembler import Assembler
from agentview.timeline.rows.token_totals import (
    SIZES,
    SPAN,
    PriceTier,
    Spent,
    bracket_of,
    with_total,
)
from agentview.timeline.view.header import HeaderFacts
from agentview.ui.widgets.price_cache import look_up
from tests.claude_log import ClaudeLog, conversation, write
from tests.patience import PATIENCE
from tests.samples import Sample, all_samples

PRICES = PriceList()


def priced(parts: Sequence[Spent]) -> Price | None:
    brackets = {bracket for part in parts for bracket, _ in part}
    return Estimate({bracket: PRICES.rates(bracket) for bracket in brackets})(parts)


def near(cost: float) -> Any:
    """The same sum, added up in another order."""
    return pytest.approx(cost, rel=1e-9)  # pyright: ignore[reportUnknownMemberType]


async def read_whole(session: LiveSession) -> HeaderFacts:
    session.open()
    session.start()
    try:
        async with asyncio.timeout(PATIENCE):
            while not session.store.indexed:
                await asyncio.sleep(0.005)
            known = [child.indexed for child in session.store.children.values()]
            while len(known) < len(
                session.store.provider.discovery.children(session.ref)
            ) or not all(known):
                await asyncio.sleep(0.005)
                known = [child.indexed for child in session.store.children.values()]
        return session.header()
    finally:
        session.close()


@pytest.mark.parametrize("sample", all_samples(), ids=str)
async def test_the_header_says_what_the_whole_log_comes_to(sample: Sample) -> None:
    header = await read_whole(LiveSession(sample.provider, sample.ref))
    total = measure(sample.ref, PRICES).total
    assert header.usage == total.usage
    price = priced(header.spent)
    if total.cost is None:
        assert price is None
    else:
        assert price is not None
        assert price.cost == near(total.cost)
        assert price.whole == total.cost_is_whole


async def test_what_is_written_while_it_is_read_counts_too(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = conversation(log, 6)
    path = write(tmp_path / "s.jsonl", records[:9])
    provider = load_provider("claude_code")
    session = LiveSession(provider, provider.discovery.ref(path), live=True)
    before = priced((await read_whole(session)).spent)
    write(path, records)
    after = await read_whole(LiveSession(provider, provider.discovery.ref(path)))
    price = priced(after.spent)
    total = measure(session.ref, PRICES).total
    assert before is not None
    assert price is not None
    assert total.cost is not None
    assert before.cost < price.cost == near(total.cost)


def test_brackets_tell_apart_whatever_a_price_of_the_list_depends_on() -> None:
    starts: set[int] = set()
    for provider in get_snapshot().providers:
        for model in provider.models:
            prices: list[Any] = model.prices if isinstance(model.prices, list) else []
            for conditional in prices:
                constraint = conditional.constraint
                for name in ("start_time", "end_time"):
                    moment = getattr(constraint, name, None)
                    if isinstance(moment, time):
                        assert (moment.hour * 3600 + moment.minute * 60) % SPAN == 0
                        assert moment.second == moment.microsecond == 0
            for price in [each.prices for each in prices] or [model.prices]:
                rates: list[Any] = [*cast("dict[str, Any]", vars(price)).values()]
                tiered = [rate for rate in rates if isinstance(rate, TieredPrices)]
                starts.update(tier.start for rate in tiered for tier in rate.tiers)
    assert starts <= {*SIZES}


@pytest.mark.parametrize("size", [1, SIZES[0], SIZES[0] + 1, SIZES[4], SIZES[5], SIZES[-1] + 9])
@pytest.mark.parametrize(
    "model", ["gemini-2.5-pro", "claude-sonnet-4-5", "gpt-5.4", "deepseek-chat"]
)
def test_many_responses_cost_what_each_of_them_does(model: str, size: int) -> None:
    usage = Usage(size, 0, 0, 50)
    bracket = bracket_of(model, usage, 1_770_000_000.0)
    one = PRICES(model, usage, 1_770_000_000.0)
    rates = PRICES.rates(bracket)
    assert rates is not None
    many = rates.price(Usage(size * 100, 0, 0, 5000))
    assert one is not None
    assert many is not None
    assert many.cost == near(one.cost * 100)


def response(
    name: str, tokens: int, model: str | None = None, stream: Stream | None = None
) -> EventFact:
    usage = TokenUsage(name, Usage(tokens, None, None, 1), model)
    return EventFact(0, NO_ROW, 0, usage=usage, stream=stream)


def model_told(model: str, stream: Stream | None = None) -> EventFact:
    return EventFact(0, NO_ROW, 0, facts=Facts(model=model), stream=stream)


SIDE = Stream(StreamKind.SUBAGENT, "a1")
RECORDS = [
    RecordFacts(at * 10, 9, (fact,))
    for at, fact in enumerate(
        (
            response("none", 1),
            model_told("first"),
            response("a", 2),
            model_told("side", SIDE),
            response("b", 3, stream=SIDE),
            response("c", 4),
            response("a", 2),
            model_told("second"),
            response("d", 5),
            response("e", 6, "own"),
            response("f", 7, stream=SIDE),
            response("d", 8),
        )
    )
]


@pytest.mark.parametrize("blocks", [(0,), (6,), (3, 7), (1, 2, 5, 9), tuple(range(11, 0, -1))])
def test_the_model_is_the_one_told_before_in_whatever_order_rows_are_read(
    blocks: tuple[int, ...],
) -> None:
    cuts = [0, *sorted(blocks), len(RECORDS)]
    parts = [RECORDS[start:stop] for start, stop in pairwise(cuts)]
    forward = Assembler()
    for part in parts:
        forward.append(part)
    backward = Assembler()
    backward.append(parts[-1])
    for part in reversed(parts[:-1]):
        backward.prepend(part)
    for assembler in (forward, backward):
        spent = {bracket.model: usage.input_uncached for bracket, usage in assembler.summary.spent}
        assert spent == {None: 1, "first": 6, "second": 8, "side": 10, "own": 6}


def test_the_clients_own_count_of_all_adds_what_was_not_told() -> None:
    usage = Usage(10, None, None, 5)
    spent = ((bracket_of("m", usage, None), usage),)
    assert with_total(spent, usage, None) == spent
    more = Usage(14, None, None, 5)
    rest = Usage(4, None, None, 0)
    assert with_total(spent, more, None) == (*spent, (bracket_of("m", rest, None), rest))
    less = Usage(7, None, None, 9)
    assert with_total(spent, less, "n") == ((bracket_of("n", less, None), less),)


async def test_the_header_prices_writes_to_a_cache_by_how_long_it_keeps_them(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    usage = {
        "input_tokens": 9,
        "output_tokens": 2_086,
        "cache_read_input_tokens": 240_177,
        "cache_creation_input_tokens": 46_404,
        "cache_creation": {"ephemeral_5m_input_tokens": 404, "ephemeral_1h_input_tokens": 46_000},
    }
    message = {
        "id": "msg_1",
        "role": "assistant",
        "model": "claude-opus-4-5",
        "content": [{"type": "text", "text": "so"}],
        "usage": usage,
    }
    path = tmp_path / "a.jsonl"
    write(path, [log.prompt("Go"), log.record("assistant", message=message)])
    provider = load_provider("claude_code")
    ref = provider.discovery.ref(path)
    header = await read_whole(LiveSession(provider, ref))
    # 5, 0.50, 6.25 (for an hour 10) and 25 dollars for a million.
    dollars = (9 * 5 + 240_177 * 0.5 + 404 * 6.25 + 46_000 * 10 + 2_086 * 25) / 1e6
    price = priced(header.spent)
    assert price is not None
    assert price.cost == near(dollars)
    assert measure(ref, PRICES).total.cost == near(dollars)
    assert header.usage.cache_write_1h == 46_000


def test_an_estimate_knows_what_it_does_not_know() -> None:
    usage = Usage(1, 0, 0, 10)
    known, other = bracket_of("known", usage, None), bracket_of("unheard", usage, None)
    rates: dict[PriceTier, Rates | None] = {}
    estimate = Estimate(rates)
    part, unheard = ((known, usage),), ((other, usage),)
    assert estimate.missing([part, unheard, part]) == [known, other]
    assert estimate([]) is None
    assert estimate([part]) is None
    rates[known] = Rates(0.0, 0.0, 0.0, 0.1, 0.0)
    assert estimate.missing([part, unheard]) == [other]
    assert estimate([part]) == Price(1.0, whole=True)
    assert estimate([part, part]) == Price(2.0, whole=True)
    rates[other] = None
    assert estimate([part, unheard]) == Price(1.0, whole=False)
    assert estimate([unheard]) is None
    assert estimate.missing([part, unheard]) == []


@pytest.mark.slow
async def test_rates_are_looked_up_in_another_process() -> None:
    usage = Usage(10, 20, 30, 40)
    brackets = [bracket_of(name, usage, 1.77e9) for name in ("claude-opus-4-5", "unheard-of", None)]
    assert await look_up(brackets) == {each: PRICES.rates(each) for each in brackets}
    assert PRICES.rates(brackets[0]) is not None
    assert [PRICES.rates(each) for each in brackets[1:]] == [None, None]


def test_looking_up_rates_leaves_their_list_out_of_this_process() -> None:
    program = "import sys, agentview.ui.widgets.price_cache; print('genai_prices' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout == "False\n"
