"""`agentview providers`, and the clients that `doctor` and `ls` name as not read."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.providers import load_evidence, provider_names
from tests.cli.conftest import CommandLine


@pytest.mark.slow
def test_every_format_is_listed_with_its_basis(agentview: CommandLine):
    found: list[dict[str, Any]] = json.loads(agentview.ok("providers", "--json"))
    assert [each["name"] for each in found] == list(provider_names())
    for each in found:
        evidence = load_evidence(each["name"])
        assert evidence is not None
        assert each["guesses"] == list(evidence.guesses)
        assert each["verified_versions"] or each["basis"] != "measured"
    bases = {each["name"]: each["basis"] for each in found}
    assert (bases["claude_code"], bases["cline_tasks"], bases["amp"]) == (
        "measured",
        "public logs",
        "guess",
    )
    abilities = {each["name"]: each["capabilities"] for each in found}
    assert abilities["aider"] == ["resume", "usage", "reasoning"]
    assert abilities["happier"] == []
    lines = agentview.ok("providers").splitlines()
    others = lines.index("other clients that write these formats")
    assert len(lines[:others]) == len(found) + 2
    written = {each["name"]: each["writers"] for each in found}
    assert {"Qoder", "Claude Cowork"} <= {each["name"] for each in written["claude_code"]}
    assert len(lines[others + 1 :]) == sum(map(len, written.values()))


@pytest.mark.slow
def test_one_format_is_shown_in_full(agentview: CommandLine):
    text = agentview.ok("providers", "amp")
    assert "Amp: guesses" in text
    assert "no genuine thread was read" in text
    assert "Amp: what the client can do, and its logs have" in text
    assert "resume, usage, images, reasoning" in text
    done = agentview("providers", "nothing")
    assert done.returncode == 2
    assert "Unknown provider: nothing." in done.stderr


@pytest.mark.slow
def test_a_client_that_is_not_read_is_named(agentview: CommandLine):
    place = Path(agentview.home) / ".junie" / "sessions"
    place.mkdir(parents=True)
    told: dict[str, Any] = json.loads(agentview.ok("doctor", "--json"))
    assert told["clients_not_read"] == [{"name": "Junie", "program": None, "places": [str(place)]}]
    assert "Junie  not read  ~/.junie/sessions" in agentview.ok("doctor")
