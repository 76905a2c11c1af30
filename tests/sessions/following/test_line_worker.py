"""Lines that a session changed, summed up as it is written: always what a fresh look finds."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentview.domain.line_sum import LineSum
from agentview.domain.session import SessionRef
from agentview.facts.edits.line_sums import line_sum
from agentview.facts.edits.session_changes import SessionChanges
from agentview.providers import load_provider
from agentview.sessions.following.line_worker import LineReader
from agentview.sessions.following.whole_session import load_session
from agentview.system.paths import sample_sessions_dir

LOGS = [
    path
    for name in ("claude_code", "codex", "copilot_cli", "gemini_cli", "pi", "qwen_code")
    for path in sorted((sample_sessions_dir() / name).rglob("*.jsonl"))
    if "subagents" not in path.parts and path.stat().st_size < 200_000
]


def fresh(ref: SessionRef) -> LineSum:
    return line_sum(SessionChanges(load_session(ref)))


def copied(path: Path, place: Path) -> tuple[Path, SessionRef]:
    """A copy of a sample, and its session."""
    name = path.relative_to(sample_sessions_dir())
    copy = place / name
    copy.parent.mkdir(parents=True)
    shutil.copyfile(path, copy)
    if path.with_suffix("").is_dir():
        shutil.copytree(path.with_suffix(""), copy.with_suffix(""))
    ref = load_provider(name.parts[0]).session_in(copy)
    assert ref is not None
    return copy, ref


def bytes_read() -> int:
    text = Path("/proc/self/io").read_text()
    return int(text.split("rchar:")[1].split()[0])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(path=st.sampled_from(LOGS), data=st.data())
def test_a_sum_that_continues_is_that_of_all_of_the_log(
    path: Path, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    copy, ref = copied(path, tmp_path_factory.mktemp("home"))
    whole = copy.read_bytes()
    head = whole.index(b"\n") + 1
    cuts = data.draw(st.lists(st.integers(head, len(whole)), max_size=8).map(sorted))
    copy.write_bytes(whole[:head])
    reader, written = LineReader(ref), head
    for cut in (*cuts, len(whole)):
        with copy.open("ab") as file:
            file.write(whole[written:cut])
        written = max(written, cut)
        assert reader.sum() == fresh(ref)


def test_only_what_was_appended_is_read(tmp_path: Path) -> None:
    copy, ref = copied(sample_sessions_dir() / "claude_code" / "demo.jsonl", tmp_path)
    lines = copy.read_bytes().splitlines(keepends=True)
    copy.write_bytes(b"".join(lines[:-1]) + lines[0] * 20_000)
    reader = LineReader(ref)
    reader.sum()
    with copy.open("ab") as file:
        file.write(lines[-1])
    before = bytes_read()
    found = reader.sum()
    assert bytes_read() - before < copy.stat().st_size / 20
    assert found == fresh(ref)


def test_a_log_that_was_rewritten_counts_as_it_is_now(tmp_path: Path) -> None:
    copy, ref = copied(sample_sessions_dir() / "claude_code" / "demo.jsonl", tmp_path)
    whole = copy.read_bytes()
    reader = LineReader(ref)
    all_lines = reader.sum()
    assert all_lines is not None
    assert all_lines.added
    os.truncate(copy, whole.index(b"\n") + 1)
    assert reader.sum() == fresh(ref) != all_lines
    copy.write_bytes(whole)
    assert reader.sum() == all_lines


def test_agents_count_as_soon_as_they_are_there(tmp_path: Path) -> None:
    source = next(path for path in LOGS if any(path.with_suffix("").rglob("agent-*.jsonl")))
    copy, ref = copied(source, tmp_path)
    kept = tmp_path / "agents"
    copy.with_suffix("").rename(kept)
    reader = LineReader(ref)
    assert reader.sum() == fresh(ref)
    shutil.copytree(kept, copy.with_suffix(""))
    assert reader.sum() == fresh(ref)
    shutil.rmtree(copy.with_suffix(""))
    assert reader.sum() == fresh(ref)
