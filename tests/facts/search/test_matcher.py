"""What somebody looks for: texts, patterns, tools and files; patterns as bytes can be sought."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.events import User
from agentview.facts.search.matcher import Matcher, required
from agentview.query.parser import Field, Text
from tests.timeline.view.memory import read, shell


def test_names_and_paths() -> None:
    call = read("src/Retry.py", "zebra")
    assert Matcher(Field("tool", "read")).finds(call)
    assert Matcher(Field("file", "RETRY")).finds(call)
    assert not Matcher(Field("file", "zebra")).finds(call)
    assert not Matcher(Field("tool", "ls")).finds(shell("ls"))


def test_places() -> None:
    call = shell("ls zebra", "a lion")
    assert Matcher(Text("zebra"), ("command",)).finds(call)
    assert not Matcher(Text("zebra"), ("result", "path")).finds(call)
    assert Matcher(Text("lion"), ("res",)).finds(call)
    assert Matcher(Text("zebra"), ("prompt",)).finds(User("a zebra"))
    assert not Matcher(Text("zebra"), ("message",)).finds(User("a zebra"))


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


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=6).map("".join), st.text("abcxy.1 ", max_size=30))
def test_whatever_matches_has_what_every_match_must_have(source: str, text: str) -> None:
    found = re.search(source, text)
    if found is not None:
        assert required(source) in found[0]
