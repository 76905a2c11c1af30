"""Baselines against the sample sessions, which are of the same scenarios, cut short.

Where no sample session is of a scenario, an excerpt of its run lies beside the baseline.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.drift.fixtures import (
    Allowlist,
    Collection,
    Fixtures,
    baseline_of,
    collect,
    compare,
    from_text,
    to_text,
)
from agentview.drift.trace_session import read_entries
from agentview.system.paths import sample_sessions_dir
from tests.baselines import FOLDER, baseline_files

SAMPLES: dict[str, dict[str, tuple[str, ...]]] = {
    "claude_code": {
        "classic": ("classic.jsonl",),
        "compact": ("compaction.jsonl",),
        "denied": ("denied.jsonl",),
        "errors": (),
        "image": ("image.jsonl",),
        "tools": ("agents/5755424c-1dd3-485a-8ab3-106dad8b104b.jsonl",),
    },
    "codex": {
        "agents1": ("agents",),
        "codemode": ("code_mode",),
        "compact": ("compaction.jsonl",),
        "denied": ("denied.jsonl",),
        "errors": ("errors.jsonl",),
        "image": ("image.jsonl",),
        "tools": (),
    },
    "gemini_cli": {
        "compact": (),
        "denied": ("denied.jsonl",),
        "errors": ("errors.jsonl",),
        "image": ("image.jsonl",),
        "tools": ("agents",),
    },
    "qwen_code": {
        "compact": (),
        "denied": ("denied.jsonl",),
        "errors": ("errors.jsonl",),
        "image": ("image.jsonl",),
        "tools": ("agents",),
    },
}
"""Sample sessions that are excerpts of the run that a baseline was recorded from; without any, the
file beside the baseline is one."""

FILES = [pytest.param(path, id=str(path.relative_to(FOLDER))) for path in baseline_files()]

CHECK = ("dev", "baselines", "check", "--folder", str(FOLDER))


def _collected(provider: str, scenario: str) -> Collection:
    folder = sample_sessions_dir() / provider
    samples = [folder / name for name in SAMPLES[provider][scenario]]
    paths = samples or [FOLDER / provider / f"{scenario}.jsonl"]
    return collect(read_entries(paths, provider), Allowlist(provider=provider))


@pytest.mark.parametrize("path", FILES)
def test_what_the_samples_show_is_as_the_baseline_says(path: Path) -> None:
    """A key or shape that the baseline does not have would be drift of the code that reads it."""
    found = compare(
        from_text(path.read_text()), _collected(path.parent.name, path.stem), Allowlist()
    )
    assert found.unexpected == ()
    assert {key: [str(each) for each in changes] for key, changes in found.changed.items()} == {}


@pytest.mark.parametrize("path", FILES)
def test_a_baseline_has_keys_of_its_provider_alone_and_no_values(path: Path) -> None:
    baseline = from_text(path.read_text())
    assert baseline.shapes
    assert {key.split("/")[1] for key in baseline.shapes} == {path.parent.name}
    assert not baseline.examples
    assert "/home/" not in path.read_text()
    assert to_text(baseline) == path.read_text()


@pytest.mark.slow
def test_all_baselines_and_samples_are_compared() -> None:
    for provider, scenarios in SAMPLES.items():
        for scenario in scenarios:
            assert _collected(provider, scenario).shapes
    assert {(path.parent.name, path.stem) for path in baseline_files()} == {
        (provider, scenario) for provider, each in SAMPLES.items() for scenario in each
    }


@pytest.fixture
def baseline() -> Fixtures:
    return from_text((FOLDER / "codex" / "denied.json").read_text())


def _without(collection: Collection, keys: Iterator[str]) -> Collection:
    for key in keys:
        del collection.shapes[key]
    return collection


def test_a_key_that_does_not_come_fails(baseline: Fixtures) -> None:
    collection = _collected("codex", "denied")
    gone = min(collection.shapes)
    found = compare(baseline, _without(collection, iter([gone])), Allowlist())
    assert found.missing == (gone,)
    assert found.fails(strict=False)


def test_another_key_fails_only_when_strict(baseline: Fixtures) -> None:
    collection = _collected("codex", "denied")
    collection.shapes["log/codex/tool-call/brand_new"] = {}
    found = compare(baseline, collection, Allowlist())
    assert found.unexpected == ("log/codex/tool-call/brand_new",)
    assert not found.fails(strict=False)
    assert found.fails(strict=True)


@pytest.mark.slow
def test_recording_anew_writes_what_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "tests" / "baselines"
    home = str(sample_sessions_dir())
    options = ["--scenario", "denied", "--folder", str(folder)]
    assert main(["dev", "baselines", "build", "codex", home, *options]) == 0
    written = tmp_path / "tests" / "baselines" / "codex" / "denied.json"
    assert written.read_text() == to_text(baseline_of(_collected("codex", "denied")))
    assert json.loads(written.read_text())["v"] == 1
    assert "codex/denied.json" in capsys.readouterr().out
    assert [path.name for path in written.parent.iterdir()] == ["denied.json"]


def test_a_home_without_logs_of_the_provider_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*CHECK, "codex", str(tmp_path)]) == 1
    assert "No log of a scripted run" in capsys.readouterr().err
    assert main([*CHECK, "nobody", str(tmp_path)]) == 2


def test_a_run_is_checked_against_all_baselines_of_its_scenarios(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "rollout.jsonl"
    recorded = (sample_sessions_dir() / "codex" / "denied.jsonl").read_bytes()
    log.write_bytes(recorded)
    main([*CHECK, "codex", str(tmp_path)])
    assert "changed" not in capfd.readouterr().out
    log.write_bytes(recorded.replace(b'"name":"exec_command"', b'"name":"execute"'))
    assert main([*CHECK, "codex", str(tmp_path)]) == 1
    told = capfd.readouterr().out
    assert told.startswith("codex denied\n")
    assert "missing: log/codex/tool-call/exec_command\n" in told
    assert "unexpected: log/codex/tool-call/execute\n" in told
