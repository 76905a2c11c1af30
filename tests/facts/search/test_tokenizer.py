"""Texts become words: the same ones for the index, a direct look and a query."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.activity import RowKind
from agentview.facts.search.documents import Column, Document
from agentview.facts.search.index_query import (
    DocumentMatcher,
    IndexQuery,
    IndexTerm,
    match_expression,
)
from agentview.facts.search.tokenizer import bounded, folded, indexed, name_parts, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("src/retry.py", ["src", "retry", "py"]),
        ("foo_bar.baz-9", ["foo", "bar", "baz", "9"]),
        ("Größe naïve CAFÉ", ["grosse", "naive", "cafe"]),
        ("e\u0301te\u0301", ["ete"]),
        ("重试次数", ["重", "试", "次", "数"]),
        ("再試行する", ["再", "試", "行", "す", "る"]),
        ("재시도", ["재", "시", "도"]),
        ("ﬁle ＦＵＬＬ", ["file", "full"]),
        ("\x00nul\x1b[31mred", ["nul", "31mred"]),
        ("half \ud800 pair", ["half", "pair"]),
        ("— … │ ✓", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("RetryPolicy", ["policy", "retry"]),
        ("XMLHttpRequest", ["http", "request", "xml"]),
        ("call getURLFor(x)", ["for", "get", "url"]),
        ("snake_case UPPER lower Title", []),
        ("a" * 500 + "B" + "c" * 500, []),
    ],
)
def test_parts_of_names(text: str, parts: list[str]) -> None:
    assert name_parts(text) == parts


def test_a_long_text_keeps_both_ends() -> None:
    assert bounded("abcdef", 2, 2) == "ab\nef"
    assert bounded("abcd", 2, 2) == "abcd"


def test_folding_twice_changes_no_word() -> None:
    text = "Größe 重试 Café — x"
    assert folded(folded(text)).split() == folded(text).split()


def _document(text: str) -> Document:
    return Document((0, 0), 1, RowKind.MESSAGE, None, 0, 1, texts={Column.SAID: [text]})


def _term(*words: str) -> IndexTerm:
    return IndexTerm(words, None, negative=False)


def _in_fts(text: str, terms: list[IndexTerm]) -> list[bool]:
    """Whether SQLite finds each term in a text."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE docs USING"
        " fts5(said, command, path, args, result, content='', tokenize='ascii')"
    )
    db.execute("INSERT INTO docs(rowid, said) VALUES (1, ?)", (indexed(text),))
    asked = [match_expression(IndexQuery(terms=(term,))) for term in terms]
    found = [
        db.execute("SELECT rowid FROM docs WHERE docs MATCH ?", (each,)).fetchall()
        for each in asked
    ]
    db.close()
    return [rows == [(1,)] for rows in found]


_TEXTS = st.text(
    alphabet=st.one_of(
        st.characters(), st.sampled_from("aB_./-é重す재ı\u0301ß\n\x00\ud800ﬁ9 ZzIİ")
    ),
    max_size=60,
)


@pytest.mark.slow
@settings(max_examples=80)
@given(_TEXTS)
def test_every_word_is_found_by_the_index_and_by_looking(text: str) -> None:
    words = words_of(text)
    singles = [_term(word) for word in words]
    begun = [_term(word[:2]) for word in words]
    phrases = [_term(*words[at : at + 3]) for at in range(len(words) - 2)]
    parts = [_term(part) for part in name_parts(text)]
    terms = [*singles, *begun, *phrases, *parts]
    assert _in_fts(text, terms) == [True] * len(terms)
    document = _document(text)
    assert all(DocumentMatcher(IndexQuery(terms=(term,))).matches(document) for term in terms)


@pytest.mark.slow
@settings(max_examples=80)
@given(_TEXTS, _TEXTS)
def test_index_and_looking_agree_on_what_is_not_there(text: str, other: str) -> None:
    words = words_of(other)
    terms = [_term(word) for word in words] + ([_term(*words)] if words else [])
    looked = [DocumentMatcher(IndexQuery(terms=(term,))).matches(_document(text)) for term in terms]
    assert _in_fts(text, terms) == looked
