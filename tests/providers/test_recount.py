"""The calls of all samples, against a count by the shapes of JSON that knows no provider."""

from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.providers import load_provider, provider_names
from agentview.system.paths import sample_sessions_dir
from tests.providers.recount import Recount, main, recounts
from tests.samples import all_samples

EXACT = (
    "amp", "atif", "cline", "continue_cli", "droid", "hermes", "iflow", "inspect_ai", "kilo",
    "kimi_code", "opencode", "opencode_output", "openhands", "pi", "qwen_code", "vibe_2",
)  # fmt: skip
"""Whose calls all have a form that others have too; of the rest some are texts or lack ids."""
OTHER_IDS = {
    "openhands_events": "an answer names the number of an event, not the id that the model gave",
    "swe_agent": "the same id is on several calls, so that their places are added to it",
    "vibe": "the model's calls are known by the effects that they have",
}


def found_in(name: str) -> list[Recount]:
    place = sample_sessions_dir() / name
    provider = load_provider(name)
    refs: dict[str, SessionRef] = {ref.path: ref for ref in provider.scan(place)}
    for sample in all_samples():
        if sample.provider.name == name and not refs:
            ref = provider.discovery.ref(sample.path)
            refs[ref.path] = ref
    return list(recounts(list(refs.values())))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(provider_names()) - set(OTHER_IDS)))
def test_no_call_is_left_out(name: str):
    found = found_in(name)
    assert found
    missing = {each.file: each.counted - each.shown for each in found}
    assert {file: calls for file, calls in missing.items() if calls} == {}


@pytest.mark.parametrize("name", EXACT)
def test_no_call_is_made_up(name: str):
    found = found_in(name)
    assert any(each.counted for each in found)
    more = {each.file: each.shown - each.counted for each in found}
    assert {file: calls for file, calls in more.items() if calls} == {}


def test_logs_of_a_home_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / ".iflow" / "projects" / "-home-dev-harbour"
    folder.mkdir(parents=True)
    data = (sample_sessions_dir() / "iflow" / "demo.jsonl").read_bytes()
    (folder / "session-1.jsonl").write_bytes(data)
    main([str(tmp_path)])
    assert capsys.readouterr().out.split() == ["iflow", "1", "files", "9", "shown", "9", "counted"]
