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
