"""Fixtures: which examples are chosen, what a comparison says, and which files are read."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from agentview.drift.fixtures import (
    Allowlist,
    Fixtures,
    allowlist_of,
    baseline_of,
    collect,
    compare,
    fixtures_of,
    from_text,
    read_allowlist,
    to_text,
)
from agentview.drift.trace import to_line
from agentview.drift.trace_session import read_entries
from agentview.errors import AgentViewError, NotFound, Unreadable
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write

SAMPLES = sample_sessions_dir()
CALL = "log/claude_code/tool-call/Bash"
RESULT = "log/claude_code/tool-result/Bash"


def _log(path: Path, *calls: dict[str, Any], failed: bool = False) -> Path:
    log = ClaudeLog()
    records = [log.prompt("Go")]
    for number, arguments in enumerate(calls):
        records.append(log.call(f"t{number}", "Bash", **arguments))
        records.append(log.result(f"t{number}", "out", is_error=failed and number == 0))
    return write(path, records)


def _fixtures(*paths: Path, count: int = 3) -> Fixtures:
    return fixtures_of(collect(read_entries(paths), Allowlist()), count)


def test_the_smallest_of_each_shape_is_an_example(tmp_path: Path) -> None:
    path = _log(
        tmp_path / "a.jsonl",
        {"command": "a rather long command"},
        {"command": "ls"},
        {"command": "ls", "timeout": 5},
        {"command": "pwd", "timeout": 7},
    )
    chosen = _fixtures(path).examples[CALL]
    found = [example["raw"]["message"]["content"][0]["input"] for example in _raws(chosen)]
    assert found == [{"command": "ls"}, {"command": "ls", "timeout": 5}]
    assert len(_fixtures(path, count=1).examples[CALL]) == 1


def _raws(examples: list[dict[str, object]]) -> list[dict[str, Any]]:
    return [dict(example) for example in examples]


def test_there_is_an_example_of_each_outcome(tmp_path: Path) -> None:
    path = _log(tmp_path / "a.jsonl", {"command": "false"}, {"command": "ls"}, failed=True)
    states = [each["normalized"]["state"] for each in _raws(_fixtures(path).examples[RESULT])]
    assert states == ["output-available", "output-error"]


def test_neither_order_nor_repetition_matters(tmp_path: Path) -> None:
    paths = [
        _log(tmp_path / "a.jsonl", {"command": "ls"}),
        _log(tmp_path / "b.jsonl", {"command": "ls", "timeout": 1}),
        SAMPLES / "codex" / "denied.jsonl",
    ]
    entries = [*read_entries(paths)]
    wanted = to_text(fixtures_of(collect(entries, Allowlist())))
    for seed in range(5):
        shuffled = [*entries, *entries[:5]]
        random.Random(seed).shuffle(shuffled)  # noqa: S311  (any order will do)
        assert to_text(fixtures_of(collect(shuffled, Allowlist()))) == wanted


def test_an_example_stands_alone(tmp_path: Path) -> None:
    """A result holds the record of its call, so that it can be read without the log."""
    path = _log(tmp_path / "a.jsonl", {"command": "ls"})
    (example,) = _raws(_fixtures(path).examples[RESULT])
    assert example["call"]["message"]["content"][0]["input"] == {"command": "ls"}
    assert example["normalized"]["canonical_name"] == "Bash"


@pytest.mark.slow
def test_the_file_gives_the_fixtures_back(tmp_path: Path) -> None:
    fixtures = _fixtures(SAMPLES / "codex" / "denied.jsonl")
    assert from_text(to_text(fixtures)) == fixtures
    baseline = baseline_of(collect(read_entries([SAMPLES / "codex"]), Allowlist()))
    assert from_text(to_text(baseline)) == baseline
    assert '"examples"' not in to_text(baseline)


@pytest.mark.parametrize("text", ["", "[]", '{"v": 2}', '{"v": 1}', '{"v": 1, "shapes": {"a": 3}}'])
def test_what_is_no_file_of_fixtures_is_refused(text: str) -> None:
    with pytest.raises(AgentViewError, match="not a file of fixtures"):
        from_text(text)


@pytest.mark.slow
def test_what_they_were_made_of_does_not_differ_from_them() -> None:
    for provider in ("codex", "acp"):
        collection = collect(read_entries([SAMPLES / provider]), Allowlist())
        found = compare(from_text(to_text(fixtures_of(collection, 1))), collection, Allowlist())
        assert not found.fails(strict=True)


def test_only_what_came_the_same_way_from_the_same_provider_can_be_missing(tmp_path: Path) -> None:
    expected = _fixtures(SAMPLES / "codex" / "denied.jsonl", _log(tmp_path / "a.jsonl", {"n": 1}))
    came = collect(read_entries([tmp_path / "a.jsonl"]), Allowlist())
    assert compare(expected, came, Allowlist()).missing == ()
    assert compare(expected, collect([], Allowlist()), Allowlist()).missing == ()


def test_arguments_that_are_text_in_the_record_have_a_shape_of_their_own() -> None:
    fixtures = _fixtures(SAMPLES / "codex" / "denied.jsonl")
    parts = next(
        parts for key, parts in fixtures.shapes.items() if key.endswith("tool-call/exec_command")
    )
    assert set(parts) == {"args", "raw"}


def test_happiers_fixtures_are_read_by_their_own_keys() -> None:
    file = SAMPLES / "happier" / "fixtures.json"
    keys = json.loads(file.read_text())["examples"].keys()
    found = [*read_entries([file])]
    assert {key for key, _ in found} == set(keys)
    assert all(entry["provider"] == "happier" for _, entry in found)
    assert _fixtures(file).examples.keys() == set(keys)


@pytest.mark.slow
def test_traces_logs_fixtures_and_folders_are_read(tmp_path: Path) -> None:
    log = SAMPLES / "codex" / "denied.jsonl"
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(b"".join(to_line(entry) for _, entry in read_entries([log])))
    keys = {key for key, _ in read_entries([log])}
    fixtures = tmp_path / "f.json"
    fixtures.write_text(to_text(_fixtures(log)))
    assert {key for key, _ in read_entries([trace])} == keys
    assert {key for key, _ in read_entries([fixtures])} == keys
    assert {key for key, _ in read_entries([SAMPLES / "codex"])} > keys
    assert to_text(_fixtures(trace)) == to_text(_fixtures(log))


def test_a_file_that_is_none_of_these_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"No such file: .*gone"):
        list(read_entries([tmp_path / "gone.jsonl"]))
    torn = tmp_path / "torn.jsonl"
    torn.write_text('{"key": "a/b/c/d", "raw": {}}\n{"key"\n')
    assert [key for key, _ in read_entries([torn])] == ["a/b/c/d"]
    torn.write_text('{"key": "a/b/c/d", "raw": {}}\n{"key": "a/b/c/d"}\n')
    with pytest.raises(Unreadable, match="Line 2"):
        list(read_entries([torn]))
    other = tmp_path / "other.json"
    other.write_text('{"examples": {"a": [{"what": "ever"}]}}')
    with pytest.raises(Unreadable, match="nothing knows"):
        list(read_entries([other]))
    noise = tmp_path / "noise.txt"
    noise.write_text("just words\n")
    with pytest.raises(Unreadable, match="not a session log"):
        list(read_entries([noise]))


def test_the_allowlist() -> None:
    allowed = allowlist_of("# remark\nlog/a/tool-*/Read\n\nlog/b/*/x  # more\n")
    assert allowed.allows("log/a/tool-call/Read")
    assert allowed.allows("log/a/tool-result/Read")
    assert allowed.allows("log/b/anything/x")
    assert not allowed.allows("log/a/tool-call/Reader")
    assert not allowed.allows("log/a/tool/call/Read")
    assert not allowlist_of("").allows("log/a/tool-call/Read")
    assert Allowlist(provider="a").allows("log/a/tool-call/Read")
    assert not Allowlist(provider="b").allows("log/a/tool-call/Read")


def test_an_allowlist_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_allowlist(tmp_path / "none.txt")
    with pytest.raises(Unreadable):
        read_allowlist(tmp_path)
