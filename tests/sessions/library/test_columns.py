import pytest

from agentview.domain.sort_order import Column
from agentview.sessions.library.columns import (
    DESCENDING,
    FIGURES,
    fact_key,
    figure_key,
    figure_text,
    length_text,
    money,
)
from agentview.sessions.library.usage_rollup import UsageRollup, figures_of
from agentview.timeline.view.cost import Cost
from tests.sessions.library.listed import NOW, facts, totals


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(), "–"),
        (Cost(None, 0.0), "~$0.00"),
        (Cost(None, 0.004), "~<$0.01"),
        (Cost(None, 1.934), "~$1.93"),
        (Cost(None, 1.934, priced=False), "~$1.93+"),
        (Cost(None, 99.999), "~$100"),
        (Cost(None, 1_234.5), "~$1,234"),
        (Cost(2.5, 1.934, priced=False), "$2.50"),
        (Cost(0.004, None), "<$0.01"),
        (Cost(0.0, 1.934), "$0.00"),
    ],
)
def test_costs_are_those_of_the_client_else_estimates(cost: Cost, text: str) -> None:
    assert money(cost) == text


def test_the_figure_of_a_client_has_the_agents_of_its_session() -> None:
    agent = facts("a", held=totals(cost=2.0, client=1.5))
    counted = figures_of(facts("main", held=totals(cost=1.0, client=4.0)), [agent])
    assert (counted.cost, counted.cost.shown) == (Cost(4.0, 3.0), 4.0)
    estimated = figures_of(facts("main", held=totals(cost=1.0)), [agent])
    assert (estimated.cost, estimated.cost.shown) == (Cost(None, 3.0), 3.0)
    assert figure_key(Column.COST, counted) == 4.0


def test_what_is_at_least_so_much_is_told_so() -> None:
    main = facts("main", held=totals(turns=2, calls=3, problems=1, tokens=1_500, cost=1.0))
    known = figures_of(main, [facts("a", held=totals(turns=9, calls=4, cost=None))])
    assert (known.turns, known.calls, known.tokens, known.cost.shown) == (2, 7, 2_500, 1.0)
    assert figure_text(Column.TOKENS, known) == "2.5k"
    partly = figures_of(main, [facts("a")])
    assert figure_text(Column.TOKENS, partly) == "1.5k+"
    assert figure_text(Column.COST, partly) == "~$1.00+"
    assert figure_text(Column.TURNS, partly) == "2"


def test_nothing_is_told_of_what_is_not_indexed() -> None:
    unknown = figures_of(facts("a"), [facts("b", held=totals())])
    assert unknown == UsageRollup()
    assert {figure_text(column, unknown) for column in FIGURES} == {"–"}


def test_each_column_is_known_by_facts_or_by_figures() -> None:
    assert {column for column in Column if fact_key(column) is None} == FIGURES
    assert FIGURES < DESCENDING


def test_a_length_needs_both_ends() -> None:
    assert length_text(facts("a", NOW, started=NOW - 600)) == "10m"
    assert length_text(facts("a", NOW, started=None)) == "–"
    assert length_text(facts("a", NOW, started=NOW + 5)) == "0s"
