"""Markdown: signs become looks, and what is written can be read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.ui.render.body import Space
from agentview.ui.render.markdown import MAX_SIZE, markdown_body
from agentview.ui.render.palette import PLAIN
from tests.ui.hostile import CONTROL
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

_PARTS = st.sampled_from(
    [
        *("# ", "## ", "- ", "1. ", "> ", "```", "```py\n", "\n", "\n\n", "---\n", "    code\n"),
        *("word ", "**b** ", "`c` ", "*i*", "~~s~~ ", "***", "[t](u) ", "![a](s) ", "<b>"),
        *("| a | b |\n", "|---|---|\n", "\\", "[", "](", "http://x.y ", "&amp;", "- [ ] "),
        *("日本", "\x1b", "\ud83d", "\t"),
    ]
)


def test_paragraphs_and_headings() -> None:
    body = markdown_body("# Title\n\nSome **bold** and *soft* `code`.\nNext line", SPACE)
    assert texts(body) == ["Title", "", "Some bold and soft code.", "Next line"]
    assert styled(body, "Title") == PALETTE.heading
    bold, code = styled(body, "bold"), styled(body, "code")
    assert bold
    assert bold.bold
    assert code
    assert code.color == PALETTE.inline_code.color


def test_lists_nest_and_count() -> None:
    text = "- one\n- two\n  - inner\n\n9. nine\n10. ten\n"
    assert texts(markdown_body(text, SPACE)) == [
        "• one",
        "• two",
        "  • inner",
        "",
        " 9. nine",
        "10. ten",
    ]
    loose = "- one\n\n- two\n"
    assert texts(markdown_body(loose, SPACE)) == ["• one", "• two"]
    long = markdown_body("- " + "word " * 10, wide(20))
    assert texts(long)[1].startswith("  word")


def test_code_keeps_its_lines_and_gets_its_colours() -> None:
    body = markdown_body("```python\ndef f():\n\n    return 1\n```", SPACE)
    assert texts(body) == ["  def f():", "", "      return 1"]
    assert styled(body, "def") == PALETTE.keyword
    assert texts(markdown_body("    indented", SPACE)) == ["  indented"]


def test_tables_fit_the_width() -> None:
    table = "| a | long |\n|---|---|\n| 1 | " + "word " * 12 + "|\n"
    wide_rows = texts(markdown_body(table, SPACE))
    assert wide_rows[0].startswith("a    │ long")
    assert set(wide_rows[1]) <= {"─", "┼"}
    narrow = markdown_body(table, wide(30))
    assert narrow.height == 5
    assert all(strip.cell_length <= 30 for strip in narrow.strips(0, 9))


def test_links_and_images_are_text() -> None:
    body = markdown_body("[docs](https://x.org/a) <https://y.org> ![pic](p.png)", SPACE)
    assert texts(body) == ["docs (https://x.org/a) https://y.org [image: pic] (p.png)"]
    for strip in body.strips(0, 1):
        assert all(segment.style is None or segment.style.link is None for segment in strip)


def test_quotes_rules_and_html_stay_readable() -> None:
    rows = texts(markdown_body("> said\n> twice\n\n---\n\n<div>raw</div>\n", SPACE))
    assert rows == ["▎ said", "▎ twice", "", "─" * 40, "", "<div>raw</div>"]


def test_markup_of_the_terminal_library_is_text() -> None:
    assert texts(markdown_body("[bold]x[/bold] [/]", SPACE)) == ["[bold]x[/bold] [/]"]


def test_a_text_that_is_too_long_to_parse_is_shown_as_written() -> None:
    body = markdown_body("**x** " * (MAX_SIZE // 5), SPACE)
    assert body.strips(0, 1)[0].text.startswith("**x** **x**")


def test_without_colour_there_is_no_style() -> None:
    body = markdown_body("# T\n\n**b** `c` [l](u)\n\n| a |\n|---|\n| b |", Space(40, PLAIN))
    for strip in body.strips(0, body.height):
        assert all(not segment.style for segment in strip)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PARTS, max_size=30).map("".join), st.integers(4, 90))
def test_rows_are_as_counted(text: str, width: int) -> None:
    body = markdown_body(text, wide(width))
    strips = list(body.strips(0, body.height))
    assert len(strips) == body.height
    for strip in strips:
        assert strip.cell_length <= max(width, 16)
        assert not CONTROL.search(strip.text)
    assert list(body.strips(2, 5)) == strips[2:5]


_PLAIN_PARTS = st.sampled_from(
    [
        "word",
        "Zwei",
        "3",
        "-",
        "...",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\n\n\n",
        "(a)",
        "日本",
        "1.",
        "?!",
        "/",
    ]
)


@given(st.lists(_PLAIN_PARTS, max_size=14).map("".join))
def test_a_text_without_signs_is_laid_out_as_the_parser_would(text: str) -> None:
    # The definition of a link, which shows nothing itself, has the same text go through the parser.
    parsed = texts(markdown_body(f"{text}\n\n[x]: y", SPACE))
    assert texts(markdown_body(text, SPACE)) == parsed
