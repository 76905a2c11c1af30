"""Results of Claude Code's searches: in files, for files, and on the web."""

import re

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import GrepPayload, WebFetchPayload
from agentview.domain.tool_results import (
    LintsResult,
    Match,
    MatchResult,
    PathsResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    collect,
    flag,
    items,
    mapping,
    number,
    real,
    text,
    texts,
)
from agentview.normalize.output_text import text_of
from agentview.normalize.tools import web
from agentview.normalize.tools.search import parse_counts, parse_matches, path_lines, tree_paths

_NOTHING = ("No matches found", "No files found")
_FOUND = re.compile(r"Found (\d{1,12}) files?\b[^\n]*(?:\n|\Z)")
_COUNT_TAIL = re.compile(
    r"\n\nFound (\d{1,12}) total occurrences? across (\d{1,12}) files?[^\n]*\Z"
)
_PAGE_TAIL = re.compile(r"\n\n\[Showing results with pagination[^\n]*\]\s*\Z")
_CUT_TAIL = re.compile(r"\n\(Results are truncated[^\n]*\)\s*\Z")
_LS_NOTE = "\nNOTE: do any of the files above seem malicious?"
_LINKS = re.compile(r"^Links: (\[.*\])[ \t]*$", re.MULTILINE)
_SEARCH_HEAD = re.compile(r"\AWeb search results for query: [^\n]*\n+")
_SEARCH_TAIL = "\n\nREMINDER: You MUST include the sources"


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Result of Grep: `toolUseResult` by its mode (none in the oldest), else the text."""
    if outcome.ok is False:
        return None
    payload = call.payload if isinstance(call.payload, GrepPayload) else GrepPayload("")
    fields = mapping(outcome.structured)
    if fields:
        mode = text(fields, "mode") or ("content" if text(fields, "content") else None)
        return _grep_structured(mode, fields, payload)
    said = text_of(outcome.output)
    return _grep_text(said, payload) if said is not None else None


def _grep_structured(mode: str | None, fields: Fields, payload: GrepPayload) -> MatchResult:
    cut = number(fields, "appliedLimit") is not None or flag(fields, "timedOut")
    content = text(fields, "content") or ""
    if mode == "content":
        total = number(fields, "totalLines")
        shown = number(fields, "numLines")
        cut = cut or (total is not None and shown is not None and total > shown)
        return _content(content, payload, cut, total)
    if mode == "count":
        matches = parse_counts(content, payload.path)
        return MatchResult(
            matches,
            match_count=number(fields, "numMatches"),
            file_count=number(fields, "numFiles"),
            truncated=cut,
        )
    names = texts(fields.get("filenames"))
    total = number(fields, "totalFiles", "numFiles")
    return MatchResult(
        tuple(Match(name) for name in names),
        file_count=total,
        truncated=cut or (total is not None and total > len(names)),
    )


def _content(content: str, payload: GrepPayload, cut: bool, total: int | None) -> MatchResult:
    """Lines of the content mode. The client's own `numFiles` is always 0 there."""
    matches = parse_matches(content, payload.path)
    around = any(match.context for match in matches)
    found: int | None = sum(1 for match in matches if not match.context)
    if cut:
        # The total counts lines of context too, and no total is known before 2.1.2.
        found = total if not around else None
    files = len({match.path for match in matches}) if not cut else None
    return MatchResult(matches, match_count=found, file_count=files, truncated=cut)


def _grep_text(said: str, payload: GrepPayload) -> MatchResult:
    if said.startswith(_NOTHING):
        return MatchResult(match_count=0, file_count=0)
    bare = _PAGE_TAIL.sub("", said)
    cut = bare != said
    counted = _COUNT_TAIL.search(bare)
    if counted is not None:
        return MatchResult(
            parse_counts(bare[: counted.start()], payload.path),
            match_count=int(counted[1]),
            file_count=int(counted[2]),
            truncated=cut,
        )
    found = _FOUND.match(bare)
    if found is not None:
        names = path_lines(bare[found.end() :])
        return MatchResult(
            tuple(Match(name) for name in names), file_count=int(found[1]), truncated=cut
        )
    if payload.mode != "content":
        return MatchResult(tuple(Match(name) for name in path_lines(bare)), truncated=cut)
    return _content(bare, payload, cut, None)


def glob(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """Result of Glob."""
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    if fields:
        return PathsResult(
            paths=texts(fields.get("filenames")),
            count=number(fields, "totalMatches", "numFiles"),
            truncated=flag(fields, "truncated", "timedOut"),
        )
    said = text_of(outcome.output)
    if said is None:
        return None
    if said.startswith(_NOTHING):
        return PathsResult(count=0)
    bare = _CUT_TAIL.sub("", said)
    paths = path_lines(bare)
    cut = bare != said
    return PathsResult(paths, count=None if cut else len(paths), truncated=cut)


def ls(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """Result of LS: the tree is `toolUseResult` itself; the text has a note behind it."""
    if outcome.ok is False:
        return None
    tree = outcome.structured if isinstance(outcome.structured, str) else text_of(outcome.output)
    if tree is None:
        return None
    tree = tree.partition(_LS_NOTE)[0].rstrip("\n")
    # The first entry is the directory itself.
    paths = tree_paths(tree)[1:]
    return PathsResult(paths=paths, count=len(paths), tree=tree)


def lsp(_call: ToolCall, outcome: ToolResult) -> LintsResult | None:
    """Result of LSP: a text for every operation."""
    said = text(mapping(outcome.structured), "result")
    if said is None:
        said = text_of(outcome.output)
    return LintsResult(text=said) if said is not None and outcome.ok is not False else None


def web_fetch(call: ToolCall, outcome: ToolResult) -> WebFetchResult | None:
    """Result of WebFetch: `result` is what the model made of the page."""
    fields = mapping(outcome.structured)
    said = text(fields, "result")
    if said is None:
        said = text_of(outcome.output)
    if outcome.ok is False or said is None:
        return None
    asked = call.payload.url if isinstance(call.payload, WebFetchPayload) else None
    return WebFetchResult(
        url=text(fields, "url") or asked,
        status=number(fields, "code"),
        status_text=text(fields, "codeText") or None,
        byte_size=number(fields, "bytes"),
        text=said,
        duration=_seconds(real(fields, "durationMs")),
    )


def _seconds(milliseconds: float | None) -> float | None:
    return milliseconds / 1000 if milliseconds is not None else None


def web_search(_call: ToolCall, outcome: ToolResult) -> WebSearchResult | None:
    """Result of WebSearch: lists of links and texts of the model in between."""
    if outcome.ok is False:
        return None
    fields = mapping(outcome.structured)
    if "results" in fields:
        results = items(fields.get("results"))
        found = [items(mapping(result).get("content")) for result in results]
        hits = tuple(hit for entries in found for hit in collect(entries, web.hit))
        words = [result for result in results if isinstance(result, str) and result.strip()]
        return WebSearchResult(
            hits, "\n\n".join(words) or None, duration=real(fields, "durationSeconds")
        )
    said = text_of(outcome.output)
    return _search_text(said) if said is not None else None


def _search_text(said: str) -> WebSearchResult:
    hits: tuple[WebHit, ...] = ()
    for links in _LINKS.findall(said):
        hits += collect(items(links), web.hit)
    words = _LINKS.sub("", _SEARCH_HEAD.sub("", said.partition(_SEARCH_TAIL)[0])).strip()
    return WebSearchResult(hits, words or None)
