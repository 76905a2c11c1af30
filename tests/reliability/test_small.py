"""A small share of every group of the reliability program."""

from pathlib import Path

import pytest

from tests.reliability import GROUPS
from tests.reliability.outcome import Plan

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_fails(group: str, tmp_path: Path) -> None:
    outcomes = list(GROUPS[group](Plan(fast=True, count=25), tmp_path))
    assert [failure for outcome in outcomes for failure in outcome.failures] == []
    assert sum(outcome.count for outcome in outcomes) > 0
