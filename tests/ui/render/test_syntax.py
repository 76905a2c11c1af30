"""Languages are found by the suffix of a file, as pygments finds them by its patterns."""

from collections.abc import Iterator, Sequence

import pytest
from pygments.lexers import get_lexer_for_filename  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Token

from agentview.ui.render.lines import Piece
from agentview.ui.render.syntax import Highlighter
from tests.ui.render.looks import PALETTE

_SOURCE = "def price(cents):\n    return 'a' # 1 < 2\n"


@pytest.mark.parametrize(
    "name", ["a.py", "src/a.js", "a.test.ts", "b.rs", "c.css.in", "d.sql", "e.h", "CMakeLists.txt"]
)
def test_the_language_is_that_of_the_file_name(name: str) -> None:
    lines = _SOURCE.splitlines()
    highlighter = Highlighter(lines, name, PALETTE)
    tokens = [(text, token) for token, text in get_lexer_for_filename(name).get_tokens(_SOURCE)]
    plain = {text for text, token in tokens if token is Token.Text}
    pieces = [piece for index in range(len(lines)) for piece in highlighter.line(index)]
    assert "".join(text for text, _ in pieces) == "".join(lines)
    assert all(style == PALETTE.text for text, style in pieces if text in plain)
    colours = {style.color for text, style in pieces if text.strip()}
    assert len(colours) > 1


class Counting(Highlighter):
    """Counts the lines that a lexer was asked for."""

    read = 0

    def _read(self, lines: Sequence[str]) -> Iterator[list[Piece]]:
        for line in super()._read(lines):
            self.read += 1
            yield line


def test_a_screen_far_down_is_coloured_as_from_the_start_and_reads_little_of_what_is_before() -> (
    None
):
    lines = _SOURCE.splitlines() * 1_500
    whole = Highlighter(lines, "a.py", PALETTE)
    coloured = [whole.line(index) for index in range(len(lines))]
    assert all(len({style for _, style in pieces}) > 1 for pieces in coloured)
    for top in (70, 700, 1_490, 2_950):
        jumped = Counting(lines, "a.py", PALETTE)
        screen = range(top, top + 50)
        assert [jumped.line(index) for index in screen] == coloured[top : top + 50]
        assert jumped.read <= 130
        upwards = [jumped.line(index) for index in reversed(range(top - 64, top))]
        assert upwards == coloured[top - 64 : top][::-1]
        assert jumped.read <= 130 + 64 // 16 * (48 + 16)
