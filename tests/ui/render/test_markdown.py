"""Markdown: signs become looks, and what is written can be read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.ui.render.containers import work_of
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.markdown import body
from agentview.ui.render.markdown.body import MAX_SIZE, LongMarkdown, markdown_body, markdown_head
from agentview.ui.render.style.palette import PLAIN
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
    assert texts(body) == ["Title", "─────", "", "Some bold and soft code.", "Next line"]
    assert styled(body, "Title") == PALETTE.heading
    bold, code = styled(body, "bold"), styled(body, "code")
    assert bold
    assert bold.bold
    assert code
    assert code.color == PALETTE.inline_code.color


def test_headings_differ_without_colour_too() -> None:
    text = "# One\n\n## Two\n\n### Three\n\n###### Six"
    assert texts(markdown_body(text, SPACE)) == [
        "One", "───", "", "Two", "", "### Three", "", "###### Six",
    ]  # fmt: skip
    assert texts(markdown_body("# One\n\n## Two", RenderContext(40, PLAIN))) == [
        "# One",
        "",
        "## Two",
    ]


def test_tasks_are_ticked() -> None:
    text = "- [ ] open\n- [x] done\n- [link](u)\n\n1. [X] first\n2. [ ] **bold**\n"
    assert texts(markdown_body(text, SPACE)) == [
        "○ open", "✓ done", "• link (u)", "", " ✓ first", " ○ bold",
    ]  # fmt: skip


def test_footnotes_can_be_followed() -> None:
    text = "Known[^1] and[^long-name].\n\n[^1]: word\n[^long-name]: some words `here`"
    assert texts(markdown_body(text, SPACE)) == [
        "Known[1] and[long-name].",
        "",
        "[1] word",
        "[long-name] some words here",
    ]


def test_columns_are_aligned_as_asked() -> None:
    table = "| l | r | c |\n|:--|--:|:-:|\n| 1 | 2 | 3 |\n| long | 日本語 | wide |\n"
    assert texts(markdown_body(table, SPACE)) == [
        "l    │      r │  c",
        "─────┼────────┼─────",
        "1    │      2 │  3",
        "long │ 日本語 │ wide",
    ]


def test_a_table_without_room_is_told_row_by_row() -> None:
    table = (
        "| name | size | kind | owner |\n|--|--|--|--|\n| a | 1 | file | ana |\n| b | 2 | x | y |"
    )
    assert texts(markdown_body(table, wide(20)))[:5] == [
        "name: a", "size: 1", "kind: file", "owner: ana", "",
    ]  # fmt: skip


def test_a_break_in_a_cell_breaks_and_other_html_is_text() -> None:
    table = "| a |\n|---|\n| one<br>two <b>x</b> |"
    assert texts(markdown_body(table, SPACE))[2:] == ["one", "two <b>x</b>"]


def test_nested_quotes() -> None:
    assert texts(markdown_body("> a\n>> b\n>>> c\n", SPACE)) == [
        "▎ a", "▎", "▎ ▎ b", "▎ ▎", "▎ ▎ ▎ c",
    ]  # fmt: skip


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
    assert wide_rows[0].startswith("a │ long")
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
    body = markdown_body("# T\n\n**b** `c` [l](u)\n\n| a |\n|---|\n| b |", RenderContext(40, PLAIN))
    for strip in body.strips(0, body.height):
        assert all(not segment.style for segment in strip)


@pytest.mark.parametrize("width", [4, 16, 60])
@pytest.mark.parametrize("sign", ["- ", "> ", "1. "])
@pytest.mark.parametrize("depth", [3, 9, 10, 40])
def test_what_is_nested_deeply_is_not_cut(depth: int, sign: str, width: int) -> None:
    body = markdown_body(sign * depth + "innermost words", wide(width))
    strips = body.strips(0, body.height)
    assert max(strip.cell_length for strip in strips) <= width
    words = "".join(texts(body)).replace("▎", "")
    assert "".join(words.split()).endswith("innermostwords")


@settings(max_examples=150)
@given(st.lists(_PARTS, max_size=30).map("".join), st.integers(4, 90))
def test_rows_are_as_counted(text: str, width: int) -> None:
    body = markdown_body(text, wide(width))
    strips = list(body.strips(0, body.height))
    assert len(strips) == body.height
    for strip in strips:
        assert strip.cell_length <= max(width, 8)
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


_BLOCKS = [
    "## Heading\n",
    "Some **bold** words and `code` that go on for a while, with a [link][a] to follow.\n",
    "- one\n- two\n  - inner\n\n  more of it\n",
    "- loose\n\n- items\n",
    "1. first\n2. second\n",
    "```python\ndef f():\n\n    return 1\n```\n",
    "~~~\n# no heading\n\n- no list\n~~~\n",
    "- item\n\n  ```\n  inside\n\n  it\n  ```\n",
    "> quoted\n> twice\n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "<!-- a\n\ncomment -->\n",
    "    indented\n\n    code\n",
    "plain words only\n",
    "---\n",
    "Word[^1]\n\n[^1]: note\n",
]


@pytest.mark.parametrize("first", _BLOCKS)
def test_chunks_give_what_the_whole_would(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for second in _BLOCKS:
        for last in ("[a]: https://example.org\n", "- item\n"):
            text = "\n".join([first, second, last])
            monkeypatch.setattr(body, "_ENOUGH", 10**9)
            whole = texts(markdown_body(text, SPACE))
            monkeypatch.setattr(body, "_ENOUGH", 20)
            assert texts(markdown_body(text, SPACE)) == whole


@pytest.mark.parametrize(
    "part",
    [
        "<a><b>",
        "*a_",
        "[",
        "<",
        "&a",
        "[a](b",
        "![a](",
        "|a",
        "~~a~",
        "**a *b ",
        "[a]: /x\n",
        "`a``",
        "1. a\n",
        "a\nb\n",
    ],
)
def test_signs_without_end_are_shown_as_they_are_written(part: str) -> None:
    text = part * (80_000 // len(part))
    shown = "".join(texts(markdown_body(text, SPACE)))
    assert "".join(shown.split()) == "".join(text.split())


def test_lists_that_end_at_once_are_laid_out_in_slices() -> None:
    sliced = replace(SPACE, sliced=True)
    long = LongMarkdown("+\n-\n" * 20_000, sliced, SPACE.palette.text)
    # A step is one chunk.
    assert not any(long.continue_for(0.0) for _ in range(20))


def _long(size: int) -> str:
    return ("\n".join(_BLOCKS) * (size // 500))[:size]


@pytest.mark.slow
def test_a_long_text_is_laid_out_in_slices_and_then_whole() -> None:
    text, sliced = _long(60_000), replace(SPACE, sliced=True)
    body = markdown_body(text, sliced)
    work = work_of(body)
    assert work is not None
    assert texts(body)[-1].endswith("more is being laid out")
    rows, height = texts(body), body.height
    slices = 1
    while not work.continue_for(0.001):
        slices += 1
    assert slices > 5
    assert (texts(body), body.height) == (rows, height), "a body that is shown stays as it is"
    whole = markdown_body(text, sliced)
    assert work_of(whole) is None
    assert texts(whole) == texts(markdown_body(text, SPACE))


def test_a_short_text_is_whole_at_once() -> None:
    assert work_of(markdown_body(_long(1_500), replace(SPACE, sliced=True))) is None


def test_the_head_of_a_long_text_costs_no_more_than_it_shows() -> None:
    body, total = markdown_head(_long(100_000), SPACE, 8)
    assert 9 <= body.height < 200
    assert total is not None
    assert total > 2_000
    assert markdown_head("short", SPACE, 8)[1] is None
    assert texts(body)[:3] == texts(markdown_body(_long(3_000), SPACE))[:3]
