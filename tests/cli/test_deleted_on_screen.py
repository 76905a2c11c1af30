"""Sessions without a log in the list on the screen, by the history of their client."""

import json
import time

import pytest

from tests.cli.conftest import FIRST, SECOND, CommandLine
from tests.cli.test_attention import Live
from tests.cli.test_screens import leave, terminal


@pytest.mark.slow
def test_a_filter_lists_deleted_sessions_with_their_prompts(agentview: CommandLine):
    Live(agentview, FIRST, "/home/dev/here").end()
    prompts = [
        {"display": text, "timestamp": (time.time() - 90_000) * 1000, "project": "/home/dev/zoo",
         "sessionId": session}
        for session, text in (
            (SECOND, "Buy a zebra"), (SECOND, "Sell the \x1b[2Jlion"), (FIRST, "Known by its log"),
        )
    ]  # fmt: skip
    history = agentview.home / ".claude" / "history.jsonl"
    history.write_text("".join(f"{json.dumps(prompt)}\n" for prompt in prompts))
    with terminal(agentview, columns=150, rows=40) as screen:
        screen.wait_for("dev/here")
        screen.press("2")
        assert "zebra" not in screen.text
        screen.press("/is:deleted\r")
        screen.wait_for("deleted, 2 prompts kept: Buy a zebra")
        screen.wait_for("dev/zoo")
        screen.wait_for("Sell the ␛[2Jlion")
        assert "dev/here" not in screen.text
        screen.press("\r")
        screen.wait_for("its log is deleted: the preview has the prompts that are kept")
        screen.press("\x1b")
        screen.wait_for("dev/here")
        screen.wait_for(lambda text: "zebra" not in text)
        leave(screen)
