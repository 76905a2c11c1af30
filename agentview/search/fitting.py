"""Snippets in so many cells of a terminal."""

from rich.cells import cell_len, set_cell_size

from agentview.search.snippet import Snippet


def fitted(snippet: Snippet, width: int | None) -> Snippet:
    """The part of a snippet around its first match that fits into so many cells."""
    text, ranges = snippet.text, snippet.ranges
    if width is None or cell_len(text) <= width:
        return snippet
    if ranges and cell_len(text[: ranges[0][1]]) > width - 1:
        cut = max(0, ranges[0][0] - width // 3)
        text = "…" + text[cut:]
        ranges = tuple((start - cut + 1, end - cut + 1) for start, end in ranges)
    if cell_len(text) > width:
        text = set_cell_size(text, width - 1).rstrip() + "…"
    kept = tuple(span for span in ranges if span[1] < len(text))
    return Snippet(text, kept, snippet.column)
