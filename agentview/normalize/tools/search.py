"""Searching: arguments of grep, glob, ls, sem_search and read_lints, and their texts as results."""

import re
from pathlib import PurePath

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    GlobPayload,
    GrepPayload,
    LintsPayload,
    LsPayload,
    SemSearchPayload,
)
from agentview.domain.tool_results import (
    Diagnostic,
    LintsResult,
    Match,
    MatchResult,
    PathsResult,
    SearchHit,
    SearchResult,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import (
    Fields,
    collect,
    first,
    flag,
    items,
    mapping,
    number,
    path,
    real,
    text,
    texts,
)
from agentview.normalize.output_text import text_of

_DIRECTORY = (
    "path",
    "dir_path",
    "directory",
    "target_directory",
    "targetDirectory",
    "DirectoryPath",
    "relative_workspace_path",
)
_QUERY = ("query", "search_term", "searchTerm", "information_request", "q")

_NUMBERED = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\r\n]+):(\d{1,9}):(.*)", re.DOTALL)
_AROUND = re.compile(r"((?:[A-Za-z]:[\\/])?\S.*?)-(\d{1,9})-(.*)", re.DOTALL)
_ONE_FILE = re.compile(r"(\d{1,9})([:-])(.*)", re.DOTALL)
_UNNUMBERED = re.compile(r"((?:[A-Za-z]:[\\/])?[^:\s]++):(.*)", re.DOTALL)
_COUNTED = re.compile(r"(?:(.+):)?(\d{1,12})")
_SEVERITIES = {"1": "error", "2": "warning", "3": "info", "4": "hint"}
_PATH = re.compile(r"(?:[A-Za-z]:)?[^\s:|*?\"<>]*[/\\][^\s:|*?\"<>]*")
_CUT = re.compile(r"(?i)[(\[.…].{0,40}(?:truncated|more (?:files|results|entries)|cut off)")
_BRANCH = re.compile(r"(\s*)- (.*)")


def grep(fields: Fields) -> GrepPayload:
    return GrepPayload(
        pattern=text(fields, "pattern", "regex", "regexp", "search", *_QUERY) or "",
        path=text(fields, *_DIRECTORY, "paths", "file_path"),
        include=text(
            fields,
            "glob",
            "include",
            "include_pattern",
            "includePattern",
            "file_pattern",
            "filePattern",
            "type",
        ),
        mode=text(fields, "output_mode", "outputMode", "mode"),
        ignore_case=flag(fields, "-i", "ignore_case", "case_insensitive", "caseInsensitive"),
        multiline=flag(fields, "multiline"),
        literal=flag(fields, "fixed_strings", "literal", "-F"),
    )


def glob(fields: Fields) -> GlobPayload:
    return GlobPayload(
        pattern=text(fields, "pattern", "glob_pattern", "globPattern", "glob", "name", *_QUERY)
        or "",
        path=text(fields, *_DIRECTORY, "cwd"),
    )


def ls(fields: Fields) -> LsPayload:
    return LsPayload(
        path=text(fields, *_DIRECTORY) or path(fields),
        ignore=texts(first(fields, "ignore", "ignore_globs", "exclude")),
    )


def semantic(fields: Fields) -> SemSearchPayload:
    """Search by meaning."""
    places = first(
        fields, "target_directories", "targetDirectories", "paths", "path", "directories"
    )
    return SemSearchPayload(
        query=text(fields, *_QUERY, "pattern", "text") or "", paths=texts(places)
    )


def lints(fields: Fields) -> LintsPayload:
    """Ask for diagnostics, or ask a language server something else."""
    several = texts(first(fields, "paths", "file_paths", "files"))
    single = path(fields)
    return LintsPayload(
        paths=several or ((single,) if single is not None else ()),
        operation=text(fields, "operation"),
    )


def parse_matches(content: str, default: str | None = None) -> tuple[Match, ...]:
    """Lines as grep prints them: `path:line:text`, and `path-line-text` for context.

    Without a path on the lines all of them are of the file `default`; without line numbers they
    stay unknown.
    """
    lines = content.split("\n")
    if "\r" in content:
        lines = [line.rstrip("\r") for line in lines]
    if lines and not lines[-1]:
        lines.pop()
    numbered = _numbered(lines)
    if any(match[2] == ":" for match in numbered):
        return tuple(
            Match(default or "", int(match[1]), match[3], context=match[2] == "-")
            for match in numbered
        )
    found: list[Match] = []
    group: list[str] = []
    for line in [*lines, "--"]:
        if line == "--":
            found += _group(group, default)
            group = []
        else:
            group.append(line)
    return tuple(found)


def matches_by_file(content: str, file: str, line: str, path: str = "") -> tuple[Match, ...]:
    """Matches on lines of their own behind the name of their file, or of the file `path`.

    `line` has the groups `line`, `text` and where the line is around a match `context`.
    """
    found: list[Match] = []
    for each in content.split("\n"):
        shown = re.fullmatch(line, each)
        if shown is not None:
            around = shown.groupdict().get("context") is not None
            found.append(Match(path, int(shown["line"]), shown["text"], context=around))
        elif (named := re.fullmatch(file, each)) is not None:
            path = named[1]
    return tuple(found)


def _numbered(lines: list[str]) -> list[re.Match[str]]:
    """The lines of one file with their numbers; none when one of them has no number."""
    numbered: list[re.Match[str]] = []
    for line in lines:
        if line == "--":
            continue
        match = _ONE_FILE.match(line)
        if match is None:
            return []
        numbered.append(match)
    return numbered


def _group(lines: list[str], default: str | None) -> list[Match]:
    """Lines between two separators: what is around a match is of the match's file."""
    matches = [_NUMBERED.match(line) for line in lines]
    names = [match[1] for match in matches if match is not None]
    # A context line with ":7:" in its text looks like a match of a file with a longer name.
    name = min(names, key=len, default=None)
    found: list[Match] = []
    around = f"{name}-"
    for line, match in zip(lines, matches, strict=True):
        context = _context(line, name) if name is None or around in line else None
        if context is not None:
            found.append(context)
        elif match is not None:
            found.append(Match(match[1], int(match[2]), match[3]))
        else:
            found.append(_unnumbered(line, default))
    return found


def _context(line: str, name: str | None) -> Match | None:
    if name is None:
        around = _AROUND.fullmatch(line)
        return Match(around[1], int(around[2]), around[3], context=True) if around else None
    # Writers shorten the path of a match and leave that of its context absolute.
    at = line.find(name + "-")
    if at < 0 or (at > 0 and line[at - 1] not in "/\\"):
        return None
    digits, dash, rest = line[at + len(name) + 1 :].partition("-")
    if not dash or not digits.isascii() or not digits.isdigit():
        return None
    return Match(name, int(digits[:9]), rest, context=True)


def _unnumbered(line: str, default: str | None) -> Match:
    one_file = default is not None and PurePath(default).suffix
    match = _UNNUMBERED.match(line) if not one_file else None
    if match is not None and any(sign in match[1] for sign in "./\\"):
        return Match(match[1], None, match[2])
    return Match(default or "", None, line)


def parse_counts(content: str, default: str | None = None) -> tuple[Match, ...]:
    """Lines `path:count`, or a bare count of the file `default`."""
    found = (_COUNTED.fullmatch(line.strip()) for line in content.split("\n"))
    return tuple(
        Match(match[1] or default or "", count=int(match[2]))
        for match in found
        if match is not None
    )


def tree_paths(listing: str) -> tuple[str, ...]:
    """Paths of a listing whose entries are `- name`, indented under their directories."""
    found: list[str] = []
    parents: list[tuple[int, str]] = []
    for line in listing.split("\n"):
        match = _BRANCH.match(line)
        if match is None:
            continue
        indent, name = len(match[1]), match[2]
        while parents and parents[-1][0] >= indent:
            parents.pop()
        whole = (parents[-1][1] if parents else "") + name
        if name.endswith(("/", "\\")):
            parents.append((indent, whole))
        found.append(whole)
    return tuple(found)


def path_lines(listing: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in listing.split("\n") if line.strip())


def grep_result(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches out of the text of a result."""
    content = text_of(outcome.output)
    if outcome.ok is False or content is None:
        return None
    payload = call.payload
    default = payload.path if isinstance(payload, GrepPayload) else None
    matches = parse_matches(content, default)
    if not any(match.line for match in matches):
        return _without_lines(content, payload, default)
    return MatchResult(matches, match_count=sum(1 for match in matches if not match.context))


def _without_lines(content: str, payload: object, default: str | None) -> MatchResult | None:
    """Files, or counts where those were asked for; None where lines are neither."""
    mode = (payload.mode or "") if isinstance(payload, GrepPayload) else ""
    lines = path_lines(content)
    counts = parse_counts(content, default) if "count" in mode else ()
    if counts and len(counts) == len(lines):
        return MatchResult(counts, sum(match.count or 0 for match in counts), len(counts))
    if lines and all(map(_PATH.fullmatch, lines)):
        return MatchResult(tuple(map(Match, lines)), file_count=len(lines))
    return None


def paths_result(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """The paths where each line is one; else the listing as it came, without any claim."""
    content = text_of(outcome.output)
    if content is None or outcome.ok is False:
        return None
    lines = path_lines(content)
    cut = bool(lines) and _CUT.match(lines[-1]) is not None
    listed = lines[:-1] if cut else lines
    if listed and all(map(_BRANCH.match, listed)) and any("/" in line for line in listed):
        return PathsResult(tree_paths(content), truncated=cut)
    if listed and all(map(_PATH.fullmatch, listed)):
        return PathsResult(listed, truncated=cut)
    return PathsResult(tree=content)


def search_result(_call: ToolCall, outcome: ToolResult) -> SearchResult | None:
    """Ranked hits out of a structured result."""
    listed = items(first(mapping(outcome.structured), "results", "hits", "items", "matches"))
    hits = collect(listed, _hit)
    return SearchResult(hits) if hits else None


def _hit(fields: Fields) -> SearchHit | None:
    place = path(fields)
    if place is None:
        return None
    return SearchHit(
        path=place,
        start=number(fields, "start_line", "startLine", "start", "line"),
        end=number(fields, "end_line", "endLine", "end"),
        text=text(fields, "content", "text", "snippet"),
        score=real(fields, "score"),
    )


def lints_result(_call: ToolCall, outcome: ToolResult) -> LintsResult | None:
    """Diagnostics out of a structured result, else the text as it came."""
    found = diagnostics(outcome.structured)
    if found:
        return LintsResult(found)
    content = text_of(outcome.output)
    return LintsResult(text=content) if content is not None and outcome.ok is not False else None


def diagnostics(value: object) -> tuple[Diagnostic, ...]:
    """Diagnostics of a list of files `{path or uri, diagnostics[{message, severity, range}]}`."""
    files = items(value) or items(first(mapping(value), "fileDiagnostics", "diagnostics", "files"))
    found: list[Diagnostic] = []
    for entry in files:
        file = mapping(entry)
        place = path(file, "uri") or ""
        listed = items(file.get("diagnostics")) or [entry]
        found += collect(listed, lambda fields, place=place: _diagnostic(fields, place))
    return tuple(found)


def _severity(severity: str | None) -> str | None:
    """A severity in words; the Language Server Protocol has numbers from 1 on for them."""
    return None if severity is None else _SEVERITIES.get(severity, severity)


def _diagnostic(fields: Fields, place: str) -> Diagnostic | None:
    message = text(fields, "message")
    if message is None:
        return None
    start = mapping(mapping(fields.get("range")).get("start"))
    line = number(start, "line")
    column = number(start, "character", "column")
    return Diagnostic(
        path=place.removeprefix("file://"),
        message=message,
        severity=_severity(text(fields, "severity")),
        # Positions of a language server's range count from 0.
        line=line + 1 if line is not None else number(fields, "line"),
        column=column + 1 if column is not None else number(fields, "column"),
        source=text(fields, "source"),
    )
