"""Sentences that say that all tests pass, and many that only look so."""

import pytest

from agentview.normalize.claims import says_tests_pass

CLAIMS = (
    "All tests pass.", "All 13 tests passed.", "The tests now pass.", "Tests pass.",
    "I corrected it. 13 passed.", "- All tests pass", "✅ All tests are passing!",
    "**Tests:** 13 passed", "Done. All tests are green.", "`pytest` passes.",
    "`npm test` passes, and the build is clean.", "13/13 tests pass", "47 tests passing",
    "The full test suite passes with 0 failures.", "Fixed the failing test. All tests pass now.",
    "I verified that all tests pass.", "All unit tests pass.", "The test suite is green.",
    "Implemented `greet`, and all 4 tests pass.", "Test suite passes (13 passed, 0 failed).",
    "All tests and lint pass", "Tests and build both pass.", "`pytest -q` passes",
    "All 118 tests in the project pass.", "The suite is green again.",
    "I ran the tests and they all pass.", "I ran the test suite, and it passes.",
    "`python -m pytest -q tests/` passes.", "All tests pass and no lint issues",
    "- [x] All tests pass", "tests: passed",
    "Summary\n\n1. Capped the delay\n2. All tests pass\n\nAnything else?",
)  # fmt: skip
NO_CLAIMS = (
    # Denied.
    "Not all tests pass.", "The tests don't pass.", "No tests passed.",
    "The tests do not pass yet.", "I could not run the tests.", "None of the tests pass.",
    # Restricted.
    "All tests pass except test_delay.", "All tests pass, but the linter complains.",
    "The new test passes.", "The two tests pass.", "Most tests pass.", "12/13 tests pass",
    "12 passed, 1 failed", "All tests in `a.py` pass; one test still fails.",
    "All tests pass. One test still fails on Windows.",
    "`pytest tests/test_delay.py` passes", "I ran the new tests and one of them passes.",
    "I ran the tests and they do not pass.", "All tests pass apart from a pre-existing failure.",
    "I ran the new tests, and they pass.", "test_delay passes.",
    # A condition, a wish, a plan, a question.
    "If all tests pass, merge.", "Once the tests pass I will commit.", "Make sure all tests pass.",
    "I'll run the tests until they pass.", "All tests should pass.", "Do all tests pass?",
    "Let me verify that all tests pass.", "Run it again to see that all tests pass.",
    "- [ ] all tests pass",
    # Quoted, or of another time.
    "> All tests pass", "```\n13 passed\n```", "    13 passed in 0.1s", '"all tests pass"',
    "The prompt says “all tests pass”.", "All tests passed before the change.",
    "The previous run said 13 passed.", "The tests were passing earlier.",
    # Something else.
    "The password passed through tests", "arguments passed to the tests", "2 arguments are passed",
    "it has 3 passed parameters", "I added tests that pass an object", "The tests pass a path.",
    "", "pass",
)  # fmt: skip


@pytest.mark.parametrize("text", CLAIMS)
def test_a_claim(text: str):
    assert says_tests_pass(text) is not None


@pytest.mark.parametrize("text", NO_CLAIMS)
def test_no_claim(text: str):
    assert says_tests_pass(text) is None


def test_the_sentence_is_given_with_its_command():
    text = "I ran `pytest`.\n\nNow `npm test` passes and `go test ./...` passes. Next?"
    assert says_tests_pass(text) == "Now `npm test` passes and `go test ./...` passes."
    assert says_tests_pass("x" * 100_000 + "\nAll tests pass.") == "All tests pass."


@pytest.mark.parametrize(
    "text",
    ["pass " + "[a](" * 5000, "x all" * 5000 + " pass", "pass ```\n" * 3000, "\ue000 pass"],
)
def test_a_hostile_text_is_read_quickly(text: str):
    assert says_tests_pass(text) is None
