"""Lines as grep prints them become matches with path, line and context."""

import time

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_results import Diagnostic, Match, MatchResult, PathsResult
from agentview.domain.tools import ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.tools import search
from agentview.normalize.tools.search import diagnostics, parse_counts, parse_matches, tree_paths
from agentview.normalize.tools.specs import ToolSpec


@pytest.mark.parametrize(
    ("content", "default", "expected"),
    [
        ("a.py:3:x = 1", None, [Match("a.py", 3, "x = 1")]),
        ("a.py:3:t: 4:5", None, [Match("a.py", 3, "t: 4:5")]),
        ("C:\\src\\a.go:9:\tx", None, [Match("C:\\src\\a.go", 9, "\tx")]),
        ("12:x = 1\n13-y", "a.py", [Match("a.py", 12, "x = 1"), Match("a.py", 13, "y", True)]),
        ("12:34:56", "a.py", [Match("a.py", 12, "34:56")]),
        ("src/a.py:x = 1", "src", [Match("src/a.py", None, "x = 1")]),
        ("x = {1: 2}", "src/a.py", [Match("src/a.py", None, "x = {1: 2}")]),
        ("key: value", None, [Match("", None, "key: value")]),
        ("a.py:3:x\r\n", None, [Match("a.py", 3, "x")]),
        ("2024-01-notes.md:3:x", None, [Match("2024-01-notes.md", 3, "x")]),
        ("", None, []),
    ],
)
def test_matches(content: str, default: str | None, expected: list[Match]):
    assert list(parse_matches(content, default)) == expected


def test_context_belongs_to_the_file_of_its_match():
    content = (
        "a-1-b.py-6-before\na-1-b.py:7:hit\na-1-b.py-8-see x.py:30: there\n--\n"
        "/home/me/src/c.py-1-top\nsrc/c.py:2:hit"
    )
    assert parse_matches(content) == (
        Match("a-1-b.py", 6, "before", context=True),
        Match("a-1-b.py", 7, "hit"),
        Match("a-1-b.py", 8, "see x.py:30: there", context=True),
        Match("src/c.py", 1, "top", context=True),
        Match("src/c.py", 2, "hit"),
    )


def test_context_whose_match_was_cut_off():
    assert parse_matches("src/a.py-6-before\nsrc/a.py-7-", None) == (
        Match("src/a.py", 6, "before", context=True),
        Match("src/a.py", 7, "", context=True),
    )


def test_many_files_without_context():
    content = "\n".join(f"f{n}.py:{n}:x-{n}-y" for n in range(1, 200))
    assert [match.line for match in parse_matches(content)] == list(range(1, 200))
    assert not any(match.context for match in parse_matches(content))


def test_counts():
    assert parse_counts("a.py:3\nC:\\b.py:1\n\nnot a count") == (
        Match("a.py", count=3),
        Match("C:\\b.py", count=1),
    )
    assert parse_counts("7", "a.py") == (Match("a.py", count=7),)


def test_a_tree_becomes_paths():
    tree = "- /repo/\n  - a.py\n  - src/\n    - b.py\n  - z.py\n\nsome note"
    assert tree_paths(tree) == (
        "/repo/",
        "/repo/a.py",
        "/repo/src/",
        "/repo/src/b.py",
        "/repo/z.py",
    )


def test_diagnostics_count_lines_from_one():
    found = diagnostics(
        [
            {
                "uri": "file:///a.py",
                "diagnostics": [
                    {
                        "message": "bad",
                        "severity": "Error",
                        "range": {"start": {"line": 4, "character": 0}},
                    },
                    {"severity": "Error"},
                    {"message": "style", "severity": 4},
                ],
            }
        ]
    )
    assert found == (
        Diagnostic("/a.py", "bad", "Error", 5, 1),
        Diagnostic("/a.py", "style", "hint"),
    )


def test_hostile_lines_take_linear_time():
    begin = time.process_time()
    for line in ("." * 300_000, "a-1-" * 80_000, "a:" * 100_000, "1" * 300_000, "a-1-b\n" * 50_000):
        parse_matches(line)
        parse_counts(line)
        tree_paths(line)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize(
    ("listing", "expected"),
    [
        ("- /a/\n  - b.py\n  - c/\n    - d", PathsResult(("/a/", "/a/b.py", "/a/c/", "/a/c/d"))),
        ("src/a.py\nsrc/b/\n", PathsResult(("src/a.py", "src/b/"))),
        ("C:\\a\\b.py", PathsResult(("C:\\a\\b.py",))),
        (
            "src/a.py\n(Results are truncated. Use a more exact path.)",
            PathsResult(("src/a.py",), truncated=True),
        ),
        ("total 8\ndrwxr-xr-x 2 a b", PathsResult(tree="total 8\ndrwxr-xr-x 2 a b")),
        ("No files found", PathsResult(tree="No files found")),
        ("", PathsResult(tree="")),
    ],
)
def test_a_listing_is_paths_where_each_line_is_one(listing: str, expected: PathsResult) -> None:
    spec = ToolSpec(ToolKind.GLOB, "Glob", search.glob, search.paths_result)
    call = tool_call(call_id="c", name="Glob", arguments={"pattern": "*"}, spec=spec)
    assert search.paths_result(call, ToolResult("c", True, (TextBlock(listing),))) == expected


@pytest.mark.parametrize(
    ("mode", "content", "expected"),
    [
        (
            None,
            "src/a.py\nsrc/b.py\n",
            MatchResult((Match("src/a.py"), Match("src/b.py")), None, 2),
        ),
        (
            "count",
            "a.py:3\nb.py:4",
            MatchResult((Match("a.py", count=3), Match("b.py", count=4)), 7, 2),
        ),
        (None, "No matches found", None),
    ],
)
def test_files_and_counts_are_matches_too(
    mode: str | None, content: str, expected: MatchResult | None
) -> None:
    arguments = {"pattern": "x", "output_mode": mode} if mode else {"pattern": "x"}
    spec = ToolSpec(ToolKind.GREP, "Grep", search.grep, search.grep_result)
    call = tool_call(call_id="c", name="Grep", arguments=arguments, spec=spec)
    assert search.grep_result(call, ToolResult("c", True, (TextBlock(content),))) == expected
