"""`agentview report`: what sessions did since their person looked, as the person reads it."""

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.session import SessionRef
from agentview.domain.unread import SeenPlace
from agentview.sessions.annotations.all_sessions import AllAnnotations
from agentview.sessions.annotations.seen import set_seen
from agentview.sessions.annotations.session_file import SessionFile
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import FIRST, SECOND, THIRD, CommandLine

NOW = time.time()
HOUR = 3_600.0
FAILED_RUN = (
    "FAILED tests/test_a.py::test_delay - assert 3 == 4\n=== 1 failed, 2 passed in 0.1s ==="
)
PASSED_RUN = "=== 3 passed in 0.1s ==="
GIVEN = {"stdout": "", "stderr": "", "interrupted": False}


def _root(agentview: CommandLine) -> Path:
    return agentview.home / ".claude" / "projects" / "-home-dev-shop"


def _touch(path: Path, age: float) -> None:
    os.utime(path, (NOW - age, NOW - age))


def _turn(log: ClaudeLog, text: str, answer: str) -> list[bytes]:
    return [log.prompt(text), log.text(answer, "end_turn")]


def _shell(log: ClaudeLog, name: str, command: str, output: str, *, ok: bool = True) -> list[bytes]:
    printed = f"Exit code 1\n{output}" if not ok else output
    given = {**GIVEN, "stdout": output} if ok else f"Error: {printed}"
    return [
        log.call(name, "Bash", command=command),
        log.result(name, printed, given, **({} if ok else {"is_error": True})),
    ]


def _edit(log: ClaudeLog, name: str, path: str, old: str, new: str) -> list[bytes]:
    return [
        log.call(name, "Edit", file_path=path, old_string=old, new_string=new),
        log.result(name, f"The file {path} has been updated."),
    ]


def _busy(began: float) -> list[bytes]:
    """A session that changed files, had a call denied, and ended with a failing test."""
    log = ClaudeLog(SECOND, began=began)
    return [
        log.prompt("Fix the flaky retry"),
        *_shell(log, "t1", "pytest -q", PASSED_RUN),
        *_edit(log, "t2", "/home/dev/shop/src/retry.py", "a = 1\n", "a = 2\nb = 3\n"),
        log.call("t3", "Bash", command="rm -rf build"),
        log.result(
            "t3",
            "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if"
            " it was a file edit, the new_string was NOT written to the file). STOP what you are"
            " doing and wait for the user to tell you how to proceed.",
            "User rejected tool use",
            is_error=True,
        ),
        log.prompt("Leave it then"),
        *_shell(log, "t4", "pytest -q", FAILED_RUN, ok=False),
        log.text(
            "I left the build.\n\n- One test fails. Shall I **look** into it now?", "end_turn"
        ),
    ]


@pytest.fixture
def sessions(agentview: CommandLine) -> Path:
    """One session of last week, one of now, and one that had a turn before and after an hour ago.

    It is noon, so that all of today is today.
    """
    agentview.env["TZ"] = f"NOON{time.gmtime(NOW).tm_hour - 12:+d}"
    root = _root(agentview)
    old, both = ClaudeLog(FIRST, began=NOW - 7 * 86_400), ClaudeLog(THIRD, began=NOW - 2 * HOUR)
    write(root / f"{FIRST}.jsonl", _turn(old, "Long ago", "That was long ago."))
    _touch(root / f"{FIRST}.jsonl", 7 * 86_400)
    write(root / f"{SECOND}.jsonl", _busy(NOW - 600))
    records = _turn(both, "First this", "This is done.")
    both.began = NOW - 300
    records += _turn(both, "Then that \x1b[31mx", "That is done as well.")
    write(root / f"{THIRD}.jsonl", records)
    for name in (SECOND, THIRD):
        _touch(root / f"{name}.jsonl", 200)
    return root


def _rows(agentview: CommandLine, *arguments: str) -> dict[str, dict[str, Any]]:
    found = json.loads(agentview.ok("report", "--json", *arguments))
    return {each["id"]: each for each in found["sessions"]}


def _see(agentview: CommandLine, session: str, place: SeenPlace) -> None:
    folder = agentview.home / ".local" / "state" / "agentview" / "sessions"
    set_seen(SessionFile("claude_code", session, folder), "", place)()


def test_it_says_what_each_session_did_today(agentview: CommandLine, sessions: Path) -> None:
    found = _rows(agentview)
    assert found.keys() == {SECOND, THIRD}
    busy = found[SECOND]
    assert [turn["prompt"] for turn in busy["turns"]] == ["Fix the flaky retry", "Leave it then"]
    assert [turn["seconds"] for turn in busy["turns"]] == [6.0, 3.0]
    assert (busy["prompts"], busy["calls"]) == (2, 4)
    assert (busy["failed"], busy["denied"]) == (1, 1)
    assert busy["tests"] == {
        "runs": 2, "failed_runs": 1, "failing": ["test_delay"], "failing_count": 1,
    }  # fmt: skip
    assert [(file["path"], file["added"], file["removed"]) for file in busy["files"]] == [
        ("src/retry.py", 2, 1)
    ]
    assert busy["last_words"] == "Shall I look into it now?"
    assert busy["tokens"] > 0
    assert busy["cost_source"] == "estimate"


def test_it_reads_as_a_person_needs_it(agentview: CommandLine, sessions: Path) -> None:
    text = agentview.ok("report", COLUMNS="80")
    lines = text.splitlines()
    assert re.fullmatch(r"since you looked: 2 sessions · 1 with failures · ~\$0\.\d+\+", lines[0])
    assert all(len(line) <= 80 for line in lines)
    assert "\x1b" not in text
    assert re.search(r"\n  tests   1 test failed in the last run: test_delay  2 runs\n", text)
    assert re.search(r"\n  denied  Shell rm -rf build  denied by you  \d\d:\d\d\n", text)
    assert re.search(r"\n  prompt  Fix the flaky retry  3 calls · 1 problem · 6\.0s · \d", text)
    assert "\n  files   src/retry.py  changed +2 −1?\n" in text
    assert "\n  said    “Shall I look into it now?”" in text
    wide = agentview.ok("report", FORCE_COLOR="1")
    assert "\x1b[33m" in wide
    assert "\x1b" not in agentview.ok("report", FORCE_COLOR="1", NO_COLOR="1")


def test_since_a_time_only_what_came_then_counts(agentview: CommandLine, sessions: Path) -> None:
    found = _rows(agentview, "--since", "1h")
    assert [turn["prompt"] for turn in found[THIRD]["turns"]] == ["Then that \u241b[31mx"]
    assert found[THIRD]["tokens"] == 15
    whole = _rows(agentview, "--since", "today")[THIRD]
    assert (whole["prompts"], whole["tokens"]) == (2, 30)
    assert FIRST in _rows(agentview, "--since", "8d")
    assert FIRST in _rows(agentview, "--since", "8 days")
    assert agentview.ok("report", "--since", "1m").startswith("Nothing happened since ")


def test_a_prompt_of_before_is_shown_with_what_followed(agentview: CommandLine) -> None:
    log = ClaudeLog(FIRST, began=NOW - 2 * HOUR)
    records = [log.prompt("Take your time"), *_shell(log, "t1", "sleep 1", "")]
    log.began = NOW - 300
    records += [*_shell(log, "t2", "false", "", ok=False), log.text("It is over.", "end_turn")]
    write(_root(agentview) / f"{FIRST}.jsonl", records)
    found = _rows(agentview, "--since", "1h")[FIRST]
    assert [(turn["prompt"], turn["earlier"]) for turn in found["turns"]] == [
        ("Take your time", True)
    ]
    assert (found["prompts"], found["calls"], found["failed"]) == (0, 1, 1)


def test_what_was_on_a_screen_is_not_reported_again(agentview: CommandLine, sessions: Path) -> None:
    _see(agentview, SECOND, SeenPlace("x", 0, 0, NOW, NOW - 588))
    _see(agentview, THIRD, SeenPlace("x", 0, 0, NOW - HOUR, NOW - 2 * HOUR + 2))
    found = _rows(agentview)
    assert found.keys() == {THIRD}
    assert [turn["prompt"] for turn in found[THIRD]["turns"]] == ["Then that \u241b[31mx"]
    # It was read before the time of activities was kept.
    _see(agentview, SECOND, SeenPlace("x", 5, 0, NOW - 595))
    assert [turn["prompt"] for turn in _rows(agentview)[SECOND]["turns"]] == [
        "Fix the flaky retry", "Leave it then",
    ]  # fmt: skip


def test_a_session_that_asks_comes_first(agentview: CommandLine, sessions: Path) -> None:
    asking = ClaudeLog(FIRST, began=NOW - 900)
    question = {"question": "Which cap?", "header": "Cap", "multiSelect": False}
    records = [
        asking.prompt("Cap it"),
        asking.call("t1", "AskUserQuestion", questions=[question]),
    ]
    write(sessions / f"{FIRST}.jsonl", records)
    _touch(sessions / f"{FIRST}.jsonl", 890)
    lines = agentview.ok("report", COLUMNS="100").splitlines()
    assert "3 sessions · 1 needs you" in lines[0]
    assert lines[2].startswith("needs-answer  Cap it")
    assert lines[3] == "  asks    Which cap?"
    assert json.loads(agentview.ok("report", "--json"))["needs"] == 1


def test_agents_count_with_their_session(agentview: CommandLine, sessions: Path) -> None:
    agent = ClaudeLog(SECOND, agent="a1", began=NOW - 550)
    write(
        sessions / SECOND / "subagents" / "agent-a1.jsonl",
        [
            agent.prompt("Look"),
            *_shell(agent, "a1", "make", "", ok=False),
            *_edit(agent, "a2", "/home/dev/shop/Makefile", "x\n", ""),
            agent.text("Done."),
        ],
    )
    found = _rows(agentview)
    assert found.keys() == {SECOND, THIRD}
    assert found[SECOND]["failed"] == 2
    assert {file["path"] for file in found[SECOND]["files"]} == {"src/retry.py", "Makefile"}
    assert found[SECOND]["agents"] == 1


def test_costs_are_those_of_stats(agentview: CommandLine, sessions: Path) -> None:
    for since in ("today", "1h", "8d"):
        found = json.loads(agentview.ok("report", "--since", since, "--json"))
        after = time.strftime(
            "%Y-%m-%dT%H:%MZ", time.strptime(found["since"][:16], "%Y-%m-%dT%H:%M")
        )
        used = json.loads(agentview.ok("stats", "--after", after, "--json"))
        assert abs(found["cost"] - used["cost"]) < 1e-9
        assert sum(each["tokens"] for each in found["sessions"]) == 15 * {"1h": 6, "today": 7}.get(
            since, 8
        )


def test_what_is_kept_is_as_what_is_read(agentview: CommandLine, sessions: Path) -> None:
    first = agentview.ok("report", "--since", "today")
    log = sessions / f"{THIRD}.jsonl"
    assert agentview.ok("report", "--since", "today") == first
    # The log is not readable any more, but as it was: nothing of it is read.
    status, text = log.stat(), log.read_bytes()
    log.write_bytes(b"\n" * len(text))
    os.utime(log, ns=(status.st_atime_ns, status.st_mtime_ns))
    log.write_bytes(text + text.replace(b"Then", b"Later").replace(b'"main-', b'"next-'))
    assert "Later" in agentview.ok("report", "--since", "today")


def test_markdown_has_nothing_that_acts(agentview: CommandLine, sessions: Path) -> None:
    log = ClaudeLog(FIRST, began=NOW - 100)
    write(sessions / f"{FIRST}.jsonl", _turn(log, "<img src=x> @all #12 [a](http://b)", "ok."))
    text = agentview.ok("report", "--markdown")
    assert text.startswith("# Away report\n\nsince you looked: 3 sessions")
    assert "\\<img src=x>" in text
    assert not re.search(r"(?<!\\)(<img|\[a\]\()", text)
    assert re.search(r"\n- files: src/retry.py \(changed \+2 −1\?\)\n", text)


def test_secrets_are_masked(agentview: CommandLine) -> None:
    token = "ghp_" + "aB3dE6" * 6
    log = ClaudeLog(FIRST, began=NOW - 100)
    write(_root(agentview) / f"{FIRST}.jsonl", _turn(log, f"Use {token} for it", "Yes."))
    for form in ((), ("--json",), ("--markdown",)):
        shown, hidden = agentview.ok("report", *form), agentview.ok("report", "--mask", *form)
        assert token[-36:] in shown
        assert "Use " in hidden
        assert token[-36:] not in hidden


def test_a_log_that_cannot_be_read_costs_no_other(agentview: CommandLine, sessions: Path) -> None:
    (sessions / f"{FIRST}.jsonl").write_bytes(b'{"type":"user"' + b"\xff" * 3_000 + b"\n")
    found = agentview("report", "--json", "--since", "2020")
    assert found.returncode == 0
    assert {each["id"] for each in json.loads(found.stdout)["sessions"]} >= {SECOND, THIRD}


def test_nothing_and_nonsense_are_said_in_a_sentence(agentview: CommandLine) -> None:
    done = agentview("report")
    assert (done.returncode, done.stdout) == (0, "Nothing happened since you looked.\n")
    assert "No sessions found." in done.stderr
    assert "--since cannot be 'soon'." in agentview.fails(2, "report", "--since", "soon")


def test_the_marks_of_a_screen_are_what_counts(tmp_path: Path) -> None:
    place = SeenPlace("a", 3, 1, 2.0, 1.5)
    file = SessionFile("claude_code", "s", tmp_path)
    set_seen(file, "", place)()
    kept = AllAnnotations(tmp_path)
    kept.load()
    assert kept.seen(SessionRef("claude_code", "s", "")) == place


def test_it_says_where_last_words_and_tests_contradict_each_other(agentview: CommandLine) -> None:
    log, path = ClaudeLog(FIRST, began=NOW - 600), _root(agentview) / f"{FIRST}.jsonl"
    records = [
        log.prompt("Cap the delay"),
        *_shell(log, "t1", "pytest -q", FAILED_RUN, ok=False),
        log.text("The delay has a cap. All tests pass.", "end_turn"),
    ]
    write(path, records)
    _touch(path, 200)
    said = "says tests pass? last run: 1 failed: test_delay (pytest -q)"
    (turn,) = _rows(agentview, "--since", "1h")[FIRST]["turns"]
    assert turn["contradicted"] == said
    assert f"\n  claim   {said}" in agentview.ok("report", "--since", "1h")
    page = agentview.ok("report", "--since", "1h", "--markdown")
    assert "- claim: says tests pass? last run: 1 failed: " in page
