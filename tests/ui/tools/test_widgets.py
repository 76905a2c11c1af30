"""Every kind of row at every level, in every state, at any width, with any content."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.domain.activity import Activity, RowKind, row_kind
from agentview.domain.content import TextBlock
from agentview.domain.events import SlashCommand
from agentview.domain.tool_inputs import TodoItem, TodosAction, TodosPayload, TodoStatus
from agentview.domain.tool_results import ReadResult, ShellResult, SubagentResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout, widget_for
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.style.glyphs import ASCII
from agentview.ui.render.style.palette import PLAIN, palette_of
from agentview.ui.themes import DEFAULT_THEME, load_theme, theme_directories
from tests.ui.activities import (
    CALLS,
    CWD,
    ERROR,
    PROSE,
    START,
    STATES,
    WORDS,
    activity,
    call,
    denied,
    failed,
    malformed,
    running,
    streaming,
    with_child,
)
from tests.ui.hostile import CONTROL, HOSTILE, poisoned

PALETTE = palette_of(load_theme(DEFAULT_THEME, theme_directories()))
LEVELS = tuple(DetailLevel)
ROWS: tuple[Activity, ...] = (
    *(state(call) for call in CALLS.values() for state in STATES),
    *(activity(body) for body in PROSE),
)


def view_of(
    of: Activity, level: DetailLevel = DetailLevel.FULL, width: int = 100, *, split: bool = False
) -> RowLayout:
    return RowLayout(of, level, RenderContext(width, PALETTE, split), clock=lambda: START + 12)


def text_of(of: Activity, level: DetailLevel = DetailLevel.FULL, width: int = 100) -> str:
    view = view_of(of, level, width)
    return "\n".join(strip.text.rstrip() for strip in view.strips(0, view.height))


def check(view: RowLayout, width: int) -> None:
    strips = view.strips(0, view.height)
    assert len(strips) == view.height
    assert view.strips(0, view.height + 50) == strips
    for strip in strips:
        assert sum(segment.cell_length for segment in strip) == strip.cell_length == width
        assert not CONTROL.search(strip.text), strip.text
        assert all(segment.control is None for segment in strip)
        assert all(segment.style is None or segment.style.link is None for segment in strip)


def test_every_kind_has_a_widget_of_its_own() -> None:
    classes = {kind: widget_for(kind) for kind in (*ToolKind, *RowKind)}
    assert len(set(classes.values())) == len(classes)
    for kind, made in classes.items():
        assert kind in made.KINDS


def test_the_rows_under_test_are_of_every_kind() -> None:
    assert {row_kind(row.body) for row in ROWS} == {*ToolKind, *RowKind}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("width", [20, 33, 60, 80, 141, 400])
def test_heights_and_widths_hold_for_every_kind_state_and_level(
    level: DetailLevel, width: int
) -> None:
    for row in ROWS:
        check(view_of(row, level, width), width)
        check(view_of(row, level, width, split=True), width)


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_nothing_in_a_log_reaches_the_terminal(text: str) -> None:
    for row in ROWS:
        bad: Activity = poisoned(row, text)
        for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
            check(view_of(bad, level, 80), 80)
        check(view_of(bad, DetailLevel.FULL, 27), 27)


@settings(max_examples=25)
@given(
    width=st.integers(20, 400),
    level=st.sampled_from(LEVELS),
    text=st.lists(
        st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40)), min_size=1, max_size=4
    ).map("\n".join),
    split=st.booleans(),
    data=st.data(),
)
def test_any_text_at_any_width(
    width: int, level: DetailLevel, text: str, split: bool, data: st.DataObject
) -> None:
    row = data.draw(st.sampled_from(ROWS))
    check(view_of(poisoned(row, text), level, width, split=split), width)


def test_a_part_of_the_rows_is_the_same_as_a_part_of_all() -> None:
    for row in ROWS:
        whole = view_of(row)
        strips = whole.strips(0, whole.height)
        for start in range(0, whole.height, 3):
            assert view_of(row).strips(start, start + 4) == strips[start : start + 4]


def test_a_title_is_one_row_and_a_summary_is_short() -> None:
    for row in ROWS:
        assert view_of(row, DetailLevel.TITLE).height == 1
        assert view_of(row, DetailLevel.SUMMARY).height <= 1 + 22


@pytest.mark.parametrize("kind", CALLS)
def test_a_failed_call_shows_the_error_first(kind: ToolKind) -> None:
    for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
        lines = text_of(failed(CALLS[kind]), level).splitlines()
        assert "✗" in lines[0]
        assert lines[1].endswith("File does not exist.")
        assert lines[2].endswith("Did you mean src/retry.py?")
    assert ERROR.splitlines()[0] in text_of(failed(CALLS[kind]), DetailLevel.TITLE)


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize(
    ("by", "said"),
    [
        (DeniedBy.PERSON, "denied by you"),
        (DeniedBy.RULE, "denied by a rule"),
        (DeniedBy.CLASSIFIER, "denied by the classifier"),
        (DeniedBy.APPROVAL, "not approved"),
        (DeniedBy.UNKNOWN, "denied"),
    ],
)
def test_a_denied_call_says_by_whom_and_in_which_words(
    kind: ToolKind, by: DeniedBy, said: str
) -> None:
    refused = denied(CALLS[kind], by)
    said = said.replace("denied", "rejected") if kind is ToolKind.PLAN else said
    assert "⊘" in text_of(refused, DetailLevel.TITLE)
    for level in DetailLevel:
        title, *body = text_of(refused, level).splitlines()
        assert said in title
        assert not any(said in line for line in body)
    assert WORDS in text_of(refused, DetailLevel.SUMMARY)
    silent = text_of(denied(CALLS[kind], by, None), DetailLevel.SUMMARY)
    assert said in silent
    assert WORDS not in silent


@pytest.mark.parametrize(
    ("output", "error"), [("fine", None), ("", "boom"), ("fine", "boom"), ("x" * 70, None)]
)
def test_all_output_of_a_command_of_the_person_is_shown(output: str, error: str | None) -> None:
    shown = text_of(activity(SlashCommand("", "", output, error, True)), DetailLevel.FULL)
    joined = "".join(shown.replace("│", "").split())
    assert output in joined
    assert (error or "") in joined


@pytest.mark.parametrize("by", [DeniedBy.RULE, DeniedBy.APPROVAL])
def test_a_denial_shows_the_reason_in_the_log(by: DeniedBy) -> None:
    refused = denied(CALLS[ToolKind.SHELL], by, None)
    assert isinstance(refused.body, ToolCall)
    reason = "You have not granted access to notes.txt yet."
    refused = replace(refused, body=replace(refused.body, error=reason))
    assert reason in text_of(refused, DetailLevel.SUMMARY)


@pytest.mark.parametrize("kind", CALLS)
def test_what_is_not_over_says_how_far_it_has_come(kind: ToolKind) -> None:
    title = text_of(running(CALLS[kind]), DetailLevel.TITLE)
    assert "●" in title
    assert title.endswith("12s")
    written = text_of(streaming(CALLS[kind]), DetailLevel.SUMMARY)
    assert "◌" in written
    assert '{"path": "src/ret' in written
    broken = text_of(malformed(CALLS[kind]), DetailLevel.SUMMARY)
    assert "arguments are not valid JSON: expected a value at column 10" in broken
    assert '{"path": src/retry.py}' in broken
    left = STATES[5](CALLS[kind])
    assert "no result" in text_of(left, DetailLevel.TITLE)
    assert "the log went on without a result" in text_of(left, DetailLevel.SUMMARY)


@pytest.mark.parametrize(
    ("kind", "title", "body"),
    [
        (ToolKind.READ, ["Read", "src/retry.py", "17 lines"], ["1", "class Retry:"]),
        (ToolKind.WRITE, ["Write", "src/retry.py", "new", "16 lines"], ["import random"]),
        (
            ToolKind.EDIT,
            ["Edit", "src/retry.py", "+3 −2"],
            ["42    -     return base", "42 +     wait = base", "82 +     timeout = 30"],
        ),
        (ToolKind.DELETE, ["Delete", "old/a.py and 1 more", "2 files"], ["1 - import os"]),
        (
            ToolKind.SHELL,
            ["Shell", "pytest -q tests/test_retry.py"],
            ["E       assert 3 == 4", "1 failed, 13 passed", "stderr", "2 plugins not found"],
        ),
        (
            ToolKind.GREP,
            ["Grep", "def delay", "in src", "*.py", "2 matches in 2 files"],
            ["src/retry.py", "13      def delay", "src/backoff.py", "41  def delay"],
        ),
        (ToolKind.GLOB, ["Glob", "**/*.py", "3 files"], ["src/retry.py", "/opt/lib/other.py"]),
        (ToolKind.SEM_SEARCH, ["Search", "1 result"], ["src/retry.py:13–16", "0.91", "def delay"]),
        (ToolKind.LS, ["List", "src", "2 entries"], ["api/", "retry.py"]),
        (
            ToolKind.READ_LINTS,
            ["Lints", "1 error, 1 warning"],
            ["13:9", "error", "Name is not defined", "pyright"],
        ),
        (
            ToolKind.WEB_FETCH,
            ["Fetch", "example.org/docs/retry?page=2", "200", "48 kB"],
            ["asked: How is the delay capped?", "Retry", "Run the whole suite"],
        ),
        (
            ToolKind.WEB_SEARCH,
            ["Web", "exponential backoff cap", "2 results"],
            ["Backoff explained", "https://www.example.org/backoff", "Cap the delay."],
        ),
        (
            ToolKind.MCP,
            ["MCP", "tracker › find_issue"],
            [
                "labels: [ 2 items ]  bug, ci",
                "0 { 4 fields }",
                "image  image/png  640×480",
                "all is well",
                "pages: 2",
            ],
        ),
        (
            ToolKind.SUBAGENT_TASK,
            ["Agent", "tester", "Find flaky tests", "14 calls", "48k tokens"],
            ["Run it ten times.", "Cap the delay at cap seconds"],
        ),
        (
            ToolKind.PLAN,
            ["Plan", "Cap the delay", "1/4 steps", "approved"],
            ["✓ Find the flaky test", "● Capping the delay", "• test it", "approved"],
        ),
        (
            ToolKind.TODOS,
            ["Todos", "Capping the delay", "1/4 done"],
            ["✓ Find the flaky test  new", "● Capping the delay  started", "⊘ Rewrite"],
        ),
        (ToolKind.NOTEBOOK_EDIT, ["Notebook", "plots.ipynb", "cell c4"], ["+ import numpy as np"]),
        (
            ToolKind.ASK,
            ["Ask", "Which cap is right?", "30 s"],
            ["● 30 s  what the docs say", "○ 60 s"],
        ),
        (
            ToolKind.SKILL,
            ["Skill", "release  --dry-run"],
            ["skill: release", "args: --dry-run", "Tag the commit, then push."],
        ),
        (
            ToolKind.TOOL_SEARCH,
            ["Tools", "notebook", "2 tools"],
            ["NotebookEdit", "mcp__plots__draw", "of 41 tools"],
        ),
        (
            ToolKind.MEMORY,
            ["Memory", "change  The cap of retries is 30 s.", "in /mem", "2 found"],
            [
                "replace    The cap of retries is 60 s.",
                "with       The cap of retries is 30 s.",
                "in         /memories/retries.md",
                "why        ana said so",
                "search     retries",
                "retries.md:3  0.91",
                "The first waits 1 s.",
                "ana likes short tests.",
            ],
        ),
        (
            ToolKind.SCHEDULE,
            ["Schedule", "at 09:00 on Monday through Friday", "recurring · next run 09:00"],
            [
                "when       at 09:00 on Monday through Friday (0 9 * * 1-5), recurring",
                "next run   2025-11-13 09:00",
                "id         6bf00d65",
                "reason     the build runs at night",
                "prompt     Look at the build.",
                "           Say what failed.",
            ],
        ),
        (
            ToolKind.SEND_MESSAGE,
            ["Send", "to ana, telegram  The build is **green** again.", "1 attachment"],
            [
                "to         ana",
                "channel    telegram",
                "with       build.log",
                "is green again",
                "sent",
            ],
        ),
        (
            ToolKind.GOAL,
            ["Goal", "No retry waits for", "active · 1.4k of 50k tokens"],
            [
                "goal       No retry waits for more than 30 s",
                "status     active",
                "time       1m 35s",
            ],
        ),
        (
            ToolKind.REVIEW,
            ["Review", "src/retry.py:41  The cap is compared in ms", "1 important, 1 nit"],
            [
                "important src/retry.py:41  correctness · confirmed",
                "A delay of 31 s passes for 31 ms.",
                "nit       tests/test_retry.py",
                "2 findings reported.",
            ],
        ),
        (
            ToolKind.UNKNOWN,
            ["ArrangeBooks", "target: shelf, amount: 3"],
            ["target: shelf", "amount: 3", "moved 3 books"],
        ),
    ],
)
def test_a_call_says_what_it_must(kind: ToolKind, title: list[str], body: list[str]) -> None:
    text = text_of(activity(CALLS[kind]))
    for words in title:
        assert words in text.splitlines()[0]
    for words in body:
        assert words in text


def test_an_agent_at_work_shows_its_newest_steps() -> None:
    text = text_of(with_child(running(CALLS[ToolKind.SUBAGENT_TASK])), DetailLevel.SUMMARY)
    assert "12 calls · 1 problem · 9.0k tokens" in text
    assert "✓ Read  src/retry.py" in text
    assert "● Shell  pytest -q" in text


def test_output_so_far_is_shown_while_a_call_runs_and_its_end_counts() -> None:
    output = "".join(f"step {number}\n" for number in range(40))
    row = replace(running(CALLS[ToolKind.SHELL]), progress=output)
    summary = text_of(row, DetailLevel.SUMMARY)
    assert "step 39" in summary
    assert "step 20" not in summary
    assert "step 20" in text_of(row, DetailLevel.FULL)


def test_paths_of_the_session_stand_without_its_directory() -> None:
    for kind in CALLS.keys() - {ToolKind.UNKNOWN, ToolKind.MCP}:
        assert CWD not in text_of(activity(CALLS[kind]))


def big(kind: ToolKind) -> ToolCall:
    lines = "".join(f"value_{number} = {number}  # number {number}\n" for number in range(40_000))
    if kind is ToolKind.READ:
        return replace(CALLS[kind], result=ReadResult(lines, 1, 40_000, 40_000))
    return replace(CALLS[kind], result=ShellResult(stdout=f"\x1b[32m{lines}\x1b[0m", exit_code=0))


@pytest.mark.parametrize("kind", [ToolKind.READ, ToolKind.SHELL])
def test_of_a_body_of_a_megabyte_only_visible_rows_are_made(
    kind: ToolKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []
    module = "agentview.ui.render.syntax.Highlighter.line"
    if kind is ToolKind.SHELL:
        module = "agentview.ui.render.terminal.ansi._Output.paint"
    target, name = module.rsplit(".", 1)
    owner, made = target.rsplit(".", 1)
    original = getattr(getattr(__import__(owner, fromlist=[made]), made), name)

    def counted(self: object, index: int) -> object:
        painted.append(index)
        return original(self, index)

    monkeypatch.setattr(module, counted)
    view = view_of(activity(big(kind)))
    assert view.height > 40_000
    assert not painted
    view.strips(0, 40)
    assert len(painted) <= 40
    view.strips(39_000, 39_040)
    assert len(painted) <= 80


def test_a_line_of_a_megabyte_is_cropped_and_folded() -> None:
    for line in ("x" * 1_000_000, "日本" * 300_000, "\x1b[31m" + "é" * 1_000_000):
        call = replace(CALLS[ToolKind.SHELL], result=ShellResult(stdout=line))
        assert view_of(activity(call), DetailLevel.SUMMARY).height == 2
        view = view_of(activity(call))
        assert view.height > 5_000
        for strip in view.strips(view.height - 20, view.height):
            assert strip.cell_length == 100


def test_plain_output_has_no_style_and_no_sign_beyond_ascii() -> None:
    for row in ROWS:
        view = RowLayout(row, DetailLevel.FULL, RenderContext(100, PLAIN, glyphs=ASCII))
        for strip in view.strips(0, view.height):
            assert all(not segment.style for segment in strip)
        assert "✓" not in view.strips(0, 1)[0].text


def test_a_step_on_one_todo_shows_only_what_its_title_leaves_out() -> None:
    item = TodoItem("Run the tests", TodoStatus.PENDING, "3", note="with coverage")
    one = call(ToolKind.TODOS, TodosPayload(TodosAction.CREATE, (item,)))
    assert text_of(activity(one)).splitlines()[1].strip() == "│ with coverage"
    bare = replace(one, payload=TodosPayload(TodosAction.UPDATE, (replace(item, note=None),)))
    assert view_of(activity(bare)).height == 1


def test_an_agent_that_was_only_started_has_no_answer_yet() -> None:
    launched = replace(
        CALLS[ToolKind.SUBAGENT_TASK],
        result=SubagentResult("launched", "a-1"),
        output=(TextBlock("The agent was started."),),
    )
    row = with_child(activity(launched))
    summary = text_of(row, DetailLevel.SUMMARY)
    assert "The agent was started." not in summary
    assert "✓ Read  src/retry.py" in summary
    assert "The agent was started." in text_of(row, DetailLevel.FULL)


@pytest.mark.parametrize("of", CALLS.values(), ids=lambda of: str(of.kind))
def test_a_failed_call_says_its_message_once(of: ToolCall) -> None:
    message = "The tool could not do it."
    for said in (message, f"<tool_use_error>{message}</tool_use_error>", f"\n{message}\n"):
        state = failed(of, message)
        state = replace(state, body=replace(state.body, output=(TextBlock(said),)))
        for level in DetailLevel:
            view = RowLayout(state, level, RenderContext(100, PLAIN))
            text = "\n".join(strip.text for strip in view.strips(0, view.height))
            assert text.count(message) == 1, text
