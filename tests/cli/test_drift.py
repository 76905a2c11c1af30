"""A client changes its format: it is named, the session opens, and what changed is still shown."""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agentview.cli import main
from agentview.drift.fixtures import Allowlist, baseline_of, collect
from agentview.drift.fixtures import compare as compare_fixtures
from agentview.drift.inventory_diff import compare
from agentview.drift.log_files import logs_below
from agentview.drift.schema_diff import Difference
from agentview.drift.schema_inventory import take_census
from agentview.drift.trace_session import read_entries
from agentview.facts.accounting.log_report import account_log
from agentview.system.paths import sample_sessions_dir

Record = dict[str, Any]
Change = Callable[[Record], None]

SAMPLES = sample_sessions_dir()
RECORDS = 90
"""How much of a recording is looked at."""


def _inside(value: Any) -> Iterator[Record]:
    """All objects in a value, outermost first."""
    items: list[Any] = []
    if isinstance(value, dict):
        yield value
        items = [*value.values()]
    elif isinstance(value, list):
        items = [*value]
    for item in items:
        yield from _inside(item)


def _renamed(before: str, after: str) -> Change:
    def change(record: Record) -> None:
        for each in _inside(record):
            if each.get("name") == before:
                each["name"] = after

    return change


def _moved(key: str, into: str, *, holder: str | None = None) -> Change:
    """Move a member of objects (of those below `holder`) into an object of its own."""

    def change(record: Record) -> None:
        roots = [each[holder] for each in _inside(record) if holder in each] if holder else [record]
        for root in roots:
            for each in list(_inside(root)):
                if key in each and into not in each:
                    each[into] = {key: each.pop(key)}

    return change


def _listed(key: str) -> Change:
    def change(record: Record) -> None:
        for each in _inside(record):
            if isinstance(each.get(key), dict):
                each[key] = [each[key]]

    return change


def _same(record: Record) -> None:
    _ = record


@dataclass(frozen=True)
class Client:
    """A client, a session of it, and what it may do one day."""

    name: str
    log: Path
    tool: str
    new_tool: str
    kinds_of_new: set[str]
    """What calls of the tool are shown as under its new name."""
    moved_tool: str
    moved: Change
    moved_key: str
    moved_into: str
    listed: Change
    listed_path: str
    new_record: Record

    def __str__(self) -> str:
        return self.name


CLAUDE = Client(
    name="claude_code",
    log=SAMPLES / "claude_code" / "tools.jsonl",
    tool="Bash",
    new_tool="Terminal",
    kinds_of_new={"shell"},
    moved_tool="Bash",
    moved=_moved("stdout", "streams", holder="toolUseResult"),
    moved_key="stdout",
    moved_into="streams",
    listed=_listed("toolUseResult"),
    listed_path="toolUseResult",
    new_record={"type": "mood", "sessionId": "x", "level": 3},
)
CODEX = Client(
    name="codex",
    log=SAMPLES / "codex" / "demo.jsonl",
    tool="update_plan",
    new_tool="frobnicate",
    kinds_of_new={"unknown"},
    moved_tool="exec_command",
    moved=_moved("aggregated_output", "streams"),
    moved_key="aggregated_output",
    moved_into="streams",
    listed=_listed("changes"),
    listed_path="changes",
    new_record={"timestamp": "2026-11-21T10:00:00Z", "type": "mood", "payload": {"level": 3}},
)
GEMINI = Client(
    name="gemini_cli",
    log=SAMPLES / "gemini_cli" / "agents" / "session-2026-11-21T00-16-7d1ee15f.jsonl",
    tool="run_shell_command",
    new_tool="frobnicate",
    kinds_of_new={"shell"},
    moved_tool="run_shell_command",
    moved=_moved("resultDisplay", "shown"),
    moved_key="resultDisplay",
    moved_into="shown",
    listed=_listed("resultDisplay"),
    listed_path="resultDisplay",
    new_record={"id": "m1", "timestamp": "2026-11-21T10:00:00Z", "type": "mood", "level": 3},
)
CLIENTS = [pytest.param(each, id=each.name) for each in (CLAUDE, CODEX, GEMINI)]
every_client = pytest.mark.parametrize("client", CLIENTS)


@dataclass
class Drift:
    """A recording, and the same as another version of the client would have written it."""

    agentview: "Commands"
    client: Client
    before: Path
    after: Path

    def census(self, *more: str) -> tuple[int, str]:
        """What `dev census --diff` says of the change."""
        baseline = self.before.with_suffix(".census.json")
        if not baseline.exists():
            text = self.agentview.ok("dev", "census", str(self.before), "--json")
            baseline.write_text(text)
        done = self.agentview("dev", "census", str(self.after), "--diff", str(baseline), *more)
        assert done.stderr == ""
        return done.returncode, done.stdout

    def findings(self) -> list[Record]:
        """Those that matter, as JSON."""
        code, text = self.census("--json")
        (diff,) = json.loads(text)
        assert diff["provider"] == self.client.name
        found = [each for each in diff["findings"] if each["difference"] != "unseen"]
        assert (code == 1) == bool(found)
        return found

    def check(self, *more: str) -> tuple[int, str]:
        """What `dev fixtures check` says of it."""
        file = self.before.with_suffix(".fixtures.json")
        if not file.exists():
            self.agentview.ok(
                "dev", "fixtures", "build", str(self.before), "--file", str(file), "--write"
            )
        done = self.agentview(
            "dev", "fixtures", "check", str(self.after), "--file", str(file), *more
        )
        assert done.stderr == ""
        return done.returncode, done.stdout

    def events(self, path: Path) -> list[Record]:
        text = self.agentview.ok("events", str(path), "--no-subagents", "--records")
        return [json.loads(line) for line in text.splitlines()]

    def calls(self, path: Path, tool: str) -> list[Record]:
        return [
            each
            for each in self.events(path)
            if each["type"] in ("tool_call", "tool_result") and each["provider_name"] == tool
        ]

    def opens(self) -> str:
        """The session as text: it has as many headings as before, and none of them failed."""
        texts = [
            self.agentview.ok("cat", str(path), "--plain", "--detail", "title")
            for path in (self.before, self.after)
        ]
        lines = [text.count("\n") for text in texts]
        assert lines[1] >= lines[0] * 0.9
        return texts[1]


class Commands:
    """The commands in this process, since there are many of them."""

    def __init__(self, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        self._captured = capsysbinary

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        code = main(arguments)
        out, err = self._captured.readouterr()
        return subprocess.CompletedProcess(arguments, code, out.decode(), err.decode())

    def ok(self, *arguments: str) -> str:
        done = self(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the beginning of each client's recording, and what is made of it once."""
    folder = tmp_path_factory.mktemp("recordings")
    for client in (CLAUDE, CODEX, GEMINI):
        lines = client.log.read_text().splitlines()[:RECORDS]
        (folder / f"{client.name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def drift(
    capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, recordings: Path
) -> Callable[..., Drift]:
    def make(client: Client, change: Change = _same, *, new: bool = False) -> Drift:
        before = recordings / f"{client.name}.jsonl"
        records = [json.loads(line) for line in before.read_text().splitlines()]
        for record in records:
            change(record)
        if new:
            records.insert(len(records) // 2, client.new_record)
        after = _write(tmp_path / "after.jsonl", records)
        return Drift(Commands(capsysbinary), client, before, after)

    return make


def _write(path: Path, records: list[Record]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


@pytest.mark.slow
@every_client
def test_nothing_is_said_of_a_client_that_stays_as_it_is(
    client: Client, drift: Callable[..., Drift]
) -> None:
    same = drift(client)
    code, text = same.census()
    assert code == 0
    assert "nothing new, gone or changed" in text
    assert same.check("--strict")[0] == 0


@pytest.mark.slow
@every_client
def test_a_tool_that_is_renamed(client: Client, drift: Callable[..., Drift]) -> None:
    renamed = drift(client, _renamed(client.tool, client.new_tool))
    found = {(each["difference"], each["name"]): each for each in renamed.findings()}
    assert found["gone", client.tool]["became"] == client.new_tool
    assert found["new", client.new_tool]["place"]["file"] == str(renamed.after)
    assert found["new", client.new_tool]["place"]["line"] > 1
    code, text = renamed.census()
    assert code == 1
    assert f"- {client.tool}: " in text
    assert f"now {client.new_tool}?" in text
    assert f"agentview/providers/{client.name}" in text
    code, text = renamed.check()
    assert code == 1
    assert f"missing: log/{client.name}/tool-call/{client.tool}\n" in text
    assert f"log/{client.name}/tool-call/{client.new_tool}\n" in text


@every_client
def test_a_renamed_tool_is_still_shown_with_its_arguments_and_output(
    client: Client, drift: Callable[..., Drift]
) -> None:
    renamed = drift(client, _renamed(client.tool, client.new_tool))
    was = renamed.calls(renamed.before, client.tool)
    now = renamed.calls(renamed.after, client.new_tool)
    assert [each["call_id"] for each in now] == [each["call_id"] for each in was]
    assert [each["args"] for each in now if each["type"] == "tool_call"] == [
        each["args"] for each in was if each["type"] == "tool_call"
    ]
    assert {each["kind"] for each in now} == client.kinds_of_new
    results = [each for each in now if each["type"] == "tool_result"]
    assert results
    assert all(each["output"] or each["result"] or each["error"] for each in results)
    renamed.opens()


@pytest.mark.slow
@every_client
def test_a_field_that_moves(client: Client, drift: Callable[..., Drift]) -> None:
    moved = drift(client, client.moved)
    found = moved.findings()
    assert any(
        each["difference"] == "gone" and each["path"].split(".")[-1] == client.moved_key
        for each in found
    )
    assert any(each["difference"] == "new" and client.moved_into in each["path"] for each in found)
    code, text = moved.check()
    assert code == 1
    assert "changed: " in text
    assert client.moved_into in text


@every_client
def test_calls_are_still_shown_when_a_field_of_theirs_moved(
    client: Client, drift: Callable[..., Drift]
) -> None:
    moved = drift(client, client.moved)
    was, now = (moved.calls(path, client.moved_tool) for path in (moved.before, moved.after))
    assert [each["call_id"] for each in now] == [each["call_id"] for each in was]
    assert {each["state"] for each in now} == {each["state"] for each in was}
    assert all(each["output"] or each["result"] for each in now if each["type"] == "tool_result")
    moved.opens()


@pytest.mark.parametrize("kept", [0, 2])
def test_a_field_that_most_records_had_is_missed(kept: int, drift: Callable[..., Drift]) -> None:
    had: list[Record] = []

    def change(record: Record) -> None:
        if "toolUseResult" in record:
            had.append(record)
            if len(had) > kept:
                del record["toolUseResult"]

    lost = drift(CLAUDE, change)
    gone = [each["path"] for each in lost.findings() if each["difference"] == "gone"]
    assert ("toolUseResult" in gone) == (kept == 0)
    lost.opens()


@pytest.mark.slow
@every_client
def test_a_new_type_of_record(client: Client, drift: Callable[..., Drift]) -> None:
    grown = drift(client, new=True)
    (found,) = grown.findings()
    assert (found["difference"], found["part"], found["name"]) == ("new", "record type", "mood")
    assert "cannot read" in found["note"]
    code, text = grown.census()
    assert code == 1
    assert "+ mood: 1 record; agentview cannot read it" in text
    head, first = text.splitlines()[:2]
    assert "1 new" in head
    assert "not understood" in first
    assert str(grown.after) in text
    assert grown.check()[0] == 0
    code, text = grown.check("--strict")
    assert code == 1
    assert f"unexpected: log/{client.name}/unread-record/mood\n" in text


@every_client
def test_a_record_of_a_new_type_is_shown_as_what_it_is(
    client: Client, drift: Callable[..., Drift]
) -> None:
    grown = drift(client, new=True)
    unparsed = [each for each in grown.events(grown.after) if each["type"] == "unparsed"]
    assert [(each["record_type"], each["malformed"]) for each in unparsed] == [("mood", False)]
    assert "mood" in grown.opens()


@pytest.mark.slow
@every_client
def test_a_result_that_becomes_a_list(client: Client, drift: Callable[..., Drift]) -> None:
    listed = drift(client, client.listed)
    found = [each for each in listed.findings() if each["difference"] == "changed"]
    # What is known to be a result is told with its tool instead of the record.
    wanted = (client.listed_path, "(itself)")
    assert any(each["path"].endswith(wanted) and "list" in each["type_after"] for each in found)
    code, text = listed.census()
    assert code == 1
    assert any("→" in line and "list<" in line for line in text.splitlines())
    code, text = listed.check()
    assert code == 1
    assert any("→" in line and "list<" in line for line in text.splitlines())


@every_client
def test_a_call_whose_result_became_a_list_is_still_shown(
    client: Client, drift: Callable[..., Drift]
) -> None:
    listed = drift(client, client.listed)
    was = [each for each in listed.events(listed.before) if each["type"] == "tool_result"]
    now = [each for each in listed.events(listed.after) if each["type"] == "tool_result"]
    assert [each["ok"] for each in now] == [each["ok"] for each in was]
    for before, after in zip(was, now, strict=True):
        assert bool(after["output"] or after["result"]) == bool(
            before["output"] or before["result"]
        )
    listed.opens()


def test_a_census_takes_no_target_besides_its_logs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "3f2a", "--census", str(SAMPLES / "codex")]) == 2
    assert "not 3f2a" in capsys.readouterr().err


TOOLS = {
    "acp": ("client_log.jsonl", "session/update"),
    "claude_stream": ("demo.jsonl", "Grep"),
    "copilot": ("demo.jsonl", "rg"),
    "cursor": ("tools.jsonl", "grepToolCall"),
    "happier": ("demo.jsonl", "execute"),
    "pydantic_ai": ("demo.jsonl", "scout"),
    "qwen_code": ("denied.jsonl", "run_shell_command"),
}
"""A sample of each other provider, and a tool, or a kind of record, that is renamed in it."""


@pytest.mark.parametrize("provider", sorted(TOOLS))
def test_the_other_providers_tell_of_a_rename_too(provider: str, tmp_path: Path) -> None:
    sample, tool = TOOLS[provider]
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    before.write_bytes((SAMPLES / provider / sample).read_bytes())
    after.write_bytes(before.read_bytes().replace(f'"{tool}"'.encode(), b'"frobnicate"'))
    assert after.read_bytes() != before.read_bytes()
    (diff,) = compare(*(take_census(logs_below([path], provider)) for path in (before, after)))
    gone = [each for each in diff.findings if each.difference is Difference.GONE]
    new = [each for each in diff.findings if each.difference is Difference.NEW]
    assert any(tool in each.name for each in gone)
    assert any("frobnicate" in each.name for each in new)
    was, now = (
        collect(read_entries([path], provider), Allowlist(provider=provider))
        for path in (before, after)
    )
    found = compare_fixtures(baseline_of(was), now, Allowlist(provider=provider))
    assert found.fails(strict=True)
    kept, read = (account_log(ref) for path in (before, after) for ref in logs_below([path]))
    assert read.whole
    assert read.records == kept.records
