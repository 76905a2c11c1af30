"""Source text: numbers, colours, and no more work than is seen."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.timeline.view.sanitize import clean
from agentview.ui.render.code import code_rows
from agentview.ui.render.lexing import SourceLexer
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import split_lines
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

PYTHON = 'def f(x):\n    """Add."""\n    return x + 1  # one\n'


def test_numbers_start_where_they_are_told() -> None:
    assert texts(code_rows(PYTHON, "a.py", SPACE, start=9)) == [
        " 9  def f(x):",
        '10      """Add."""',
        "11      return x + 1  # one",
    ]
    assert texts(code_rows(PYTHON, "a.py", SPACE, start=None))[0] == "def f(x):"


def test_a_folded_line_has_its_number_once() -> None:
    assert texts(code_rows("x" * 30, "a.txt", wide(24))) == ["1  " + "x" * 21, "   " + "x" * 9]
    assert texts(code_rows("x" * 30, "a.txt", wide(24), fold=False)) == ["1  " + "x" * 20 + "…"]


def test_code_has_the_colours_of_its_language() -> None:
    body = code_rows(PYTHON, "src/a.py", SPACE)
    assert styled(body, "def") == PALETTE.keyword
    assert styled(body, "Add.") == PALETTE.string
    assert styled(body, "# one") == PALETTE.comment
    assert styled(code_rows("SELECT 1", "sql", SPACE), "SELECT") == PALETTE.keyword
    assert styled(code_rows("def f", "a.unknown-kind", SPACE), "def f") == PALETTE.text
    assert styled(code_rows("all: x\n\tcc", "Makefile", SPACE), "all") != PALETTE.text


@settings(max_examples=60)
@given(
    st.lists(st.text(max_size=30), max_size=12).map("\n".join),
    st.sampled_from(["a.py", "a.html", "a.md", "a.rs", "bash", "a.json", "x.php", ""]),
)
def test_colours_change_no_character(text: str, language: str) -> None:
    lines = split_lines(text)
    highlighter = Highlighter(lines, language, PALETTE)
    for index, line in enumerate(lines):
        assert "".join(part for part, _ in highlighter.line(index)) == clean(line)


def test_lines_are_read_as_far_as_they_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    lines_read = 0
    original = SourceLexer.tokens

    def counted(
        self: SourceLexer, text: str, *, waited_for: bool
    ) -> Iterator[tuple[int, Any, str]]:
        nonlocal lines_read
        for token in original(self, text, waited_for=waited_for):
            lines_read += token[2].count("\n")
            yield token

    monkeypatch.setattr(SourceLexer, "tokens", counted)
    body = code_rows(PYTHON * 20_000, "b.py", SPACE)
    assert body.height == 60_000
    assert lines_read == 0
    body.strips(0, 40)
    assert 40 <= lines_read <= 45
    body.strips(30_000, 30_040)
    assert lines_read <= 45 + 2 * (128 + 48)


def test_far_lines_have_colours_too() -> None:
    lines = PYTHON.splitlines() * 2_000
    highlighter = Highlighter(lines, "a.py", PALETTE)
    assert highlighter.line(5_100)[0] == ("def ", PALETTE.keyword)


def test_a_very_long_line_is_left_without_colours() -> None:
    lines = ["def f():", "x = '" + "(" * 100_000, "def g():"]
    highlighter = Highlighter(lines, "a.py", PALETTE)
    assert highlighter.line(1) == [(lines[1], PALETTE.text)]
    assert highlighter.line(2)[0] == ("def ", PALETTE.keyword)
