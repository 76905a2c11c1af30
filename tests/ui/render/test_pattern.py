"""Patterns marked in lines: right where it is quick, none where it is not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.ui.tools.grep import Finder


def test_matches_are_found_as_the_pattern_says() -> None:
    text = "def delay(x): return Delay(x)"
    assert Finder("delay").spans(text) == [(4, 9)]
    assert Finder("delay", ignore_case=True).spans(text) == [(4, 9), (21, 26)]
    assert Finder(r"(def|return)\s+\w+").spans(text) == [(0, 9), (14, 26)]
    assert Finder("delay(", literal=True).spans(text) == [(4, 10)]
    assert Finder("x*").spans("axxa") == [(1, 3)]
    assert Finder("").spans(text) == ()


def test_what_is_no_expression_is_looked_for_as_it_is() -> None:
    assert Finder("delay(").spans("delay(x)") == [(0, 6)]
    assert Finder("[a").spans("x[a]") == [(1, 3)]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 999 + "b"),
        ("(x+x+)+y", "x" * 1_000),
        ("(a|a)*b", "a" * 1_000),
        ("a?" * 40 + "a" * 40, "a" * 39),
        (".*.*.*.*=x", "a" * 1_000),
        ("(" * 400 + "a" + ")*" * 400 + "b", "a" * 1_000),
        ("a" * 100_000, "a" * 1_000),
        ("a", "a" * 1_000_000),
    ],
)
def test_no_pattern_takes_long(pattern: str, text: str) -> None:
    finder = Finder(pattern)
    finder.spans("warm")
    begun = time.process_time()
    for _ in range(40):
        finder.spans(text)
    assert time.process_time() - begun < 1.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("pattern", "spans"),
    [
        ("[[a]x", [(1, 3)]),
        ("[^[a]x", [(3, 5)]),
        ("[x&&]", [(2, 3), (4, 5)]),
        ("[a--]x", []),
        ("[x||]", [(2, 3), (4, 5)]),
        ("[x~~]", [(2, 3), (4, 5)]),
    ],
)
def test_a_pattern_that_python_would_warn_of_says_nothing(
    pattern: str, spans: list[tuple[int, int]]
) -> None:
    assert Finder(pattern).spans("-[xbx") == spans


@pytest.mark.filterwarnings("error")
@given(st.text("ab(|)*+?{1,}[]\\.^$&~-", max_size=12), st.text("ab(", max_size=30), st.booleans())
def test_any_pattern_gives_places_in_the_line(pattern: str, text: str, literal: bool) -> None:
    for start, end in Finder(pattern, literal=literal).spans(text):
        assert 0 <= start < end <= len(text)
