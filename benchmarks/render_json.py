"""What a JSON value costs as a tree: to open, to page in, to unfold; and the longest step of it."""

import time
from collections.abc import Callable

import orjson

from agentview.ui.render.json_tree import json_tree, parsed
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from benchmarks.figures import Figure, at_most

_SCREENFUL = 40


def json_figures(runs: int, room: RenderContext) -> list[Figure]:
    """Figures of a value of 1 MB and of one of 10 MB."""
    text = _text(1_000_000)
    value = orjson.loads(f"[{', '.join([text] * 10)}]")
    tree = json_tree(value, room)
    pretty = _least(runs, lambda: orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2))
    return [
        Figure(
            "JSON of 1 MB opens as a tree, parsing included",
            _least(runs, lambda: _open(text, room)) * 1000,
            "ms",
            (at_most(5.0),),
            pretty * 1000,
            "orjson pretty",
        ),
        Figure(
            "JSON of 1 MB at full, all rows",
            _least(runs, lambda: _draw(text, room)) * 1000,
            "ms",
            (),
            pretty * 1000,
            "orjson pretty",
        ),
        Figure(
            "longest step while JSON of 10 MB opens, once it is parsed",
            _least(runs, lambda: _screenful(json_tree(value, room), 0)) * 1000,
            "ms",
            (at_most(8.0, "value"),),
        ),
        Figure(
            "page within JSON of 10 MB",
            _least(runs, lambda: _screenful(tree, tree.height // 2)) * 1000,
            "ms",
            (at_most(8.0, "value"),),
        ),
    ]


def _open(text: str, room: RenderContext) -> None:
    parsed.cache_clear()
    _screenful(json_tree(parsed(text), room), 0)


def _draw(text: str, room: RenderContext) -> None:
    parsed.cache_clear()
    body = json_tree(parsed(text), room)
    body.strips(0, body.height)


def _screenful(body: LazyLines, start: int) -> None:
    body.strips(start, start + _SCREENFUL)


def _least(runs: int, work: Callable[[], object]) -> float:
    """CPU seconds of the quickest of several runs."""
    spent: list[float] = []
    for _ in range(runs):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


def _text(size: int) -> str:
    """JSON of about so many bytes, as a tool that lists issues gives it."""
    issues: list[object] = []
    row_size = 0
    while len(issues) * row_size < size:
        number = len(issues)
        issues.append(
            {
                "id": number,
                "title": f"Delay {number} is not capped",
                "open": number % 3 > 0,
                "score": number / 7,
                "labels": ["bug", "ci", f"area-{number % 12}"],
                "owner": {"name": "ana", "mail": None},
                "body": f"The delay of attempt {number} grows without bound.\n" * 4,
            }
        )
        row_size = row_size or len(orjson.dumps(issues)) + 8
    return orjson.dumps({"total": len(issues), "issues": issues}).decode()
