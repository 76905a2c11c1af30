"""A small share of every group of the reliability program."""

from pathlib import Path

import pytest

from tests.reliability import GROUPS
from tests.reliability.opens import faults
from tests.reliability.outcome import Plan

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_fails(group: str, tmp_path: Path) -> None:
    outcomes = list(GROUPS[group](Plan(fast=True, count=25), tmp_path))
    assert [failure for outcome in outcomes for failure in outcome.failures] == []
    assert sum(outcome.count for outcome in outcomes) > 0


def test_memory_that_grows_in_each_part_is_a_leak_and_one_step_is_none() -> None:
    def said(*memory: int) -> list[str]:
        return list(faults([(each, 3, 20, 5) for each in memory]))

    assert said(0, 5_558_272, 5_709_824) == []
    assert said(0, 2_400_000, 4_800_000) == []
    assert said(0, 2_700_000, 5_400_000) == ["memory grows by [2700000, 2700000] bytes"]
    assert said(0, 9_000_000, 11_000_000) == ["memory grows by [9000000, 2000000] bytes"]
