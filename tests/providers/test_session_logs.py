"""The logs of a session: its own and those of its agents."""

from pathlib import Path

from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.system.paths import sample_sessions_dir

SAMPLES = sample_sessions_dir() / "claude_code"
SESSION = "5755424c-1dd3-485a-8ab3-106dad8b104b.jsonl"


def test_agents_of_agents_belong_to_a_session():
    discovery = load_provider("claude_code").discovery
    ref = discovery.ref(SAMPLES / "agents" / SESSION)
    paths = [Path(each.path) for each in session_logs(discovery, ref)]
    assert paths[0] == Path(ref.path)
    logs = sorted((SAMPLES / "agents").rglob("agent-*.jsonl"))
    assert sorted(paths[1:]) == logs
    assert len(logs) == 4
