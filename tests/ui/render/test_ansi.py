"""Output of terminal programs: what is kept of it and what is not."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.color import Color
from rich.style import Style

from agentview.timeline.view.sanitize import without_escapes
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.render.terminal.ansi import ansi_rows
from tests.ui.hostile import CONTROL
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

_PARTS = st.sampled_from(
    [
        *("a", "word ", "日", "\u0301", "\t", "\r", "\n", "\x08", "\x00", "\x07"),
        *("\x1b[31m", "\x1b[0m", "\x1b[1;38;5;200m", "\x1b[48;2;1;2;3m", "\x1b[58;5;9m"),
        *("\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[3C", "\x1b[2D", "\x1b[4G", "\x1b[9999999999C"),
        *("\x1b[A", "\x1b[2J", "\x1b(B", "\x1b]0;t\x07", "\x1b]8;;u\x1b\\", "\x1bP1$q\x1b\\"),
        *("\x1b", "\x1b[", "\x9b31m", "\x9c", "[31m", "m", ";"),
    ]
)


@given(st.lists(_PARTS, max_size=40).map("".join), st.integers(2, 30), st.booleans())
def test_rows_are_as_counted_whatever_the_output_holds(text: str, width: int, fold: bool) -> None:
    body = ansi_rows(text, wide(width), fold=fold)
    strips = body.strips(0, body.height)
    assert len(strips) == body.height
    for strip in strips:
        assert strip.cell_length <= width
        assert not CONTROL.search(strip.text)


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_what_is_counted_is_what_is_painted(text: str) -> None:
    folded = ansi_rows(text, wide(90_000))
    cropped = ansi_rows(text, wide(90_000), fold=False)
    # A mark at the start of a piece is given a letter of its own when the piece stands alone.
    assert [row.replace("\u25cc", "") for row in texts(folded)] == [
        row.replace("\u25cc", "") for row in texts(cropped)
    ]


def test_colours_and_attributes_are_kept() -> None:
    body = ansi_rows("\x1b[1;31mred\x1b[0m \x1b[38;5;208msoft\x1b[39m \x1b[48;2;1;2;3mdeep", SPACE)
    assert texts(body) == ["red soft deep"]
    red, soft, deep = (styled(body, word) for word in ("red", "soft", "deep"))
    assert red
    assert red.bold
    assert red.color
    assert red.color.number == 1
    assert soft
    assert soft.color
    assert soft.color.number == 208
    assert deep
    assert deep.bgcolor
    assert deep.bgcolor.triplet == (1, 2, 3)


def test_a_colour_goes_on_into_the_next_lines_until_it_ends() -> None:
    text = "\x1b[32mone\ntwo\n" + "x\n" * 300 + "three\x1b[0m\nfour\n"
    body = ansi_rows(text, SPACE)
    green = Color.from_ansi(2)
    for word in ("one", "two", "three"):
        style = styled(body, word)
        assert style
        assert style.color == green
    assert styled(body, "four") == SPACE.palette.text
    last = ansi_rows(text, SPACE).strips(302, 304)
    assert [segment.style.color for segment in last[0] if segment.style] == [green]
    assert [segment.style for segment in last[1]] == [SPACE.palette.text]


def test_a_progress_bar_shows_how_it_ended() -> None:
    bar = "".join(f"\r{percent:3}% " + "#" * (percent // 10) for percent in range(101))
    assert texts(ansi_rows(f"start\n{bar}\ndone\n", SPACE)) == ["start", "100% ##########", "done"]
    assert texts(ansi_rows("downloading\rdone\n", SPACE)) == ["doneloading"]
    assert texts(ansi_rows("downloading\r\x1b[Kdone\n", SPACE)) == ["done"]
    assert texts(ansi_rows("ab\x08\x08xy\x1b[2Dz", SPACE)) == ["zy"]
    assert texts(ansi_rows("one\x1b[2K\rtwo\r\n", SPACE)) == ["two"]
    assert texts(ansi_rows("a\x1b[5Gb", SPACE)) == ["a   b"]
    assert texts(ansi_rows("kept\r\n", SPACE)) == ["kept"]


def test_a_line_written_over_very_often_is_quick_and_ends_right() -> None:
    line = "\x1b[32m" + "".join(f"\r{number}" for number in range(200_000))
    body = ansi_rows(line, SPACE)
    assert texts(body) == ["199999"]
    style = styled(body, "199999")
    assert style
    assert style.color == Color.from_ansi(2)


def test_titles_links_clipboards_and_moves_are_dropped() -> None:
    text = (
        "\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\c\x1b]52;c;eA==\x07d"
        "\x1b[2J\x1b[10A\x1b[?25l\x1b[?1049he\x1bPq\x1b\\f\x07g\x1b(Bh\x1bci"
    )
    assert texts(ansi_rows(text, SPACE)) == ["abcd", "efgh", "i"]
    assert without_escapes(text) == "abcdefghi"


def test_a_sequence_that_is_cut_off_takes_only_its_line() -> None:
    assert texts(ansi_rows("a\x1b]0;never ended\nb\x1b[\nc\x1b", SPACE)) == ["a", "b", "c"]


def test_without_colour_no_style_is_left() -> None:
    body = ansi_rows("\x1b[31mred\x1b[0m \x1b[1mbold", RenderContext(80, PLAIN))
    assert texts(body) == ["red bold"]
    assert not styled(body, "red")


def test_tabs_stop_every_eight_cells_even_behind_colours() -> None:
    assert texts(ansi_rows("\x1b[31mab\x1b[0m\tc", SPACE)) == ["ab      c"]


def test_ink_that_nobody_would_see_is_left_to_the_text() -> None:
    light = replace(PALETTE, text=Style(color="#101010"))
    for palette, hidden, seen in ((PALETTE, "\x1b[1;30m", "97"), (light, "\x1b[1;97m", "30")):
        body = ansi_rows(
            f"{hidden}one\x1b[0m \x1b[{seen}mtwo\x1b[0m \x1b[30;47mthree",
            RenderContext(80, palette),
        )
        one, two, three = (styled(body, word) for word in ("one", "two", "three"))
        assert one == palette.text + Style(bold=True)
        assert two
        assert two.color
        assert two.color.number == (15 if seen == "97" else 0)
        assert three
        assert three.color == Color.from_ansi(0)
