"""What somebody looks for: texts, patterns, tools and files; patterns as bytes can be sought."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.events import Message
from agentview.search.matcher import Matcher, pattern_source, required
from agentview.timeline.search import Field
from tests.timeline.memory import read, shell


@pytest.mark.parametrize(
    ("query", "text", "found"),
    [
        ("Zebra", "a zebra", False),
        ("zebra", "a ZEBRA", True),
        ("regex:/z.bra/", "a ZEBRA", True),
        ("regex:/^two$/", "one\ntwo\nthree", True),
        ("regex:/a\\/b/", "x a/b y", True),
        ("regex:/zeb", "a zebra", True),
        ("regex:/(/", "(", False),
        ("regex:zebra", "zebra", False),
        ("regex:zebra", "regex:zebra", True),
    ],
)
def test_a_text_and_a_pattern(query: str, text: str, found: bool) -> None:
    assert Matcher(query).finds(Message(text)) is found


def test_a_pattern_that_is_none_says_so_and_finds_nothing() -> None:
    matcher = Matcher("regex:/[a/")
    assert matcher.trouble is not None
    assert matcher.trouble.startswith("no pattern: ")
    assert not matcher.finds(Message("[a"))
    assert Matcher("regex:/" + "a" * 1001 + "/").trouble == "no pattern: it is too long"


def test_a_pattern_that_goes_back_and_forth_keeps_to_its_time() -> None:
    matcher = Matcher("regex:/(a|aa)+$/")
    begun = time.perf_counter()
    assert not matcher.finds(Message("a" * 200 + "b"))
    assert list(matcher.finditer("a" * 200 + "b")) == []
    assert time.perf_counter() - begun < 2


def test_names_and_paths() -> None:
    call = read("src/Retry.py", "zebra")
    assert Matcher("read", Field.TOOL).finds(call)
    assert Matcher("RETRY", Field.FILE).finds(call)
    assert not Matcher("zebra", Field.FILE).finds(call)
    assert not Matcher("ls", Field.TOOL).finds(shell("ls"))
    assert Matcher("regex:/x/", Field.FILE).trouble is None


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("zebra", "zebra"),
        ("ze*bra", "bra"),
        ("zeb?ra+s", "ze"),
        (r"\bzebra\b", "zebra"),
        (r"src/\w+\.py", "src/"),
        ("(zebra)?s", "s"),
        ("[zebra]{3}ok", "ok"),
        (r"[]\]x]ok", "ok"),
        ("a|zebra", ""),
        ("(?i)zebra", ""),
        ("x{2}yy", "yy"),
        ("", ""),
    ],
)
def test_what_every_match_must_have(source: str, text: str) -> None:
    assert required(source) == text


PIECES = st.sampled_from(["ab", "c", r"\.", r"\d", ".", "[xy]", "(ab|c)", "(c)", "a?", "b*", "c+"])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=6).map("".join), st.text("abcxy.1 ", max_size=30))
def test_whatever_matches_has_what_every_match_must_have(source: str, text: str) -> None:
    found = re.search(source, text)
    if found is not None:
        assert required(source) in found[0]


def test_a_pattern_is_one_while_it_is_typed() -> None:
    assert pattern_source("regex:/") == ""
    assert pattern_source("regex:/a b") == "a b"
    assert pattern_source("regex:/a b/") == "a b"
    assert pattern_source(r"regex:/a\/") == r"a\/"
    assert pattern_source(r"regex:/a\\/") == r"a\\"
    assert pattern_source("regex:a") is None
