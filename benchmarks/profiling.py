"""Where time and memory go: `python -m benchmarks.profiling [open|read|page|follow] [--memory]`.

Prints the dearest functions, or lines, of the screen's process in one situation on the large
session. What a profiler adds is counted too, so shares are worth more than seconds.
"""

import argparse
from pathlib import Path

from benchmarks import generate, writer
from benchmarks.bench import FULL, Bench, wait_indexed
from benchmarks.generate import END
from benchmarks.keys import UP
from benchmarks.watched import Watched, watched

SITUATIONS = ("open", "read", "page", "follow")
_SECONDS = 5.0


def main() -> None:
    """Profile one situation, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("situations", nargs="*", metavar="SITUATION", help=", ".join(SITUATIONS))
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--size", type=generate.parse_size, default=FULL.starts[-1])
    options = parser.parse_args()
    for situation in options.situations or SITUATIONS:
        print(f"== {situation}")
        print(profile(situation, options.size, memory=options.memory))


def profile(situation: str, size: int, *, memory: bool) -> str:
    """The dearest of one situation, as text."""
    live = situation == "follow"
    bench = Bench(FULL)
    path = bench.copy("profile") if live else bench.session(size).path
    options = ["--memory"] if memory else []
    options += ["--live"] if live else []
    options += ["--from-start"] if situation in ("open", "read") else []
    with watched(path, *options, module="benchmarks.profiled") as watch:
        _go_through(watch, situation, path)
        watch.toggle_profile()
        told = watch.wait_told("profile", 60.0)
    bench.close()
    return told["profile"] if told else "nothing was told"


def _go_through(watch: Watched, situation: str, path: Path) -> None:
    terminal = watch.terminal
    if situation == "open":
        terminal.wait_for(END.encode())
    elif situation == "read":
        wait_indexed(watch, FULL.patience)
    elif situation == "page":
        wait_indexed(watch, FULL.patience)
        watch.toggle_profile()
        for _ in range(FULL.presses):
            terminal.press(UP)
    else:
        terminal.wait_for(END.encode())
        terminal.run_for(1.0)
        watch.toggle_profile()
        with writer.Writer(path, 5000, _SECONDS):
            terminal.run_for(_SECONDS + 1.0)


if __name__ == "__main__":
    main()
