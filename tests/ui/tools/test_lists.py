"""Matches, files and findings: grouped, marked, counted, and what the tool left out."""

from msgspec.structs import replace

from agentview.domain.tool_inputs import GrepPayload, LsPayload
from agentview.domain.tool_results import (
    Diagnostic,
    LintsResult,
    Match,
    MatchResult,
    PathsResult,
    SearchHit,
    SearchResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.style.glyphs import ASCII
from tests.ui.activities import CALLS, CWD, activity
from tests.ui.render.looks import PALETTE, SPACE

GREP = replace(CALLS[ToolKind.GREP], payload=GrepPayload(r"de(f|ca)y?"))
AROUND = MatchResult(
    (
        Match(f"{CWD}/a.py", 7, "before", context=True),
        Match(f"{CWD}/a.py", 8, "def a():"),
        Match(f"{CWD}/a.py", 120, "decay"),
        Match(f"{CWD}/b.py", 1, "def b():"),
    ),
    truncated=True,
)


def view(of: ToolCall, level: DetailLevel = DetailLevel.FULL, **space: object) -> RowLayout:
    return RowLayout(activity(of), level, replace(SPACE, **space))  # pyright: ignore[reportArgumentType]


def rows(of: ToolCall, level: DetailLevel = DetailLevel.FULL, **space: object) -> list[str]:
    shown = view(of, level, **space)
    return [strip.text[12:].rstrip() for strip in shown.strips(0, shown.height)][1:]


def test_lines_stand_below_their_file_with_gaps_told() -> None:
    assert rows(replace(GREP, result=AROUND)) == [
        "▾ a.py  2 lines",
        "    7  before",
        "    8  def a():",
        "       --",
        "  120  decay",
        "▾ b.py  1 line",
        "    1  def b():",
        "the tool truncated the list",
    ]


def test_what_the_pattern_found_is_marked_and_context_is_not() -> None:
    shown = view(replace(GREP, result=AROUND))
    strips = shown.strips(0, shown.height)
    marked = [
        segment.text
        for strip in strips
        for segment in strip
        if segment.style == PALETTE.text + PALETTE.match
    ]
    assert marked == ["def", "decay"[:4] + "y", "def"]


def test_a_file_folds_and_only_its_head_is_left() -> None:
    of = replace(GREP, result=AROUND)
    assert view(of).fold_at(1) == "grep:0"
    folded = rows(of, folds=Folds().toggle("grep:0"))
    assert folded[:2] == ["▸ a.py  2 lines", "▾ b.py  1 line"]
    assert rows(of, folds=Folds(every=False)) == [
        *["▸ a.py  2 lines", "▸ b.py  1 line"],
        *folded[-1:],
    ]


def test_files_and_counts_have_columns() -> None:
    of = replace(GREP, result=MatchResult((Match("src/a.py", count=7), Match("b.py", count=1_200))))
    assert rows(of) == ["    7  src/a.py", "1,200  b.py"]
    assert "1,207 matches in 2 files" in view(of).strips(0, 1)[0].text
    names = replace(GREP, result=MatchResult((Match("src/a.py"), Match("b.py")), truncated=True))
    assert rows(names) == ["src/a.py", "b.py", "the tool truncated the list"]
    assert "2+ files" in view(names).strips(0, 1)[0].text


def test_a_directory_is_a_tree() -> None:
    paths = ("src/", "src/api/a.py", "src/b.py", "README.md")
    of = replace(
        CALLS[ToolKind.LS],
        payload=LsPayload("."),
        result=PathsResult(tuple(f"{CWD}/{path}" for path in paths), count=9),
    )
    assert rows(of) == [
        "├ src/",
        "│ ├ api/",
        "│ │ └ a.py",
        "│ └ b.py",
        "└ README.md",
        "… 5 more that the tool did not list",
    ]
    assert rows(of, glyphs=ASCII)[:3] == ["| src/", "| | api/", "| | ` a.py"]


def test_results_by_meaning_are_ranked_with_their_excerpts() -> None:
    hits = (SearchHit("a.py", 3, 4, "\ndef a():\n    pass", 0.913), SearchHit("b.md"))
    of = replace(CALLS[ToolKind.SEM_SEARCH], result=SearchResult(hits))
    assert rows(of, DetailLevel.SUMMARY) == [" 1  a.py:3–4  0.91  def a():", " 2  b.md"]
    assert rows(of) == ["▾  1  a.py:3–4  0.91", "  3  def a():", "  4      pass", "   2  b.md"]


def test_the_gravest_findings_of_a_file_come_first() -> None:
    found = (
        Diagnostic("b.py", "long line", "hint", 9),
        Diagnostic("b.py", "not defined", "Error", 12, 3, "pyright"),
        Diagnostic("a.py", "unused", "warning", 1, 1),
    )
    of = replace(CALLS[ToolKind.READ_LINTS], result=LintsResult(found))
    assert rows(of) == [
        "▾ a.py  1 warning",
        "      1:1  warning  unused",
        "▾ b.py  1 error, 1 hint",
        "     12:3  error    not defined  pyright",
        "        9  hint     long line",
    ]
    assert "1 error, 1 warning, 1 hint" in view(of).strips(0, 1)[0].text
