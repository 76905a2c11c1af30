"""Memory after many sessions were opened from the library and closed again."""

from benchmarks.bench import Bench
from benchmarks.figures import Figure, Group, at_most
from benchmarks.generate import MB
from benchmarks.home import known_home
from benchmarks.library_home import LISTED
from benchmarks.process import rss_of
from benchmarks.terminal import Terminal
from benchmarks.watched import agentview

_SETTLED = 10
"""Sessions after which all is there that stays."""
_MOST = 1.2


def measure(bench: Bench) -> Group:
    """One after another down the list, each left again; next to the first of them."""
    count = 20 if bench.plan.fast else 250
    # All is listed and counted first, so that the list stays as it is.
    home = known_home(bench)
    held: list[int] = []
    with Terminal(agentview(), environment=home.environment) as terminal:
        terminal.wait_for(LISTED)
        terminal.settle()
        for _ in range(count):
            for key in (b"\r", b"q", b"j"):
                terminal.press(key, quiet=0.02)
            held.append(rss_of(terminal.pid))
    return Group(
        "opens",
        [
            Figure(
                f"memory after {count} sessions opened and closed",
                held[-1] / MB,
                "MB",
                (at_most(_MOST),),
                held[_SETTLED - 1] / MB,
                f"after {_SETTLED}",
            )
        ],
    )
