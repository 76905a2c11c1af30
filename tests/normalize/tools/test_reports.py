"""Goals and reviews: what clients call them, and what they answer."""

import pytest

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    Finding,
    Goal,
    GoalAction,
    GoalPayload,
    ReviewPayload,
    SendMessagePayload,
)
from agentview.domain.tool_results import GoalResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import attach_result, tool_call
from agentview.normalize.classify import classify
from agentview.normalize.json_fields import Fields

SET, UPDATE, GET, CLEAR = GoalAction


def _call(name: str, arguments: Fields) -> ToolCall:
    return tool_call(call_id="1", name=name, arguments=arguments, spec=None)


GOALS: list[tuple[str, Fields, GoalPayload]] = [
    (
        "create_goal",
        {"objective": "no test fails", "token_budget": 50_000},
        GoalPayload(SET, Goal("no test fails", token_budget=50_000)),
    ),
    ("update_goal", {"status": "complete"}, GoalPayload(UPDATE, Goal(status="complete"))),
    ("GetGoal", {}, GoalPayload(GET)),
    (
        "CreateGoal",
        {"objective": "no test fails", "completionCriterion": "make test"},
        GoalPayload(SET, Goal("no test fails", criterion="make test")),
    ),
    (
        "SetGoalBudget",
        {"value": 20, "unit": "turns"},
        GoalPayload(UPDATE, Goal(budget="20 turns")),
    ),
    ("goal", {"action": "start", "objective": "x"}, GoalPayload(SET, Goal("x"))),
    ("goal", {"objective": "x"}, GoalPayload(SET, Goal("x"))),
    ("goal", {"action": "cancel"}, GoalPayload(CLEAR)),
    ("goal", {}, GoalPayload()),
    (
        "report_goal",
        {"status": "blocked", "reason": "no network"},
        GoalPayload(UPDATE, Goal(status="blocked"), "no network"),
    ),
]


@pytest.mark.parametrize(("name", "arguments", "payload"), GOALS)
def test_what_happens_to_a_goal(name: str, arguments: Fields, payload: GoalPayload) -> None:
    call = _call(name, arguments)
    assert (call.kind, call.canonical_name) == (ToolKind.GOAL, name)
    assert call.payload == payload


ANSWERS: list[tuple[object, str, GoalResult | None]] = [
    (
        None,
        '{"goal": {"objective": "x", "status": "active", "tokenBudget": 9, "tokensUsed": 4}}',
        GoalResult(
            Goal("x", "active", token_budget=9, tokens_used=4),
        ),
    ),
    (None, '{"goal": null, "remainingTokens": null}', GoalResult()),
    ({"active": False}, "", GoalResult()),
    ({"objective": "x", "status": "paused"}, "", GoalResult(Goal("x", "paused"))),
    ({"ok": True}, "", None),
    (None, "Goal active: x", None),
]


@pytest.mark.parametrize(("structured", "said", "result"), ANSWERS)
def test_which_goal_there_is(structured: object, said: str, result: GoalResult | None) -> None:
    outcome = ToolResult("1", True, (TextBlock(said),), structured=structured)
    assert attach_result(_call("get_goal", {}), outcome).result == result


REVIEWS: list[tuple[str, Fields, ReviewPayload]] = [
    (
        "ReportFindings",
        {
            "level": "high",
            "findings": [
                {
                    "file": "a.py",
                    "line": 7,
                    "summary": "off by one",
                    "failure_scenario": "an empty list",
                    "category": "correctness",
                    "severity": "pre_existing",
                    "verdict": "CONFIRMED",
                    "outcome": "no_change_needed",
                }
            ],
        },
        ReviewPayload(
            (
                Finding(
                    "off by one",
                    "a.py",
                    7,
                    "pre_existing",
                    "correctness",
                    "an empty list",
                    "confirmed, no change needed",
                ),
            ),
            effort="high",
        ),
    ),
    (
        "submit_review",
        {
            "overall_explanation": "nearly right",
            "findings": [
                {
                    "title": "off by one",
                    "body": "an empty list",
                    "priority": 1,
                    "code_location": {
                        "absolute_file_path": "/w/a.py",
                        "line_range": {"start": 7, "end": 9},
                    },
                }
            ],
        },
        ReviewPayload(
            (Finding("off by one", "/w/a.py", 7, "1", detail="an empty list"),), "nearly right"
        ),
    ),
    # One finding a call, and none at all.
    (
        "report_finding",
        {"path": "a.py", "line": 7, "message": "off by one"},
        ReviewPayload((Finding("off by one", "a.py", 7),)),
    ),
    ("report_findings", {"findings": []}, ReviewPayload()),
    ("report_findings", {}, ReviewPayload()),
    ("report_findings", {"findings": [7, {"line": 7}]}, ReviewPayload()),
]


@pytest.mark.parametrize(("name", "arguments", "payload"), REVIEWS)
def test_what_a_review_found(name: str, arguments: Fields, payload: ReviewPayload) -> None:
    call = _call(name, arguments)
    assert (call.kind, call.canonical_name) == (ToolKind.REVIEW, name)
    assert call.payload == payload


@pytest.mark.parametrize("name", ["review", "get_review", "list_reviews", "goal_difference_score"])
def test_other_tools_have_such_words_in_their_names(name: str) -> None:
    assert classify(name, {}).kind is ToolKind.UNKNOWN


MESSAGES: list[tuple[str, Fields, SendMessagePayload]] = [
    (
        "send_message",
        {"action": "send", "target": "telegram:7", "message": "done"},
        SendMessagePayload("done", "telegram:7"),
    ),
    (
        "message",
        {"action": "send", "channel": "telegram", "to": "7", "message": "done", "media": "a.png"},
        SendMessagePayload("done", "7", "telegram", attachments=("a.png",)),
    ),
    (
        "message",
        {"action": "react", "channel": "telegram", "emoji": "+1"},
        SendMessagePayload("+1", None, "telegram", action="react"),
    ),
    ("PushNotification", {"message": "done"}, SendMessagePayload("done")),
    (
        "send_email",
        {"to": ["a@example.com", "b@example.com"], "subject": "news", "body": "done"},
        SendMessagePayload("done", "a@example.com, b@example.com", subject="news"),
    ),
    ("telegram_send_message", {"chat_id": 7, "text": "done"}, SendMessagePayload("done", "7")),
    (
        "send_message_to_thread",
        {"threadId": "t1", "prompt": "go on"},
        SendMessagePayload("go on", "t1"),
    ),
    ("text_to_speech", {"text": "done"}, SendMessagePayload("done", spoken=True)),
    ("tts", {"text": "done"}, SendMessagePayload("done", spoken=True)),
    ("notify_user", {}, SendMessagePayload()),
]


@pytest.mark.parametrize(("name", "arguments", "payload"), MESSAGES)
def test_what_is_said_to_whom(name: str, arguments: Fields, payload: SendMessagePayload) -> None:
    call = _call(name, arguments)
    assert (call.kind, call.canonical_name) == (ToolKind.SEND_MESSAGE, name)
    assert call.payload == payload


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("send_message_to_agent", ToolKind.SUBAGENT_TASK),
        ("read_messages", ToolKind.UNKNOWN),
        ("speech_to_text", ToolKind.UNKNOWN),
        ("commit_message", ToolKind.UNKNOWN),
    ],
)
def test_not_every_message_is_to_a_person(name: str, kind: ToolKind) -> None:
    assert classify(name, {}).kind is kind
