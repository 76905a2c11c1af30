"""The terminal client's own session log: prompts, reports of the agent, and what is neither."""

from pathlib import Path

from agentview.domain.content import ImageBlock
from agentview.domain.events import Hidden, Message, Reasoning, Unparsed, User
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolKind
from agentview.providers import load_provider, recognise
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

LOG = sample_sessions_dir() / "codex" / "terminal.jsonl"
CODEX = load_provider("codex")


def test_each_line_is_recognised_by_itself():
    for line in LOG.read_bytes().splitlines():
        assert recognise(line + b"\n", Path("unnamed")) is CODEX


def test_prompts_reports_and_calls_are_shown_once():
    store = joined(CODEX, LOG)
    bodies = [activity.body for activity in shown(store)]
    prompts = [body for body in bodies if isinstance(body, User)]
    assert [body.text for body in prompts] == ["Does the total include tax?", "Add it."]
    assert any(isinstance(block, ImageBlock) for block in prompts[1].blocks)
    assert [body.text for body in bodies if isinstance(body, Message)] == ["No, it does not."]
    assert sum(isinstance(body, Reasoning) for body in bodies) == 1
    (call,) = calls(store).values()
    assert call.kind is ToolKind.SHELL
    assert isinstance(call.result, ShellResult)
    assert (call.ok, call.result.exit_code) == (True, 0)


def test_times_and_settings_are_those_of_the_lines():
    info = CODEX.discovery.info(CODEX.discovery.ref(LOG), CODEX.decode)
    assert (info.project, info.model) == ("/home/dev/shop", "gpt-5-codex")
    assert info.started is not None
    assert info.started > 1_790_000_000


def test_only_a_kind_that_is_not_known_is_unknown():
    store = joined(CODEX, LOG)
    bodies = [store.event(row).body for row in range(store.first, store.end)]
    unknown = [body.record_type for body in bodies if isinstance(body, Unparsed)]
    assert unknown == ["new_mark_of_a_newer_client"]
    assert any(isinstance(body, Hidden) for body in bodies)
