"""`agentview doctor` says which sessions their client deletes soon."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

DAY = 86_400


@pytest.fixture
def aged(projects: Path) -> Path:
    """The three sessions, last changed 40, 25 and 3 days ago."""
    for path, days in zip(sorted(projects.rglob("*.jsonl")), (40, 25, 3), strict=True):
        moment = time.time() - days * DAY
        os.utime(path, (moment, moment))
    return projects


@pytest.mark.slow
def test_sessions_that_go_within_a_week_are_counted(agentview: CommandLine, aged: Path):
    text = agentview.ok("doctor")
    assert "2 of 3 sessions of Claude Code within a week" in text
    assert "deletes logs 30 days after their last change" in text
    assert 'set "cleanupPeriodDays" to more days in ~/.claude/settings.json' in text
    providers = json.loads(agentview.ok("doctor", "--json"))["providers"]
    (place,) = [each for provider in providers for each in provider["expiring"]]
    assert (place["sessions"], place["of"], place["days"]) == (2, 3, 30)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "gone"),
    [
        ('{"cleanupPeriodDays": 365}', None),
        ('{"cleanupPeriodDays": 9}', "3 of 3"),
        ('{"cleanupPeriodDays": 44.5}', "1 of 3"),
        ('{"cleanupPeriodDays": "x"}', "2 of 3"),
        ('{"cleanupPeriodDays": true}', "2 of 3"),
        ("[1", "2 of 3"),
    ],
)
def test_the_setting_of_the_client_decides(
    agentview: CommandLine, aged: Path, settings: str, gone: str | None
):
    (aged.parent / "settings.json").write_text(settings)
    text = agentview.ok("doctor")
    if gone is None:
        assert "Deleted soon" not in text
    else:
        assert f"{gone} sessions of Claude Code within a week" in text
