"""A census: what it counts, what it says of two versions, and its form as a baseline."""

import json
from collections import Counter
from pathlib import Path

import pytest

from agentview.drift.call_records import decode_value
from agentview.drift.inventory_diff import (
    DiffSection,
    Finding,
    compare,
    compare_versions,
    compare_work,
)
from agentview.drift.inventory_json import census_form, census_of
from agentview.drift.log_files import logs_below
from agentview.drift.schema_diff import Difference
from agentview.drift.schema_inventory import (
    MCP,
    SchemaInventory,
    ToolStats,
    all_versions,
    is_unread,
    only_version,
    pointer_pattern,
    take_census,
    without,
)
from agentview.drift.schema_json import to_form
from agentview.errors import AgentViewError
from agentview.facts.accounting.record_types import parse, record_type
from agentview.providers import load_provider, provider_names
from agentview.providers.base import RecordTypeKeys
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write

SAMPLES = sample_sessions_dir()


def _census(*paths: Path) -> SchemaInventory:
    return take_census(logs_below(paths))


def _log(path: Path, *records: bytes, version: str = "2.1.329") -> Path:
    return write(path, [record.replace(b"2.1.329", version.encode()) for record in records])


@pytest.fixture(scope="module")
def samples() -> SchemaInventory:
    return _census(SAMPLES)


@pytest.mark.slow
def test_all_providers_are_counted(samples: SchemaInventory) -> None:
    assert set(samples.providers) == set(provider_names())
    assert samples.unreadable == []


def test_every_record_is_of_one_type() -> None:
    log = SAMPLES / "claude_code" / "tools.jsonl"
    census = _census(log)
    lines = [line for line in log.read_bytes().splitlines() if line.strip()]
    counted = all_versions(census.providers["claude_code"]).record_count
    assert counted == len(lines)


def test_arguments_and_results_are_counted_with_the_tool(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = _log(
        tmp_path / "a.jsonl",
        log.call("t1", "Bash", command="ls", timeout=5),
        log.result("t1", "a.py", {"stdout": "a.py", "code": 0}),
        log.call("t2", "Bash", command="ls", brand_new=[1]),
    )
    seen = _census(path).providers["claude_code"]["2.1.329"]
    bash = seen.tools["Bash"]
    assert (bash.kind, bash.arguments.count, bash.result.count) == ("shell", 2, 1)
    assert to_form(bash.arguments.shape) == {
        "brand_new?": ["number"],
        "command": "string",
        "timeout?": "number",
    }
    assert to_form(bash.result.shape) == {"code": "number", "stdout": "string"}
    record = json.dumps(to_form(seen.types["assistant"].records.shape))
    assert '"input": "arguments"' in record
    assert "brand_new" not in record
    assert '"toolUseResult": "result"' in json.dumps(to_form(seen.types["user"].records.shape))


@pytest.mark.slow
def test_the_order_of_logs_does_not_matter() -> None:
    refs = [*logs_below([SAMPLES / "codex"])]
    backwards = take_census(reversed(refs))
    assert len(refs) > 1
    assert census_form(take_census(refs)) == census_form(backwards)


def test_what_most_calls_of_a_tool_are_taken_for_is_its_kind() -> None:
    tool, other = ToolStats(Counter(edit=1, unknown=5)), ToolStats(Counter(write=2))
    assert tool.kind == "edit"
    tool.join(other)
    assert tool.kind == "write"


def test_what_failed_and_what_is_no_json_says_nothing_of_structure(tmp_path: Path) -> None:
    log = ClaudeLog()
    file = _log(
        tmp_path / "log.jsonl",
        log.call("t1", "Bash", command="ls"),
        log.result("t1", "a", {"stdout": "a", "interrupted": False}),
        log.call("t2", "Bash", command="no"),
        log.result("t2", "Error: no", "Error: no", is_error=True),
    )
    tool = all_versions(_census(file).providers["claude_code"]).tools["Bash"]
    assert (tool.arguments.count, tool.result.count) == (2, 2)
    assert to_form(tool.result.shape) == {"interrupted": "bool", "stdout": "string"}


def test_tools_of_servers_are_one(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = _log(
        tmp_path / "a.jsonl",
        log.call("t1", "mcp__docs__find", query="x"),
        log.call("t2", "mcp__mail__send", to="x"),
    )
    assert set(_census(path).providers["claude_code"]["2.1.329"].tools) == {MCP}


def test_versions_are_told_apart_within_a_file_and_between_files(tmp_path: Path) -> None:
    first, second = ClaudeLog(), ClaudeLog("0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002")
    old = first.prompt("a").replace(b"2.1.329", b"2.0.1")
    _log(tmp_path / "a.jsonl", old, first.prompt("b"))
    _log(tmp_path / "b.jsonl", second.prompt("c"), version="2.2.0")
    versions = _census(tmp_path).providers["claude_code"]
    assert {name: seen.record_count for name, seen in versions.items()} == {
        "2.0.1": 1,
        "2.1.329": 1,
        "2.2.0": 1,
    }
    assert set(only_version(_census(tmp_path), "2.2.0").providers["claude_code"]) == {"2.2.0"}
    assert all_versions(versions).files == 3


def test_what_nothing_reads_is_counted(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = _log(tmp_path / "a.jsonl", log.prompt("a"), b'{"type": "mood"}\n', b"{broken\n")
    types = all_versions(_census(path).providers["claude_code"]).types
    assert types["mood"].unread == 1
    assert types["(text)"].unread == 1
    assert types["user"].unread == 0


@pytest.mark.slow
def test_the_form_gives_the_census_back(samples: SchemaInventory) -> None:
    form = json.loads(json.dumps(census_form(samples)))
    assert census_form(census_of(form)) == form
    assert all(not diff.findings for diff in compare(census_of(form), samples))
    text = json.dumps(form)
    assert "/home/" not in text
    assert str(SAMPLES) not in text


@pytest.mark.parametrize(
    "form",
    [[], {}, {"v": 99, "providers": {}}, {"v": 1, "providers": {"x": {"1": {"files": "many"}}}}],
)
def test_what_is_no_baseline_is_refused(form: object) -> None:
    with pytest.raises(AgentViewError, match="not a census"):
        census_of(form)


def _findings(tmp_path: Path, before: list[bytes], after: list[bytes]) -> list[Finding]:
    one = _census(_log(tmp_path / "one.jsonl", *before))
    two = _census(_log(tmp_path / "two.jsonl", *after))
    (diff,) = compare(one, two)
    return [finding for finding in diff.findings if finding.matters]


def test_a_difference_names_an_example(tmp_path: Path) -> None:
    log = ClaudeLog()
    before = [log.prompt("a"), log.call("t1", "Bash", command="ls")]
    record = json.loads(log.call("t3", "Bash", command="ls"))
    record["mood"] = {"level": 3}
    after = [*before, json.dumps(record).encode() + b"\n"]
    (finding,) = _findings(tmp_path, before, after)
    assert (finding.part, finding.difference, finding.name) == (
        DiffSection.KEY,
        Difference.NEW,
        "assistant",
    )
    assert finding.change is not None
    assert finding.change.path == "mood"
    assert finding.place is not None
    assert (finding.place.path, finding.place.line) == (str(tmp_path / "two.jsonl"), 3)
    assert is_unread(load_provider("claude_code"), finding.place, "mood.level") is True
    assert is_unread(load_provider("claude_code"), finding.place, "message.content") is False


def test_two_versions_in_one_census_are_compared(tmp_path: Path) -> None:
    log = ClaudeLog()
    log.prompt("Go")
    _log(tmp_path / "a.jsonl", log.call("t1", "Bash", command="ls"), version="2.0.0")
    _log(tmp_path / "b.jsonl", log.call("t1", "Shell", command="ls"), version="3.0.0")
    versions = _census(tmp_path).providers["claude_code"]
    findings = compare_versions(versions["2.0.0"], versions["3.0.0"])
    assert [(each.part, each.difference, each.name) for each in findings] == [
        (DiffSection.TOOL, Difference.GONE, "Bash"),
        (DiffSection.TOOL, Difference.NEW, "Shell"),
    ]
    assert findings[0].became == "Shell"
    assert findings[1].note == "shown as shell"


def test_what_other_work_did_not_need_is_not_gone(tmp_path: Path) -> None:
    log = ClaudeLog()
    prompt = log.prompt("Go")
    calls = [log.call("t1", "Bash", command="ls"), log.call("t2", "Read", file_path="/a")]
    _log(tmp_path / "a.jsonl", prompt, *calls, version="2.0.0")
    _log(tmp_path / "b.jsonl", prompt, calls[0], version="3.0.0")
    versions = _census(tmp_path).providers["claude_code"]
    findings = compare_work(versions["2.0.0"], versions["3.0.0"])
    assert [(each.difference, each.name) for each in findings if each.part is DiffSection.TOOL] == [
        (Difference.UNSEEN, "Read")
    ]
    assert not any(each.matters for each in findings)
    _log(tmp_path / "b.jsonl", prompt, log.call("t1", "Shell", command="ls"), version="3.0.0")
    versions = _census(tmp_path).providers["claude_code"]
    renamed = compare_work(versions["2.0.0"], versions["3.0.0"])
    tools = [each for each in renamed if each.part is DiffSection.TOOL and each.before]
    assert [(each.difference, each.name, each.became) for each in tools] == [
        (Difference.GONE, "Bash", "Shell"),
        (Difference.UNSEEN, "Read", None),
    ]


def test_a_document_has_places_without_lines() -> None:
    census = _census(SAMPLES / "gemini_cli" / "document.json")
    seen = all_versions(census.providers["gemini_cli"])
    places = [each.records.places[""] for each in seen.types.values()]
    assert all(place.line is None for place in places)
    assert any("@" in str(place) for place in places)


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"type": "a", "payload": {"type": "b"}}, "a/b"),
        ({"type": "a", "payload": {"type": 3}}, "a"),
        ({"type": "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "x": 1}, "{type, x}"),
        ({"result": 1, "id": 2}, "{result}"),
        ({"b": 1, "a": 2, "17": 3}, "{*, a, b}"),
        ([1], "(list)"),
        ("x", "(str)"),
        (None, "(text)"),
    ],
)
def test_what_a_record_is_called(record: object, name: str) -> None:
    assert (
        record_type(record, RecordTypeKeys(types=("type", "payload/type"), keys=("result",)))
        == name
    )


def test_a_record_with_words_in_front_is_read() -> None:
    assert parse(b'[agent] {"a": 1}') == {"a": 1}
    assert parse(b'{"id": 1, "messages": [') == {"id": 1, "messages": []}
    assert parse(b"nothing at all") is None


def test_parts_are_told_once_where_arguments_come_back_as_results() -> None:
    log = ClaudeLog()
    provider = load_provider("claude_code")
    record = log.call("t1", "Bash", command="ls")
    ref = provider.discovery.ref(Path("x.jsonl"))
    value = json.loads(record)
    value["again"] = {"command": "ls"}
    told = without(value, decode_value(provider, ref, value))
    assert json.dumps(told, default=lambda stand: stand.name).count('"arguments"') == 1


def test_pointers_of_a_path() -> None:
    pattern = pointer_pattern("message.content[tool_use].input")
    for pointer in ("/message/content/0/input/", "/message/content/", "/message/"):
        assert pattern.match(pointer)
    for pointer in ("/message/content/0/name/", "/other/", "/message/content/0/input/x/"):
        assert not pattern.match(pointer)
