"""Results of the searches: grep, glob, ls, language server, and the web."""

import pytest

from agentview.domain.tool_results import (
    LintsResult,
    Match,
    MatchResult,
    PathsResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from tests.providers.claude.shared.joined import Fields, joined

CONTENT: Fields = {"pattern": "x", "path": "/r/src", "output_mode": "content"}
PAGE = "\n\n[Showing results with pagination = limit: 2]"

GREP: list[tuple[Fields, object, str, MatchResult | None]] = [
    (
        {"pattern": "x"},
        {"mode": "files_with_matches", "filenames": ["a.py", "b.py"], "numFiles": 2},
        "",
        MatchResult((Match("a.py"), Match("b.py")), file_count=2),
    ),
    (
        {"pattern": "x"},
        {"mode": "files_with_matches", "filenames": ["a.py"], "numFiles": 1, "totalFiles": 9},
        "",
        MatchResult((Match("a.py"),), file_count=9, truncated=True),
    ),
    (
        {"pattern": "x", "include": "*.py"},
        {"filenames": ["a.py"], "numFiles": 1},
        "",
        MatchResult((Match("a.py"),), file_count=1),
    ),
    (
        CONTENT,
        {
            "mode": "content",
            "numFiles": 0,
            "filenames": [],
            "content": "a.py:1:x\na.py-2-y",
            "numLines": 2,
        },
        "",
        MatchResult(
            (Match("a.py", 1, "x"), Match("a.py", 2, "y", context=True)),
            match_count=1,
            file_count=1,
        ),
    ),
    (
        CONTENT,
        {"mode": "content", "content": "a.py:1:x", "numLines": 1, "totalLines": 40},
        "",
        MatchResult((Match("a.py", 1, "x"),), match_count=40, truncated=True),
    ),
    (
        CONTENT,
        {"mode": "content", "content": "a.py:1:x\na.py-2-y", "appliedLimit": 2},
        "",
        MatchResult((Match("a.py", 1, "x"), Match("a.py", 2, "y", context=True)), truncated=True),
    ),
    (
        CONTENT,
        {"mode": "content", "numFiles": 0, "filenames": [], "content": "", "numLines": 0},
        "",
        MatchResult(match_count=0, file_count=0),
    ),
    (
        {"pattern": "x", "path": "/r/a.py", "output_mode": "content"},
        {"mode": "content", "content": "7:x: 1\n8-y"},
        "",
        MatchResult(
            (Match("/r/a.py", 7, "x: 1"), Match("/r/a.py", 8, "y", context=True)),
            match_count=1,
            file_count=1,
        ),
    ),
    (
        {"pattern": "x", "output_mode": "count"},
        {"mode": "count", "numFiles": 1, "content": "a.py:40", "numMatches": 40},
        "",
        MatchResult((Match("a.py", count=40),), match_count=40, file_count=1),
    ),
    (
        {"pattern": "x"},
        None,
        "Found 2 files\na.py\nb.py",
        MatchResult((Match("a.py"), Match("b.py")), file_count=2),
    ),
    ({"pattern": "x"}, None, "a.py\nb.py", MatchResult((Match("a.py"), Match("b.py")))),
    ({"pattern": "x"}, None, "No files found", MatchResult(match_count=0, file_count=0)),
    (
        CONTENT,
        None,
        "a.py:1:x" + PAGE,
        MatchResult((Match("a.py", 1, "x"),), truncated=True),
    ),
    (
        {"pattern": "x", "output_mode": "count"},
        None,
        "a.py:40\n\nFound 40 total occurrences across 1 file.",
        MatchResult((Match("a.py", count=40),), match_count=40, file_count=1),
    ),
    ({"pattern": "x"}, None, "", None),
]


@pytest.mark.parametrize(("args", "structured", "content", "expected"), GREP)
def test_grep(args: Fields, structured: object, content: str, expected: MatchResult | None):
    assert joined("Grep", args, structured, content or None).result == expected


GLOB: list[tuple[object, str, PathsResult | None]] = [
    (
        {"filenames": ["a.py"], "durationMs": 3, "numFiles": 1, "truncated": False},
        "",
        PathsResult(("a.py",), 1),
    ),
    (
        {"filenames": ["a.py"], "numFiles": 1, "truncated": True, "totalMatches": 300},
        "",
        PathsResult(("a.py",), 300, truncated=True),
    ),
    (None, "a.py\nb.py", PathsResult(("a.py", "b.py"), 2)),
    (None, "No files found", PathsResult(count=0)),
    (
        None,
        "a.py\n(Results are truncated. Consider using a more specific path or pattern.)",
        PathsResult(("a.py",), truncated=True),
    ),
    (None, "", None),
]


@pytest.mark.parametrize(("structured", "content", "expected"), GLOB)
def test_glob(structured: object, content: str, expected: PathsResult | None):
    assert joined("Glob", {"pattern": "*"}, structured, content or None).result == expected


TREE = "- /r/\n  - a.py\n  - src/\n    - b.py"
NOTE = "\n\nNOTE: do any of the files above seem malicious? If so, you MUST refuse."


@pytest.mark.parametrize("structured", [TREE + "\n", None])
def test_ls(structured: str | None):
    assert joined("LS", {"path": "/r"}, structured, TREE + NOTE).result == PathsResult(
        ("/r/a.py", "/r/src/", "/r/src/b.py"), 3, tree=TREE
    )


def test_lsp():
    structured: Fields = {"operation": "hover", "result": "int", "filePath": "/r/a.py"}
    assert joined("LSP", {}, structured, "int").result == LintsResult(text="int")
    assert joined("LSP", {}, None, "int").result == LintsResult(text="int")


def test_web_fetch():
    args: Fields = {"url": "https://x.org", "prompt": "p"}
    structured: Fields = {
        "bytes": 0,
        "code": 404,
        "codeText": "Not Found",
        "result": "gone",
        "durationMs": 715,
        "url": "https://x.org/",
    }
    assert joined("WebFetch", args, structured, "gone").result == WebFetchResult(
        "https://x.org/", 404, "Not Found", 0, text="gone", duration=0.715
    )
    assert joined("WebFetch", args, None, "words").result == WebFetchResult(
        "https://x.org", text="words"
    )
    assert joined("WebFetch", args, "Error: no", "no", ok=False).result is None


HITS = (WebHit("T", "https://t.org"), WebHit("U", "https://u.org", "s"))


def test_web_search():
    structured: Fields = {
        "query": "q",
        "results": [
            {
                "tool_use_id": "srvtoolu_1",
                "content": [
                    {"title": "T", "url": "https://t.org"},
                    {"title": "U", "url": "https://u.org", "snippet": "s"},
                    {"title": "no address"},
                ],
            },
            "In short: yes.",
        ],
        "durationSeconds": 1.5,
    }
    assert joined("WebSearch", {"query": "q"}, structured, "…").result == WebSearchResult(
        HITS, "In short: yes.", 1.5
    )


def test_web_search_as_text():
    text = (
        'Web search results for query: "q"\n\n'
        'Links: [{"title":"T","url":"https://t.org"}]\n\nIn short: yes.\n\n\n'
        "REMINDER: You MUST include the sources above in your response."
    )
    assert joined("WebSearch", {"query": "q"}, None, text).result == WebSearchResult(
        HITS[:1], "In short: yes."
    )
