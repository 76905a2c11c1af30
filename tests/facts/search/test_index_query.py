"""A query as the search in all sessions runs it, and which records its words may stand in."""

import json
import sqlite3

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
from agentview.facts.search.documents import Column
from agentview.facts.search.index_query import MatchHighlighter, Prefilter, match_expression
from agentview.facts.search.tokenizer import words_of
from agentview.query.parser import Text
from tests.facts.search.searched import asked_for


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("retry backoff", [("retry",), ("backoff",)]),
        ('"retry policy"', [("retry", "policy")]),
        ("retr*", [("retr",)]),
        ("*fusal", [()]),
        ("src/retry.py", [("src", "retry", "py")]),
        ('"kind:shell"', [("kind", "shell")]),
        ("foo:bar", [("foo", "bar")]),
        ("AND OR NOT", [("and",), ("or",), ("not",)]),
        ("NEAR(a b)", [("near", "a"), ("b",)]),
        ("重试", [("重", "试")]),
        ("-> ==", [(), ()]),
        ("regex:/a b/", [()]),
    ],
)
def test_words_for_the_index(line: str, words: list[tuple[str, ...]]) -> None:
    assert [term.words for term in asked_for(line).terms] == words


def test_the_text_says_what_words_do_not() -> None:
    exact, cased, signs = asked_for("retry Retry retry()").terms
    assert exact.text is None
    assert isinstance(cased.text, Text)
    assert isinstance(signs.text, Text)
    assert asked_for("retry -back").exact
    assert not asked_for("retry state:error").exact


def test_terms_that_select_sessions_are_split_off() -> None:
    query = asked_for('retry project:"my shop" -after:7d problems:>3 state:waiting state:error')
    assert query.sessions.line == 'project:"my shop" -after:7d problems:>3 state:waiting'
    assert query.activities == "retry state:error"
    # Sessions that a filter selects are found by it alone.
    assert not asked_for("project:shop").empty
    assert asked_for("").empty
    assert not asked_for("problems").empty


def test_kinds_and_places() -> None:
    query = asked_for("kind:tool -kind:shell in:prompt in:res")
    assert query.kinds == set(ToolKind) - {ToolKind.SHELL}
    assert [(scope.columns, scope.kind) for scope in query.scopes] == [
        ({Column.SAID}, RowKind.USER),
        ({Column.RESULT}, None),
    ]
    without = asked_for("-kind:user").kinds
    assert without is not None
    assert RowKind.USER not in without
    assert ToolKind.SHELL in without
    assert asked_for("kind:shell kind:edit").kinds == frozenset()


def test_expression() -> None:
    assert match_expression(asked_for('a "b c" d* -e -"f g" -h(')) == (
        '("a" * AND "b c" * AND "d" *) NOT ("e" *)'
    )
    assert match_expression(asked_for("in:command x -y")) == (
        '{command} : ("x" *) NOT {command} : ("y" *)'
    )
    assert match_expression(asked_for("-only kind:shell")) is None


@pytest.mark.parametrize("line", ["regex:/x/", "*fusal", "->", "-retry *fusal", "retry regex:/x/"])
def test_what_the_index_does_not_know_is_read(line: str) -> None:
    assert asked_for(line).reads_logs


@pytest.mark.parametrize("line", ["retry", "retry ->", "kind:shell", "-regex", "retry -*fusal"])
def test_what_the_index_knows_is_asked_of_it(line: str) -> None:
    assert not asked_for(line).reads_logs


_LINES = st.text(
    alphabet=st.one_of(
        st.characters(exclude_categories=["Cs"]), st.sampled_from('"*:-/()^+{}\\ANDORNOTin: ')
    ),
    max_size=40,
)


@settings(max_examples=150)
@given(_LINES)
def test_no_line_breaks_the_index(line: str) -> None:
    expression = match_expression(asked_for(line))
    if expression is None:
        return
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE docs USING"
        " fts5(said, command, path, args, result, content='', tokenize='ascii')"
    )
    assert db.execute("SELECT rowid FROM docs WHERE docs MATCH ?", (expression,)).fetchall() == []
    db.close()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("cafe", "the Café"),
        ("cafe", "the cafe\u0301"),
        ("café", "the CAFE"),
        ("retry", "a \x1b[31mre\x1b[0mtry"),
        ("retry", "…\nretry\t"),
        ("office", "the oﬃce"),
        ("retry", "rétry"),
        ("retry", "re\u0301try"),
        ("retry", "ret\u0301ry é"),
        ("strasse", "Straße"),
        ("12", "page ①②"),
        ("日本", "この日本語"),
        ("straße", "STRASSE"),
        ("istanbul", "İstanbul"),
        ("*fusal", "the refusal"),
        ("->", "a -> b"),
        (r"regex:/retry\.(py|js)/", "retry.py"),
        ("regex:/a|b/", "b"),
    ],
)
def test_a_record_that_has_a_word_is_looked_at(line: str, text: str) -> None:
    query = asked_for(line)
    for record in (orjson.dumps({"text": text}), json.dumps({"text": text}).encode()):
        assert Prefilter(query).may(record)
        assert Prefilter(query).may(orjson.dumps({"arguments": record.decode()}))
        nested = json.dumps({"body": json.dumps({"arguments": record.decode()})})
        assert Prefilter(query).may(nested.encode())


@pytest.mark.parametrize(
    "record", [rb'{"text":"re\uZZtry"}', b'{"text":"' + b"\\" * 20 + b'u0072etry"}']
)
def test_a_record_that_is_no_json_is_looked_at(record: bytes) -> None:
    assert Prefilter(asked_for("retry")).may(record)


@settings(max_examples=300)
@given(text=st.text(max_size=30), depth=st.integers(0, 3), ascii_only=st.booleans())
def test_no_word_of_a_text_is_missing_however_it_is_escaped(
    text: str, depth: int, *, ascii_only: bool
) -> None:
    record: object = text
    for _ in range(depth + 1):
        record = json.dumps({"text": record}, ensure_ascii=ascii_only)
    data = str(record).encode("utf-8", "replace")
    words = frozenset(words_of(text.encode("utf-8", "replace").decode()))
    assert Prefilter(asked_for("retry")).missing(data, words) == frozenset()


@settings(max_examples=1000)
@example(value=2199023255552.633, form="{:.6f}")
@given(
    value=st.floats(allow_nan=False, allow_infinity=False),
    form=st.sampled_from(["{!r}", "{:e}", "{:E}", "{:.2f}", "{:.6f}", "{:.20f}"]),
)
def test_no_word_of_a_number_is_missing_however_it_is_written(value: float, form: str) -> None:
    written = form.format(value)
    words = frozenset(words_of(json.dumps(json.loads(written))))
    for record in (f'{{"number":{written}}}', f'{{"numbers":[1, {written}, 2]}}'):
        assert Prefilter(asked_for("retry")).missing(record.encode(), words) == frozenset()


@pytest.mark.parametrize(
    "text", ["nothing", "C:\\users", "… — ✓ 漢字", "é à ñ", "\x1b[31mred\x1b[0m", "a \\ b"]
)
@pytest.mark.parametrize("line", ["xylophone", "*xylophone", "regex:/xylo.*phone/"])
def test_a_record_that_has_no_such_word_is_not(line: str, text: str) -> None:
    for record in (orjson.dumps({"text": text}), json.dumps({"text": text}).encode()):
        assert not Prefilter(asked_for(line)).may(record)


@pytest.mark.parametrize("line", ["retry", "RÉ", "*etry", "regex:/r.try/", "rétry"])
def test_a_match_is_marked_where_it_stands_whatever_is_before_it(line: str) -> None:
    text = "İ ß ﬃ 漢 e\u0301 and RÉtry" if line == "RÉ" else "İ ß ﬃ 漢 e\u0301 and Rétry"
    at = text.index("R")
    (span,) = MatchHighlighter(asked_for(line)).ranges(text)
    assert text[span[0] : span[1]] in text[at:]
