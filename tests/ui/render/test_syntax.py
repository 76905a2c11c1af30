"""Languages are found by the suffix of a file, as pygments finds them by its patterns."""

import gc
from collections.abc import Generator, Sequence
from weakref import ref

import pytest
from pygments.lexers import get_lexer_for_filename  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Token

from agentview.ui.render import syntax
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import Piece
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


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows by one for each line that a lexer was asked for."""
    read, lines_of = list[int](), syntax._read  # pyright: ignore[reportPrivateUsage]

    def counting(
        lines: Sequence[str], language: str, palette: Palette, *, waited_for: bool
    ) -> Generator[list[Piece], None, None]:
        found = lines_of(lines, language, palette, waited_for=waited_for)
        for number, line in enumerate(found):
            read.append(number)
            yield line

    monkeypatch.setattr(syntax, "_read", counting)
    return read


def test_a_screen_far_down_is_coloured_as_from_the_start_and_reads_little_of_what_is_before(
    read: list[int],
) -> None:
    lines = _SOURCE.splitlines() * 1_500
    whole = Highlighter(lines, "a.py", PALETTE)
    coloured = [whole.line(index) for index in range(len(lines))]
    assert all(len({style for _, style in pieces}) > 1 for pieces in coloured)
    for top in (70, 700, 1_490, 2_950):
        read.clear()
        jumped = Highlighter(lines, "a.py", PALETTE)
        screen = range(top, top + 50)
        assert [jumped.line(index) for index in screen] == coloured[top : top + 50]
        assert len(read) <= 130
        upwards = [jumped.line(index) for index in reversed(range(top - 64, top))]
        assert upwards == coloured[top - 64 : top][::-1]
        assert len(read) <= 130 + 64 // 16 * (48 + 16)


def test_text_that_is_read_in_part_goes_with_the_last_who_refers_to_it() -> None:
    highlighter = Highlighter(_SOURCE.splitlines() * 100, "a.py", PALETTE)
    highlighter.line(5)
    left = ref(highlighter)
    gc.disable()
    try:
        del highlighter
        assert left() is None
    finally:
        gc.enable()


def test_lines_that_are_late_are_plain_until_their_lexer_was_found() -> None:
    asked: list[str] = []
    syntax.find_late(lambda: asked.append("asked"))
    try:
        lines = ["let price: u32 = 1;"]
        late = Highlighter(lines, "late_first.rs", PALETTE, late=True)
        assert late.line(0) == [(lines[0], PALETTE.text)]
        assert asked == ["asked"]
        assert syntax.find_missing()
        assert late.line(0) == Highlighter(lines, "late_first.rs", PALETTE).line(0)
        assert len(late.line(0)) > 1
        # What no lexer is known for is asked for once.
        odd = Highlighter(lines, "late.no-such-suffix", PALETTE, late=True)
        odd.line(0)
        assert syntax.find_missing()
        assert odd.line(0) == [(lines[0], PALETTE.text)]
        assert asked == ["asked", "asked"]
        assert not syntax.find_missing()
    finally:
        syntax.find_late(None)
