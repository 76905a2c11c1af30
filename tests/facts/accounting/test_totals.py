"""Accounts of several logs are added up, and what is alike in them is told once."""

from pathlib import Path

from agentview.facts.accounting.log_report import LogAccount, account_log
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.facts.accounting.totals import added_up, findings
from agentview.providers import load_provider
from tests.claude_log import ClaudeLog, write

UNKNOWN = b'{"type":"hologram","sessionId":"s"}\n'


def account(path: Path, records: list[bytes]) -> LogAccount:
    return account_log(load_provider("claude_code").discovery.ref(write(path, records)))


def test_sums_are_those_of_all_logs(tmp_path: Path):
    log = ClaudeLog()
    one = account(tmp_path / "one.jsonl", [log.prompt("a"), b"\n", UNKNOWN, b"nothing\n"])
    two = account(tmp_path / "two.jsonl", [log.prompt("b"), UNKNOWN, UNKNOWN])
    total = added_up([one, two])
    assert (total.files, total.records, total.lines) == (2, 6, 7)
    assert total.bytes == sum(each.stat().st_size for each in tmp_path.iterdir())
    assert total.records_by_fate[RecordOutcome.UNKNOWN] == 3
    assert total.bytes_by_fate[RecordOutcome.UNKNOWN] == 3 * (len(UNKNOWN) - 1)
    assert sum(total.bytes_by_fate.values()) + total.separators.total == total.bytes
    assert total.separators.blank_lines == 1
    assert total.whole


def test_what_is_alike_is_one_finding(tmp_path: Path):
    log = ClaudeLog()
    accounts = [
        account(tmp_path / "one.jsonl", [log.prompt("a"), UNKNOWN]),
        account(tmp_path / "two.jsonl", [b"nothing\n", UNKNOWN, UNKNOWN]),
    ]
    unknown, malformed = findings(accounts)
    assert (unknown.fate, unknown.record_type) == (RecordOutcome.UNKNOWN, "hologram")
    assert (unknown.records, unknown.files) == (3, 2)
    assert unknown.path == str(tmp_path / "one.jsonl")
    assert [place.line for place in unknown.examples] == [2]
    assert unknown.client_versions == ("2.1.329",)
    assert (malformed.fate, malformed.records, malformed.files) == (RecordOutcome.MALFORMED, 1, 1)
    assert findings(accounts, [RecordOutcome.OVERSIZE]) == []


def test_nothing_adds_up_to_nothing():
    total = added_up([])
    assert (total.files, total.records, total.whole) == (0, 0, True)
