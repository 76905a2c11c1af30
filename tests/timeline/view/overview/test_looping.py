"""An agent that goes round in circles is found by its last calls, and no other one."""

from collections.abc import Iterable
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.session_state import LoopingLimits
from agentview.sessions.following.live_session import open_tail
from agentview.timeline.view.header import looping_words
from agentview.timeline.view.overview.looping import LoopSearch
from tests.claude_log import SESSION, ClaudeLog, write

LIMITS = LoopingLimits()


class Turn:
    """A turn of calls, each with its result."""

    def __init__(self) -> None:
        self.log = ClaudeLog()
        self.records = [self.log.prompt("Fix it")]
        self._calls = 0

    def call(self, name: str, result: str, *, failed: bool = False, **arguments: object) -> None:
        self._calls += 1
        key = f"c{self._calls}"
        self.records.append(self.log.call(key, name, **arguments))
        self.records.append(self.log.result(key, result, is_error=failed))

    def run(self, command: str, result: str, *, failed: bool = False) -> None:
        self.call("Bash", result, failed=failed, command=command)

    def search(self, folder: Path) -> LoopSearch:
        path = write(folder / f"{SESSION}.jsonl", self.records)
        return LoopSearch(open_tail(SessionRef("claude_code", SESSION, str(path)), live=True).store)

    def words(self, folder: Path, passed: float = 0.0, limits: LoopingLimits = LIMITS) -> str:
        search = self.search(folder)
        now = self.log.began + len(self.records) + passed
        return looping_words(search.look(briefly=False), now, limits)


def _tests(turn: Turn, seconds: Iterable[float]) -> None:
    for passed in seconds:
        turn.run("pytest -x", f"1 failed in {passed}s", failed=True)


def test_the_same_call_with_the_same_result_is_a_circle(tmp_path: Path) -> None:
    turn = Turn()
    for _ in range(4):
        turn.run("git status", "clean")
        turn.call("Read", "1\tx", file_path="/home/dev/shop/a.py")
    assert turn.words(tmp_path) == ""
    turn.run("git status", "clean")
    assert turn.words(tmp_path) == "5 times with the same result: Shell git status"
    assert turn.words(tmp_path, limits=LoopingLimits(repeats=6)) == ""
    assert turn.words(tmp_path, limits=LoopingLimits(repeats=0)) == ""


def test_the_same_error_is_a_circle_whatever_was_tried(tmp_path: Path) -> None:
    turn = Turn()
    for number in range(5):
        path, old = "/home/dev/shop/a.py", f"a{number}"
        error = "String to replace not found in file."
        turn.call("Edit", error, failed=True, file_path=path, old_string=old, new_string="b")
    found = turn.words(tmp_path)
    assert found.startswith("the same error 5 times: ")
    assert "String to replace not found" in found


def test_numbers_of_an_output_do_not_count(tmp_path: Path) -> None:
    turn = Turn()
    _tests(turn, [0.12, 0.34, 1.5, 2.0, 11.0])
    assert turn.words(tmp_path).startswith("the same error 5 times: ")


def test_another_result_each_time_is_work(tmp_path: Path) -> None:
    turn = Turn()
    for name in ("one", "two", "three", "four", "five", "six"):
        turn.run("pytest -x", f"FAILED test_{name}", failed=True)
    assert turn.words(tmp_path) == ""


def test_what_waits_may_be_called_again(tmp_path: Path) -> None:
    turn = Turn()
    for _ in range(8):
        turn.run("sleep 30; tail -1 build.log", "still building")
    assert turn.words(tmp_path) == ""


def test_what_was_repeated_long_ago_or_before_the_last_prompt_is_over(tmp_path: Path) -> None:
    turn = Turn()
    _tests(turn, [1.0] * 5)
    for number in range(24):
        turn.run(f"make part{number}", f"built {'x' * number}")
    assert turn.words(tmp_path) == ""
    turn = Turn()
    _tests(turn, [1.0] * 5)
    turn.records.append(turn.log.prompt("Now another thing"))
    assert turn.words(tmp_path) == ""


def test_no_change_of_a_file_for_long_counts_where_the_turn_had_changed_one(
    tmp_path: Path,
) -> None:
    looks, turn = Turn(), Turn()
    path = "/home/dev/shop/a.py"
    turn.call("Edit", "The file was updated.", file_path=path, old_string="a", new_string="b")
    for each in (looks, turn):
        for number in range(10):
            each.run(f"make part{number}", f"built {'x' * number}")
    assert turn.words(tmp_path, passed=600) == ""
    assert turn.words(tmp_path, passed=1500) == "no file changed for 25m, 10 calls"
    assert turn.words(tmp_path, passed=1500, limits=LoopingLimits(minutes=0)) == ""
    assert looks.words(tmp_path, passed=1500) == ""


def test_a_few_calls_are_decoded_at_a_time_and_each_once(tmp_path: Path) -> None:
    turn = Turn()
    for _ in range(24):
        turn.run("git status", "clean")
    search = turn.search(tmp_path)
    counts: list[int] = []
    for _ in range(4):
        found = search.look()
        assert found is not None
        assert found.calls is not None
        counts.append(found.calls.count)
    assert counts == [8, 16, 24, 24]
