"""The parser of queries: terms, errors, and lines that no person would type."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.activity import RowKind
from agentview.domain.tools import ToolKind
from agentview.query.parser import (
    LONGEST,
    Field,
    QueryError,
    Regex,
    Text,
    exact_kind,
    parse_query,
    quoted,
)
from agentview.query.vocabulary import FIELDS, KIND_NAMES, Surface, kinds_named

EVERYWHERE = Surface.EVERYWHERE


def terms(line: str, surface: Surface = EVERYWHERE) -> list[object]:
    """The terms without what was typed."""
    query = parse_query(line, surface)
    assert query.error is None, query.error
    found: list[object] = []
    for term in query.terms:
        sign = "-" if term.negative else ""
        match term:
            case Text():
                found.append(sign + ("*" if term.inside else "") + term.text)
            case Regex():
                found.append((sign, term.source))
            case Field():
                found.append((sign + term.name, term.value))
    return found


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("retry backoff", ["retry", "backoff"]),
        ('"retry policy"', ["retry policy"]),
        (r'"C:\\" C:\x', ["C:\\", r"C:\x"]),
        ('say "a \\"b\\" c"', ["say", 'a "b" c']),
        ("retr* *policy *in*", ["retr", "*policy", "*in"]),
        ('"retr*"', ["retr*"]),
        ('-test -"a b" -*c', ["-test", "-a b", "-*c"]),
        ("--force -> -= - x-y", ["--force", "->", "-=", "x-y"]),
        ("src/retry.py foo:bar https://a.b", ["src/retry.py", "foo:bar", "https://a.b"]),
        ('"kind:shell" kind:shell', ["kind:shell", ("kind", "shell")]),
        ('project:"my shop" -Tool:Bash', [("project", "my shop"), ("-tool", "Bash")]),
        ("problems -problems prob:>3", [("problems", ""), ("-problems", ""), ("problems", ">3")]),
        ('un"finished line', ["unfinished line"]),
        ("kind: tool: -state: * ** regex:/", []),
        ('"" " "', []),
        (r"regex:/a b\/ c/ word -REGEX:/x/", [("", r"a b\/ c"), "word", ("-", "x")]),
        (r"regex:/a\\/ regex:/b c", [("", r"a\\"), ("", "b c")]),
        ("regex:zebra", ["regex:zebra"]),
    ],
)
def test_terms(line: str, expected: list[object]) -> None:
    assert terms(line) == expected


@pytest.mark.parametrize(
    ("line", "surface", "message"),
    [
        ("kind:shxl", EVERYWHERE, 'unknown kind "shxl"; valid kinds: read, write, edit, '),
        ("in:nowhere", EVERYWHERE, 'unknown place "nowhere"; valid places: prompt, message, '),
        ("state:bad", EVERYWHERE, 'unknown state "bad"; valid states: error, denied, '),
        ("state:waiting", Surface.ACTIVITIES, 'unknown state "waiting"; valid states: error, '),
        ("state:denied", Surface.SESSIONS, 'unknown state "denied"; valid states: starting, '),
        ("cost:much", EVERYWHERE, "invalid filter: cost:much"),
        ("prb:>3", EVERYWHERE, 'unknown field "prb"'),
        ("before:x", Surface.SESSIONS, "invalid filter: before:x"),
        ("regex:/(/", EVERYWHERE, "invalid regular expression: (: missing )"),
        ("cost:>5", Surface.ACTIVITIES,
         "invalid filter: cost:>5: it selects sessions, not activities"),
        ("problems:>5", Surface.ACTIVITIES,
         "invalid filter: problems:>5: it selects sessions, not activities"),
        ("in:args", Surface.SESSIONS,
         "invalid filter: in:args: it selects activities, not sessions"),
        ("stream:main", EVERYWHERE,
         "invalid filter: stream:main: it selects activities of one session"),
        ("x" * (LONGEST + 1), EVERYWHERE, "query too long: at most 4,096 characters"),
        ("x " * 100, EVERYWHERE, "query too long: at most 64 terms"),
        ("regex:/" + "a" * 1001, EVERYWHERE, "invalid regular expression: aaa"),
        ("\x1b]52;c;x kind:\x1b[31m", EVERYWHERE, 'unknown kind "\\x1b[31m"; valid kinds: '),
    ],
)  # fmt: skip
def test_errors(line: str, surface: Surface, message: str) -> None:
    error = parse_query(line, surface).error
    assert error is not None
    assert error.message.startswith(message)
    assert error.exit_code == 2
    assert error.message.isprintable()


def test_a_hint_names_what_is_probably_meant() -> None:
    error = parse_query("kind:shelll", EVERYWHERE).error
    assert error is not None
    assert error.hint == "Did you mean shell?"


def test_a_term_that_is_not_valid_leaves_the_others() -> None:
    query = parse_query("retry cost:much kind:shell", EVERYWHERE)
    assert [term.typed for term in query.terms] == ["retry", "kind:shell"]
    assert query.line == "retry kind:shell"


@pytest.mark.parametrize("surface", Surface)
def test_a_field_means_the_same_wherever_it_is_accepted(surface: Surface) -> None:
    for spec in FIELDS.values():
        for line in (spec.example, f"-{spec.example}" if spec.example[:3] != "in:" else "x"):
            here = parse_query(line, surface)
            assert here.error is None or here.error.message.startswith(("invalid", "unknown state"))
            everywhere = parse_query(line, EVERYWHERE)
            assert here.error or everywhere.error or here.terms == everywhere.terms


def test_kinds_have_one_vocabulary() -> None:
    assert kinds_named("you") == kinds_named("prompt") == kinds_named("user") == {RowKind.USER}
    assert kinds_named("assistant") == kinds_named("message") == {RowKind.MESSAGE}
    assert kinds_named("send") == kinds_named("speak") == {ToolKind.SEND_MESSAGE}
    assert kinds_named("subagent") == kinds_named("agent") == {ToolKind.SUBAGENT_TASK}
    assert kinds_named("read") == {ToolKind.READ}
    assert kinds_named("sh") == {ToolKind.SHELL}
    assert kinds_named("nothing") == frozenset()
    for name in KIND_NAMES:
        assert exact_kind(name) == kinds_named(name)
    with pytest.raises(QueryError, match='unknown kind "shel"; valid kinds: read, write, '):
        exact_kind("shel")


PIECES = st.sampled_from(
    ['"', "-", "*", ":", "\\", "/", "regex:/", "kind:", "in:", "cost:>", "state:", " ", "a", "é",
     "\x00", "\x1b[31m", "\u202e", "problems", "(", "[", "\n", "\ud800"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=400)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join)))
def test_any_line_is_read_and_means_the_same_on_all_surfaces(line: str) -> None:
    queries = [parse_query(line, surface) for surface in Surface]
    for query in queries:
        assert query.texts == queries[0].texts
        assert query.error is None or query.error.message.isprintable()
        # The terms that are left mean the same when they are typed again.
        if query.error is None:
            assert parse_query(query.line, EVERYWHERE).texts == query.texts


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_a_quoted_text_is_that_text(text: str) -> None:
    (term,) = parse_query(quoted(text), EVERYWHERE).terms
    assert isinstance(term, Text)
    assert term.text == text


@pytest.mark.parametrize("line", ['"' * 100_000, "-" * 100_000, "regex:/" * 20_000, "a:" * 50_000])
def test_a_huge_line_is_refused_at_once(line: str) -> None:
    assert parse_query(line, EVERYWHERE).error is not None
