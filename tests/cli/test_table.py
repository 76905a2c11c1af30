"""Tables of text in a terminal and in a pipe."""

from rich.cells import cell_len

from agentview.cli.output.table import table_lines

LONG = "long " * 100 + "end"
COLUMNS = {"ID": ["ID", "a", "b"], "TITLE": ["TITLE", LONG, "日本"], "AGE": ["AGE", "1m", "2m"]}


def test_without_a_width_texts_are_whole_and_no_row_is_padded_to_the_longest() -> None:
    heading, long, short = table_lines(COLUMNS, None, {}, ())
    assert LONG in long
    assert long.endswith("  1m")
    assert cell_len(heading) == cell_len(short) + 1 < 60
    assert heading.index("AGE") == cell_len(short[: short.index("2m")])


def test_a_width_is_kept_to() -> None:
    lines = table_lines(COLUMNS, 30, {"TITLE": 5}, ())
    assert max(map(cell_len, lines)) <= 30
    assert "…" in lines[1]
    assert lines[2].endswith("2m")
