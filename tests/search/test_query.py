"""The line of a search, and what the index is asked."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
from agentview.search.fields import Column
from agentview.search.query import Term, match_expression, parse_query

FIELDS = frozenset({"project", "after", "problems"})


def _words(line: str) -> list[tuple[tuple[str, ...], bool, bool]]:
    return [(term.words, term.prefix, term.negative) for term in parse_query(line, FIELDS).terms]


@pytest.mark.parametrize(
    ("line", "terms"),
    [
        ("retry backoff", [(("retry",), False, False), (("backoff",), False, False)]),
        ('"retry policy"', [(("retry", "policy"), False, False)]),
        ("retr*", [(("retr",), True, False)]),
        ('"the retr"*', [(("the", "retr"), True, False)]),
        ("-test", [(("test",), False, True)]),
        ('-"a b"', [(("a", "b"), False, True)]),
        ("src/retry.py", [(("src", "retry", "py"), False, False)]),
        ('"kind:shell"', [(("kind", "shell"), False, False)]),
        ("foo:bar", [(("foo", "bar"), False, False)]),
        ('un"finished line', [(("unfinished", "line"), False, False)]),
        ("AND OR NOT", [(("and",), False, False), (("or",), False, False),
                        (("not",), False, False)]),
        ("NEAR(a b)", [(("near", "a"), False, False), (("b",), False, False)]),
        ("重试", [(("重", "试"), False, False)]),
        ("- -- \"\" *", []),
    ],
)  # fmt: skip
def test_terms(line: str, terms: list[tuple[tuple[str, ...], bool, bool]]) -> None:
    assert _words(line) == terms


def test_what_is_for_the_library_is_told_apart() -> None:
    query = parse_query('retry project:shop "project:my shop" -after:7d problems', FIELDS)
    assert query.filters == "project:shop -after:7d problems"
    assert [term.words for term in query.terms] == [("retry",), ("project", "my", "shop")]
    assert parse_query('project:"my shop" x', FIELDS).filters == '"project:my shop"'


def test_kinds_and_places() -> None:
    query = parse_query("kind:shell -kind:user in:prompt in:res")
    assert query.kinds == {ToolKind.SHELL}
    assert [(scope.columns, scope.kind) for scope in query.scopes] == [
        ({Column.SAID}, RowKind.USER),
        ({Column.RESULT}, None),
    ]
    without = parse_query("-kind:user").kinds
    assert without is not None
    assert RowKind.USER not in without
    assert ToolKind.SHELL in without


def test_a_pattern_goes_to_its_last_slash() -> None:
    query = parse_query(r"regex:/a b\/ c/ word -regex:/x/")
    assert [(each.source, each.negative) for each in query.patterns] == [
        (r"a b\/ c", False),
        ("x", True),
    ]
    assert [term.words for term in query.terms] == [("word",)]


def test_a_wrong_pattern_is_told() -> None:
    query = parse_query("regex:/(/")
    assert query.error is not None
    assert query.error.startswith("/(/ is no pattern: missing )")


def test_signs_alone_are_no_words() -> None:
    query = parse_query("-> ==")
    assert query.empty
    assert query.ignored == (">", "==")


def test_while_typing_the_last_word_goes_on() -> None:
    assert parse_query("retry back", typing=True).terms[1].prefix
    assert not parse_query("retry back ", typing=True).terms[1].prefix
    assert not parse_query('"retry back"', typing=True).terms[0].prefix


def test_the_session_is_searched_for_what_was_typed() -> None:
    assert parse_query("a src/retry.py -longer_than_that").plain == "src/retry.py"
    assert parse_query("back* x").plain == "back"
    assert parse_query("regex:/x y/ -regex:/z/").plain == "regex:/x y/"
    assert parse_query("-regex:/z/").plain == ""


def test_expression() -> None:
    assert match_expression(parse_query('a "b c" d* -e -"f g"')) == (
        '("a" AND "b c" AND "d" *) NOT ("e")'
    )
    assert match_expression(parse_query("in:command x -y")) == (
        '{command} : ("x") NOT {command} : ("y")'
    )
    assert match_expression(parse_query("-only kind:shell")) is None


_LINES = st.text(
    alphabet=st.one_of(
        st.characters(exclude_categories=["Cs"]), st.sampled_from('"*:-/()^+{}\\ANDORNOTin: ')
    ),
    max_size=40,
)


@settings(max_examples=150, deadline=None)
@given(_LINES, st.booleans())
def test_no_line_is_an_error(line: str, typing: bool) -> None:
    query = parse_query(line, FIELDS, typing=typing)
    expression = match_expression(query)
    if expression is None:
        return
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE docs USING"
        " fts5(said, command, path, args, result, content='', tokenize='ascii')"
    )
    assert db.execute("SELECT rowid FROM docs WHERE docs MATCH ?", (expression,)).fetchall() == []
    db.close()


def test_terms_are_values() -> None:
    assert parse_query("a").terms == (Term(("a",), typed="a"),)
