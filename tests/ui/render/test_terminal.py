"""Output that goes back and writes over itself, held against a terminal emulator."""

import re
import time

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color

from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.terminal.screen import LIMIT, text_left
from tests.ui.hostile import CONTROL
from tests.ui.render.looks import SPACE, styled, texts, wide

_NEW_LINE = 20
"""Mode in which a line feed also goes back to the first column."""
_MOVES = st.sampled_from(
    [
        *("a", "word ", "é", "\t", "\r", "\n", "\r\n", "\x08"),
        *("\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[3C", "\x1b[D", "\x1b[4G", "\x1b[2P"),
        *("\x1b[A", "\x1b[2A", "\x1b[B", "\x1b[F", "\x1b[E", "\x1b[2@", "\x1b[3X", "\x1b[H"),
        *("\x1b[2;4H", "\x1b[3d", "\x1b7go\x1b[A\x1b8", "\x1b[31m", "\x1b[m", "\x1b[?25l"),
    ]
)
_ANY = st.one_of(
    _MOVES,
    st.text(max_size=6),
    st.sampled_from(["\x1b[2J", "\x1bc", "\x1b[1J", "\x1b[", "\x1b", "\x9b", "\x1b[99999999999B"]),
)


def shown(output: str) -> list[str]:
    return texts(ansi_rows(output, wide(500)))


def emulated(output: str) -> list[str]:
    screen = pyte.Screen(220, 48)
    screen.set_mode(_NEW_LINE)
    pyte.Stream(screen).feed(output)
    return [line.rstrip() for line in screen.display]


def trimmed(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


@pytest.mark.slow
@settings(max_examples=120)
@given(st.lists(_MOVES, max_size=40).map("".join))
def test_rows_are_those_of_a_terminal(output: str) -> None:
    assert trimmed(shown(output)) == trimmed(emulated(output))


@given(st.lists(_ANY, max_size=40).map("".join))
def test_what_is_left_moves_no_more(output: str) -> None:
    left = text_left(output + "\x1b[A\x1b[B\n")
    assert text_left(left) == left
    assert not re.search(r"\x1b\[\d*[ABEFHJ]", left)
    assert not CONTROL.search("".join(shown(output)))


@given(st.lists(_MOVES, max_size=30), st.data())
def test_where_it_was_cut_does_not_matter(parts: list[str], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(parts)))
    # What is written between is taken by every terminal and shown by none.
    whole = "".join(parts)
    divided = "".join(parts[:cut]) + "\x1b[?25h\x1b]0;title\x07" + "".join(parts[cut:])
    assert trimmed(shown(divided)) == trimmed(shown(whole))


def test_bars_of_several_rows_end_as_they_last_stood() -> None:
    frames = "".join(
        "\x1b[2A" * bool(step)
        + f"\x1b[2Klayer 1  {step * 10}%\r\n\x1b[2Klayer 2  \x1b[32m{step * 5}%\x1b[0m\r\n"
        for step in range(11)
    )
    output = f"pulling\n{frames}done\n"
    assert shown(output) == ["pulling", "layer 1  100%", "layer 2  50%", "done"]
    style = styled(ansi_rows(output, SPACE), "50%")
    assert style
    assert style.color == Color.from_ansi(2)


def test_a_colour_begun_before_the_moves_goes_on_in_and_after_them() -> None:
    output = "\x1b[33mone\ntwo\n\x1b[1Athree\nfour\nfive"
    body = ansi_rows(output, SPACE)
    assert texts(body) == ["one", "three", "four", "five"]
    for word in ("one", "three", "four", "five"):
        style = styled(body, word)
        assert style
        assert style.color == Color.from_ansi(3)


def test_what_was_cleared_stands_above_what_came_next() -> None:
    watched = "run 1\n1 failed\n\x1b[2J\x1b[Hrun 2\nall passed\n"
    assert shown(watched) == ["run 1", "1 failed", "run 2", "all passed"]
    assert shown("\x1b[2J\x1b[3J\x1b[Hfirst\n") == ["first"]


def test_a_move_far_down_makes_no_rows() -> None:
    assert shown("a\x1b[999999B\x1b[999;999Hb").count("") < 5


def test_wide_characters_keep_their_columns() -> None:
    assert shown("日本語\r\x1b[2Cab\x1b[A\n") == ["日ab語"]
    assert shown("日本\r\x1b[1Cx\x1b[A\n") == [" x本"]


def test_rows_far_above_are_out_of_reach() -> None:
    output = "".join(f"{number}\n" for number in range(1_000)) + "\x1b[900Ahere\n"
    rows = shown(output)
    assert len(rows) == 1_000
    assert rows.index("here") > 700


def test_of_very_long_output_the_end_is_looked_at() -> None:
    frame = "\x1b[2A\x1b[2Kone\r\n\x1b[2Ktwo\r\n"
    output = "start\n" * 100_000 + "\n\n" + frame * 60_000
    begun = time.process_time()
    left = text_left(output)
    assert time.process_time() - begun < 2.0
    assert left.startswith("start\nstart\n")
    assert len(left) <= len(output) - LIMIT + 20_000
