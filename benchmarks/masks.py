"""Secrets in all texts of a session, and exports, which look for them in what they show."""

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import orjson

from agentview.redaction.secrets import name_secrets, prepare
from agentview.redaction.values import masked_value
from benchmarks.bench import Bench, size_text
from benchmarks.commands import run_piped
from benchmarks.figures import Figure, Group, at_least, at_most
from benchmarks.generate import MB
from benchmarks.watched import agentview

_SIZE = 20 * MB


def measure(bench: Bench) -> Group:
    """A session of one size: each text once, its records, and the documents made of it."""
    group = Group("masks")
    session = bench.session(_SIZE)
    records = [orjson.loads(line) for line in session.path.read_bytes().splitlines()]
    texts = [text for record in records for text in _texts(record)]
    different = list(dict.fromkeys(texts))
    prepare()
    for name, characters, seconds in (
        ("masking, each text once", sum(map(len, different)), _seconds(name_secrets, different)),
        ("masking, records", sum(map(len, texts)), _seconds(masked_value, records)),
    ):
        rate = characters / MB / seconds
        group.figures.append(Figure(name, rate, "MB/s", (at_least(15.0),)))
    for form, bound in (("html", 8.0), ("markdown", 1.5)):
        group.figures.append(_export(session.path, form, bound))
    return group


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
    name = f"export of {size_text(_SIZE)}, {form}, CPU"
    return Figure(name, cpu, "s", (at_most(bound, "value"),))
