"""One rule for what a session cost, and for what several did."""

import pytest

from agentview.timeline.view.cost import NO_COST, Cost, cost_of_all

CLIENT = Cost(1.0, 0.75)
ESTIMATE = Cost(None, 0.5)
PARTLY = Cost(None, 0.25, priced=False)
UNTOLD = Cost(priced=False)


@pytest.mark.parametrize(
    ("cost", "text", "source", "whole"),
    [
        (CLIENT, "$1.00", "client", True),
        (Cost(1.0, 0.75, priced=False), "$1.00", "client", True),
        (Cost(0.0, 0.75), "$0.00", "client", True),
        (ESTIMATE, "~$0.50", "estimate", True),
        (PARTLY, "~$0.25+", "estimate", False),
        (NO_COST, "–", None, True),
        (UNTOLD, "–", None, False),
    ],
)
def test_the_clients_own_figure_else_the_estimate(
    cost: Cost, text: str, source: str | None, whole: bool
) -> None:
    assert (cost.text(), cost.source, cost.whole) == (text, source, whole)


@pytest.mark.parametrize(
    ("costs", "text"),
    [
        ((), "–"),
        ((CLIENT, CLIENT), "$2.00"),
        ((CLIENT, NO_COST), "$1.00"),
        ((CLIENT, ESTIMATE), "~$1.50"),
        ((CLIENT, PARTLY), "~$1.25+"),
        ((CLIENT, UNTOLD), "~$1.00+"),
        ((UNTOLD, UNTOLD), "–"),
    ],
)
def test_a_sum_is_an_estimate_where_a_part_is(costs: tuple[Cost, ...], text: str) -> None:
    assert cost_of_all(costs).text() == text
    one_by_one = NO_COST
    for cost in costs:
        one_by_one = cost_of_all((one_by_one, cost))
    assert one_by_one.text() == text
