"""`agentview trace`: what it writes, and what it never writes; while a session is followed, too."""

import json
import shlex
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agentview.drift.trace_session import read_entries
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal
from tests.patience import PATIENCE
from tests.redaction.planted import ENCODED, PASSWORD, STATED, VENDORS, WAYS, wrapped

SAMPLES = sample_sessions_dir()


def entries(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def _claude(texts: list[object]) -> bytes:
    log = ClaudeLog()
    records = [log.prompt("Go on")]
    for number, text in enumerate(texts):
        call = f"toolu_{number}"
        words = text if isinstance(text, str) else json.dumps(text)
        records += [
            log.prompt(words),
            log.call(call, "Bash", command=words, env=text, note={"deep": [text]}),
            log.result(call, words, {"stdout": words, "stderr": words, "interrupted": False}),
            log.call(f"{call}a", "Agent", prompt=words, description=words, subagent_type="x"),
            log.result(f"{call}a", words, {"content": [{"type": "text", "text": words}]}),
            log.call(f"{call}b", "BrandNewTool", anything=text),
            log.result(f"{call}b", words, is_error=True),
            json.dumps({"type": "brand-new", "sessionId": log.session, "text": text}).encode()
            + b"\n",
        ]
    return b"".join(records)


def _codex(texts: list[object]) -> bytes:
    def line(kind: str, payload: dict[str, object]) -> dict[str, object]:
        return {"timestamp": "2026-11-21T10:00:00.000Z", "type": kind, "payload": payload}

    records = [
        line("session_meta", {"id": "s1", "cwd": "/home/dev/shop", "cli_version": "0.169.0"})
    ]
    for number, text in enumerate(texts):
        words = text if isinstance(text, str) else json.dumps(text)
        arguments = json.dumps({"cmd": words, "env": text})
        output = json.dumps({"output": words, "metadata": {"exit_code": 1}})
        records += [
            line(
                "response_item",
                {
                    "type": "function_call",
                    "name": "exec_command",
                    "arguments": arguments,
                    "call_id": f"call_{number}",
                },
            ),
            line(
                "response_item",
                {"type": "function_call_output", "call_id": f"call_{number}", "output": output},
            ),
        ]
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _planted() -> list[object]:
    texts = [*STATED.values(), *(text for text, _ in VENDORS.values())]
    ways = [*WAYS.values()]
    found: list[object] = [ways[n % len(ways)](text) for n, text in enumerate(texts)]
    found += [wrapped(text) for text, _ in VENDORS.values() if "\n" not in text and "." not in text]
    found += [text.split("\n") for text, _ in VENDORS.values() if "\n" in text]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("make", [_claude, _codex])
def test_no_planted_secret_reaches_a_trace_or_a_fixture(
    agentview: CommandLine, tmp_path: Path, make: Any
) -> None:
    log, trace, fixtures = (tmp_path / name for name in ("log.jsonl", "t.jsonl", "f.json"))
    log.write_bytes(make(_planted()))
    for _, core in VENDORS.values():
        assert core in log.read_text()
    agentview.ok("trace", str(log), "--out", str(trace))
    agentview.ok(
        "dev", "fixtures", "build", str(trace), str(log), "--file", str(fixtures),
        "--examples", "100", "--write",
    )  # fmt: skip
    assert len(entries(trace.read_text())) >= 2 * len(_planted())
    for written in (trace.read_text(), fixtures.read_text()):
        assert PASSWORD not in written
        assert ENCODED not in written
        for whose, (_, core) in VENDORS.items():
            assert core not in written, whose
            assert core[len(core) // 2 :] not in written, whose


@pytest.mark.slow
def test_an_entry_says_where_it_comes_from_and_what_became_of_it(agentview: CommandLine) -> None:
    found = entries(agentview.ok("trace", str(SAMPLES / "claude_code" / "tools.jsonl")))
    first = next(each for each in found if each["key"] == "log/claude_code/tool-result/Bash")
    assert list(first) == [
        "v", "ts", "protocol", "provider", "client_version", "kind", "key", "raw", "normalized",
        "call",
    ]  # fmt: skip
    assert first["v"] == 1
    assert first["ts"] > 1_600_000_000_000
    assert first["client_version"].startswith("2.")
    assert first["normalized"]["canonical_name"] == "Bash"
    assert first["raw"]["message"]["content"][0]["type"] == "tool_result"
    assert first["call"]["message"]["content"][0]["name"] == "Bash"


def test_records_of_several_calls_are_told_apart(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    calls = [
        {"type": "tool_use", "id": f"t{n}", "name": name, "input": {"n": n}}
        for n, name in enumerate(("Alpha", "Beta"))
    ]
    file = tmp_path / "log.jsonl"
    file.write_bytes(log.prompt("Go") + log.assistant(*calls))
    found = entries(agentview.ok("trace", str(file)))
    assert [each["key"].rpartition("/")[2] for each in found] == ["Alpha", "Beta"]
    for each, call in zip(found, calls, strict=True):
        assert each["raw"]["message"]["content"] == [call]


@pytest.mark.slow
def test_requests_for_permission_and_unknown_records_are_traced(agentview: CommandLine) -> None:
    acp = entries(agentview.ok("trace", str(SAMPLES / "acp" / "demo.jsonl")))
    asked = [each for each in acp if each["kind"] == "permission-request"]
    assert asked
    assert all(each["protocol"] == "acp" for each in asked)
    damaged = entries(agentview.ok("trace", str(SAMPLES / "codex" / "damaged.jsonl")))
    assert any(each["kind"] == "unread-record" for each in damaged)


@pytest.mark.slow
def test_logs_of_agents_are_part_of_a_session(agentview: CommandLine) -> None:
    demo = SAMPLES / "claude_code" / "demo.jsonl"
    whole = entries(agentview.ok("trace", str(demo)))
    agents = [*(SAMPLES / "claude_code" / "demo" / "subagents").glob("*.jsonl")]
    assert agents
    alone = entries(agentview.ok("trace", str(agents[0])))
    assert [each["raw"] for each in alone] == [each["raw"] for each in whole][-len(alone) :]


@pytest.mark.slow
def test_a_directory_stands_for_all_its_logs(agentview: CommandLine) -> None:
    found = entries(agentview.ok("trace", str(SAMPLES)))
    assert {each["provider"] for each in found} >= {"codex", "gemini_cli", "acp", "cursor"}


@pytest.mark.slow
def test_nobody_else_may_read_the_file_and_it_is_added_to(
    agentview: CommandLine, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "trace.jsonl"
    log = str(SAMPLES / "codex" / "demo.jsonl")
    agentview.ok("trace", log, "--out", str(out))
    once = out.read_bytes()
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    out.chmod(0o644)
    agentview.ok("trace", log, "--out", str(out))
    assert out.read_bytes() == once * 2
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


@pytest.mark.slow
def test_what_a_full_disk_cut_off_is_left_behind(agentview: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "trace.jsonl"
    log = str(SAMPLES / "codex" / "demo.jsonl")
    agentview.ok("trace", log, "--out", str(out))
    once = out.read_bytes()
    out.write_bytes(once + once[:50])
    agentview.ok("trace", log, "--out", str(out))
    assert out.read_bytes() == once + once[:50] + b"\n" + once
    assert len([*read_entries([out])]) == 2 * len(once.splitlines())
    full = agentview.fails(1, "trace", log, "--out", "/dev/full")
    assert "No space left" in full


@pytest.mark.slow
def test_what_comes_through_a_pipe_is_traced(agentview: CommandLine) -> None:
    data = (SAMPLES / "codex" / "demo.jsonl").read_bytes()
    piped = entries(agentview.ok("trace", "-", stdin=data))
    named = entries(agentview.ok("trace", str(SAMPLES / "codex" / "demo.jsonl")))
    assert [each["key"] for each in piped] == [each["key"] for each in named]


def test_a_pipe_is_traced_while_records_come(agentview: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "trace.jsonl"
    child = subprocess.Popen(
        agentview.command("trace", "-", "--out", str(out)),
        env=agentview.environment,
        stdin=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.write(b"".join(conversation(ClaudeLog(), 2)))
    child.stdin.flush()
    _wait(lambda: out.exists() and len(out.read_bytes().splitlines()) == 4)
    child.stdin.write(ClaudeLog().call("late", "Grep", pattern="x").rstrip())
    child.stdin.close()
    assert child.wait() == 0
    assert entries(out.read_text())[-1]["key"] == "log/claude_code/tool-call/Grep"


@pytest.mark.slow
def test_what_the_screen_gets_through_a_pipe_is_traced_too(
    agentview: CommandLine, tmp_path: Path
) -> None:
    log, out, copy = (tmp_path / name for name in ("log.jsonl", "trace.jsonl", "copy.jsonl"))
    write(log, conversation(ClaudeLog(), 2))
    command = shlex.join(agentview.command("tail", "-", "--tee"))
    asked = {"AGENTVIEW_TRACE": "1", "AGENTVIEW_TRACE_FILE": str(out)}
    script = f"cat {log} | {command} | cat > {copy}"
    with PseudoTerminal(
        ["bash", "-c", script], agentview.environment | asked, agentview.cwd
    ) as screen:
        screen.wait_for("Step 1 is done.")
        _leave(screen)
    _wait(lambda: out.exists() and len(out.read_bytes().splitlines()) == 4)
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert copy.read_bytes() == log.read_bytes()


@pytest.mark.slow
def test_wrong_uses_are_refused(agentview: CommandLine, tmp_path: Path) -> None:
    log = str(SAMPLES / "codex" / "demo.jsonl")
    assert "one session" in agentview.fails(2, "trace", log, log, "--follow")
    assert "together" in agentview.fails(2, "trace", "-", log)
    assert "No session log" in agentview.fails(1, "trace", str(tmp_path))
    (tmp_path / "file").write_text("")
    assert "Cannot write" in agentview.fails(
        1, "trace", log, "--out", str(tmp_path / "file" / "t.jsonl")
    )


def _wait(until: Any, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "it did not come in time"
        time.sleep(0.05)


@pytest.fixture
def growing(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    write(path, conversation(ClaudeLog(), 2))
    return path


def test_a_session_that_grows_is_followed(
    agentview: CommandLine, growing: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trace.jsonl"
    child = subprocess.Popen(
        agentview.command("trace", str(growing), "--follow", "--out", str(out)),
        env=agentview.environment,
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait(lambda: out.exists() and len(out.read_bytes().splitlines()) == 4)
        log = ClaudeLog(agent=None)
        with growing.open("ab") as file:
            file.write(log.call("late", "Grep", pattern="x") + log.result("late", "none"))
        _wait(lambda: len(out.read_bytes().splitlines()) == 6)
    finally:
        child.terminate()
        child.wait()
    keys = [each["key"] for each in entries(out.read_text())]
    assert keys[-2:] == ["log/claude_code/tool-call/Grep", "log/claude_code/tool-result/Grep"]


def _tailed(agentview: CommandLine, log: Path, **env: str) -> PseudoTerminal:
    environment = agentview.environment | env
    return PseudoTerminal(agentview.command("tail", str(log)), environment, agentview.cwd)


def _leave(screen: PseudoTerminal) -> None:
    screen.press("q")
    assert screen.wait() == 0


@pytest.mark.slow
def test_the_environment_asks_for_a_trace_while_tailing(
    agentview: CommandLine, growing: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trace.jsonl"
    asked = {"AGENTVIEW_TRACE": "1", "AGENTVIEW_TRACE_FILE": str(out)}
    with _tailed(agentview, growing, **asked) as screen:
        screen.wait_for("Step 1 is done.")
        _wait(lambda: out.exists() and len(out.read_bytes().splitlines()) == 4)
        with growing.open("ab") as file:
            file.write(ClaudeLog().call("late", "Grep", pattern="x"))
        _wait(lambda: len(out.read_bytes().splitlines()) == 5)
        _leave(screen)
    assert entries(out.read_text())[-1]["key"] == "log/claude_code/tool-call/Grep"


@pytest.mark.slow
def test_each_run_has_a_file_of_its_own_in_the_directory_for_traces(
    agentview: CommandLine, growing: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "traces"
    with _tailed(
        agentview, growing, AGENTVIEW_TRACE="yes", AGENTVIEW_TRACE_DIR=str(folder)
    ) as screen:
        screen.wait_for("Step 1 is done.")
        _wait(lambda: folder.is_dir() and any(each.stat().st_size for each in folder.iterdir()))
        _leave(screen)
    (file,) = folder.iterdir()
    assert file.name.endswith(f"-pid-{screen.pid}.jsonl")


@pytest.mark.slow
def test_without_the_environment_nothing_is_traced(
    agentview: CommandLine, growing: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trace.jsonl"
    with _tailed(agentview, growing, AGENTVIEW_TRACE="0", AGENTVIEW_TRACE_FILE=str(out)) as screen:
        screen.wait_for("Step 1 is done.")
        _leave(screen)
    assert not out.exists()


@pytest.mark.slow
def test_a_trace_that_cannot_be_written_does_not_disturb(
    agentview: CommandLine, growing: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "trace.jsonl"
    with _tailed(agentview, growing, AGENTVIEW_TRACE="1", AGENTVIEW_TRACE_FILE=str(out)) as screen:
        text = screen.wait_for("Step 1 is done.")
        assert "Cannot write" not in text
        _leave(screen)


@pytest.mark.slow
def test_a_trace_ends_with_the_program_that_it_is_taken_for(
    agentview: CommandLine, growing: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trace.jsonl"
    asked = {"AGENTVIEW_TRACE": "1", "AGENTVIEW_TRACE_FILE": str(out)}
    with _tailed(agentview, growing, **asked) as screen:
        screen.wait_for("Step 1 is done.")
        _wait(lambda: out.exists() and out.stat().st_size > 0)
        (child,) = _children(screen.pid, "trace")
    # Leaving the block kills the screen without letting it end.
    _wait(lambda: not Path(f"/proc/{child}/cmdline").exists() or not _words(child))


def _children(parent: int, word: str) -> list[int]:
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [pid for pid in map(int, text.split()) if word in _words(pid)]


def _words(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
