import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.finding.needle import Needle

QUERIES = [
    "plain",
    'say "hi"',
    "back\\slash",
    "two\nlines",
    "a\ttab",
    "größe",
    "É",
    "emoji 🎉 here",
    "日本",
    "a.*b[c](d)",
    "nul \x00 byte",
    "</script>",
    "don't",
    "-",
    '"',
]


def found(query: str, data: bytes) -> bool:
    needle = Needle(query)
    return needle.find(needle.prepare(data), 0) >= 0


def written(text: str) -> list[bytes]:
    plain = json.dumps(text, ensure_ascii=False)
    escaped = json.dumps(text)
    nested = json.dumps(escaped)
    html = escaped.replace("<", "\\u003c").replace("/", "\\/").replace("'", "\\u0027")
    return [form.encode() for form in (plain, escaped, escaped.upper(), nested, html)]


@pytest.mark.parametrize("query", QUERIES)
def test_every_way_to_write_a_text_is_found(query: str) -> None:
    for data in written(f"before {query.lower()} after"):
        assert found(query.lower(), data)
    for data in written(f"{query}{query.upper()}"):
        assert found(query.lower(), data)


@pytest.mark.parametrize("query", QUERIES[:-2])
def test_what_is_not_there_is_not_found(query: str) -> None:
    assert not any(found(query, data) for data in written("nothing of the kind (a.b|c) é 日 🎈"))


def test_a_capital_makes_case_count() -> None:
    assert found("École", json.dumps("une École").encode())
    assert not found("École", json.dumps("une école").encode())


def test_it_is_found_from_the_place_on_that_is_asked_for() -> None:
    needle = Needle('x "y"')
    data = needle.prepare(b'... x \\"y\\" ... X \\\\\\"Y\\\\\\" ...')
    first = needle.find(data, 0)
    assert (first, needle.find(data, first + 1)) == (4, 16)
    assert needle.find(data, 17) == -1


@given(st.text(max_size=20), st.text(min_size=1, max_size=6), st.text(max_size=20))
def test_any_text_is_found_in_any_other(before: str, query: str, after: str) -> None:
    query = query.lower()
    text = before + query + after
    assert all(found(query, data) for data in (json.dumps(text).encode(),))
    assert found(query, json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
