"""Faults that users of comparable tools reported, each tried through the commands on a real log."""

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import FIRST, SECOND, CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal


def _place(home: Path, session: str = FIRST, folder: str = "-home-dev-shop") -> Path:
    return home / ".claude" / "projects" / folder / f"{session}.jsonl"


def _response(log: ClaudeLog, block: dict[str, Any], tokens: int, *, request: bool) -> bytes:
    """One of several records of the same response."""
    record = json.loads(log.assistant(block, tokens=tokens))
    record["message"]["id"] = "msg_same"
    if request:
        record["requestId"] = "req_1"
    return json.dumps(record).encode() + b"\n"


def _without(record: bytes, *keys: str) -> bytes:
    fields = {name: value for name, value in json.loads(record).items() if name not in keys}
    return json.dumps(fields).encode() + b"\n"


@pytest.mark.slow
@pytest.mark.parametrize("request_id", [True, False])
def test_a_response_in_several_records_is_counted_once(
    agentview: CommandLine, request_id: bool
) -> None:
    log = ClaudeLog(FIRST)
    thought = {"type": "thinking", "thinking": "Let me see", "signature": "x"}
    path = write(
        _place(agentview.home),
        [
            log.prompt("Count the tokens"),
            _response(log, thought, 5, request=request_id),
            _response(log, {"type": "text", "text": "One"}, 6, request=request_id),
            _response(log, {"type": "text", "text": "Two"}, 798, request=request_id),
        ],
    )
    total = json.loads(agentview.ok("stats", "--json", str(path)))["total"]
    assert (total["responses"], total["input_uncached"], total["output"]) == (1, 5, 798)
    shown = agentview.ok("cat", str(path))
    assert all(shown.count(text) == 1 for text in ("Let me see", "One", "Two"))


@pytest.mark.slow
def test_a_thought_that_is_only_a_signature_is_not_blank(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST)
    sealed = {"type": "thinking", "thinking": "", "signature": "c2lnbmVk"}
    path = write(_place(agentview.home), [log.prompt("Think"), log.assistant(sealed)])
    (line,) = [line for line in agentview.ok("cat", str(path)).splitlines() if "thinking" in line]
    assert line.split("thinking")[1].strip()
    assert "c2lnbmVk" not in line


@pytest.mark.slow
def test_summaries_that_are_repeated_are_one_title(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST)
    records = [log.prompt("hello"), log.text("hi")]
    leaf = json.loads(records[-1])["uuid"]
    summary = {"type": "summary", "summary": "The one title", "leafUuid": leaf}
    path = write(_place(agentview.home), [*[json.dumps(summary).encode() + b"\n"] * 3, *records])
    assert json.loads(agentview.ok("ls", "--json"))[0]["title"] == "The one title"
    assert agentview.ok("cat", str(path)).count("The one title") <= 1


@pytest.mark.slow
def test_unknown_record_types_are_listed_once_and_none_is_lost(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST)
    unknown = [log.record("from-the-future", number=number) for number in range(3)]
    path = write(_place(agentview.home), [log.prompt("hello"), *unknown, log.text("hi")])
    report = agentview.ok("doctor", str(path))
    section = report.split("What could not be read")[1].split("\n\n")[0]
    assert section.count("from-the-future") == 1
    account = json.loads(agentview.ok("doctor", "--json", str(path)))["total"]
    assert account["fates"]["unknown"]["records"] == 3
    assert sum(fate["records"] for fate in account["fates"].values()) == account["records"] == 5


@pytest.mark.slow
@pytest.mark.parametrize("keys", [("sessionId",), ("uuid",), ("sessionId", "uuid", "parentUuid")])
def test_records_without_ids_are_shown_in_order(
    agentview: CommandLine, keys: tuple[str, ...]
) -> None:
    log = ClaudeLog(FIRST)
    texts = [f"text {number}" for number in range(6)]
    records = [(log.text if odd % 2 else log.prompt)(text) for odd, text in enumerate(texts)]
    records[2:4] = [_without(record, *keys) for record in records[2:4]]
    path = write(_place(agentview.home), records)
    shown = agentview.ok("cat", str(path))
    places = [shown.index(text) for text in texts]
    assert places == sorted(places)
    (session,) = json.loads(agentview.ok("ls", "--json"))
    assert session["id"] == FIRST


@pytest.mark.slow
def test_records_without_a_message_cost_no_other(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST)
    odd = [log.record("user"), log.record("assistant", message=None), log.record("user", message=7)]
    path = write(_place(agentview.home), [log.prompt("before"), *odd, log.text("after")])
    account = json.loads(agentview.ok("doctor", "--json", str(path)))["total"]
    assert sum(fate["records"] for fate in account["fates"].values()) == 5
    shown = agentview.ok("cat", str(path))
    assert shown.index("before") < shown.index("after")


@pytest.mark.slow
def test_the_project_is_the_first_directory_of_the_log_not_the_folder_name(
    agentview: CommandLine,
) -> None:
    log = ClaudeLog(FIRST)
    moved = log.text("in a worktree").replace(b"/home/dev/shop", b"/home/dev/trees/fix")
    # Above 200 characters the client cuts the name and appends a hash.
    folder = ("-home" + "-a-very-long-directory-name" * 9)[:200] + "-1a2b3c"
    write(_place(agentview.home, folder=folder), [log.prompt("where am I"), moved])
    (session,) = json.loads(agentview.ok("ls", "--json"))
    assert session["project"] == "/home/dev/shop"
    (found,) = json.loads(agentview.ok("ls", "--json", "--project", "/home/dev/shop"))
    assert found["id"] == FIRST


def test_a_projects_directory_behind_a_link_is_listed_once(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST)
    elsewhere = agentview.home / "elsewhere"
    write(elsewhere / "-home-dev-shop" / f"{FIRST}.jsonl", [log.prompt("a"), log.text("b")])
    (agentview.home / ".claude").mkdir()
    (agentview.home / ".claude" / "projects").symlink_to(elsewhere)
    (elsewhere / "-home-dev-twin").symlink_to(elsewhere / "-home-dev-shop")
    assert [each["id"] for each in json.loads(agentview.ok("ls", "--json"))] == [FIRST]


@pytest.mark.slow
def test_an_output_that_the_client_kept_in_a_file_is_shown_whole(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST)
    path = _place(agentview.home)
    whole = path.with_suffix("") / "tool-results" / "b1.txt"
    structured = {"stdout": "row 1", "stderr": "", "persistedOutputPath": str(whole)}
    write(
        path,
        [
            log.prompt("go"),
            log.call("toolu_1", "Bash", command="seq 400"),
            log.result("toolu_1", "<persisted-output>", structured),
        ],
    )
    write(whole, [b"".join(b"row %d\n" % number for number in range(1, 401))])
    shown = agentview.ok("cat", "--detail", "full", str(path))
    assert "row 1\n" in shown
    assert "row 400\n" in shown


def test_context_of_the_client_is_no_title(agentview: CommandLine) -> None:
    session = "019aa000-0000-7000-8000-000000000001"
    at = "2026-11-21T10:00:00.000Z"

    def item(*texts: str) -> dict[str, object]:
        content = [{"type": "input_text", "text": text} for text in texts]
        message = {"type": "message", "role": "user", "content": content}
        return {"timestamp": at, "type": "response_item", "payload": message}

    meta = {"id": session, "timestamp": at, "cwd": "/home/dev/shop", "cli_version": "0.169.0"}
    lines: list[dict[str, object]] = [
        {"timestamp": at, "type": "session_meta", "payload": meta},
        item(
            "# AGENTS.md instructions for /home/dev/shop\n\n<INSTRUCTIONS>\nBrief\n</INSTRUCTIONS>"
        ),
        item("<environment_context>\n  <cwd>/home/dev/shop</cwd>\n</environment_context>"),
        item("Sort the shelves"),
    ]
    folder = agentview.home / ".codex" / "sessions" / "2026" / "11" / "21"
    name = f"rollout-2026-11-21T10-00-00-{session}.jsonl"
    write(folder / name, [json.dumps(line).encode() + b"\n" for line in lines])
    (found,) = json.loads(agentview.ok("ls", "--json"))
    assert found["title"] == "Sort the shelves"


def _seconds_of_processor(pid: int) -> float:
    """Processor time of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_own_files_in_a_watched_directory_wake_nobody(agentview: CommandLine) -> None:
    """The cache lies among the logs: what the program writes there must not start it again."""
    for session in (FIRST, SECOND):
        log = ClaudeLog(session)
        write(_place(agentview.home, session), [log.prompt("hello"), log.text("hi")])
    cache = agentview.home / ".claude" / "projects" / "cache"
    env = {**agentview.environment, "AGENTVIEW_CACHE_DIR": str(cache)}
    with PseudoTerminal(agentview.command(), env, agentview.cwd) as screen:
        screen.wait_for("hello")
        deadline = time.monotonic() + 300
        spent = 1.0
        # Until it rests: reading, indexing and late imports come first.
        while spent > 0.15 and time.monotonic() < deadline:
            before = _seconds_of_processor(screen.pid)
            screen.run_for(3.0)
            spent = _seconds_of_processor(screen.pid) - before
        assert cache.is_dir()
        assert spent <= 0.15
        screen.press("q")
        assert screen.wait() == 0


def test_a_session_of_gemini_cli_at_its_limit_is_limited(
    agentview: CommandLine,
) -> None:
    error = {"error": {"code": 429, "message": "Slow down", "status": "RESOURCE_EXHAUSTED"}}
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    records = [
        {"sessionId": "s", "projectHash": "p", "startTime": moment, "kind": "main"},
        {"id": "u", "timestamp": moment, "type": "user", "content": [{"text": "Go"}]},
        {
            "id": "e",
            "timestamp": moment,
            "type": "error",
            "content": f"[API Error: {json.dumps(error)}]",
        },
    ]
    folder = agentview.home / ".gemini" / "tmp" / "p" / "chats"
    folder.mkdir(parents=True)
    path = folder / "session-2026-11-23T10-00-00000000.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    (session,) = json.loads(agentview.ok("ls", "--json"))
    assert session["state"] == "limited"
