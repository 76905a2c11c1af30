"""A review as a record of Agent Trace: which lines came from which conversation.

Source: the specification at https://agent-trace.dev, version 0.1.0 of January 2026.
"""

import time
from collections.abc import Iterable, Iterator
from uuid import NAMESPACE_URL, uuid5

import agentview
from agentview.facts.usage.price_table import vendor_of
from agentview.reports.export.encoding import Object, iso_time
from agentview.reports.review.review import Origin, Review, ReviewedFile

_VERSION = "0.1"
"""Two numbers, as the JSON Schema of the specification wants it."""

_Lines = dict[str | None, tuple[Origin | None, list[tuple[int, bool]]]]
"""By session the added lines, each with whether it is certain."""


def trace_record(review: Review) -> Object:
    """The lines that were added, by session; those that no recorded call wrote are `unknown`.

    The format has no place for prompts and deleted lines. `metadata` has the id of the session of
    each conversation, since a log on this machine has no address.
    """
    files = [(file.path, _by_session(file)) for file in review.files]
    files = [(path, lines) for path, lines in files if lines]
    return {
        "version": _VERSION,
        "id": str(uuid5(NAMESPACE_URL, f"agentview:{review.base}..{review.head}")),
        "timestamp": iso_time(time.time()),
        "vcs": {"type": "git", "revision": review.head},
        "tool": {"name": "agentview", "version": agentview.__version__},
        "files": [
            {"path": path, "conversations": [_conversation(*each) for each in lines.values()]}
            for path, lines in files
        ],
        "metadata": {"agentview": {"sessions": {path: list(lines) for path, lines in files}}},
    }


def _by_session(file: ReviewedFile) -> _Lines:
    found: _Lines = {}
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.sign == "+" and line.new is not None:
                origin = None if line.origin is None else hunk.origins[line.origin]
                session = None if origin is None else origin.session_id
                found.setdefault(session, (origin, []))[1].append((line.new, line.exact))
    return found


def _conversation(origin: Origin | None, lines: Iterable[tuple[int, bool]]) -> Object:
    ranges: list[Object] = []
    for first, last, exact in _ranges(lines):
        doubt: Object = {} if exact else {"contributor": {"type": "unknown"}}
        ranges.append({"start_line": first, "end_line": last, **doubt})
    return {"contributor": _contributor(origin), "ranges": ranges}


def _contributor(origin: Origin | None) -> Object:
    if origin is None:
        return {"type": "unknown"}
    vendor = vendor_of(origin.model)
    if vendor is None:
        return {"type": "ai"}
    return {"type": "ai", "model_id": f"{vendor}/{origin.model}"[:250]}


def _ranges(lines: Iterable[tuple[int, bool]]) -> Iterator[tuple[int, int, bool]]:
    """First and last line of each run of lines that are equally certain."""
    first = last = 0
    certain = True
    for number, exact in lines:
        if first and number == last + 1 and exact == certain:
            last = number
            continue
        if first:
            yield first, last, certain
        first = last = number
        certain = exact
    if first:
        yield first, last, certain
