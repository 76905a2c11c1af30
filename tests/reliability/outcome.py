"""What a group of tries came to, and how much of it is tried."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Plan:
    """How much is tried: `fast` is a small share of everything."""

    fast: bool = False
    count: int = 50_000
    """Mutated records for each provider."""
    first: int = 0
    """Number of the first batch of mutated records, to continue an earlier run."""
    providers: tuple[str, ...] = ()
    """Only these, where any is named."""

    minutes: float = 10.0
    """For which a session is followed with keys."""

    def of(self, full: int, fast: int) -> int:
        """One of two counts."""
        return fast if self.fast else full


@dataclass
class Outcome:
    """One line of the table."""

    group: str
    done: str
    """What was done."""
    count: int = 0
    unit: str = "tries"
    failures: list[str] = field(default_factory=list[str])
    """Each exception, lost or doubled row, and answer that was not the same, with its place."""
    note: str = ""
    seconds: float = 0.0

    @contextmanager
    def timed(self) -> Generator["Outcome"]:
        """Count the seconds of a block; what it raises is a failure."""
        began = time.perf_counter()
        try:
            yield self
        except Exception as error:
            self.failures.append(f"{type(error).__name__}: {error}")
        finally:
            self.seconds += time.perf_counter() - began

    def check(self, holds: bool, otherwise: str) -> None:
        """Count one try; a failure when it does not hold."""
        self.count += 1
        if not holds:
            self.failures.append(otherwise)
