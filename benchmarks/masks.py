"""Secrets in all texts of a session, and exports, which look for them in what they show."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import orjson

from agentview.redaction.secrets import name_secrets, prepare
from agentview.redaction.values import masked_value
from benchmarks.bench import Bench
from benchmarks.commands import run_piped
from benchmarks.figures import Figure, Group, at_least, at_most
from benchmarks.generate import MB
from benchmarks.rows import row
from benchmarks.watched import agentview


def measure(bench: Bench) -> list[Group]:
    """A session of one size: each text once, its records, and the documents made of it."""
    masking, exports = row(23), row(24)
    session = bench.session(bench.plan.format)
    records = [orjson.loads(line) for line in session.path.read_bytes().splitlines()]
    texts = [text for record in records for text in _texts(record)]
    different = list(dict.fromkeys(texts))
    prepare()
    for name, characters, seconds in (
        ("each text once", sum(map(len, different)), _seconds(name_secrets, different)),
        ("records", sum(map(len, texts)), _seconds(masked_value, records)),
    ):
        rate = characters / MB / seconds
        masking.figures.append(Figure(name, rate, "MB/s", (at_least(15.0),)))
    for form, bound in (("html", 8.0), ("markdown", 1.5)):
        exports.figures.append(_export(session.path, form, bound))
    return [masking, exports]


def _seconds(look: Callable[[Any], object], values: Sequence[object]) -> float:
    began = time.process_time()
    for value in values:
        look(value)
    return time.process_time() - began


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _texts(each)


def _export(path: Path, form: str, bound: float) -> Figure:
    _, cpu = run_piped(agentview("export", "--format", form, str(path)))
    return Figure(f"{form}, CPU", cpu, "s", (at_most(bound, "value"),))
