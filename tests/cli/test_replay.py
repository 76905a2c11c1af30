"""`agentview replay` and `agentview demo` in a terminal: a past session comes as it came once."""

import re
from pathlib import Path

import pytest

from agentview.sessions.targets.session_query import refs_in
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.test_screens import leave, terminal

RECORDED = Path(__file__).parent.parent / "fixtures" / "blame" / "claude_code" / ".claude"
LOG = str(next(RECORDED.rglob("bdab3386-*.jsonl")))
RIGHT, LEFT = "\x1b[C", "\x1b[D"


def activities(text: str) -> int:
    """Rows of activities: they have a sign or a label where the text of a body has its gutter."""
    return len(re.findall(r"(?m)^ (?:\d\d:\d\d:\d\d| {8}) (?: ▎|\S )\S", text))


@pytest.mark.slow
def test_a_replay_is_paused_stepped_and_led_back(agentview: CommandLine):
    before = Path(LOG).read_bytes()
    # All that a person does here comes before the second record, at this pace.
    with terminal(agentview, "replay", LOG, "--speed", "0.01", "--detail", "title") as screen:
        screen.wait_for("replay 0.01×")
        screen.wait_for("src/parser.py")
        screen.press(">")
        screen.wait_for("replay 0.25×")
        screen.press("p")
        count = activities(screen.wait_for("replay paused"))
        for more in (1, 2, 3):
            screen.press(RIGHT)
            screen.wait_for(lambda text, more=more: activities(text) == count + more)
        assert "◌ working?" in screen.text or "● working" in screen.text
        for more in (2, 1, 0):
            screen.press(LEFT)
            screen.wait_for(lambda text, more=more: activities(text) == count + more)
        for _ in range(9):
            screen.press(">")
        screen.press("p")
        screen.wait_for("replay ended")
        screen.wait_for("docs/notes.md")
        leave(screen)
    assert Path(LOG).read_bytes() == before


@pytest.mark.slow
def test_an_agent_is_played_with_its_session(agentview: CommandLine):
    with terminal(agentview, "replay", LOG, "--speed", "1000", "--detail", "title") as screen:
        screen.wait_for("replay ended")
        screen.press("g")
        screen.press("/")
        screen.press("Write the notes")
        screen.press("\r")
        screen.wait_for("Agent")
        screen.press("\x1b")
        screen.press("a")
        screen.wait_for(lambda text: "The notes are written." in text and "replay ended" in text)
        screen.press("q")
        screen.wait_for("you        Write the parser.")
        leave(screen)


@pytest.mark.slow
def test_a_session_of_a_database_is_played(agentview: CommandLine):
    database = sample_sessions_dir() / "opencode" / "opencode.db"
    session = min(ref.path for ref in refs_in(database.parent) if ".db/" in ref.path)
    with terminal(agentview, "replay", session, "--speed", "1000") as screen:
        screen.wait_for("replay ended")
        leave(screen)


def test_it_begins_where_it_is_asked_to(agentview: CommandLine):
    agentview.env["TZ"] = "UTC"
    arguments = ("replay", LOG, "--from", "12:24:01", "--speed", "0.01", "--detail", "title")
    with terminal(agentview, *arguments) as screen:
        screen.wait_for("mv src/parser.py src/reader.py")
        screen.wait_for("replay 0.01× 12:24:0")
        leave(screen)


def test_a_demo_is_a_replay_of_a_sample(agentview: CommandLine):
    with terminal(agentview, "demo", "--speed", "1000") as screen:
        screen.wait_for("demo ended")
        leave(screen)


@pytest.mark.slow
def test_a_replay_is_read_line_by_line(agentview: CommandLine):
    with terminal(agentview, "replay", LOG, "--linear", "--speed", "1000", rows=60) as screen:
        screen.wait_for("State your-turn")
        screen.press("q")
        assert screen.wait() == 0


def test_what_cannot_be_played_is_refused(agentview: CommandLine):
    assert "cannot be played again" in agentview.fails(2, "replay", "-", stdin=b"x")
    assert "'noon' is not a time." in agentview.fails(2, "replay", LOG, "--from", "noon")
    assert "above 0" in agentview.fails(2, "replay", LOG, "--speed", "0")
    assert "This needs a terminal." in agentview.fails(2, "replay", LOG)
    agentview.fails(1, "replay", "no-such-session")
