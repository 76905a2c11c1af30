"""Results of a run of tests, as a test runner printed them."""

from agentview.domain.value import Value


class FailedTest(Value):
    """A test that failed; its place in a file is 1-based and as printed."""

    name: str
    path: str | None = None
    line: int | None = None
    message: str | None = None
    """First line of what went wrong."""


class SuiteResult(Value):
    """Counts of tests by outcome; None where the runner does not print a count."""

    passed: int | None = None
    failed: int | None = None
    errors: int | None = None
    """Tests, or files of tests, that could not run."""
    skipped: int | None = None
    failures: tuple[FailedTest, ...] = ()
    """The tests that failed or could not run, as far as they are printed."""
    whole: bool = True
    """False if some of the text is missing, so that the counts are at least so many."""

    @property
    def bad(self) -> int:
        """Number of tests that failed or could not run; at least, where counts are unknown."""
        return max((self.failed or 0) + (self.errors or 0), len(self.failures))


class Contradiction(Value):
    """Last words of a turn that say that tests pass, and the row that shows otherwise.

    How the sentence is meant is inferred; what the rows say is recorded.
    """

    says: str
    """The sentence."""
    message: int
    """The row of the last words."""
    evidence: int
    """The row of the test run that failed, or of the change since which none ran."""
    result: SuiteResult | None
    """The printed result of the run; None if no test ran since the change."""
    fact: str
    """The evidence of the log, in words: `last run: 1 failed: test_delay (pytest -q)`."""

    @property
    def words(self) -> str:
        """The claim and the fact against it: `says tests pass? last run: 1 failed …`."""
        return f"says tests pass? {self.fact}"
