"""The verdict on what agentview shows at a moment."""

import pytest

from tests.live.moments import (
    BY_NAME,
    MOMENTS,
    Look,
    Observation,
    Shown,
    Surface,
    Verdict,
    shown_after,
    verdict,
)

COMMAND = "touch command-runs; sleep 12"


def asked(*looks: Look) -> Observation:
    return Observation("command-asked", looks)


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        ([Look(0.8, "needs-approval"), Look(5.0, "needs-approval")], Verdict.RIGHT),
        # Certain and not so, be it only later.
        ([Look(0.8, "needs-approval"), Look(5.0, "working")], Verdict.WRONG),
        # Not in time.
        ([Look(1.2, "working"), Look(3.0, "needs-approval")], Verdict.WRONG),
        # In time: what was shown before is not counted.
        ([Look(0.5, "working"), Look(1.2, "needs-approval")], Verdict.RIGHT),
        ([Look(1.2, "working", certain=False), Look(5.0, "needs-approval")], Verdict.HONEST),
        ([Look(1.2, "unknown"), Look(5.0, "unknown")], Verdict.HONEST),
        ([Look(1.2), Look(5.0)], Verdict.HONEST),
        # Nothing else is known.
        ([Look(0.5, "working")], Verdict.WRONG),
    ],
)
def test_the_worst_look_after_the_grace_decides(looks: list[Look], expected: Verdict):
    assert verdict(asked(*looks)) is expected


@pytest.mark.parametrize(
    ("surface", "labels", "expected"),
    [
        (Surface.TAIL, ("needs-approval",), Verdict.RIGHT),
        (Surface.TAIL, ("working",), Verdict.WRONG),
        (Surface.BOARD, ("working?",), Verdict.RIGHT),
        # Which of two sessions is meant is not known, and a notification may be of before.
        (Surface.BOARD, ("working", "needs-approval"), Verdict.RIGHT),
        (Surface.NOTIFICATION, ("your-turn",), Verdict.RIGHT),
        (Surface.NOTIFICATION, ("needs-approval?",), Verdict.RIGHT),
        (Surface.NOTIFICATION, ("needs-approval?", "needs-approval"), Verdict.WRONG),
    ],
)
def test_a_screen_may_not_say_what_is_false(
    surface: Surface, labels: tuple[str, ...], expected: Verdict
):
    looks = (Look(1.2, "needs-approval"),)
    assert verdict(Observation("command-asked", looks, (Shown(surface, 0.2, labels),))) is expected


def test_a_command_that_runs_may_not_be_notified_as_a_request():
    looks = (Look(3.1, "working"),)
    for labels, expected in (
        ((), Verdict.RIGHT),
        (("your-turn",), Verdict.RIGHT),
        (("needs-approval?",), Verdict.WRONG),
    ):
        shown = Shown(Surface.NOTIFICATION, None, labels)
        assert verdict(Observation("command-runs", looks, (shown,))) is expected


def test_how_the_last_turn_ended_is_not_false_once_the_client_is_gone():
    assert verdict(Observation("left", (Look(3.1, "ended"),))) is Verdict.RIGHT
    assert verdict(Observation("left", (Look(3.1, "your-turn"),))) is Verdict.HONEST
    assert verdict(Observation("left", (Look(3.1, "working"),))) is Verdict.WRONG
    assert verdict(Observation("killed", (Look(3.1, "needs-approval"),))) is Verdict.WRONG


def test_it_is_shown_once_the_state_and_its_subject_are():
    looks = (
        Look(0.4, "working"),
        Look(0.9, "needs-approval"),
        Look(1.6, "needs-approval", about=COMMAND),
    )
    assert shown_after(asked(*looks)) == 1.6
    assert shown_after(asked(*looks[:2])) is None


def test_a_moment_is_named_once_and_has_states_that_are_true():
    assert len(BY_NAME) == len(MOMENTS)
    assert all(moment.right for moment in MOMENTS)
