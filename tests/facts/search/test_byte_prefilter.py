import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.facts.search.byte_prefilter import BytePattern, BytePrefilter

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
    return BytePrefilter(BytePattern(query), data).find(0) >= 0


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
    data = BytePrefilter(BytePattern('x "y"'), b'... x \\"y\\" ... X \\\\\\"Y\\\\\\" ...')
    first = data.find(0)
    assert (first, data.find(first + 1)) == (4, 16)
    assert data.find(17) == -1


@pytest.mark.parametrize("filling", [b"..", b"qQ", b"quQU"])
@pytest.mark.parametrize("query", ["quill", "Quill", "uq", "q"])
def test_all_places_are_found_where_a_rare_letter_is_rare_and_where_it_is_not(
    query: str, filling: bytes
) -> None:
    data = b"".join(
        filling * count + word
        for count, word in zip(
            (0, 40, 3000, 1, 3000, 9),
            (b"quill", b"QUILL", b"Quill", b"uq", b"quill", b"UQ"),
            strict=True,
        )
    )
    seen = data if query != query.lower() else data.lower()
    expected = [at for at in range(len(data)) if seen.startswith(query.encode(), at)]
    haystack, found = BytePrefilter(BytePattern(query), data), list[int]()
    while (at := haystack.find(found[-1] + 1 if found else 0)) >= 0:
        found.append(at)
    assert found == expected


@given(st.text(max_size=20), st.text(min_size=1, max_size=6), st.text(max_size=20))
def test_any_text_is_found_in_any_other(before: str, query: str, after: str) -> None:
    query = query.lower()
    text = before + query + after
    assert all(found(query, data) for data in (json.dumps(text).encode(),))
    assert found(query, json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
