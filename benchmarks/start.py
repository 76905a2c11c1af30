"""From the start of the process to the first frame with content."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.generate import END, MB
from benchmarks.process import cpu_of, drop_from_cache
from benchmarks.terminal import Terminal
from benchmarks.watched import HELLO, agentview


def measure(bench: Bench) -> Group:
    """Files of all sizes; the floor is the smallest application, started in turn with ours."""
    group = Group("start")
    walls: dict[int, float] = {}
    for size in bench.plan.starts:
        path = bench.session(size).path
        hello, ours = _in_turn(bench.plan.runs, path)
        walls[size] = middle([wall for wall, _ in ours])
        group.figures += frame_figures(f"first frame, {size_text(size)}", hello, ours, 1.4)
    large, near = (
        bench.plan.starts[-1],
        min(bench.plan.starts, key=lambda size: abs(size - 20 * MB)),
    )
    group.figures.append(
        Figure(
            f"first frame, {size_text(large)} versus {size_text(near)}",
            walls[large] * 1000,
            "ms",
            (at_most(1.1),),
            walls[near] * 1000,
            size_text(near),
        )
    )
    path = bench.session(large).path
    hello, ours = _in_turn(bench.plan.runs, path, lambda: drop_from_cache(path))
    group.figures += frame_figures(
        f"first frame, {size_text(large)} not in page cache", hello, ours, 1.5
    )
    return group


Sample = tuple[float, float]
"""Wall and CPU seconds."""


def _in_turn(
    runs: int, path: Path, before: Callable[[], None] = lambda: None
) -> tuple[list[Sample], list[Sample]]:
    hello: list[Sample] = []
    ours: list[Sample] = []
    for _ in range(runs):
        hello.append(first_content(HELLO, b"Hello"))
        before()
        ours.append(first_content(agentview("open", str(path)), END.encode()))
    return hello, ours


def first_content(
    command: Sequence[str], marker: bytes, environment: Mapping[str, str] | None = None
) -> Sample:
    """Seconds and CPU seconds from the start until the marker is on the screen."""
    with Terminal(command, environment=environment) as terminal:
        wall = terminal.wait_for(marker) - terminal.started
        return wall, cpu_of(terminal.pid)


def frame_figures(name: str, hello: list[Sample], ours: list[Sample], bound: float) -> list[Figure]:
    """Wall, which is to stay below `bound` times hello, and CPU."""
    return [
        Figure(
            f"{name}{word}",
            middle([sample[at] for sample in ours]) * 1000,
            "ms",
            goals,
            middle([sample[at] for sample in hello]) * 1000,
            "hello",
        )
        for at, word, goals in ((0, "", (at_most(bound),)), (1, ", CPU", ()))
    ]
