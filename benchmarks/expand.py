"""More or less of everything at once, and one result of a megabyte opened."""

from benchmarks import generate
from benchmarks.bench import Bench, wait_indexed
from benchmarks.figures import Figure, Group, at_most, middle
from benchmarks.generate import LEAN
from benchmarks.terminal import Press, Terminal
from benchmarks.watched import Watched, agentview, watched

_TENTH = "00000009"
"""A line of the large result that only the whole of it shows."""
_LEVELS = (b"1", b"3", b"2")
_PAGES = (b"\x1b[6~", b"\x1b[6~", b"\x1b[5~")


def measure(bench: Bench) -> list[Group]:
    """The switch of all levels, then the large result."""
    group = Group("expand")
    if not bench.plan.fast:
        with watched(generate.session(bench.plan.visible, LEAN).path) as watch:
            done = wait_indexed(watch, bench.plan.patience)
            group.figures += _switch(bench, watch, 16.7, done=done)
    watch, done = bench.large_open
    group.figures += _switch(bench, watch, 50.0, done=done)
    group.figures += _large_result(bench)
    return [group]


def _switch(bench: Bench, watch: Watched, bound: float, *, done: bool) -> list[Figure]:
    told = watch.wait_told("visible", 10.0)
    count = f"{told['visible']:,}" if told else "the rows read so far of the"
    terminal = watch.terminal
    terminal.send(b"G")
    terminal.settle()
    presses = [terminal.press(_LEVELS[at % 3]) for at in range(max(6, bench.plan.presses // 5))]
    # What the status line said of the last one goes away meanwhile.
    terminal.send(b"2")
    terminal.settle()
    return [
        Figure(
            f"detail of all {count} visible activities switched",
            middle([press.wall for press in presses]) * 1000,
            "ms",
            (at_most(bound, "value"),),
            bench.hello.key_wall * 1000,
            "hello key",
            "" if done else "before everything was read",
        )
    ]


def _large_result(bench: Bench) -> list[Figure]:
    path = generate.big_result_session().path
    opened: list[Press] = []
    pages: list[Press] = []
    for _ in range(min(3, bench.plan.runs)):
        with Terminal(agentview("open", str(path))) as terminal:
            terminal.wait_for(b"cat everything.log")
            terminal.settle()
            press = _expanded(terminal)
            if press is None:
                continue
            opened.append(press)
            terminal.settle()
            pages += [terminal.press(key) for key in _PAGES * 4]
    note = "" if opened else "no key shows all of it"
    cpu = middle([page.cpu for page in pages if page.frames]) * 1000 if pages else None
    wall = middle([press.wall for press in opened]) * 1000 if opened else None
    return [
        Figure("expand a result of 1 MB", wall, "ms", (at_most(25.0, "value"),), note=note),
        Figure(
            "page inside it, CPU",
            cpu,
            "ms",
            (at_most(2.0),),
            bench.hello.key_cpu * 1000,
            "hello key",
        ),
    ]


def _expanded(terminal: Terminal) -> Press | None:
    """Expand the last activity until all of it can be seen; the press that did."""
    for _ in range(3):
        press = terminal.press(b" ", timeout=20.0)
        if any(_TENTH in frame.text for frame in terminal.frames):
            return press
    return None
