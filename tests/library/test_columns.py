import pytest

from agentview.domain.arrangement import Column
from agentview.library.columns import DESCENDING, FIGURES, fact_key, figure_text, length_text, money
from agentview.library.figures import Figures, figures_of
from tests.library.listed import NOW, facts, totals


@pytest.mark.parametrize(
    ("cost", "whole", "text"),
    [
        (None, True, "–"),
        (0.0, True, "~$0.00"),
        (0.004, True, "<$0.01"),
        (1.934, True, "~$1.93"),
        (1.934, False, "~$1.93+"),
        (99.999, True, "~$100"),
        (1_234.5, True, "~$1,234"),
    ],
)
def test_costs_are_told_as_estimates(cost: float | None, whole: bool, text: str) -> None:
    assert money(cost, whole=whole) == text


def test_what_is_at_least_so_much_is_told_so() -> None:
    main = facts("main", held=totals(turns=2, calls=3, problems=1, tokens=1_500, cost=1.0))
    known = figures_of(main, [facts("a", held=totals(turns=9, calls=4, cost=None))])
    assert (known.turns, known.calls, known.tokens, known.cost) == (2, 7, 2_500, 1.0)
    assert figure_text(Column.TOKENS, known) == "2.5k"
    partly = figures_of(main, [facts("a")])
    assert figure_text(Column.TOKENS, partly) == "1.5k+"
    assert figure_text(Column.COST, partly) == "~$1.00+"
    assert figure_text(Column.TURNS, partly) == "2"


def test_nothing_is_told_of_what_is_not_indexed() -> None:
    unknown = figures_of(facts("a"), [facts("b", held=totals())])
    assert unknown == Figures()
    assert {figure_text(column, unknown) for column in FIGURES} == {"–"}


def test_each_column_is_known_by_facts_or_by_figures() -> None:
    assert {column for column in Column if fact_key(column) is None} == FIGURES
    assert FIGURES < DESCENDING


def test_a_length_needs_both_ends() -> None:
    assert length_text(facts("a", NOW, started=NOW - 600)) == "10m"
    assert length_text(facts("a", NOW, started=None)) == "–"
    assert length_text(facts("a", NOW, started=NOW + 5)) == "0s"
