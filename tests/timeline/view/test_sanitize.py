"""Text made harmless for a terminal."""

import json
import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from agentview.timeline.view.sanitize import (
    clean,
    escaped_json,
    first_line,
    last_printed_line,
    one_line,
    without_controls,
)

_REORDERING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@pytest.mark.slow
def test_no_character_that_acts_on_a_terminal_is_left() -> None:
    for code in range(sys.maxunicode + 1):
        shown = clean("a" + chr(code))
        for char in shown:
            assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp"), hex(code)
            assert unicodedata.bidirectional(char) not in _REORDERING, hex(code)


@given(st.text(alphabet=st.characters(), max_size=60))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text)
    assert clean(once) == once


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_ascii_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


def test_controls_are_seen_and_what_has_no_width_goes() -> None:
    assert clean("a\x1b[31mb\x00\x7f") == "a␛[31mb␀␡"
    assert clean("a\tb") == "a   b"
    assert clean("a\tb", 8) == "a       b"
    assert clean("x\u202ey\ud83dz\x9b") == "x\ufffdy\ufffdz\ufffd"
    assert clean("a\u200bb\u200dc\ufe0fd\ufeff") == "abcd"
    assert clean("\u0301x") == "\u25cc\u0301x"
    assert clean("e" + "\u0301" * 400) == "e" + "\u0301" * 4
    assert clean("日本 é") == "日本 é"


def test_no_cell_is_drawn_over_by_more_than_a_few_characters() -> None:
    for code in range(0x300, sys.maxunicode + 1):
        char = chr(code)
        if wcwidth(char) == 0 and clean("x" + char) == "x" + char:
            assert clean("x" + char * 40) == "x" + char * 4, hex(code)


def test_words_of_scripts_that_have_marks_stay_as_they_are() -> None:
    for word in ("בְּרֵאשִׁ֖ית", "الْعَرَبِيَّةُ", "हिन्दी क्षत्रिय", "ภาษาไทยที่นี่", "བོད་སྐད་", "한국어 각"):
        assert clean(word) == word


@given(st.text(alphabet=st.characters(), max_size=60))
def test_escaped_json_has_the_same_value_and_nothing_that_acts(text: str) -> None:
    escaped = escaped_json(json.dumps(text, ensure_ascii=False))
    assert json.loads(escaped) == text
    for char in escaped:
        assert unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp"), hex(ord(char))
        assert unicodedata.bidirectional(char) not in _REORDERING, hex(ord(char))


def test_what_is_pasted_has_no_controls_but_lines_and_tabs() -> None:
    assert without_controls("a\tb\r\nc\rd\x1b[201~\x9b1m\x7f") == "a\tb\nc\nd[201~1m"


def test_one_line_joins_lines_and_first_line_takes_the_first_that_says_something() -> None:
    assert one_line(" a\n\n  b\tc ") == "a b c"
    assert one_line("x" * 900, 10) == "x" * 10
    assert first_line("\n \n\t\n  second \nthird") == "second"
    assert first_line("") == ""
    assert first_line("\n" * 100_000) == ""
    assert not re.search(r"[\r\n]", first_line("a\rb"))


def test_the_last_printed_line_is_what_a_terminal_shows_last() -> None:
    assert last_printed_line("one\n\x1b[32mtwo\x1b[0m\n\n") == "two"
    assert last_printed_line("built\n10%\r55%") == "55%"
    assert last_printed_line("x" * 9000 + "\nend") == "end"
    assert (last_printed_line(None), last_printed_line(" \n")) == ("", "")
