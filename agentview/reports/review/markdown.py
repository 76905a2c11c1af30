"""A review as Markdown for a pull request, and as the text of a git note."""

from collections.abc import Iterator

from agentview.reports.export.document.safe_markdown import code, fenced, plain, quoted
from agentview.reports.review.review import Origin, Review, ReviewedFile, ReviewedHunk
from agentview.reports.review.words import (
    calls_words,
    commands_of,
    file_words,
    range_words,
    run_words,
    runs_words,
    summary_words,
    turn_words,
    unknown_words,
)
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.timeline.view.sanitize import clean, one_line

_PROMPT = 2_000
_NOTE_PROMPT = 300


def markdown_document(review: Review) -> Iterator[str]:
    """Lines: the prompt, calls and test runs of each hunk, with its patch folded."""
    yield from (f"# Review of {code(one_line(review.range))}", "", summary_words(review), "")
    for file in review.files:
        words = file_words(file)
        yield from (f"## {code(one_line(file.path))}{f' ({plain(words)})' if words else ''}", "")
        for hunk in file.hunks:
            yield from _hunk(hunk)


def _hunk(hunk: ReviewedHunk) -> Iterator[str]:
    heading = f" {code(one_line(hunk.heading))}" if hunk.heading else ""
    yield from (f"### {_place(hunk)}{heading}", "")
    for origin in hunk.origins:
        yield from _origin(origin)
    if hunk.unknown:
        yield from (f"{unknown_words(hunk)}.", "")
    lines = "\n".join(f"{line.sign}{line.text}" for line in hunk.lines)
    yield from ("<details><summary>patch</summary>", "", *fenced(lines, "diff"), "", "</details>")
    yield ""


def _place(hunk: ReviewedHunk) -> str:
    """The lines that a hunk has after the change; of one that has none, those before it."""
    first, count = hunk.new if hunk.new[1] else hunk.old
    last = first + count - 1
    lines = f"ine {first}" if count == 1 else f"ines {first} to {last}"
    return f"L{lines}" if hunk.new[1] else f"Removed l{lines}"


def _origin(origin: Origin) -> Iterator[str]:
    title = f" {plain(one_line(origin.title, 100))}" if origin.title else ""
    yield f"**{code(one_line(origin.session_id))}**{title}, {turn_words(origin)}:"
    yield ""
    if origin.prompt:
        yield from (*quoted(_short(origin.prompt, _PROMPT)), "")
    yield f"- {plain(calls_words(origin))}"
    yield from (f"  - {code(command)}" for command in commands_of(origin))
    yield f"- {plain(runs_words(origin))}"
    if origin.runs:
        yield f"  - {code(one_line(origin.runs[-1].command, 200))}"
    yield ""


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}…"


def git_note(review: Review) -> Iterator[str]:
    """Lines for `git notes add -F -`: the turn behind each hunk, without the patch."""
    yield f"agentview review {one_line(review.range)}"
    yield summary_words(review)
    for file in review.files:
        yield from ("", *_noted(file))


def _noted(file: ReviewedFile) -> Iterator[str]:
    words = file_words(file)
    yield f"{clean(file.path)}{f' ({words})' if words else ''}"
    for hunk in file.hunks:
        yield f"  {range_words(hunk)}"
        for origin in hunk.origins:
            prompt = one_line(origin.prompt or UNKNOWN, _NOTE_PROMPT)
            session = f"{one_line(origin.provider)} {one_line(origin.session_id)}"
            yield f"    session: {session}, {turn_words(origin)}"
            yield f"    prompt: {prompt}"
            yield f"    calls: {calls_words(origin)}"
            last = f" ({run_words(origin.runs[-1])})" if origin.runs else ""
            yield f"    test runs: {len(origin.runs)}{last}"
        if hunk.unknown:
            yield f"    {UNKNOWN} {unknown_words(hunk)}"
