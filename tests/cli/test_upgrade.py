"""What version 0.2.0 kept in a home: settings, annotations, an archived session, caches.

`kept_by_0_2_0` was written by that version, of the session that the sample `classic.jsonl` is.
"""

import json
import shutil
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.test_screens import leave, terminal

_KEPT = Path(__file__).parent / "kept_by_0_2_0"
_SESSION = "ebfa67f9-5e51-44ba-ad28-761f7ba8f649"


@pytest.fixture
def log(agentview: CommandLine) -> Path:
    """The log of the session, in a home in which version 0.2.0 was used."""
    shutil.copytree(_KEPT, agentview.home, dirs_exist_ok=True)
    path = agentview.home / ".claude" / "projects" / "-home-dev-shop" / f"{_SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(sample_sessions_dir() / "claude_code" / "classic.jsonl", path)
    return path


@pytest.mark.usefixtures("log")
def test_settings_and_annotations_are_taken_over(agentview: CommandLine):
    (row,) = json.loads(agentview.ok("ls", "--json"))
    assert (row["id"], row["title"], row["starred"]) == (_SESSION, "Totals of the cart", True)
    assert "detail.by_tool.shell      full" in agentview.ok("config")
    (found,) = json.loads(agentview.ok("search", '"check the total"', "--json"))
    assert (found["kind"], found["text"]) == ("note", "Check the total")


def test_figures_are_those_of_a_home_without_caches(agentview: CommandLine, log: Path):
    found = agentview.ok("stats", "--json")
    assert json.loads(found)["sessions"] == 1
    shutil.rmtree(agentview.home / ".cache")
    assert agentview.ok("stats", "--json") == found
    assert log.is_file()


def test_a_session_that_is_only_in_the_archive_is_listed_and_read(
    agentview: CommandLine, log: Path
):
    whole = agentview.ok("cat", _SESSION)
    log.unlink()
    (row,) = json.loads(agentview.ok("ls", "--json"))
    assert row["title"] == "Totals of the cart"
    assert agentview.ok("cat", _SESSION) == whole


@pytest.mark.slow
@pytest.mark.usefixtures("log")
def test_bookmarks_and_keys_are_taken_over_on_the_screen(agentview: CommandLine):
    with terminal(agentview, "open", _SESSION) as screen:
        screen.wait_for("★ Totals of the cart")
        screen.press("g")
        screen.wait_for("Find the open TODOs")
        screen.press("'")
        screen.wait_for("✎ Check the total")
        leave(screen)
