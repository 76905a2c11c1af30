"""Results of tests, as the runners printed them on 2026-11-29 (`printed/`)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results import suite_result
from agentview.timeline.view.sanitize import without_escapes

PRINTED = Path(__file__).parent / "printed"
HOME = "/home/dev/retry/"
Place = tuple[str, str | None, int | None]


def result(name: str) -> SuiteResult:
    found = suite_result(without_escapes((PRINTED / name).read_text()))
    assert found is not None
    return found


def counts(name: str) -> tuple[int | None, ...]:
    found = result(name)
    return found.passed, found.failed, found.errors, found.skipped


def places(name: str) -> list[Place]:
    return [(one.name, one.path, one.line) for one in result(name).failures]


def messages(name: str) -> list[str | None]:
    return [one.message for one in result(name).failures]


COUNTS = {
    "pytest.txt": (5, 2, 1, 2),
    "pytest_q.txt": (5, 2, 1, 2),
    "pytest_color.txt": (5, 2, 1, 2),
    "pytest_v_short.txt": (5, 2, 1, 2),
    "pytest_tb_line.txt": (5, 2, 1, 2),
    "pytest_tb_no.txt": (5, 2, 1, 2),
    "pytest_xdist.txt": (5, 2, 1, 2),
    "pytest_passed.txt": (4, None, None, None),
    "pytest_collect.txt": (None, None, 1, None),
    "unittest.txt": (1, 2, 1, 1),
    "unittest_ok.txt": (1, None, None, None),
    "jest.txt": (2, 2, 1, 2),
    "jest_ok.txt": (1, None, None, None),
    "vitest.txt": (2, 2, 1, 2),
    "vitest_ok.txt": (1, None, None, None),
    "vitest_tap.txt": (2, 3, None, 2),
    "mocha.txt": (1, 2, None, 2),
    "mocha_tap.txt": (1, 2, None, 2),
    "node_spec.txt": (1, 2, 0, 2),
    "node_tap.txt": (1, 2, None, 2),
    "playwright.txt": (1, 1, None, 1),
    "go.txt": (None, 2, 1, None),
    "go_v.txt": (2, 1, None, 1),
    "go_json.txt": (2, 1, 1, 1),
    "go_ok.txt": (None, None, None, None),
    "cargo.txt": (2, 2, None, 1),
    "cargo_q.txt": (1, 2, None, 1),
    "rspec.txt": (1, 2, None, 1),
    "minitest.txt": (1, 1, 1, 1),
    "junit_pytest.xml": (5, 2, 1, 2),
    "junit_vitest.xml": (2, 3, None, 2),
    "junit_node.xml": (1, 2, None, 2),
}
"""Passed, failed, errors and skipped."""
JAVASCRIPT = [
    ("delay \u203a is capped", "retry.test.js", 4),
    ("delay \u203a errors \u203a throws", "retry.test.js", 7),
]
PLACES: dict[str, list[Place]] = {
    "pytest.txt": [
        ("test_delay", "test_retry.py", 15),
        ("TestRetry::test_one", "test_retry.py", 39),
        ("test_server", "test_retry.py", 20),
    ],
    "pytest_tb_no.txt": [
        ("test_delay", "test_retry.py", None),
        ("TestRetry::test_one", "test_retry.py", None),
        ("test_server", "test_retry.py", None),
    ],
    "pytest_collect.txt": [("test_import.py", "test_import.py", 1)],
    "unittest.txt": [
        ("test_unit.Delay.test_broken", HOME + "test_unit.py", 12),
        ("test_unit.Delay.test_delay", HOME + "test_unit.py", 9),
        ("test_unit.Delay.test_many", HOME + "test_unit.py", 21),
    ],
    "jest.txt": [*JAVASCRIPT, ("./bad.test.js", "bad.test.js", 1)],
    "vitest.txt": [
        ("bad.test.ts", "bad.test.ts", None),
        ("delay > is capped", "retry.test.ts", 5),
        ("delay > errors > throws", "retry.test.ts", 8),
    ],
    "mocha.txt": [
        ("delay \u203a is capped", "mo/retry.spec.js", 5),
        ("delay \u203a errors \u203a throws", "mo/retry.spec.js", 8),
    ],
    "mocha_tap.txt": [
        ("delay is capped", "mo/retry.spec.js", 5),
        ("delay errors throws", "mo/retry.spec.js", 8),
    ],
    "node_spec.txt": [
        ("is capped", HOME + "no/retry.test.mjs", 5),
        ("throws", HOME + "no/retry.test.mjs", 9),
    ],
    "node_tap.txt": [
        ("is capped", HOME + "no/retry.test.mjs", 5),
        ("throws", HOME + "no/retry.test.mjs", 9),
    ],
    "playwright.txt": [("delay \u203a is capped", HOME + "pw/retry.spec.ts", 3)],
    "go.txt": [
        ("TestDelay/capped", "retry_test.go", 18),
        ("TestBoom", HOME + "calc/boom/b_test.go", 5),
        ("example.com/calc/broken", None, None),
    ],
    "go_json.txt": [
        ("TestDelay/capped", "retry_test.go", 18),
        ("example.com/calc/broken", None, None),
    ],
    "cargo.txt": [("tests::is_capped", "src/lib.rs", 16), ("tests::parses", None, None)],
    "rspec.txt": [
        ("delay is capped", "./spec/retry_spec.rb", 4),
        ("delay throws", "./spec/retry_spec.rb", 6),
    ],
    "minitest.txt": [
        ("RetryTest#test_server", "t_test.rb", 5),
        ("RetryTest#test_delay", "t_test.rb", 4),
    ],
    "junit_pytest.xml": [
        ("test_retry.test_delay", "test_retry.py", 15),
        ("test_retry.test_server", "test_retry.py", 20),
        ("test_retry.TestRetry.test_one", "test_retry.py", 39),
    ],
}
MESSAGES: dict[str, list[str | None]] = {
    "pytest_v_short.txt": [
        "AssertionError: capped",
        "AssertionError: 2 != 3",
        "RuntimeError: no server",
    ],
    "pytest_collect.txt": ["ModuleNotFoundError: No module named 'nothing_there'"],
    "unittest.txt": ["KeyError: 'x'", "AssertionError: 1 != 2", "AssertionError: 1 == 1"],
    "vitest.txt": [
        f"Error: No test suite found in file {HOME}vi/bad.test.ts",
        "AssertionError: expected 8 to be 16 // Object.is equality",
        "TypeError: no server",
    ],
    "mocha.txt": ["AssertionError [ERR_ASSERTION]: 8 == 16", "TypeError: no server"],
    "node_tap.txt": ["8 == 16", "no server"],
    "go.txt": [
        "Delay(9) = 8, want 16",
        "panic: assignment to entry in nil map [recovered, repanicked]",
        "build failed",
    ],
    "cargo.txt": [
        "assertion `left == right` failed",
        "Error: ParseIntError { kind: InvalidDigit }",
    ],
    "minitest.txt": ["RuntimeError: no server", "Expected: 16"],
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str):
    assert counts(name) == COUNTS[name]


def test_every_recorded_output_has_a_test():
    assert {path.name for path in PRINTED.iterdir()} == {*COUNTS, "pytest_none.txt"}


@pytest.mark.parametrize("name", PLACES)
def test_failed_tests_have_their_places(name: str):
    assert places(name) == PLACES[name]


@pytest.mark.parametrize("name", MESSAGES)
def test_failed_tests_have_their_messages(name: str):
    assert messages(name) == MESSAGES[name]


def test_a_failure_in_a_function_that_a_test_calls_is_placed_in_the_test():
    text = (
        "____ test_a ____\n\n    def test_a():\n>       check()\n\ntests/test_a.py:4: \n"
        "_ _ _ _ _\n\n>       assert 0\nE       assert 0\n\nsrc/check.py:9: AssertionError\n"
        "=== short test summary info ===\nFAILED tests/test_a.py::test_a - assert 0\n"
        "=== 1 failed in 0.10s ==="
    )
    assert suite_result(text) == SuiteResult(
        failed=1, failures=(FailedTest("test_a", "tests/test_a.py", 4, "assert 0"),)
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3 passed",
        "it passed in 3s, he said",
        "we saw 3 passed in 2s flat",
        "Ran 3 tests",
        "Tests: many",
        "ok",
        "ok then\nnot ok",
        "1..3",
        "test result: fine",
        "<testsuite",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite><testcase name='&a;'/></testsuite>",
        "10 deselected in 0.04s",
        '{"Action":"run"}',
    ],
)
def test_other_texts_have_no_result(text: str):
    assert suite_result(text) is None


def test_runs_one_after_the_other_are_added_up():
    text = "1 failed, 2 passed in 0.10s\n4 passed in 3.00s\n"
    assert suite_result(text) == SuiteResult(passed=6, failed=1)


def test_what_is_counted_in_a_cut_text_is_at_least_so_many():
    text = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n[... 9000 characters truncated ...]\n"
    found = suite_result(text + "ok  \texample.com/a\t0.003s\n")
    assert found == SuiteResult(passed=1, failed=0, whole=False)
    assert suite_result("…\n" * 99_999 + "4 passed in 3.00s") == SuiteResult(passed=4)


@pytest.mark.parametrize(
    "line",
    [
        "=",
        "_ ",
        "E  a:1: ",
        "FAILED a::b - ",
        "ok 1 - a # ",
        "  1) ",
        "at (",
        "\u2500 ",
        "a:1:",
        "{",
    ],
)
def test_a_hostile_text_is_read_at_once(line: str):
    every = (
        " in 3s\nRan 3 tests in 1s\nTests: 1 total\nTests  1 failed\n  1 passing\n  1 passed (1s)\n"
        "\u2139 pass 1\nok  \ta\t1s\ntest result: ok. 1 passed; 0 failed; 0 ignored\n1..1\nok 1\n"
        "1 examples, 0 failures\n1 runs, 1 assertions, 0 failures, 0 errors, 0 skips\n"
    )
    assert suite_result(f"{line * 2_000}\n" * 500 + every) is not None


@given(st.text(alphabet="ok not1.5#-{} \n=FAILED:test_passed in3s()<>/\"'", max_size=200))
def test_no_text_breaks_it(text: str):
    suite_result(text)
