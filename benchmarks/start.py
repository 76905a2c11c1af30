"""From the start of the process to the first frame with content."""

import sysconfig
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import agentview as program
from benchmarks.bench import Bench, size_text
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.generate import END
from benchmarks.generate_formats import formats
from benchmarks.process import drop_from_cache
from benchmarks.rows import row
from benchmarks.terminal import Terminal
from benchmarks.watched import HELLO, agentview

DOCUMENT = "Gemini document"
_CODE = frozenset({".py", ".pyc", ".so", ".tcss"})


def measure(bench: Bench) -> list[Group]:
    """Logs of all sizes and sources; the floor is the smallest application, in turn with ours."""
    lines, document, cold = row(1), row(2), row(3)
    size = size_text(bench.plan.format)
    logs = {
        f"Claude Code, {size_text(each)}": bench.session(each).path for each in bench.plan.starts
    }
    last = bench.session(bench.plan.starts[-1]).path
    logs |= {f"{name}, {size}": make(bench.plan.format) for name, make in formats().items()}
    hello, ours = in_turn(bench.plan.runs, logs)
    for name, walls in ours.items():
        if name.startswith(DOCUMENT):
            document.figures.append(frame_figure(name, hello, walls, 1.6))
        else:
            lines.figures.append(frame_figure(name, hello, walls, 1.45))
    name = f"Claude Code, {size_text(bench.plan.starts[-1])}"
    hello, ours = in_turn(min(2, bench.plan.runs), {name: last}, _forget)
    cold.figures.append(frame_figure(name, hello, ours[name], 1.6))
    return [lines, document, cold]


def in_turn(
    runs: int,
    paths: Mapping[str, Path],
    before: Callable[[Path], None] = lambda _: None,
) -> tuple[list[float], dict[str, list[float]]]:
    """Seconds of hello and of each log, one after another in each turn.

    So all have the machine as it is then. `before` is called with the log before each start, that
    of hello too.
    """
    hello: list[float] = []
    ours: dict[str, list[float]] = {key: [] for key in paths}
    for _ in range(runs):
        before(next(iter(paths.values())))
        hello.append(first_content(HELLO, b"Hello"))
        for key, path in paths.items():
            before(path)
            ours[key].append(first_content(agentview("open", str(path)), END.encode()))
    return hello, ours


def first_content(
    command: Sequence[str], marker: bytes, environment: Mapping[str, str] | None = None
) -> float:
    """Seconds from the start until the marker is on the screen."""
    with Terminal(command, environment=environment) as terminal:
        return terminal.wait_for(marker) - terminal.started


def frame_figure(name: str, hello: list[float], ours: list[float], bound: float) -> Figure:
    """Seconds until the first frame, next to those of hello."""
    return Figure(name, middle(ours) * 1000, "ms", (at_most(bound),), middle(hello) * 1000, "hello")


def _forget(log: Path) -> None:
    """Have the system forget the log and all code that a start may read."""
    for path in (log, *_code()):
        with suppress(OSError):
            drop_from_cache(path)


def _code() -> Iterator[Path]:
    paths = sysconfig.get_paths()
    places = {Path(paths[name]) for name in ("stdlib", "purelib", "platlib")}
    for place in (*places, *map(Path, program.__path__)):
        yield from (path for path in place.rglob("*") if path.suffix in _CODE)
