"""Text laid out for a terminal."""

import pytest
from rich.cells import cell_len

from agentview.cli.output.sheet import Tone, aligned, heading, put

ROWS = [["A", "COUNT", "WHERE"], ["日本", ("12,345", Tone.BAD), "x\x1b[2Jy"], ["b"]]


def test_columns_stand_below_each_other():
    lines = ["".join(text for text, _ in line) for line in aligned(ROWS, right=(1,))]
    assert [line.rstrip() for line in lines] == [
        "  A      COUNT  WHERE",
        "  日本  12,345  x␛[2Jy",
        "  b",
    ]


@pytest.mark.parametrize("width", ["1", "8", "17", "40"])
def test_lines_are_cut_to_the_width(
    width: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("COLUMNS", width)
    monkeypatch.setenv("FORCE_COLOR", "")
    put([*heading("A heading"), *aligned(ROWS, right=(1,))])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(cell_len(line) <= int(width) for line in lines)


def test_a_column_without_room_is_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("COLUMNS", "13")
    put(aligned([["a long name", "why"], ["short", "why"], ["a much too long name", ""]]))
    assert capsys.readouterr().out.splitlines() == ["  a long name", "  short", "  a much too…"]
    monkeypatch.setenv("COLUMNS", "16")
    put(aligned([["a long name", "why it is"], ["short", ""]]))
    assert capsys.readouterr().out.splitlines() == ["  a long name", "  short"]


def test_tones_are_colours_only_where_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    put(aligned(ROWS))
    assert f"{Tone.BAD.value}12,345\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    put(aligned(ROWS))
    assert "\x1b" not in capsys.readouterr().out
