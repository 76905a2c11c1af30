"""What waits for a person under an id that an earlier call had: open in the list and in the log."""

from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolCall, ToolState
from agentview.providers import load_provider
from tests.claude_log import ClaudeLog, write
from tests.providers.joined_log import joined, shown


def _question(text: str) -> dict[str, Any]:
    options = [{"label": each, "description": each} for each in ("Yes", "No")]
    return {"questions": [{"question": text, "header": "H", "options": options}]}


REQUESTS: list[tuple[str, dict[str, Any], str, SessionState]] = [
    ("AskUserQuestion", _question("Which port?"), "Which port?", SessionState.NEEDS_ANSWER),
    ("ExitPlanMode", {"plan": "Use port 8080"}, "Use port 8080", SessionState.NEEDS_APPROVAL),
]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(("name", "asked", "about", "state"), REQUESTS)
def test_a_request_with_a_used_id_is_open(
    name: str,
    asked: dict[str, Any],
    about: str,
    state: SessionState,
    backward: bool,
    tmp_path: Path,
):
    log = ClaudeLog()
    first = [
        log.prompt("Begin"),
        log.call("ask:0", "AskUserQuestion", **_question("Shall it begin?")),
        log.result("ask:0", "Yes", {"questions": [], "answers": {"Shall it begin?": "Yes"}}),
        log.call("ask:0", "Bash", command="echo 1"),
        log.result("ask:0", "1"),
        log.text("It has begun.", stop="end_turn"),
    ]
    path = write(
        tmp_path / "log.jsonl", [*first, log.prompt("Go on"), log.call("ask:0", name, **asked)]
    )
    provider = load_provider("claude_code")
    status = provider.info(provider.discovery.ref(path)).status
    store = joined(provider, path, backward=backward)
    for each in (status, store.log_status()):
        assert (each.state, each.about) == (state, about)
    bodies = [activity.body for activity in shown(store)]
    calls = [body for body in bodies if isinstance(body, ToolCall)]
    assert [call.state for call in calls] == [
        ToolState.OUTPUT_AVAILABLE,
        ToolState.OUTPUT_AVAILABLE,
        ToolState.INPUT_AVAILABLE,
    ]
    assert (calls[-1].provider_name, calls[-1].args) == (name, asked)
