"""Tests of parts that fold: what is open, and which line of put-together bodies folds what."""

from textual.strip import Strip

from agentview.ui.render.collapsible import NO_FOLDS, fold_at
from agentview.ui.render.containers import Cropped, Indented, Stack
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.palette import PLAIN
from agentview.ui.render.text_lines import Rows

SPACE = RenderContext(20, PLAIN)


class Parts:
    """Rows of which each folds a part that is named after it."""

    def __init__(self, name: str, height: int) -> None:
        self._name = name
        self.height = height

    def strips(self, start: int, stop: int) -> list[Strip]:
        """Empty rows."""
        return [Strip([])] * len(range(self.height)[max(0, start) : stop])

    def fold_at(self, row: int) -> str | None:
        """The name and the row."""
        return f"{self._name}{row}"


def test_a_part_is_as_it_begins_until_it_is_toggled() -> None:
    assert NO_FOLDS.is_open("a", True)
    assert not NO_FOLDS.is_open("a", False)
    toggled = NO_FOLDS.toggle("a")
    assert not toggled.is_open("a", True)
    assert toggled.is_open("a", False)
    assert toggled.is_open("b", True)
    assert toggled.toggle("a") == NO_FOLDS


def test_all_parts_fold_then_open_then_fold() -> None:
    folded = NO_FOLDS.toggle("a").toggle_all()
    assert not folded.is_open("a", True)
    assert not folded.is_open("b", True)
    opened = folded.toggle_all()
    assert opened.is_open("a", False)
    assert not opened.toggle("a").is_open("a", False)
    assert opened.toggle_all() == folded


def test_lines_of_bodies_put_together_fold_their_own_parts() -> None:
    plain = Rows([[("x", PLAIN.text)]], SPACE)
    stack = Stack([Parts("a", 2), plain, Indented(Parts("b", 2), [("> ", PLAIN.dim)])])
    assert [fold_at(stack, row) for row in range(-1, 6)] == [
        None, "a0", "a1", None, "b0", "b1", None,
    ]  # fmt: skip


def test_a_cropped_body_folds_what_its_rows_show() -> None:
    cropped = Cropped(Parts("a", 10), 4, "rows", SPACE, tail=2)
    assert [fold_at(cropped, row) for row in range(cropped.height)] == [
        "a0", "a1", None, "a8", "a9",
    ]  # fmt: skip
