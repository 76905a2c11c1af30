"""docs/states.md says what the kept results of the runs say."""

import pytest

from docs.states import TARGET, measured, page
from tests.live.clients import CLIENTS
from tests.live.kept import kept
from tests.live.moments import MOMENTS, Look, Observation, Result, Shown, Surface, Verdict, verdict

RESULTS = list(kept())


def test_the_page_is_what_the_results_give():
    assert TARGET.read_text() == page(), "run: python -m docs.states"


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.client)
def test_a_result_has_known_moments_and_no_place_of_a_machine(result: Result):
    assert result.client in {client.name for client in CLIENTS}
    seen = [each.moment for each in result.observations]
    assert {"command-runs", "turn-ended", "failed"} <= set(seen)
    assert seen == [each.name for each in MOMENTS if each.name in seen]
    subjects = [look.about or "" for each in result.observations for look in each.looks]
    assert not [subject for subject in subjects if "/runs/" in subject]


def test_nothing_false_was_certain():
    wrong = [
        (result.client, each.moment)
        for result in RESULTS
        for each in result.observations
        if verdict(each) is Verdict.WRONG
    ]
    assert wrong == []


def test_a_wrong_state_stands_out_and_a_missing_moment_is_named():
    looks = (Look(1.5, "working", about="a|b"),)
    seen = Observation("command-asked", looks, (Shown(Surface.TAIL, 0.4, ("working",)),))
    text = measured([Result("x", "Client X", "1.0", "2026-11-29", (seen,))])
    assert "| permission prompt of a command | **wrong** |" in text
    assert "| turn ended | – |" in text
    assert "| permission prompt of a command | `working` |  | `a\\|b` |  |  | 0.4 s |  |" in text
