"""The program with a profiler inside: `python -m benchmarks.profiled FD FILE [--live] [...]`.

It measures from its start with `--from-start`, else from a first `SIGUSR1` on, until the next one;
then it tells the dearest lines over FD, as the watch of `observed` does.
"""

import argparse
import asyncio
import cProfile
import io
import pstats
import signal
import tracemalloc
from pathlib import Path
from typing import Any, Protocol

from agentview.domain.session import SessionRef
from agentview.timeline.view.header import OpenSession
from benchmarks.observed import Watch, run

_TOP = 12


class Profiler(Protocol):
    """Measures between two moments."""

    def begin(self) -> None:
        """From now on."""
        ...

    def end(self) -> str:
        """What was dearest until now."""
        ...


class CpuProfiler:
    """Time by function."""

    def __init__(self) -> None:
        self._profile = cProfile.Profile()

    def begin(self) -> None:
        """From now on."""
        self._profile.enable()

    def end(self) -> str:
        """Functions by the time in themselves."""
        self._profile.disable()
        out = io.StringIO()
        pstats.Stats(self._profile, stream=out).sort_stats("tottime").print_stats(_TOP)
        return out.getvalue()


class MemoryProfiler:
    """Memory by the line that asked for it."""

    def begin(self) -> None:
        """From now on."""
        tracemalloc.start(1)

    def end(self) -> str:
        """Lines by what they hold of what was asked for since."""
        found = tracemalloc.take_snapshot().statistics("lineno")
        tracemalloc.stop()
        return "\n".join(str(line) for line in found[:_TOP])


class ProfiledWatch(Watch):
    """A watch that also profiles."""

    def __init__(self, descriptor: int, profiler: Profiler, *, on: bool) -> None:
        super().__init__(descriptor)
        self._profiler = profiler
        self._on = False
        if on:
            self._toggle()

    def open_session(self, ref: SessionRef, live: bool) -> OpenSession:
        """Open a session, and listen for the signal."""
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._toggle)
        return super().open_session(ref, live)

    def _toggle(self) -> None:
        self._on = not self._on
        facts: dict[str, Any] = {"profiling": self._on}
        if self._on:
            self._profiler.begin()
        else:
            facts["profile"] = self._profiler.end()
        self.tell(**facts)


def main() -> None:
    """Run with a profiler."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptor", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--from-start", action="store_true")
    options = parser.parse_args()
    profiler: Profiler = MemoryProfiler() if options.memory else CpuProfiler()
    watch = ProfiledWatch(options.descriptor, profiler, on=options.from_start)
    run(watch, options.path, live=options.live)


if __name__ == "__main__":
    main()
