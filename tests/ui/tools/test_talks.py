"""Calls that talk to someone: a person who is asked or approves, another agent, the web."""

import pytest
from msgspec.structs import replace

from agentview.domain.activity import Activity, ChildSummary
from agentview.domain.content import ImageBlock, JsonBlock, TextBlock
from agentview.domain.events import Notification, Topic
from agentview.domain.session import Stream, StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import (
    AskOption,
    AskPayload,
    AskQuestion,
    McpPayload,
    PlanAction,
    PlanPayload,
    SubagentPayload,
    UnknownPayload,
    WebFetchPayload,
    WebSearchPayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    PlanResult,
    SubagentResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.title import title_of
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from tests.ui.activities import CALLS, REQUEST, activity, call, denied, running, with_child
from tests.ui.render.looks import PALETTE

OPTIONS = (AskOption("30 s", "what the docs say"), AskOption("60 s"))


def rows(of: Activity | ToolCall, level: DetailLevel = DetailLevel.FULL) -> list[str]:
    shown = of if isinstance(of, Activity) else activity(of)
    view = RowLayout(shown, level, RenderContext(80, PALETTE))
    gutter = view.strips(1, 2)[0].text.index("│") + 2
    return [strip.text[gutter:].rstrip() for strip in view.strips(1, view.height)]


def ask(*questions: AskQuestion, answers: dict[str, str]) -> ToolCall:
    given = tuple(AskAnswer(*pair) for pair in answers.items())
    return call(ToolKind.ASK, AskPayload(questions), AskResult(given))


def test_the_chosen_option_is_marked_and_the_others_stay() -> None:
    of = ask(AskQuestion("Which cap?", "Cap", OPTIONS), answers={"Which cap?": "60 s"})
    assert rows(of) == ["Cap  Which cap?", "  ○ 30 s  what the docs say", "  ● 60 s"]


def test_an_answer_in_own_words_stands_below_the_options() -> None:
    of = ask(AskQuestion("Which cap?", options=OPTIONS), answers={"Which cap?": "none at all"})
    assert rows(of)[1:] == ["  ○ 30 s  what the docs say", "  ○ 60 s", "  → none at all"]


def test_several_choices_may_come_with_own_words() -> None:
    question = AskQuestion("Which?", options=(*OPTIONS, AskOption("90 s")), multiple=True)
    of = ask(question, answers={"Which?": "30 s, 90 s, and a longer one"})
    assert rows(of) == [
        "Which?  several may be chosen",
        "  ● 30 s  what the docs say",
        "  ○ 60 s",
        "  ● 90 s",
        "  → and a longer one",
    ]


def test_each_of_several_questions_has_its_answer_and_none_is_lost() -> None:
    of = ask(
        AskQuestion("A?", options=OPTIONS),
        AskQuestion("B?", options=OPTIONS),
        answers={"B?": "30 s", "": "see the notes"},
    )
    assert rows(of) == [
        "A?",
        "  ○ 30 s  what the docs say",
        "  ○ 60 s",
        "",
        "B?",
        "  ● 30 s  what the docs say",
        "  ○ 60 s",
        "",
        "  → see the notes",
    ]
    assert title_of(activity(of)).detail == "30 s, see the notes"


def plan(result: PlanResult | None = None) -> ToolCall:
    return call(ToolKind.PLAN, PlanPayload(PlanAction.PROPOSE, "# Cap it\n\n- test it"), result)


def test_a_plan_says_whether_it_was_approved() -> None:
    assert rows(plan(PlanResult(approved=True)))[-1] == "✓ approved"
    assert rows(plan(PlanResult(approved=False)))[-1] == "⊘ rejected"
    assert rows(plan(PlanResult()))[-1] == "• test it"
    kept = plan(PlanResult(approved=True, path="/plans/cap.md"))
    assert rows(kept)[-1] == "kept in /plans/cap.md"


def test_a_rejected_plan_says_by_whom_and_in_which_words_then_what_it_was() -> None:
    refused = denied(plan(), DeniedBy.PERSON, "smaller steps, please")
    assert rows(refused)[:2] == ["smaller steps, please", "Cap it"]
    assert title_of(refused).detail == "rejected by you"
    told = replace(refused.body, result=PlanResult(approved=False, text="smaller steps, please"))  # type: ignore[type-var]
    assert rows(replace(refused, body=told)) == rows(refused)


def test_an_agent_tells_what_it_is_doing_and_how_to_enter_it() -> None:
    of = call(ToolKind.SUBAGENT_TASK, SubagentPayload("Find", "Run it ten times.", "tester"))
    assert rows(with_child(running(of))) == [
        "tester · working · 12 calls · 1 problem · 9.0k tokens",
        "Run it ten times.",
        "→ newest steps",
        "✓ Read  src/retry.py  17 lines",
        "● Shell  pytest -q tests/test_retry.py  running",
        "→ enter opens its timeline",
    ]


def test_an_agent_in_the_log_of_its_session_can_be_entered_too() -> None:
    of = call(ToolKind.SUBAGENT_TASK, SubagentPayload("Find", "Run it.", "tester"))
    hint = "→ enter opens its timeline"
    beside = replace(running(of), child=Stream(StreamKind.SIDECHAIN, "s1"))
    elsewhere = replace(running(of), child=Stream(StreamKind.SUBAGENT, "s1"))
    assert rows(beside)[-1] == hint
    assert hint not in rows(elsewhere)


def test_an_agent_tells_how_long_it_took_and_what_it_cost_where_its_log_says_so() -> None:
    of = call(ToolKind.SUBAGENT_TASK, SubagentPayload("Find", "Run it.", "tester"))
    child = ChildSummary(SessionState.ENDED, 3, 0, 1_200, duration=134.0, cost=0.315)
    told = rows(replace(running(of), child_summary=child))
    assert told[0] == "tester · ended · 3 calls · 1.2k tokens · $0.32 · 2m"
    priced = replace(child, cost=None, estimate=0.315, estimate_whole=False)
    guessed = replace(running(of), child_summary=priced)
    assert rows(guessed)[0] == "tester · ended · 3 calls · 1.2k tokens · ~$0.32+ · 2m"
    assert title_of(guessed).detail.endswith("~$0.32+")


def test_an_agent_that_is_done_tells_its_answer_and_what_it_took() -> None:
    result = SubagentResult("completed", "a-1", "Two are flaky.", 14, 48_200, 62.0, "opus-5-5")
    of = call(
        ToolKind.SUBAGENT_TASK, SubagentPayload("Find", "Run it ten times.", "tester"), result
    )
    assert rows(of) == [
        "tester · opus-5-5 · completed · 14 calls · 48k tokens · 1m",
        "Run it ten times.",
        "→ answer",
        "Two are flaky.",
    ]
    assert rows(of, DetailLevel.SUMMARY) == rows(of)[1:]


def test_the_answer_of_an_agent_in_the_background_is_what_was_reported_at_its_end() -> None:
    result = SubagentResult("async_launched", "a-1", launched=True)
    of = call(
        ToolKind.SUBAGENT_TASK, SubagentPayload("Find", "Run it.", "tester"), result,
        output=(TextBlock("Launched. You will be notified."),),
    )  # fmt: skip
    note = ["→ launched", "Launched. You will be notified."]
    assert rows(of) == ["Run it.", *note]
    assert rows(of, DetailLevel.SUMMARY) == ["Run it."]
    ended = Notification(Topic.BACKGROUND, "Agent finished", detail="Two are flaky.")
    over = replace(activity(of), outcome=ended)
    answer = ["→ answer", "Two are flaky."]
    assert rows(over) == ["Run it.", *note, *answer]
    assert rows(over, DetailLevel.SUMMARY) == ["Run it.", *answer]
    wordless = replace(over, outcome=replace(ended, detail=None))
    assert rows(wordless, DetailLevel.SUMMARY) == ["Run it.", "Agent finished"]


def test_a_page_tells_where_it_led_and_addresses_are_text() -> None:
    of = call(
        ToolKind.WEB_FETCH,
        WebFetchPayload("http://example.org/a", "Why?"),
        WebFetchResult("https://example.org/b", 200, "OK", 2_000, None, "Because.", 1.84),
    )
    assert rows(of) == [
        "http://example.org/a",
        "asked: Why?",
        "→ https://example.org/b",
        "200 OK · 2.0 kB · 1.8 s",
        "Because.",
    ]
    view = RowLayout(activity(of), DetailLevel.FULL, RenderContext(80, PALETTE))
    styles = [piece.style for strip in view.strips(0, view.height) for piece in strip]
    assert not [style for style in styles if style and (style.link or style.meta)]


def test_a_search_of_the_web_is_ranked_and_tells_which_sites_count() -> None:
    hits = tuple(
        WebHit(f"Title {n}", f"https://www.example.org/{n}", "words") for n in range(1, 11)
    )
    of = call(
        ToolKind.WEB_SEARCH,
        WebSearchPayload("caps", ("example.org",), ("example.com",)),
        WebSearchResult(hits, "Most advice is to cap."),
    )
    full = rows(of)
    assert full[:6] == [
        "only example.org",
        "not example.com",
        "",
        " 1  Title 1",
        "    https://www.example.org/1",
        "    words",
    ]
    assert full[-2:] == ["", "Most advice is to cap."]
    short = rows(of, DetailLevel.SUMMARY)
    assert short[0] == " 1  Title 1  example.org/1"
    assert short[-1] == "… 2 more results"


def test_a_title_of_a_server_does_not_name_it_twice() -> None:
    of = call(ToolKind.MCP, McpPayload("files", None), args={"server": "files", "deep": True})
    assert title_of(activity(of)).subject == "files  deep: yes"
    bare = call(ToolKind.UNKNOWN, UnknownPayload(), args={}, name="Odd")
    assert (title_of(activity(bare)).label, title_of(activity(bare)).subject) == (
        "Odd",
        "no arguments",
    )


def test_a_failed_call_shows_what_came_beside_its_error() -> None:
    of = call(ToolKind.MCP, McpPayload("files", "stat"), args={"path": "a"})
    broken = replace(
        of,
        state=ToolState.OUTPUT_ERROR,
        ok=False,
        error="no such file",
        output=(TextBlock("no such file"), JsonBlock({"code": 2}), ImageBlock("image/png")),
    )
    assert rows(broken) == [
        "no such file",
        "  path: a",
        "→ result",
        "  code: 2",
        "image  image/png",
    ]


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (TextBlock('{"ok": false, "message": "no such file"}'), ["  ok: false"]),
        (JsonBlock({"ok": False, "message": "no such file\n"}), ["  ok: false"]),
        (
            TextBlock('{"error": {"message": "no such file", "code": 2}}'),
            ["▾ error: { 1 field }", "    code: 2"],
        ),
        (TextBlock('{"error": {"message": "no such file"}}'), []),
        (TextBlock('{"message": "no such file a"}'), ["  message: no such file a"]),
        (TextBlock('{"a":' * 3_000 + "1" + "}" * 3_000), None),
    ],
)
def test_an_error_that_a_value_has_inside_is_said_once(
    output: TextBlock | JsonBlock, shown: list[str] | None
) -> None:
    of = call(ToolKind.MCP, McpPayload("files", "stat"), args={})
    failed = {"state": ToolState.OUTPUT_ERROR, "ok": False, "error": "no such file"}
    found = rows(replace(of, **failed, output=(output,)))
    assert found[0] == "no such file"
    assert shown is None or found[1:] == shown


def test_a_call_shows_what_a_person_was_asked_before_it() -> None:
    asked = replace(CALLS[ToolKind.SHELL], requests=(REQUEST,))
    full = rows(asked)
    at = full.index("asked for permission")
    assert full[at + 1 : at + 5] == [
        "Permission  Allow rm -r build?",
        "  ● Allow",
        "  ○ Reject",
        "It is not in the folder of the project.",
    ]
    assert "asked for permission" not in rows(asked, DetailLevel.SUMMARY)
    waiting = replace(REQUEST, state=ToolState.INPUT_AVAILABLE, result=None, ok=None)
    live = running(replace(CALLS[ToolKind.SHELL], requests=(waiting,)))
    assert "Permission  Allow rm -r build?" in rows(live, DetailLevel.SUMMARY)
    assert title_of(live).detail == "waiting for approval"
