"""Lines of a diff: numbers, what is left out, which stand beside which."""

from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.tool_results import Hunk
from agentview.timeline.view.diff.rows import BETWEEN, DiffLines
from agentview.timeline.view.diff.word_diff import changed_words

HUNKS = (
    Hunk(10, 3, 20, 4, (" a", "-b", "+c", "+d", " e")),
    Hunk(40, 1, 51, 1, ("-x", "\\ No newline at end of file", "+y"), "def f"),
)
_SIGNS = st.lists(
    st.sampled_from([" a", "-b", "+c", "\\ n", "", "@@", "-d e", "+d e"]), max_size=40
)


def test_lines_have_numbers_and_what_is_left_out_is_counted() -> None:
    lines = DiffLines(HUNKS)
    assert lines.signs == " -++ @-\\+"
    assert [lines.numbers(at) for at in range(5)] == [
        (10, 20), (11, None), (None, 21), (None, 22), (12, 23),
    ]  # fmt: skip
    assert [lines.numbers(at) for at in range(5, 9)] == [
        (None, None), (40, None), (None, None), (None, 51),
    ]  # fmt: skip
    assert lines.left_out(5) == 27
    assert lines.hunk(5) == 1
    assert DiffLines(HUNKS, numbered=False).left_out(5) is None
    assert DiffLines(HUNKS, numbered=False).numbers(0) == (None, None)


def test_a_removed_line_and_the_one_it_became_know_each_other() -> None:
    lines = DiffLines(HUNKS)
    assert [lines.partner(at) for at in range(9)] == [
        None, 2, 1, None, None, None, 8, None, 6,
    ]  # fmt: skip


def test_of_runs_of_unequal_length_those_lines_stand_beside_each_other_that_are_alike() -> None:
    lines = DiffLines(
        (Hunk(1, 1, 1, 3, ("-    return cap(wait)", "+# why", "+    return floor(wait)", "+")),)
    )
    assert lines.sides() == ([None, 0, None], [1, 2, 3])
    assert [lines.partner(at) for at in range(4)] == [2, None, 0, None]


@given(st.lists(_SIGNS, max_size=4))
def test_each_line_is_on_its_sides_once_and_in_order(hunks: list[list[str]]) -> None:
    lines = DiffLines(tuple(Hunk(1, 1, 1, 1, tuple(part)) for part in hunks))
    assert len(lines) == sum(map(len, hunks)) + max(0, len(hunks) - 1)
    left, right = lines.sides()
    assert len(left) == len(right)
    every = range(len(lines))
    old = [at for at in left if at is not None]
    new = [at for at in right if at is not None]
    assert old == sorted(set(old))
    assert new == sorted(set(new))
    assert {*old, *new} == set(every)
    for at in every:
        sign = lines.signs[at]
        if sign in " -+" + BETWEEN:
            assert (at in old, at in new) == (sign != "+", sign != "-")
        partner = lines.partner(at)
        if partner is not None:
            assert lines.partner(partner) == at
            assert {lines.signs[at], lines.signs[partner]} == {"-", "+"}
            assert left.index(min(at, partner)) == right.index(max(at, partner))


@given(st.text("ab ()\t", max_size=30), st.text("ab ()\t", max_size=30))
def test_without_its_changed_words_a_line_is_as_the_other(old: str, new: str) -> None:
    changed = changed_words(old, new)
    if changed is not None:
        kept = [
            "".join(_without(text, spans)) for text, spans in zip((old, new), changed, strict=True)
        ]
        assert kept[0].replace(" ", "").replace("\t", "") == kept[1].replace(" ", "").replace(
            "\t", ""
        )


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [char for at, char in enumerate(text) if not any(a <= at < b for a, b in spans)]


def test_partners_are_found_in_any_order_of_asking() -> None:
    count = 20_000
    lines = (*(f"-old {at}" for at in range(count)), *(f"+new {at}" for at in range(count)))
    diff = DiffLines([Hunk(1, count, 1, count, lines)])
    asked = [*range(0, 2 * count, 7), *range(2 * count - 1, -1, -11)]
    found = [diff.partner(at) for at in asked]
    assert found == [at + count if at < count else at - count for at in asked]
