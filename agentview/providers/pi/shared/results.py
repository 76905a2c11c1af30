"""Typed results of commands, reads, searches and edits, from what the client prints around them."""

import re
from collections.abc import Mapping

import orjson
from msgspec import UNSET
from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import EditPayload, GrepPayload, ReadPayload, WritePayload
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Hunk,
    Match,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import fields_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import execute, read, search
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText
from agentview.providers._kit.typed_records import read_as
from agentview.providers.pi.shared.schema import ResultDetails, Truncation

_COMMAND = ResultText(
    tail=(
        (
            r"(?:^|\n{1,2})(?:Command exited with code (?P<exit_code>-?\d{1,10})"
            r"|(?P<timed_out>Command timed out after [\d.]{1,20} seconds)|Command aborted)\s*$"
        ),
        (
            r"(?:^|\n)\n?\[Showing (?:lines|last) [^\n]{1,300}?"
            r"Full output: (?P<spill_path>[^\n\]]+)\]\s*$"
        ),
    ),
    none=r"\(no output\)\Z",
)
_NOTED_CODE = ResultText(tail=(r"(?:^|\n\n?)\(Command exited with code -?\d{1,10}\)\s*$",))
_READ = ResultText(
    tail=(
        (
            r"(?:^|\n\n)\[(?P<truncated>(?:[^\n]{0,300}"
            r"(?:limit reached|truncated to|more lines in file|Use offset=)"
            r"|Showing lines )[^\n]{0,300})\]\s*$"
        ),
    ),
)
_SEARCH = replace(
    _READ,
    none=r"\s*(?:No matches found|No files found matching pattern|\(empty directory\))\s*\Z",
)
_TOTAL = re.compile(r"\bof (\d{1,9})\b")
_MATCH = re.compile(r"(\S.*?)(?P<sign>[:-])(\d{1,9})(?P=sign) (.*)")
_LINE = re.compile(r"([ +-])( *\d{1,9}) ?(.*)")


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command, without the lines that the client adds to it."""
    details = read_as(outcome.structured, ResultDetails)
    if not {"exitCode", "aggregated", "sessionId"}.isdisjoint(fields_of(outcome.structured)):
        return _executed(outcome, details)
    made = _COMMAND.shell(call, outcome)
    if made is None:
        return execute.result(call, outcome)
    # The client adds a line for every other code.
    code = 0 if made.exit_code is None and outcome.ok else made.exit_code
    return replace(
        made,
        exit_code=code,
        spill_path=details.full_output_path or made.spill_path,
        spill_size=whole_of((details.truncation or Truncation()).total_bytes),
    )


def _executed(outcome: ToolResult, details: ResultDetails) -> ShellResult:
    """A command of OpenClaw, whose result has its outcome in fields."""
    output = details.tail if details.aggregated is UNSET else details.aggregated
    status = details.status or None
    said = output if isinstance(output, str) else text_in(outcome.output) or ""
    return ShellResult(
        output=_NOTED_CODE.parse(said)[0],
        exit_code=whole_of(details.exit_code),
        interrupted=outcome.interrupted or details.exit_signal is not None,
        timed_out=details.timed_out is True,
        task_id=details.session_id or None,
        status=status,
        launched=status == "running",
        media=media_of(outcome.output),
    )


def read_file(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """A part of a file: the client prints it as it is, with a note below it where there is more."""
    made = read.result(call, outcome)
    payload = call.payload
    if made is None or made.content is None or not isinstance(payload, ReadPayload) or made.media:
        return made
    content, facts = _READ.parse(made.content)
    note = facts.get("truncated")
    cut = read_as(outcome.structured, ResultDetails).truncation or Truncation()
    total = whole_of(cut.total_lines)
    found = _TOTAL.search(note) if note is not None else None
    return ReadResult(
        content=content,
        start=payload.start or 1,
        line_count=content.count("\n") + 1,
        total_lines=int(found[1]) if total is None and found is not None else total,
        cells=made.cells,
        truncated=cut.truncated is True,
        note=note,
    )


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches as `path:12: text`, and lines around them as `path-12- text`."""
    said = text_in(outcome.output)
    if said is None or outcome.ok is False:
        return None
    content, facts = _SEARCH.parse(said)
    if "none" in facts:
        return MatchResult(match_count=0, file_count=0)
    lines = [_MATCH.fullmatch(line) for line in content.rstrip("\n").split("\n")]
    if not isinstance(call.payload, GrepPayload) or None in lines:
        return search.grep_result(call, outcome)
    found = tuple(
        Match(line[1], int(line[3]), line[4], context=line["sign"] == "-")
        for line in lines
        if line is not None
    )
    count = sum(1 for match in found if not match.context)
    return MatchResult(found, match_count=count, truncated="truncated" in facts)


def paths(call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """Names, one a line; those of directories end with a slash."""
    made = _SEARCH.paths(call, outcome)
    if made is None or made.count == 0:
        return made
    if not made.truncated and any(len(line) > 1024 for line in made.paths):
        return search.paths_result(call, outcome)
    return replace(made, paths=tuple(map(_unquoted, made.paths)))


def _unquoted(line: str) -> str:
    """A name as OpenClaw prints it, which is as a JSON text."""
    if len(line) < 2 or not (line[0] == line[-1] == '"'):
        return line
    try:
        name: object = orjson.loads(line)
    except ValueError:
        return line
    return name if isinstance(name, str) else line


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The change as the client recorded it: a patch, or before that its own form of a diff."""
    details = read_as(outcome.structured, ResultDetails)
    if outcome.ok is False:
        return None
    payload = call.payload
    asked = ""
    if isinstance(payload, EditPayload) and len(payload.files) == 1:
        asked = payload.files[0].path
    elif isinstance(payload, WritePayload):
        asked = payload.path
    made = parse_changes(details.patch) if details.patch else ()
    if made:
        return ChangeResult(made)
    hunks = numbered_hunks(details.diff) if details.diff else ()
    return ChangeResult((FileChange(asked, hunks=hunks),)) if hunks and asked else None


def numbered_hunks(diff: str) -> tuple[Hunk, ...]:
    """Hunks of a diff whose lines carry numbers: `-12 old`, `+12 new`, ` 13 around`, ` ...`.

    A removed line has its old number and an added one its new number. Those of other lines are
    counted from these: old versions number them wrongly.
    """
    hunks: list[Hunk] = []
    group: list[re.Match[str]] = []
    for line in [*diff.split("\n"), "..."]:
        match = _LINE.fullmatch(line)
        if match is not None:
            group.append(match)
        elif line.strip() == "..." and group:
            grown = sum(hunk.new_lines - hunk.old_lines for hunk in hunks)
            hunk = _hunk(group, grown)
            hunks += [hunk] if hunk is not None else []
            group = []
        elif line.strip() != "...":
            return ()
    return tuple(hunks)


def _hunk(lines: list[re.Match[str]], grown: int) -> Hunk | None:
    """One hunk; the file has grown by so many lines in front of it."""
    old_start: int | None = None
    old = new = 0
    for line in lines:
        sign, number = line[1], int(line[2])
        if old_start is None and sign != " ":
            old_start = number - old if sign == "-" else number - new - grown
        old += sign != "+"
        new += sign != "-"
    if old_start is None or old_start < 0:
        return None
    texts = tuple(line[1] + line[3] for line in lines)
    return Hunk(old_start, old, old_start + grown, new, texts)


RESULTS: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: read_file,
    ToolKind.GREP: grep,
    ToolKind.GLOB: paths,
    ToolKind.LS: paths,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
}
"""How the result of a call is read, by what the call does."""
