"""What is said of formats: docs/formats.md says what the code says, and that is not made up."""

import re
from datetime import date
from pathlib import Path

import pytest

from agentview.facts.accounting.log_report import account_log
from agentview.facts.accounting.outcome import RecordOutcome, label, meaning
from agentview.facts.accounting.versions import in_order, seen, unseen, version_key
from agentview.providers import load_evidence, load_provider, recognise
from agentview.providers.base import HEAD_BYTES, Evidence
from agentview.providers.folders import (
    declared_roots,
    first_places,
    own_packages,
    place_lines,
)
from agentview.providers.other_clients import table
from agentview.system.paths import sample_sessions_dir
from docs.formats import TARGET, page, versions_read


def evidence(name: str) -> Evidence:
    found = load_evidence(name)
    assert found is not None
    return found


def rows() -> dict[str, list[str]]:
    """Cells of the table by provider."""
    text = TARGET.read_text().partition("| client |")[0]
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first: rest for first, *rest in cells[1:]}


def test_the_page_is_what_the_code_says():
    assert TARGET.read_text() == page(), "run: python -m docs.formats"


def test_the_table_has_every_provider_with_its_versions_and_the_day():
    found = rows()
    assert list(found) == [load_provider(name).label for name in own_packages()]
    for name in own_packages():
        known = evidence(name)
        recorded, read, stated, compared = found[load_provider(name).label]
        assert recorded == (", ".join(known.verified_versions) or "–")
        assert read == versions_read(known)
        assert stated == ("yes" if known.versioned else "no")
        assert compared == (known.verified_on or "never")


def test_other_clients_are_looked_for_where_they_write():
    listed: dict[str, str] = {}
    env = {"HOME": "/home/user"}
    for name in own_packages():
        for client in evidence(name).writers:
            assert client.folders
            lines = [line for folder in client.folders for line in place_lines(folder)]
            places = {place for line in lines for place in first_places(line, env)}
            assert places <= set(declared_roots(name, env) or ()), client.name
            assert re.fullmatch(r"[A-Z].*\.", client.source)
            listed[client.name] = (
                f"| {client.name} | {load_provider(name).label} | {client.source} |"
            )
    assert len(listed) >= 16
    lines = TARGET.read_text().splitlines()
    assert [line for line in listed.values() if line not in lines] == []
    # What is read is not named as not read.
    assert not {client.casefold() for client in listed} & {row[1].casefold() for row in table()}


@pytest.mark.parametrize("name", own_packages())
def test_evidence_holds_together(name: str):
    known = evidence(name)
    # Only what a real client wrote can have been compared with.
    assert (known.verified_on is None) == (not known.verified_versions)
    if known.verified_on is not None:
        assert date.fromisoformat(known.verified_on).isoformat() == known.verified_on
    assert list(known.seen_versions) == in_order(known.seen_versions)
    assert not set(known.seen_versions) & set(known.verified_versions)
    assert known.sources
    for sentence in (*known.sources, *known.guesses, *known.gaps):
        assert re.fullmatch(r"[A-Z].*\.", sentence)
    text = " ".join(TARGET.read_text().split())
    assert all(sentence in text for sentence in (*known.sources, *known.guesses, *known.gaps))


@pytest.mark.parametrize("name", own_packages())
def test_no_sample_is_of_a_version_that_nobody_has_seen(name: str):
    stated: set[str] = set()
    files = sorted((sample_sessions_dir() / name).rglob("*"))
    for path in files:
        if path.is_file() and recognise(path.read_bytes()[:HEAD_BYTES], path):
            versions = account_log(load_provider(name).discovery.ref(path)).versions
            stated |= {version for version in versions if version is not None}
    known = evidence(name)
    assert unseen(known, stated) == []
    if known.versioned:
        assert stated & set(known.verified_versions)


def test_versions_are_ordered_by_their_numbers():
    assert in_order(["2.1.10", "2.1.9", "0.140.0", "0.140.0-alpha.19", "0.140.0-alpha.2"]) == [
        "0.140.0-alpha.2",
        "0.140.0-alpha.19",
        "0.140.0",
        "2.1.9",
        "2.1.10",
    ]
    assert version_key("[trimmed]") < version_key("0.0.1")


def test_only_what_is_newer_than_all_is_unseen():
    known = Evidence(verified_versions=("1.2.0",), seen_versions=("1.0.0", "1.1.0"))
    assert seen(known) == ["1.0.0", "1.1.0", "1.2.0"]
    assert unseen(known, ["1.1.5", "1.2.0", "1.10.0", "1.2.1", "made up"]) == ["1.2.1", "1.10.0"]
    assert unseen(None, ["1.0"]) == []
    assert unseen(Evidence(verified_versions=("1.0",), versioned=False), ["2.0"]) == []
    assert unseen(Evidence(), ["2.0"]) == []


def test_the_page_is_written_where_it_is_read():
    assert Path(__file__).parents[1] / "docs" / "formats.md" == TARGET


def test_the_page_on_the_doctor_has_every_fate():
    page_on_doctor = TARGET.with_name("doctor.md").read_text()
    rows_of_fates = [
        f"| {label(fate)} | `{fate.value}` | {meaning(fate)} |" for fate in RecordOutcome
    ]
    assert "\n".join(rows_of_fates) in page_on_doctor
