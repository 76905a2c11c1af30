"""What the end of a log alone does not say is as it was known."""

from pathlib import Path

from agentview.providers import load_provider
from agentview.sessions.following.live_session import open_tail
from tests.claude_log import ClaudeLog, conversation, write


def test_a_tail_has_the_title_of_the_whole_session(tmp_path: Path):
    log = ClaudeLog()
    first = log.prompt("make the login page")
    path = write(tmp_path / "log.jsonl", [first, *conversation(log, 400)])
    provider = load_provider("claude_code")
    info = provider.info(provider.discovery.ref(path))
    session = open_tail(info.ref, live=True, info=info)
    assert session.header().title == info.title == "make the login page"
    assert session.header().cwd == info.project
    session.close()
