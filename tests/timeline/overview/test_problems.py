from pathlib import Path

from agentview.ingest.live_session import LiveSession
from agentview.providers import load_provider
from agentview.sources.line_splitter import cut_lines
from agentview.timeline.overview.problems import ProblemRows
from tests.claude_log import ClaudeLog, write
from tests.timeline.memory import MemorySession, answer, prompt, shell


def _catch_up(problems: ProblemRows) -> list[int]:
    for _ in problems.catch_up():
        pass
    return problems.rows()


def test_problems_in_order_as_they_come_and_go() -> None:
    session = MemorySession([prompt("p"), shell("false", exit_code=1), answer("a")])
    problems = ProblemRows(session)
    assert _catch_up(problems) == [1]
    assert problems.complete
    session.append(shell("false", exit_code=1))
    session.prepend(shell("x", exit_code=1))
    problems.take(())
    assert _catch_up(problems) == [-1, 1, 3]
    session.change(1, shell("true"))
    problems.take([1])
    assert _catch_up(problems) == [-1, 3]
    problems.forget()
    assert problems.rows() == []
    assert _catch_up(problems) == [-1, 3]


def test_calls_that_nobody_answered_are_problems_and_no_others_are_decoded(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.prompt("go")]
    for number in range(30):
        records += [log.call(f"c{number}", "Bash", command="ls"), log.result(f"c{number}", "ok")]
    records += [log.call("lost", "Bash", command="sleep 9"), log.prompt("never mind")]
    path = write(tmp_path / "log.jsonl", records)
    provider = load_provider("claude_code")
    session = LiveSession(provider, provider.discovery.ref(path))
    session.open()
    problems = ProblemRows(session.store)
    (row,) = _catch_up(problems)
    assert session.store.source(row).offset == sum(map(len, records[:-2]))
    assert session.store.decoded <= 2


def test_a_call_counts_once_the_log_goes_on_without_its_answer(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(tmp_path / "log.jsonl", [log.prompt("go"), log.call("c", "Bash", command="ls")])
    provider = load_provider("claude_code")
    session = LiveSession(provider, provider.discovery.ref(path), live=True)
    session.open()
    problems = ProblemRows(session.store)
    session.store.subscribe(lambda change: problems.take(change.updated))
    assert _catch_up(problems) == []
    end = path.stat().st_size
    session.log.take(cut_lines(log.prompt("stop that"), 0, end))
    assert _catch_up(problems) == [2]
