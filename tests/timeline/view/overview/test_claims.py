"""Last words that say that tests pass are compared with what ran before them."""

import json
from pathlib import Path

import pytest

import agentview.cli
from agentview.domain.session import SessionRef
from agentview.domain.suite_result import Contradiction
from agentview.sessions.following.live_session import open_tail
from agentview.timeline.rows.session_store import SessionStore
from agentview.timeline.view.overview.claims import NewestClaim, contradiction
from tests.claude_log import SESSION, ClaudeLog, write

FAILED = "FAILED tests/test_delay.py::test_delay - assert 1 == 2\n1 failed, 12 passed in 0.12s\n"
PASSED = "13 passed in 0.12s\n"


class Turns:
    """A session of Claude Code, call by call."""

    def __init__(self, folder: Path) -> None:
        self.log = ClaudeLog()
        self.path = folder / f"{SESSION}.jsonl"
        self.records = [self.log.prompt("Correct the delay")]
        self._calls = 0

    def call(self, name: str, output: str, *, failed: bool = False, **arguments: object) -> "Turns":
        self._calls += 1
        key = f"c{self._calls}"
        self.records.append(self.log.call(key, name, **arguments))
        self.records.append(self.log.result(key, output, is_error=failed))
        return self

    def run(self, command: str, output: str, *, failed: bool = False) -> "Turns":
        return self.call("Bash", output, failed=failed, command=command)

    def edit(self, name: str) -> "Turns":
        path = f"/home/dev/shop/{name}"
        return self.call("Edit", "done", file_path=path, old_string="a", new_string="b")

    def says(self, text: str) -> "Turns":
        self.records.append(self.log.text(text, "end_turn"))
        return self

    def store(self) -> SessionStore:
        ref = SessionRef("claude_code", SESSION, str(write(self.path, self.records)))
        return open_tail(ref, live=False).store

    def found(self) -> Contradiction | None:
        store = self.store()
        turn = max(store.summary.turn_rows[None])
        found = contradiction(store, turn, store.end)
        slowly = NewestClaim(store)
        assert [slowly.look() for _ in range(20)][-1] == found
        return found

    def fact(self) -> str:
        found = self.found()
        return "" if found is None else found.fact


@pytest.fixture
def turns(tmp_path: Path) -> Turns:
    return Turns(tmp_path)


def test_the_last_run_failed(turns: Turns):
    turns.run("pytest -q tests", FAILED, failed=True).says("I corrected it. All tests pass.")
    found = turns.found()
    assert found is not None
    assert (found.says, found.fact) == (
        "All tests pass",
        "last run: 1 failed: test_delay (pytest -q tests)",
    )
    store = turns.store()
    assert store.problem(found.evidence)
    assert found.message > found.evidence


def test_a_run_of_an_earlier_turn_counts_until_another_one(turns: Turns):
    turns.run("pytest", FAILED, failed=True).says("One test fails.")
    turns.records.append(turns.log.prompt("Go on"))
    turns.edit("retry.py").says("All tests pass.")
    assert turns.fact().startswith("last run: 1 failed")
    turns.records.pop()
    turns.run("pytest", PASSED).says("All tests pass.")
    assert turns.fact() == ""


def test_no_test_ran_since_the_last_change(turns: Turns):
    turns.run("pytest", PASSED).edit("retry.py").call("Read", "1\tx", file_path="/w/a.py")
    turns.says("13 passed.")
    assert turns.fact() == "no test ran since /home/dev/shop/retry.py was changed"


def test_a_change_of_prose_or_a_command_in_between_says_nothing(turns: Turns):
    turns.run("pytest", PASSED).edit("README.md").says("13 passed.")
    assert turns.fact() == ""
    turns.records.pop()
    turns.edit("retry.py").run("./run-all.sh", "ok").says("13 passed.")
    assert turns.fact() == ""


@pytest.mark.parametrize(
    "command", ["make check", "npm run test:unit", "git stash pop", "./gradlew verify", "tox -q"]
)
def test_a_command_that_may_have_tested_leaves_it_open(turns: Turns, command: str):
    turns.run("pytest", FAILED, failed=True).run(command, "ok").says("All tests pass.")
    assert turns.fact() == ""


def test_an_agent_that_may_have_tested_leaves_it_open(turns: Turns):
    turns.run("pytest", FAILED, failed=True)
    turns.call("Task", "All green", description="Run the tests", prompt="Run the tests")
    turns.says("All tests pass.")
    assert turns.fact() == ""


def test_looks_and_other_commands_do_not(turns: Turns):
    turns.run("pytest", FAILED, failed=True).run("git status", "clean").run("grep -n a b.py", "1:a")
    turns.run("git add -A && git commit -m done", "[main 1]").says("All tests pass.")
    assert turns.fact().startswith("last run: 1 failed")


@pytest.mark.parametrize("text", ["12 passed, 1 failed.", "Not all tests pass.", "Done."])
def test_words_that_claim_nothing(turns: Turns, text: str):
    assert turns.run("pytest", FAILED, failed=True).says(text).fact() == ""


def test_words_before_another_call_are_not_the_last(turns: Turns):
    turns.run("pytest", FAILED, failed=True).says("All tests pass.").run("git status", "clean")
    assert turns.fact() == ""


def test_events_have_it_with_its_evidence(turns: Turns, capsys: pytest.CaptureFixture[str]):
    turns.run("pytest", FAILED, failed=True).says("All tests pass.")
    turns.records.append(turns.log.prompt("Thanks"))
    turns.says("All tests pass, as I said.")
    path = write(turns.path, turns.records)
    for options in ([], ["--mask"]):
        assert agentview.cli.main(["events", *options, str(path)]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        (first,) = [line for line in lines if line.get("contradicted")]
        assert first["text"] == "All tests pass."
        run = next(line for line in lines if line["type"] == "tool_call")
        assert first["contradicted"] == {
            "says": "All tests pass",
            "evidence": run["id"],
            "fact": "last run: 1 failed: test_delay (pytest)",
            "failed": 1,
        }
