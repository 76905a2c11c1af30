"""Titles of calls that look for something: in files, by name, by meaning, on the web."""

from collections import Counter
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from agentview.domain.activity import Activity
from agentview.domain.tool_inputs import (
    GlobPayload,
    GrepPayload,
    LintsPayload,
    LsPayload,
    SemSearchPayload,
    WebFetchPayload,
    WebSearchPayload,
)
from agentview.domain.tool_results import (
    LintsResult,
    MatchResult,
    PathsResult,
    SearchResult,
    WebFetchResult,
    WebSearchResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.timeline.view.format_numbers import byte_size, counted
from agentview.timeline.view.titles.text import Parts, several, shown_path

_GRAVEST = "error warning problem info hint"
"""Severities by weight."""


def grep_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Pattern and where; matches and files."""
    payload = call.payload
    if not isinstance(payload, GrepPayload):
        return Parts("Grep", "")
    subject = payload.pattern
    if payload.path and shown_path(payload.path, cwd) != ".":
        subject += f"  in {shown_path(payload.path, cwd)}"
    if payload.include:
        subject += f"  {payload.include}"
    return Parts("Grep", subject, _matches(call.result))


def glob_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Pattern and where; how many files."""
    payload = call.payload
    if not isinstance(payload, GlobPayload):
        return Parts("Glob", "")
    subject = payload.pattern
    if payload.path and shown_path(payload.path, cwd) != ".":
        subject += f"  in {shown_path(payload.path, cwd)}"
    return Parts("Glob", subject, _entries(call.result, "file"))


def ls_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Directory; how many entries."""
    payload = call.payload
    if not isinstance(payload, LsPayload):
        return Parts("List", "")
    return Parts("List", shown_path(payload.path or ".", cwd), _entries(call.result, "entry"))


def sem_search_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Query and where; how many results."""
    payload = call.payload
    if not isinstance(payload, SemSearchPayload):
        return Parts("Search", "")
    subject = payload.query
    if payload.paths:
        subject += f"  in {several(shown_path(path, cwd) for path in payload.paths)}"
    hits = call.result.hits if isinstance(call.result, SearchResult) else None
    return Parts("Search", subject, "" if hits is None else _count(len(hits), "result"))


def lints_parts(call: ToolCall, _activity: Activity, cwd: str | None) -> Parts:
    """Files asked about; findings by severity."""
    payload = call.payload
    if not isinstance(payload, LintsPayload):
        return Parts("Lints", "")
    subject = several(shown_path(path, cwd) for path in payload.paths) or "the whole project"
    if payload.operation:
        subject = f"{payload.operation}  {subject}"
    if not isinstance(call.result, LintsResult) or call.result.text is not None:
        return Parts("Lints", subject)
    severities = Counter((item.severity or "problem").lower() for item in call.result.diagnostics)
    names = sorted(severities, key=lambda name: (_GRAVEST.find(name) % 100, name))
    detail = ", ".join(counted(severities[name], name) for name in names)
    return Parts("Lints", subject, detail or "no problems")


def web_fetch_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """Host and path; status and size."""
    payload = call.payload
    if not isinstance(payload, WebFetchPayload):
        return Parts("Fetch", "")
    details: list[str] = []
    if isinstance(call.result, WebFetchResult):
        if call.result.status is not None:
            details.append(str(call.result.status))
        if call.result.byte_size is not None:
            details.append(byte_size(call.result.byte_size))
    return Parts("Fetch", shown_url(payload.url), " · ".join(details))


def web_search_parts(call: ToolCall, _activity: Activity, _cwd: str | None) -> Parts:
    """Query; how many results."""
    payload = call.payload
    if not isinstance(payload, WebSearchPayload):
        return Parts("Web", "")
    hits = call.result.hits if isinstance(call.result, WebSearchResult) else None
    # The answer may be a text, or blocks that are not hits.
    if hits is None or (not hits and call.output):
        return Parts("Web", payload.query)
    return Parts("Web", payload.query, _count(len(hits), "result"))


def shown_url(url: str) -> str:
    """Host and path of an address, without scheme and `www.`; what is not an address as it is."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return url
    if not parts.netloc:
        return url
    path = parts.path if parts.path != "/" else ""
    query = f"?{parts.query}" if parts.query else ""
    return parts.netloc.removeprefix("www.") + path + query


def _matches(result: object) -> str:
    if not isinstance(result, MatchResult):
        return ""
    found = [match for match in result.matches if not match.context]
    matches = result.match_count
    if matches is None and any(match.line is not None for match in found):
        matches = len(found)
    elif matches is None and any(match.count is not None for match in found):
        matches = sum(match.count or 0 for match in found)
    files = result.file_count
    if files is None and (found or matches is None):
        files = len({match.path for match in found})
    more = "+" if result.truncated else ""
    if not matches and not files:
        return "no matches"
    if matches is None:
        return f"{files or 0:,}{more} {'file' if files == 1 and not more else 'files'}"
    word = f"{matches:,}{more} {'match' if matches == 1 and not more else 'matches'}"
    return f"{word} in {counted(files, 'file')}" if files else word


def _entries(result: object, noun: str) -> str:
    if not isinstance(result, PathsResult):
        return ""
    count = result.count if result.count is not None else len(result.paths)
    if not count and result.tree is not None:
        return counted(len(result.tree.splitlines()), "line")
    return _count(count, noun) + (" · cut off" if result.truncated else "")


def _count(count: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else plural}" if count else f"no {plural}"


SEARCH_TITLES: Mapping[ToolKind, Callable[[ToolCall, Activity, str | None], Parts]] = {
    ToolKind.GREP: grep_parts,
    ToolKind.GLOB: glob_parts,
    ToolKind.LS: ls_parts,
    ToolKind.SEM_SEARCH: sem_search_parts,
    ToolKind.READ_LINTS: lints_parts,
    ToolKind.WEB_FETCH: web_fetch_parts,
    ToolKind.WEB_SEARCH: web_search_parts,
}
