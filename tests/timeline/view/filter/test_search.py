from agentview.timeline.view.filter.search import Scan
from tests.query.asked import text_test
from tests.timeline.view.memory import MemorySession, answer, hidden, prompt, shell


def _session() -> MemorySession:
    return MemorySession(
        [
            prompt("find the needle"),
            answer("there is none"),
            hidden("needle"),
            shell("grep needle hay", "hay:1: a Needle"),
            answer("found"),
        ]
    )


def _run(scan: Scan) -> list[int]:
    while not scan.step(0.01):
        pass
    return list(scan.hits)


def test_finds_text_in_prompts_arguments_and_output_and_leaves_hidden_rows_out() -> None:
    assert _run(Scan(_session(), text_test("needle"), 0)) == [0, 3]
    assert _run(Scan(_session(), text_test("hay:1"), 2)) == [3]


def test_a_capital_letter_makes_case_count() -> None:
    assert _run(Scan(_session(), text_test("Needle"), 0)) == [3]


def test_looks_from_the_reader_onward_first() -> None:
    scan = Scan(_session(), text_test("needle"), 1)
    while not scan.hits:
        scan.step(0.0)
    assert list(scan.hits) == [3]
    assert not scan.done
    assert 0.0 < scan.fraction < 1.0
    assert _run(scan) == [0, 3]


def test_takes_in_rows_that_come_later_at_both_ends() -> None:
    session = _session()
    scan = Scan(session, text_test("needle"), 0)
    _run(scan)
    session.append(shell("echo needle"))
    session.prepend(prompt("the first needle"))
    assert not scan.done
    assert _run(scan) == [-1, 0, 3, 5]


def test_a_changed_row_is_looked_at_again() -> None:
    session = _session()
    scan = Scan(session, text_test("needle"), 0)
    _run(scan)
    session.change(0, prompt("nothing"))
    session.change(1, answer("needle after all"))
    scan.look_again(0)
    scan.look_again(1)
    assert list(scan.hits) == [1, 3]
    assert scan.hits.rank(3) == 2
    assert scan.hits.rank(4) == 0
