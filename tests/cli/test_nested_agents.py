"""Agents that start agents: every command reads all levels, where `children` gives one as well."""

import json
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.providers.opencode.store import SESSION, Store
from tests.redaction.planted import VENDORS

LEVELS = 7
TOKEN, SECRET = VENDORS["GitHub"]


def own(level: int) -> str:
    return SESSION if level == 0 else f"ses_level{level}"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A session of a database, whose client gives the agents of one session at a time.

    The last agent is started by no call that the logs have.
    """
    store = Store(tmp_path / "opencode.db")
    for level in range(LEVELS + 1):
        session = own(level)
        store.session(session, own(level - 1) if level else None, f"Level {level}")
        store.message(f"msg_{level}a", "user", session)
        text = f"Level {level} has GITHUB_TOKEN={TOKEN}"
        store.part(f"prt_{level}a", f"msg_{level}a", session, type="text", text=text)
        tokens = {"input": 100, "output": 10, "reasoning": 0, "cache": {"read": 0, "write": 0}}
        store.message(f"msg_{level}b", "assistant", session, modelID="model-1", tokens=tokens)
        store.part(f"prt_{level}t", f"msg_{level}b", session, type="text", text=f"At {level}.")
        if level < LEVELS - 1:
            state = {
                "status": "completed",
                "input": {"description": f"Go to {level + 1}", "prompt": "Deeper."},
                "output": "Done.",
                "metadata": {"sessionId": own(level + 1)},
            }
            call = {"type": "tool", "tool": "task", "callID": f"call_{level}", "state": state}
            store.part(f"prt_{level}b", f"msg_{level}b", session, **call)
    store.close()
    return store.log()


@pytest.mark.slow
def test_secrets_of_all_levels_are_listed(agentview: CommandLine, log: Path) -> None:
    done = agentview("secrets", "--json", str(log))
    found = json.loads(done.stdout)
    assert found["logs"] == LEVELS + 1
    assert {each["session"] for each in found["secrets"]} == set(map(own, range(LEVELS + 1)))
    assert SECRET not in done.stdout
    below = json.loads(agentview("secrets", "--json", str(log.parent / own(3))).stdout)
    assert below["logs"] == LEVELS - 2, "an agent's own agents belong to it"
    every = json.loads(agentview("secrets", "--json", str(log.parent)).stdout)
    assert every["logs"] == LEVELS + 1


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "json"])
def test_an_export_has_all_levels(agentview: CommandLine, log: Path, form: str) -> None:
    done = agentview("export", str(log), "--format", form)
    assert done.returncode == 0
    for level in range(LEVELS + 1):
        text = f"<p>At {level}.</p>" if form == "html" else f'"At {level}."'
        assert done.stdout.count(text) == 1
    assert SECRET not in done.stdout
    if form == "html":
        assert done.stdout.count('<details class="agent">') == LEVELS


@pytest.mark.slow
def test_a_part_of_an_export_has_the_agents_of_its_calls_at_all_levels(
    agentview: CommandLine, log: Path
) -> None:
    done = agentview("export", str(log), "--format", "json", "--only", "tool")
    texts = {line.get("text") for line in json.loads(done.stdout)["events"]}
    assert {f"At {level}." for level in range(1, LEVELS)} <= texts
    assert "At 0." not in texts


@pytest.mark.slow
def test_all_else_that_reads_a_session_has_all_levels(
    agentview: CommandLine, log: Path, tmp_path: Path
) -> None:
    lines = [json.loads(line) for line in agentview.ok("events", str(log)).splitlines()]
    assert {line["text"] for line in lines if line.get("text", "").startswith("At ")} == {
        f"At {level}." for level in range(LEVELS + 1)
    }
    stats = json.loads(agentview.ok("stats", "--json", str(log)))
    assert stats["agents"] == LEVELS
    assert stats["total"]["output"] == 10 * (LEVELS + 1)
    agentview.env["AGENTVIEW_DATA_DIR"] = str(tmp_path / "data")
    agentview.ok("archive", str(log))
    (manifest,) = (tmp_path / "data").rglob("manifest.json")
    assert len(json.loads(manifest.read_bytes())["logs"]) == LEVELS + 1


@pytest.mark.slow
def test_agents_of_a_sample_are_on_its_page_once(agentview: CommandLine) -> None:
    sample = sample_sessions_dir() / "claude_code" / "agents"
    (log,) = sample.glob("*.jsonl")
    done = agentview("export", str(log), "--format", "html")
    assert done.stdout.count('<details class="agent">') == len(list(sample.rglob("agent-*.jsonl")))
