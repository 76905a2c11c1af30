"""What `openclaw agent --json` prints: the run that the database of the same session has."""

import json
from pathlib import Path

import pytest

from agentview.domain.events import Event, Level, Message, Notification, Topic, User
from agentview.providers import load_provider, recognise
from agentview.providers.pi.openclaw_output import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined, shown, texts

SAMPLES = sample_sessions_dir() / "openclaw_output"
FILES = sorted(SAMPLES.iterdir())


def _events(path: Path) -> list[Event]:
    return [event for activity in shown(joined(PROVIDER, path)) for event in activity.events]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_run_shows_its_prompt_its_answers_and_its_end(path: Path):
    printed = json.loads(path.read_text())
    answers = [each["text"] for each in printed["payloads"]]
    bodies = [event.body for event in _events(path)]
    assert isinstance(bodies[0], User)
    assert bodies[0].text == printed["meta"]["finalPromptText"]
    assert [body.text for body in bodies[1:-1] if isinstance(body, Message | Notification)] == (
        answers
    )
    end = bodies[-1]
    assert isinstance(end, Notification)
    assert f"Calls: {printed['meta']['toolSummary']['calls']}," in (end.detail or "")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_tokens_and_cost_are_those_of_the_whole_run(path: Path):
    counted = json.loads(path.read_text())["meta"]["agentMeta"]
    summary = joined(PROVIDER, path).summary
    assert summary.usage.input_uncached == counted["usage"]["input"]
    assert summary.usage.input_cached == counted["usage"]["cacheRead"]
    assert summary.usage.output == counted["usage"]["output"]
    assert summary.cost is not None
    assert round(summary.cost, 9) == round(counted["costUsd"], 9)


def test_a_failed_run_says_what_failed():
    bodies = [event.body for event in _events(SAMPLES / "errors.json")]
    failed = [body for body in bodies if isinstance(body, Notification)]
    assert [body.level for body in failed] == [Level.ERROR, Level.ERROR]
    assert failed[-1].text == "400 mock error"


def test_a_session_has_its_id_model_and_folder():
    ref = PROVIDER.discovery.ref(SAMPLES / "demo.json")
    info = PROVIDER.info(ref)
    assert (ref.session_id, info.model) == ("mock1", "mock-model")
    assert info.project == "/home/dev/ws/run/openclaw/tools/repo"


def test_what_a_gateway_prints_around_a_run_is_left_aside(tmp_path: Path):
    printed = json.loads((SAMPLES / "demo.json").read_text())
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"runId": "r1", "status": "ok", "result": printed}))
    found = recognise(path.read_bytes(), Path("unnamed"))
    assert found is load_provider(PROVIDER.name)
    assert texts(joined(PROVIDER, path)) == texts(joined(PROVIDER, SAMPLES / "demo.json"))


def test_a_stopped_run_was_interrupted_and_media_are_named(tmp_path: Path):
    printed = json.loads((SAMPLES / "demo.json").read_text())
    printed["meta"]["aborted"] = True
    printed["payloads"] = [{"text": None, "mediaUrl": "https://example.org/quay.png"}, {"text": ""}]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(printed))
    bodies = [event.body for event in _events(path)]
    assert [len(body.blocks) for body in bodies if isinstance(body, Message)] == [1]
    end = bodies[-1]
    assert isinstance(end, Notification)
    assert end.topic is Topic.INTERRUPT
