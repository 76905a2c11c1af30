"""Costs against figures worked out by hand from the table, and that nothing goes over a network."""

import math
import subprocess
import sys

import pytest

from agentview.domain.usage import Usage
from agentview.facts.usage.price_table import find_model
from agentview.facts.usage.pricing import PriceList

NOVEMBER = 1_795_219_200.0
"""2026-11-21."""


def cost(model: str, usage: Usage, time: float = NOVEMBER) -> float:
    price = PriceList()(model, usage, time)
    assert price is not None
    assert price.whole
    return price.cost


@pytest.mark.parametrize(
    ("model", "usage", "dollars"),
    [
        # 4, 0.20, 5 and 20 dollars for a million.
        ("claude-opus-5-5", Usage(1_000_000, output=0), 4.0),
        ("claude-opus-5-5", Usage(100_000, 1_000_000, 200_000, 50_000), 0.4 + 0.2 + 1.0 + 1.0),
        # What a cache keeps for an hour costs 8: twice the fresh input, not 1.25 times.
        (
            "claude-opus-5-5",
            Usage(0, 0, 200_000, 0, cache_write_1h=150_000),
            0.25 + 1.2,
        ),
        # 15, 1.50, 18.75 and 75.
        ("claude-opus-4-1-20250805", Usage(10_000, 100_000, 20_000, 2_000), 0.825),
        # 1.25, 0.125 and 10; reasoning is a part of the output.
        ("gpt-5-codex", Usage(100_000, 400_000, None, 10_000, 8_000), 0.125 + 0.05 + 0.1),
        # 1, 0.10, 1.25 and 5.
        ("claude-haiku-4-5", Usage(0, 0, 0, 1_000_000), 5.0),
    ],
)
def test_prices_of_fresh_cached_and_written_input_and_of_output(
    model: str, usage: Usage, dollars: float
):
    assert math.isclose(cost(model, usage), dollars)


def test_a_speed_has_its_own_price_or_costs_at_least_that_of_the_model():
    # 30 dollars, six times 5.
    assert math.isclose(cost("claude-opus-4-6[fast]", Usage(1_000_000, output=0)), 30.0)
    price = PriceList()("claude-sonnet-4-5[fast]", Usage(1_000_000, output=0), NOVEMBER)
    assert price is not None
    assert (price.cost, price.whole) == (
        cost("claude-sonnet-4-5", Usage(1_000_000, output=0)),
        False,
    )


def test_a_long_prompt_costs_more_for_all_of_it():
    # 1.25 and 10 up to 200,000 tokens of input, 2.50 and 15 above.
    short = cost("gemini-2.5-pro", Usage(150_000, 50_000, None, 1_000))
    long = cost("gemini-2.5-pro", Usage(150_000, 50_001, None, 1_000))
    assert math.isclose(short, 0.1875 + 0.00625 + 0.01)
    assert math.isclose(long, 0.375 + 0.01250025 + 0.015)


def test_a_price_is_that_of_its_time():
    # o3 cost 10 dollars for a million until 10 June 2025, 2 since.
    assert math.isclose(cost("o3", Usage(1_000_000, 0, 0, 0), 1_748_000_000.0), 10.0)
    assert math.isclose(cost("o3", Usage(1_000_000, 0, 0, 0), NOVEMBER), 2.0)


@pytest.mark.parametrize("model", ["mock-model", "gpt-oss:20b", "opus", "auto", "", "x/[y]", None])
def test_a_model_that_is_not_in_the_list_has_no_price(model: str | None):
    assert PriceList()(model, Usage(1, 2, 3, 4), NOVEMBER) is None


def test_tokens_of_which_nothing_is_known_have_no_price():
    assert PriceList()("claude-opus-5-5", Usage(), NOVEMBER) is None
    assert PriceList()("claude-opus-5-5", Usage(input_cached=5), NOVEMBER) is None


def test_a_price_of_a_part_says_so():
    price = PriceList()("claude-opus-5-5", Usage(output=1_000_000), NOVEMBER)
    assert price is not None
    assert (price.cost, price.whole) == (20.0, False)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("gpt-5.5[high]", "gpt-5.5"),
        ("openrouter/anthropic/claude-sonnet-4-6", "claude-sonnet-4-6"),
        ("anthropic:claude-opus-4-5", "claude-opus-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-opus-4.6", "claude-opus-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        (
            "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-opus-4-6-v1",
            "claude-opus-4-6",
        ),
        ("bedrock/anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("gpt-5-codex-high", "gpt-5"),
        ("claude-4.5-opus-high-thinking", "claude-opus-4-5"),
        ("amazon.nova-pro-v1:0", "amazon.nova-pro-v1:0"),
        ("openrouter/z-ai/glm-4.6", "z-ai/glm-4.6"),
    ],
)
def test_models_are_known_by_the_names_that_clients_and_gateways_give_them(name: str, model: str):
    found = find_model(name)
    assert found is not None
    assert found.id == model


def test_a_time_that_no_calendar_has_does_no_harm():
    assert math.isclose(cost("claude-opus-5-5", Usage(1_000_000, output=0), 1e300), 4.0)


def test_nothing_goes_over_a_network():
    code = """
import sys

def watch(event, _):
    if event.startswith(("socket.", "urllib.", "http.")):
        raise RuntimeError(event)

sys.addaudithook(watch)
from agentview.facts.usage.pricing import PriceList
from agentview.domain.usage import Usage
import threading
print(PriceList()("claude-opus-5-5", Usage(1_000_000), None).cost, threading.active_count())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["4.0", "1"], "")


def test_only_who_shows_prices_loads_them():
    code = "import sys, agentview.facts.usage.reader; print('genai_prices' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
