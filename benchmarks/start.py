"""From the start of the process to the first frame with content."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.generate import END, MB
from benchmarks.process import cpu_of, drop_from_cache
from benchmarks.terminal import Terminal
from benchmarks.watched import HELLO, agentview


def measure(bench: Bench) -> Group:
    """Files of all sizes; the floor is the smallest application, started in turn with ours."""
    group = Group("start")
    paths = {size: bench.session(size).path for size in bench.plan.starts}
    hello, ours = in_turn(bench.plan.runs, paths)
    for size, found in ours.items():
        group.figures += frame_figures(f"first frame, {size_text(size)}", hello, found, 1.5)
    walls = {size: middle([wall for wall, _ in found]) for size, found in ours.items()}
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
    if bench.plan.fast:
        return group
    hello, ours = in_turn(bench.plan.runs, {large: paths[large]}, drop_from_cache)
    group.figures += frame_figures(
        f"first frame, {size_text(large)} not in page cache", hello, ours[large], 1.5
    )
    return group


_Key = TypeVar("_Key")

Sample = tuple[float, float]
"""Wall and CPU seconds."""


def in_turn(
    runs: int,
    paths: Mapping[_Key, Path],
    before: Callable[[Path], None] = lambda _: None,
    last: Callable[[_Key, Terminal], None] = lambda _, __: None,
) -> tuple[list[Sample], dict[_Key, list[Sample]]]:
    """Hello and each log, one after another in each turn: all have the machine as it is then.

    `last` gets the program with each log in the last turn, after its first frame.
    """
    hello: list[Sample] = []
    ours: dict[_Key, list[Sample]] = {key: [] for key in paths}
    for turn in range(runs):
        hello.append(first_content(HELLO, b"Hello"))
        for key, path in paths.items():
            before(path)
            then = partial(last, key) if turn == runs - 1 else None
            ours[key].append(first_content(agentview("open", str(path)), END.encode(), then=then))
    return hello, ours


def first_content(
    command: Sequence[str],
    marker: bytes,
    environment: Mapping[str, str] | None = None,
    then: Callable[[Terminal], None] | None = None,
) -> Sample:
    """Seconds and CPU seconds from the start until the marker is on the screen.

    `then` is done with the program before it is ended.
    """
    with Terminal(command, environment=environment) as terminal:
        sample = terminal.wait_for(marker) - terminal.started, cpu_of(terminal.pid)
        if then is not None:
            then(terminal)
        return sample


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
