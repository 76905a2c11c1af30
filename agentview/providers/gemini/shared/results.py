"""Typed results of files, commands and searches, out of what was shown and what the model got."""

import re
from pathlib import PurePath

from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    AskPayload,
    FileOperation,
    PlanPayload,
    ReadPayload,
    WebFetchPayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    FileChange,
    Match,
    MatchResult,
    PathsResult,
    PlanResult,
    ReadResult,
    ShellResult,
    SubagentResult,
    TodosResult,
    WebFetchResult,
    WebHit,
    WebSearchResult,
)
from agentview.domain.tools import ToolCall
from agentview.normalize.json_fields import as_text, mapping
from agentview.normalize.json_values import fields_of, seconds_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import todo
from agentview.normalize.tools.patch import parse_changes
from agentview.providers._kit.typed_records import read_as
from agentview.providers.gemini.shared.schema import (
    ChangeStatistics,
    ExecutionSummary,
    Shown,
    ShownMatch,
    ShownSource,
)
from agentview.providers.gemini.shared.shell_output import (
    ParsedShellOutput,
    parse_shell_output,
    styled_text,
)
from agentview.providers.gemini.shared.tool_outcome import display_of, launched_agent, shown_of

_RANGE = re.compile(r"Showing lines (\d{1,9})-(\d{1,9}) of (\d{1,9}) total lines\.?")
_CUT_OLD = re.compile(
    r"\s*IMPORTANT: The file content has been truncated\.\n.*?\n--- FILE CONTENT[^\n]*---\n",
    re.DOTALL,
)
_CUT_NEW = re.compile(r"Showing lines [^\n]*\n\n---\n\n")
_HEADING = re.compile(r"Found (\d{1,9}) match(?:es)?\b[^\n]*\n")
_FILE = re.compile(r"File: (.+)")
_LINE = re.compile(r"L(\d{1,9})([:-]) ?(.*)")
_FOUND_FILES = re.compile(r"Found (\d{1,9}) (?:matching )?file\(s\)[^\n]*\n(?:---\n)?")
_LISTING = re.compile(r"Directory listing for [^\n]*:\n")
_SIZE = re.compile(r" \([\d,]+ bytes\)$")
_SUMMED = re.compile(r"(?:Found|Listed) (\d{1,9}) ")


def shell(_call: ToolCall, result: ToolResult) -> ShellResult | None:
    """Output and exit code, the output as it was shown, with its colours."""
    given = text_in(result.output)
    display = display_of(result)
    command = read_as(display, Shown)
    parsed = parse_shell_output(given or command.text or "")
    shown = _shown(display, command)
    code, outcome = whole_of(command.exit_code), command.outcome or None
    if given is None and shown is None:
        return None
    error = command.error or parsed.error
    error = parsed.stderr or (error if result.ok is False else None)
    files = [path for path in command.output_files or () if path is not None]
    return ShellResult(
        output=shown if shown and _says_more(shown, parsed) else parsed.output,
        stderr=error if not shown else None,
        exit_code=parsed.exit_code if code is None else code,
        interrupted=result.interrupted,
        timed_out=parsed.timed_out or outcome in ("timeout", "timed_out"),
        status=outcome or (f"signal {parsed.signal}" if parsed.signal else None),
        spill_path=parsed.path or (files[0] if files and command.truncated else None),
        media=media_of(result.output),
    )


def _says_more(shown: str, parsed: ParsedShellOutput) -> bool:
    """True if what was shown is at least what the model was given, which may be an excerpt."""
    return parsed.path is None or len(shown) > len(parsed.output)


def _shown(display: object, command: Shown) -> str | None:
    if isinstance(display, str):
        return display
    return styled_text(display) or styled_text(command.ansi_output) or command.output or None


def changes(_call: ToolCall, result: ToolResult) -> ChangeResult | None:
    """The file as the client changed it, from the diff that it showed."""
    shown = shown_of(result)
    name, after = shown.file_path or shown.file_name, shown.new_content
    if result.ok is False or not name or (not shown.file_diff and after is UNSET):
        return None
    hunks = [hunk for change in parse_changes(shown.file_diff or "") for hunk in change.hunks or ()]
    left_out = shown.file_diff_truncated is True
    change = FileChange(
        path=name,
        operation=FileOperation.CREATE if _created(shown) else FileOperation.UPDATE,
        hunks=None if left_out else tuple(hunks),
        before=None if shown.original_content_truncated else shown.original_content,
        after=None if shown.new_content_truncated or after is UNSET else after,
        notes=("too large for the log, which has only a preview",) if left_out else (),
    )
    own = shown.diff_stat or ChangeStatistics()
    by_person = whole_of(own.user_added_lines) or whole_of(own.user_removed_lines)
    return ChangeResult((change,), by_person=bool(by_person))


def _created(shown: Shown) -> bool:
    if shown.is_new_file is not None:
        return shown.is_new_file
    return not shown.original_content and "@@ -0,0 " in (shown.file_diff or "")


def read(call: ToolCall, result: ToolResult) -> ReadResult | None:
    """The text of the file, without what the client says in front of it when it is cut."""
    content, media = text_in(result.output), media_of(result.output)
    if result.ok is False or (content is None and not media):
        return None
    payload = call.payload
    asked = payload.start if isinstance(payload, ReadPayload) else None
    if content is None:
        return ReadResult(media=media)
    head = _CUT_OLD.match(content) or _CUT_NEW.match(content)
    if head is None:
        note, content = (content, None) if media else (None, content)
        return ReadResult(content=content, start=asked, media=media, note=note)
    parsed = _RANGE.search(head[0])
    start, end, total = (int(parsed[part]) for part in (1, 2, 3)) if parsed else (asked, None, None)
    return ReadResult(
        content=content[head.end() :],
        start=start,
        line_count=end - start + 1 if end is not None and start is not None else None,
        total_lines=total,
        media=media,
        truncated=True,
    )


def grep(_call: ToolCall, result: ToolResult) -> MatchResult | None:
    """Matches as recorded for the screen, else out of the text that the model got."""
    shown = shown_of(result)
    recorded = [_match(item or ShownMatch()) for item in shown.matches or ()]
    content = text_in(result.output) or ""
    heading = _HEADING.match(content)
    found = tuple(match for match in recorded if match is not None) or _matches(content)
    if result.ok is False or (not found and heading is None):
        return None
    limited = "limited" in (shown.summary or "") or (
        heading is not None and "limited" in heading[0]
    )
    own = [match for match in found if not match.context]
    return MatchResult(
        found,
        match_count=int(heading[1]) if heading is not None else len(own),
        file_count=len({match.path for match in own}) if own else None,
        truncated=limited,
    )


def _match(shown: ShownMatch) -> Match | None:
    path = shown.file_path or shown.absolute_path
    if not path:
        return None
    line = whole_of(shown.line_number)
    return Match(path, line, shown.line, context=shown.is_context is True)


def _matches(content: str) -> tuple[Match, ...]:
    """Matches of a text `File: path`, `L7: text`; a `-` behind the number marks context."""
    found: list[Match] = []
    path = ""
    for line in content.split("\n"):
        file, match = _FILE.fullmatch(line), _LINE.fullmatch(line)
        if file is not None:
            path = file[1]
        elif match is not None and path:
            found.append(Match(path, int(match[1]), match[3], context=match[2] == "-"))
    return tuple(found)


def paths(_call: ToolCall, result: ToolResult) -> PathsResult | None:
    """The files that were found by name."""
    content = text_in(result.output)
    heading = _FOUND_FILES.match(content or "")
    if content is None or result.ok is False:
        return None
    if heading is None:
        return PathsResult(tree=content)
    listed = tuple(line for line in content[heading.end() :].split("\n") if _is_path(line))
    count = int(heading[1])
    return PathsResult(listed, count=count, truncated=len(listed) < count)


def _is_path(line: str) -> bool:
    return bool(line.strip()) and line != "---" and PurePath(line).name != ""


def listing(_call: ToolCall, result: ToolResult) -> PathsResult | None:
    """The entries of a directory; a directory among them ends with '/'."""
    shown = shown_of(result)
    recorded = [name for name in shown.files or () if name is not None]
    content = text_in(result.output)
    heading = _LISTING.match(content or "")
    if result.ok is False or (content is None and not recorded):
        return None
    if not recorded and content is not None and heading is not None:
        recorded = content[heading.end() :].partition("\n\n")[0].split("\n")
    if not recorded:
        return PathsResult(tree=content)
    summed = _SUMMED.match(shown.summary or "")
    entries = tuple(_entry(line) for line in recorded if line.strip() and line != "---")
    return PathsResult(entries, count=int(summed[1]) if summed is not None else len(entries))


def _entry(line: str) -> str:
    name = line.removeprefix("[DIR] ")
    return f"{name}/" if name != line else _SIZE.sub("", name)


# Typed results of agents, plans, lists, questions and the web.

_FINISHED = re.compile(
    r"Subagent '[^'\n]*' finished\.\nTermination Reason: ([^\n]*)\nResult:\n", re.ASCII
)
_REFUSED = re.compile(r"\s*(?:Plan rejected|User cancelled the plan)", re.IGNORECASE)
_FETCHED = re.compile(
    r"URL: (\S+)\nStatus: (\d{3})([^|\n]*)\|[^\n]*?Size: ([\d,]+) bytes[^\n]*\n\n?"
)
_SOURCE = re.compile(r"^\[\d{1,3}\] (.*) \((https?://[^\s()]+)\)[ \t]*$", re.MULTILINE)


def agent(_call: ToolCall, result: ToolResult) -> SubagentResult | None:
    """How an agent ended, or that it was started in the background."""
    display = display_of(result)
    said = text_in(result.output)
    finished = _FINISHED.match(said or "")
    launched = launched_agent(said)
    if said is None and not fields_of(display):
        return None
    shown = read_as(display, Shown)
    summary = shown.execution_summary or ExecutionSummary()
    status = shown.terminate_reason or shown.status or None
    text = shown.result or (
        said[finished.end() :] if finished is not None and said is not None else said
    )
    return SubagentResult(
        status=status or (finished[1] if finished is not None else None),
        agent_id=launched,
        text=text if launched is None else None,
        call_count=whole_of(summary.total_tool_calls),
        total_tokens=whole_of(summary.total_tokens),
        duration=seconds_of(summary.total_duration_ms),
        launched=launched is not None and result.ok is None,
    )


def todos(call: ToolCall, result: ToolResult) -> TodosResult | None:
    """The list as it was shown, else as it was asked for."""
    shown = shown_of(result).todos
    return todo.result(call, replace(result, structured={"newTodos": shown} if shown else None))


def plan(call: ToolCall, result: ToolResult) -> PlanResult | None:
    """Return the outcome of a plan."""
    shown = shown_of(result)
    payload = call.payload
    path = payload.path if isinstance(payload, PlanPayload) else None
    parsed = _REFUSED.match(text_in(result.output) or "") is not None
    refused = parsed or shown.rejected is True or result.denial is not None
    approved = False if refused else (True if result.ok else None)
    return PlanResult(approved, text=shown.plan or None, path=path)


def asked(call: ToolCall, result: ToolResult) -> AskResult | None:
    """The answers of the person; a number instead of a question is its place among them."""
    parsed = mapping(mapping(text_in(result.output) or "").get("answers"))
    payload = call.payload
    names = [each.text for each in payload.questions] if isinstance(payload, AskPayload) else []
    found = [
        AskAnswer(_question(key, names), as_text(value) or "") for key, value in parsed.items()
    ]
    return AskResult(tuple(found)) if found else None


def _question(key: str, names: list[str]) -> str:
    at = int(key) if key.isascii() and key.isdigit() and len(key) < 4 else len(names)
    return names[at] if at < len(names) else key


def fetched(call: ToolCall, result: ToolResult) -> WebFetchResult | None:
    """Return the text that was made of a page."""
    said = text_in(result.output)
    if said is None or result.ok is False:
        return None
    payload = call.payload
    url = payload.url if isinstance(payload, WebFetchPayload) else ""
    head = _FETCHED.match(said)
    if head is None:
        return WebFetchResult(url=url or None, text=said)
    size = int(head[4].replace(",", "")[:12] or 0)
    status = head[3].strip() or None
    return WebFetchResult(
        head[1], int(head[2]), status_text=status, byte_size=size, text=said[head.end() :]
    )


def searched(_call: ToolCall, result: ToolResult) -> WebSearchResult | None:
    """The answer of a search with the sources that it names."""
    said = text_in(result.output)
    if said is None or result.ok is False:
        return None
    hits = tuple(WebHit(match[1], match[2]) for match in _SOURCE.finditer(said))
    return WebSearchResult(hits or _recorded(display_of(result)), text=said)


def _recorded(display: object) -> tuple[WebHit, ...]:
    listed = (item or ShownSource() for item in read_as(display, Shown).sources or ())
    return tuple(WebHit(each.title or "", each.url) for each in listed if each.url)
