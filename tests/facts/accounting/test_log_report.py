"""Every record of a log has one fate, and every byte of it a place."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.cli.output.coverage_json import document
from agentview.cli.output.coverage_text import lines
from agentview.domain.session import SessionRef
from agentview.errors import AgentViewError, NotFound
from agentview.facts.accounting.log_bytes import LogBytes, records_of
from agentview.facts.accounting.log_report import EXAMPLES, LogAccount, account_log
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.providers import load_provider, recognise
from agentview.providers.base import HEAD_BYTES
from agentview.sources.line_splitter import DEFAULT_LIMIT, KEPT_OF_STUB
from agentview.system.paths import sample_sessions_dir
from agentview.system.zstd import zstd
from tests.claude_log import ClaudeLog

BLANK = b" \t\r\n"
FRAMING = BLANK + b"[]{},:"
BOM = b"\xef\xbb\xbf"

LINE_SAMPLE = sample_sessions_dir() / "claude_code" / "demo.jsonl"
SEEDS = [
    sample_sessions_dir() / "claude_code" / "forked.jsonl",
    sample_sessions_dir() / "claude_stream" / "reports.jsonl",
    sample_sessions_dir() / "codex" / "damaged.jsonl",
    sample_sessions_dir() / "cursor" / "text.txt",
    sample_sessions_dir() / "gemini_cli" / "document.json",
    sample_sessions_dir() / "happier" / "fixtures.json",
    sample_sessions_dir() / "pydantic_ai" / "messages-1.0.json",
    sample_sessions_dir() / "qwen_code" / "damaged.jsonl",
    sample_sessions_dir() / "acp" / "names.jsonl",
]


def session(path: Path, provider: str | None = None) -> SessionRef | None:
    found = load_provider(provider) if provider else recognise(path.read_bytes()[:HEAD_BYTES], path)
    return found.discovery.ref(path) if found is not None else None


def samples() -> list[SessionRef]:
    files = sorted(path for path in sample_sessions_dir().rglob("*") if path.is_file())
    return [ref for ref in map(session, files) if ref is not None]


def check(account: LogAccount, data: bytes) -> None:
    """Recount what the account says, from the bytes alone."""
    assert account.whole
    assert account.bytes == len(data)
    fates = account.by_fate.values()
    assert sum(tally.records for tally in fates) == account.records
    assert sum(tally.bytes for tally in fates) + account.separators.total == len(data)
    assert sum(each.tally.records for each in account.types) == account.records
    assert sum(tally.records for tally in account.versions.values()) == account.records
    newlines = data.count(b"\n")
    assert account.lines == newlines + (1 if data and not data.endswith(b"\n") else 0)
    for fate, tally in account.by_fate.items():
        assert len(tally.examples) == min(tally.records, EXAMPLES)
        for place in tally.examples:
            assert place.fate is fate
            assert place.line == data[: place.offset].count(b"\n") + 1
            assert data[place.offset : place.offset + place.length].strip(BLANK)
    # What is in no record holds nothing that a reader could miss.
    whole = LogBytes()
    ref = account.ref
    spans = [
        (line.offset, line.offset + line.length)
        for line, _ in records_of(load_provider(ref.provider), Path(ref.path), whole)
    ]
    assert len(spans) == account.records
    at = 0
    for start, end in (*spans, (len(data), len(data))):
        assert start >= at
        gap = data[at:start]
        assert not (gap.removeprefix(BOM) if at == 0 else gap).strip(
            FRAMING if account.document else BLANK
        )
        at = end


@pytest.mark.parametrize("ref", samples(), ids=lambda ref: ref.path.rpartition("sessions/")[2])
def test_the_fates_of_a_sample_add_up_to_its_records_and_bytes(ref: SessionRef):
    path = Path(ref.path)
    account = account_log(ref)
    check(account, path.read_bytes())
    assert account.file_bytes == path.stat().st_size
    assert account.records > 0
    assert account.calls.whole


Mutation = tuple[str, float, float, bytes]
PIECES = (b"", b"\x00" * 7, b"\n", b"\r\n", b"\n \t\n", b"{", b"}{", b"null\n", b'"', b"\xff", BOM)
MUTATIONS: st.SearchStrategy[Mutation] = st.tuples(
    st.sampled_from(["cut", "drop", "insert", "copy"]),
    st.floats(0, 1),
    st.floats(0, 0.2),
    st.sampled_from(PIECES),
)


def damaged(data: bytes, mutations: list[Mutation]) -> bytes:
    for what, where, much, piece in mutations:
        start = int(where * len(data))
        stop = min(len(data), start + int(much * len(data)))
        if what == "cut":
            data = data[:start]
        elif what == "drop":
            data = data[:start] + piece + data[stop:]
        elif what == "insert":
            data = data[:start] + piece + data[start:]
        else:
            data = data[:stop] + data[start:stop] + data[stop:]
    return data


@pytest.mark.parametrize("seed", SEEDS, ids=lambda path: f"{path.parent.name}/{path.name}")
@settings(max_examples=25)
@given(mutations=st.lists(MUTATIONS, min_size=1, max_size=6))
def test_a_damaged_log_adds_up_too(seed: Path, mutations: list[Mutation], tmp_path: Path):
    data = damaged(seed.read_bytes(), mutations)
    path = tmp_path / seed.name
    path.write_bytes(data)
    ref = load_provider(seed.parent.name).discovery.ref(path)
    check(account_log(ref), data)


def of(tmp_path: Path, data: bytes) -> LogAccount:
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    account = account_log(load_provider("claude_code").discovery.ref(path))
    check(account, data)
    return account


def records(account: LogAccount) -> dict[RecordOutcome, int]:
    return {fate: tally.records for fate, tally in account.by_fate.items() if tally.records}


@pytest.mark.parametrize(
    ("data", "lines", "blank_lines"),
    [(b"", 0, 0), (b"\n", 1, 1), (b" \t\r\n\n  ", 3, 2), (BOM, 1, 0), (BOM + b"\n", 1, 1)],
)
def test_a_log_without_a_record_has_places_for_its_bytes(
    tmp_path: Path, data: bytes, lines: int, blank_lines: int
):
    account = of(tmp_path, data)
    assert (account.records, account.lines) == (0, lines)
    assert account.separators.blank_lines == blank_lines
    assert account.separators.bom == (3 if data.startswith(BOM) else 0)


def test_line_ends_blanks_and_marks_are_told_apart(tmp_path: Path):
    log = ClaudeLog()
    data = BOM + log.prompt("a").replace(b"\n", b"\r\n") + b" \n\r\n" + log.prompt("b").strip()
    found = of(tmp_path, data).separators
    assert (found.bom, found.terminators, found.blanks, found.other) == (3, 2, 4, 0)
    assert found.blank_lines == 2


def test_what_is_wrong_with_a_line_is_its_fate(tmp_path: Path):
    log = ClaudeLog()
    hello = log.prompt("hello")
    glued = log.prompt("one").strip() + log.prompt("two")
    lines = [
        hello,
        b'{"type":"hologram","sessionId":"s","version":"9.9.9"}\n',
        b"\x00\x00\x00\x00\n",
        b"[1, 2]\n",
        glued,
        log.prompt("torn")[:60],
    ]
    account = of(tmp_path, b"".join(lines))
    found = account.by_fate
    assert records(account)[RecordOutcome.UNKNOWN] == 1
    unknown = found[RecordOutcome.UNKNOWN].examples[0]
    assert (unknown.record_type, unknown.line) == ("hologram", 2)
    assert unknown.offset == len(lines[0])
    assert [place.line for place in found[RecordOutcome.MALFORMED].examples] == [3, 4, 6]
    assert all(place.reason for place in found[RecordOutcome.MALFORMED].examples)
    assert found[RecordOutcome.EVENT].records == 2


def test_a_record_that_is_too_long_is_counted_with_all_its_bytes(tmp_path: Path):
    log = ClaudeLog()
    first, last = log.prompt("before"), log.prompt("after")
    long = log.prompt("x" * (DEFAULT_LIMIT + KEPT_OF_STUB))
    account = of(tmp_path, first + long + last)
    assert records(account) == {RecordOutcome.EVENT: 2, RecordOutcome.OVERSIZE: 1}
    place = account.by_fate[RecordOutcome.OVERSIZE].examples[0]
    assert (place.offset, place.length, place.line) == (len(first), len(long) - 1, 2)
    assert account.by_fate[RecordOutcome.OVERSIZE].bytes == len(long) - 1


def test_twins_and_bookkeeping_are_no_events(tmp_path: Path):
    log = ClaudeLog()
    prompt = log.prompt("hello")
    title = b'{"type":"ai-title","aiTitle":"A title","sessionId":"s"}\n'
    mode = b'{"type":"permission-mode","permissionMode":"plan","sessionId":"s"}\n'
    account = of(tmp_path, prompt + title + mode + mode + prompt)
    assert records(account) == {
        RecordOutcome.EVENT: 1,
        RecordOutcome.TWIN: 1,
        RecordOutcome.HIDDEN: 3,
    }
    told = {
        (each.record_type, each.fate) for each in account.types if each.fate is RecordOutcome.HIDDEN
    }
    assert told == {("ai-title", RecordOutcome.HIDDEN), ("permission-mode", RecordOutcome.HIDDEN)}
    assert all(each.reason for each in account.types if each.fate is RecordOutcome.HIDDEN)


def test_a_result_is_shown_as_a_part_of_its_call(tmp_path: Path):
    log = ClaudeLog()
    data = log.call("t1", "Bash", command="ls") + log.result("t1", "done")
    assert records(of(tmp_path, data)) == {RecordOutcome.EVENT: 2}


def test_a_call_that_is_taken_for_a_repetition_and_says_something_else_is_reported(tmp_path: Path):
    log = ClaudeLog()
    first = log.call("t1", "Bash", command="echo 1") + log.result("t1", "1")
    same, other = log.call("t2", "Bash", command="echo 2"), log.call("t2", "Bash", command="echo 3")
    records = [json.loads(line) for line in (same, other)]
    # Records with one id are one record, which the client has copied.
    records[1]["uuid"] = records[0]["uuid"]
    data = first + b"".join(json.dumps(record).encode() + b"\n" for record in records)
    for copied, recorded, lost in ((same + same, 2, ()), (data.removeprefix(first), 3, (4,))):
        account = of(tmp_path, first + copied)
        assert (account.calls.recorded, account.calls.shown) == (recorded, 2)
        assert account.calls.lost == lost
        assert (account.whole, account.complete) == (True, not lost)
        text = "".join(part for line in lines([account], []) for part, _ in line)
        assert ("  ✗ 1 call taken for repetitions of others (line 4)" in text) == bool(lost)
        files: Any = document([account], [])["files"]
        (file,) = files
        assert file["calls"] == {"recorded": recorded, "shown": 2, "lost_lines": list(lost)}
        assert file["whole"] == (not lost)


@pytest.mark.parametrize("name", ["claude_code/repeated_ids.jsonl", "gemini_cli/repeated_ids.json"])
def test_calls_that_share_an_id_are_all_shown(name: str):
    ref = session(sample_sessions_dir() / name)
    assert ref is not None
    account = account_log(ref)
    assert (account.calls.recorded, account.calls.shown) == (3, 3)
    assert account.by_fate[RecordOutcome.TWIN].records == 0


@pytest.mark.slow
def test_what_a_conversation_went_back_behind_is_told(tmp_path: Path):
    abandoned = replaced = 0
    for ref in samples():
        found = account_log(ref).by_fate
        abandoned += found[RecordOutcome.ABANDONED].records
        replaced += found[RecordOutcome.REPLACED].records
    assert abandoned > 0
    assert replaced > 0


def test_a_record_of_which_a_part_is_shown_counts_as_that(tmp_path: Path):
    log = ClaudeLog()
    record = json.loads(log.assistant({"type": "text", "text": "shown"}, {"type": "hologram"}))
    account = of(tmp_path, json.dumps(record).encode())
    assert records(account) == {RecordOutcome.PARTIAL: 1}
    assert "hologram" in (account.by_fate[RecordOutcome.PARTIAL].examples[0].record_type or "")


def test_a_compressed_log_is_counted_as_what_it_holds(tmp_path: Path):
    name = "rollout-2026-11-21T00-08-35-01a1fb6e-f722-7853-b71d-aeb3f6ceefc4.jsonl"
    plain = (sample_sessions_dir() / "codex" / "agents" / name).read_bytes()
    path = tmp_path / f"{name}.zst"
    path.write_bytes(zstd.compress(plain))
    account = account_log(load_provider("codex").discovery.ref(path))
    check(account, plain)
    assert account.file_bytes == path.stat().st_size < account.bytes
    assert not account.cut
    path.write_bytes(path.read_bytes()[:-9])
    cut = account_log(load_provider("codex").discovery.ref(path))
    assert cut.cut
    assert cut.whole
    path.write_bytes(zstd.compress(plain) * 2)
    assert not account_log(load_provider("codex").discovery.ref(path)).cut


def test_versions_are_those_that_the_log_last_said(tmp_path: Path):
    log = ClaudeLog()
    old, new = log.prompt("a"), log.prompt("b").replace(b"2.1.329", b"2.2.0")
    account = of(tmp_path, b'{"type":"summary","summary":"s","leafUuid":"l"}\n' + old + new)
    found = {version: tally.records for version, tally in account.versions.items()}
    assert found == {None: 1, "2.1.329": 1, "2.2.0": 1}


def test_progress_is_told_in_bytes(tmp_path: Path):
    told: list[tuple[int, int]] = []
    path = tmp_path / "log.jsonl"
    path.write_bytes(LINE_SAMPLE.read_bytes())
    size = path.stat().st_size
    account_log(
        load_provider("claude_code").discovery.ref(path),
        lambda done, whole: told.append((done, whole)),
    )
    assert told[-1] == (size, size)


def test_records_of_one_type_have_one_name_whatever_became_of_them():
    ref = load_provider("codex").discovery.ref(sample_sessions_dir() / "codex" / "demo.jsonl")
    names = {each.record_type for each in account_log(ref).types}
    assert "response_item/message/developer" in names
    assert not {name for name in names if name and name.startswith("message")}


def test_a_log_that_grows_meanwhile_is_counted_as_it_was_read(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(LINE_SAMPLE.read_bytes())

    def grow(done: int, whole: int) -> None:
        if done == whole and path.stat().st_size == whole:
            path.write_bytes(LINE_SAMPLE.read_bytes() + b"{}")

    account = account_log(load_provider("claude_code").discovery.ref(path), grow)
    assert account.bytes == account.file_bytes < path.stat().st_size


def test_a_log_that_is_gone_is_an_error(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_bytes(LINE_SAMPLE.read_bytes())
    ref = load_provider("claude_code").discovery.ref(path)
    path.unlink()
    with pytest.raises(NotFound):
        account_log(ref)


def test_a_damaged_database_is_not_whole(tmp_path: Path):
    path = tmp_path / "sessions.db"
    data = bytearray((sample_sessions_dir() / "goose" / "sessions.db").read_bytes())
    path.write_bytes(data)
    sound = [account_log(ref) for ref in load_provider("goose").scan(path)]
    assert [account.complete for account in sound] == [True, True]
    for at in range(4096, len(data), 97):
        data[at] ^= 0xFF
    path.write_bytes(data)
    accounts: list[LogAccount] = []
    unreadable: list[str] = []
    for ref in load_provider("goose").scan(path):
        try:
            accounts.append(account_log(ref))
        except AgentViewError as error:
            unreadable.append(error.message)
    assert [account.complete for account in accounts] == [False]
    assert all(account.fault for account in accounts)
    assert len(unreadable) == 1
    text = str(list(lines(accounts, [])))
    assert "✓" not in text
    assert "damaged: " in text
    total: Any = document(accounts, [])["total"]
    assert total["whole"] is False


def test_what_is_made_of_an_archive_is_not_compared_with_its_bytes():
    archive = sample_sessions_dir() / "inspect_ai" / "evaluation.json"
    accounts = [account_log(ref) for ref in load_provider("inspect_ai").scan(archive)]
    assert [account.complete for account in accounts] == [None, None]
    assert {account.file_bytes for account in accounts} == {archive.stat().st_size}
    text = str(list(lines(accounts, [])))
    assert "✓" not in text
    total: Any = document(accounts, [])["total"]
    assert total["whole"] is None
