"""Which records may hold a word is told by their bytes, however it is written in them."""

import json

import orjson
import pytest

from agentview.search.query import parse_query
from agentview.search.query_matcher import MatchHighlighter, Prefilter


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("cafe", "the Café"),
        ("cafe", "the cafe\u0301"),
        ("café", "the CAFE"),
        ("retry", "a \x1b[31mre\x1b[0mtry"),
        ("retry", "…\nretry\t"),
        ("office", "the oﬃce"),
        ("12", "page ①②"),
        ("日本", "この日本語"),
        ("straße", "STRASSE"),
        ("istanbul", "İstanbul"),
    ],
)
def test_a_record_that_has_a_word_is_looked_at(line: str, text: str) -> None:
    query = parse_query(line)
    for record in (orjson.dumps({"text": text}), json.dumps({"text": text}).encode()):
        assert Prefilter(query).may(record)
        assert Prefilter(query).may(orjson.dumps({"arguments": record.decode()}))


@pytest.mark.parametrize("text", ["nothing", "… — ✓ 漢字", "é à ñ", "\x1b[31mred\x1b[0m", "a \\ b"])
def test_a_record_that_has_no_such_word_is_not(text: str) -> None:
    assert not Prefilter(parse_query("xylophone")).may(orjson.dumps({"text": text}))


def test_a_match_is_marked_where_it_stands_whatever_is_before_it() -> None:
    marker = MatchHighlighter(parse_query("retry"))
    text = "İ ß ﬃ 漢 e\u0301 and Rétry"
    at = text.index("Rétry")
    assert marker.ranges(text) == [(at, at + 5)]
