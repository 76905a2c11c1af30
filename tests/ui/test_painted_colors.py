"""Contrast of what is painted: each shipped theme in 24 bit, 256 and 16 colours, in a real pty."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from agentview.ui.render.style.color_depth import MARK_CONTRAST, TEXT_CONTRAST
from agentview.ui.themes import load_themes, theme_directories
from tests.ui.painted_colors import DEPTHS, Cell, PaintedApp

DEMO = sample_sessions_dir() / "claude_code" / "demo.jsonl"
SHIPPED = load_themes(theme_directories()[:1]).loaded
NAMES = sorted(SHIPPED)
MOVES = ("g", *("j",) * 8, "e", "e", "k")
"""Over messages, diffs, commands that failed: each is selected once."""
pytestmark = [pytest.mark.slow, pytest.mark.long]
_STRIP = -2
"""Row of the plot, which is no text."""


def _texts(rows: list[list[Cell]]) -> Iterator[tuple[int, int, Cell]]:
    """Cells with text or a mark; lines and blocks are only drawn."""
    for y, row in enumerate(rows):
        if y - len(rows) == _STRIP:
            continue
        for x, cell in enumerate(row):
            drawn = not cell.text.strip() or unicodedata.category(cell.text[0]) == "So"
            if not drawn and not re.match("[\u2500-\u259f]", cell.text):
                yield y, x, cell


def _walk(app: PaintedApp, name: str) -> Iterator[list[list[Cell]]]:
    app.show_theme(name)
    for key in MOVES:
        app.press(key)
        yield app.cells(dark=SHIPPED[name].dark)


@pytest.mark.parametrize("depth", DEPTHS)
def test_text_and_marks_can_be_read_in_every_theme(depth: str, tmp_path: Path) -> None:
    unreadable: set[tuple[str, str, str, float, str]] = set()
    with PaintedApp(DEMO, tmp_path, depth, theme=NAMES[-1]) as app:
        app.film.wait(lambda: "6 commands" in app.film.text, "the session is not shown")
        app.settle()
        app.press("s")
        for name in NAMES:
            quiet = {SHIPPED[name].colors.muted, SHIPPED[name].colors.comment}
            for rows in _walk(app, name):
                for y, _, cell in _texts(rows):
                    least = MARK_CONTRAST if cell.color in quiet else TEXT_CONTRAST
                    if cell.contrast < least:
                        line = "".join(one.text for one in rows[y]).strip()[:60]
                        unreadable.add((name, cell.color, cell.ground, cell.contrast, line))
    assert unreadable == set()


@pytest.mark.parametrize("depth", DEPTHS)
def test_selection_and_changed_lines_differ_from_the_rest(depth: str, tmp_path: Path) -> None:
    with PaintedApp(DEMO, tmp_path, depth, theme=NAMES[-1]) as app:
        app.film.wait(lambda: "6 commands" in app.film.text, "the session is not shown")
        app.settle()
        for name in NAMES:
            app.show_theme(name)
            app.press("g", "e")
            rows = app.cells(dark=SHIPPED[name].dark)
            lines = {"".join(cell.text for cell in row): row for row in rows}
            grounds = {row[1].ground for row in rows[2:-2]}
            assert len(grounds) == 2, (name, grounds)
            added = next(row for line, row in lines.items() if " + def test" in line)
            plain = next(row for line, row in lines.items() if "9  9 " in line)
            at = next(x for x, cell in enumerate(added) if cell.text == "d")
            sign = next(x for x, cell in enumerate(added) if cell.text == "+")
            tinted = added[at].ground != plain[at].ground
            inked = added[at].color == added[sign].color != plain[at].color
            # On white, 16 colours have no green that can be read: the sign tells.
            assert tinted or inked or (depth == "16" and not SHIPPED[name].dark), name
            column, row = at, rows.index(added)
            app.drag((column, row), (column + 10, row))
            marked = app.cells(dark=SHIPPED[name].dark)[row]
            assert min(cell.contrast for cell in marked[column : column + 11]) >= TEXT_CONTRAST
            assert {marked[column].ground} == {cell.ground for cell in marked[column : column + 11]}
            assert marked[column].ground not in {*grounds, added[column].ground}, name
            app.press("y")
