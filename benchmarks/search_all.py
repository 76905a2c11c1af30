"""Finding a word in all sessions of a home whose texts are indexed."""

import re
import time

from benchmarks.bench import Bench
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.home import known_home
from benchmarks.library_home import LISTED
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

_SEARCH = b"\x06"
_WORD = b"scripted"
"""Is in many prompts of the home."""
_HITS = re.compile(r"[1-9][\d,]*\+? matches")
_PATIENCE = 20.0


def measure(bench: Bench) -> Group:
    """From the word, typed as one piece, to the first frame that counts matches."""
    home = known_home(bench)
    found = [_first_hits(home.environment) for _ in range(min(3, bench.plan.runs))]
    known = [each for each in found if each is not None]
    return Group(
        "search all",
        [
            Figure(
                f"search of {home.logs:,} sessions, indexed, first hits shown",
                middle(known) * 1000 if known else None,
                "ms",
                (at_most(100.0, "value"),),
            )
        ],
    )


def _first_hits(environment: dict[str, str]) -> float | None:
    with Terminal(agentview(), environment=environment) as terminal:
        terminal.wait_for(LISTED)
        terminal.settle()
        terminal.send(_SEARCH)
        terminal.rest()
        terminal.frames.clear()
        sent = terminal.send(_WORD)
        while time.perf_counter() - sent < _PATIENCE:
            terminal.run_for(0.002)
            for frame in terminal.frames:
                if _HITS.search(frame.text) is not None:
                    return frame.at - sent
    return None
