"""What drawing 100 kB of Markdown costs, against parsing it, and its longest step on the screen."""

import gc
import time

from markdown_it import MarkdownIt
from msgspec.structs import replace

from agentview.ui.render.containers import work_of
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.markdown.body import SLICE, markdown_body
from benchmarks.figures import Figure, at_most

_SIZE = 100_000
_SCREENFUL = 40
_PART = """## What was found in part {n}

The delay is **not** capped: `delay()` grows without a bound, see [the docs](https://example.org/{n})
and the tests that come with it. It shows in three places:

- in `retry.py`, where it is *computed*
- in `worker.py`
  - twice, in the loop
- [x] in the tests

```python
def delay(attempt: int) -> float:
    return min(CAP, BASE * 2**attempt)
```

| file | before | after |
|:-----|-------:|------:|
| retry.py | {n} | 2 |

"""


def prose_figures(runs: int, space: RenderContext) -> list[Figure]:
    """The figures, each the quickest of `runs`."""
    text = "".join(_PART.format(n=number) for number in range(_SIZE // len(_PART) + 1))[:_SIZE]
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    floor = min(_parse(parser, text) for _ in range(runs))
    drawn = min(_drawn(text, space) for _ in range(runs))
    # What the collector takes is not laying out; it would hit one step or another by chance.
    gc.disable()
    step = min(_longest_step(text, replace(space, width=space.width - run)) for run in range(runs))
    gc.enable()
    return [
        Figure(
            "Markdown of 100 kB at full, all rows",
            drawn * 1000,
            "ms",
            (at_most(5.0),),
            floor * 1000,
            "markdown-it",
        ),
        Figure(
            "longest step while Markdown of 100 kB opens, the collector apart",
            step * 1000,
            "ms",
            (at_most(8.0, "value"),),
        ),
    ]


def _parse(parser: MarkdownIt, text: str) -> float:
    began = time.process_time()
    parser.parse(text)
    return time.process_time() - began


def _drawn(text: str, space: RenderContext) -> float:
    began = time.process_time()
    body = markdown_body(text, space)
    body.strips(0, body.height)
    return time.process_time() - began


def _longest_step(text: str, space: RenderContext) -> float:
    """CPU seconds of the longest step until the text is whole: opening it, going on, showing it."""
    sliced = replace(space, sliced=True)
    began = time.process_time()
    body = markdown_body(text, sliced)
    body.strips(0, _SCREENFUL)
    longest = time.process_time() - began
    work = work_of(body)
    done = work is None
    while work is not None and not done:
        began = time.process_time()
        done = work.continue_for(SLICE)
        longest = max(longest, time.process_time() - began)
    began = time.process_time()
    markdown_body(text, sliced).strips(0, _SCREENFUL)
    return max(longest, time.process_time() - began)
