"""Words, phrases and patterns in texts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.query.parser import Regex, Text
from agentview.query.text_matcher import TextMatcher


@pytest.mark.parametrize(
    ("term", "text", "found"),
    [
        (Text("Zebra"), "a zebra", False),
        (Text("Zebra"), "a Zebra", True),
        (Text("zebra"), "a ZEBRA", True),
        (Text("ebr"), "a zebra", True),
        (Text("a zebra"), "a\n\t zebra", True),
        (Text("a zebra"), "a-zebra", False),
        (Text("A zebra"), "a zebra", False),
        (Text("a.*b["), "x a.*b[ y", True),
        (Text("a.*b["), "x axxb[ y", False),
        (Regex("z.bra"), "a ZEBRA", True),
        (Regex("(?-i:z.bra)"), "a ZEBRA", False),
        (Regex("^two$"), "one\ntwo\nthree", True),
        (Regex(r"a\/b"), "x a/b y", True),
    ],
)
def test_a_term_in_a_text(term: Text | Regex, text: str, found: bool) -> None:
    matcher = TextMatcher(term)
    assert matcher.finds(["", text]) is found
    assert (matcher.search(text) is not None) is found
    assert bool(list(matcher.finditer(text))) is found


@given(st.text(max_size=20), st.text(min_size=1, max_size=8), st.text(max_size=20))
def test_a_text_is_found_in_any_other(before: str, text: str, after: str) -> None:
    if text.strip():
        assert TextMatcher(Text(text)).finds([before + text + after])


def test_a_pattern_that_backtracks_keeps_to_its_time() -> None:
    matcher = TextMatcher(Regex("(a|aa)+$"))
    begun = time.process_time()
    for _ in range(100):
        assert not matcher.finds(["a" * 200 + "b"])
        assert list(matcher.finditer("a" * 200 + "b")) == []
    assert matcher.late == 200
    assert time.process_time() - begun < 10
    assert matcher.finds(["aaa"])
