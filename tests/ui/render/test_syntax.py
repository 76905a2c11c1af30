"""Languages are found by the suffix of a file, as pygments finds them by its patterns."""

import pytest
from pygments.lexers import get_lexer_for_filename  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Token

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
