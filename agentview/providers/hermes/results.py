"""Answers of tools, which are JSON texts: outcome, and results by kind."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import FileOperation, GrepPayload, WritePayload
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    FileChange,
    Match,
    MatchResult,
    PathsResult,
    ReadResult,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind
from agentview.normalize.json_fields import flag, items, mapping, number, text
from agentview.normalize.json_values import Fields, fields_of
from agentview.normalize.output_text import media_of
from agentview.normalize.tools import execute, read, search, subagent
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker

_CHARS = 600
_WRONG = re.compile(r"(?:Tool '[^'\n]{1,200}' does not exist|Error\b|Invalid (?:JSON|arguments))")
_BLOCKED = re.compile(
    r"BLOCKED\b|\b(?:by|from) (?:the )?user\b.{0,20}den|denied by (?:the )?user", re.IGNORECASE
)
_BY_PERSON = re.compile(r"\buser\b", re.IGNORECASE)
_FILE = r"\s*(?=\S)(.*\S)\s*"
_LINE = r"\s{1,8}(?P<line>\d{1,9}): ?(?P<text>.*)"
_SLASHES = re.compile(r"^(--- a/|\+\+\+ b/)/", re.MULTILINE)
_TIMED_OUT = 124


def error_in(answer: Fields, said: str) -> str | None:
    """Return the error; None where nothing says that there was one."""
    message = text(answer, "error")
    if message:
        return message
    code = number(answer, "exit_code")
    if answer.get("success") is False or text(answer, "status") in ("error", "failed", "blocked"):
        return text(answer, "message", "output") or "failed"
    if code:
        return f"exit code {code}"
    return said.strip() if not answer and _WRONG.match(said[:_CHARS]) else None


def denial_in(answer: Fields, error: str | None) -> Denial | None:
    """Who refused a call; None where nobody did."""
    said = (error or "")[:_CHARS]
    if text(answer, "status") != "blocked" and _BLOCKED.search(said) is None:
        return None
    return Denial(DeniedBy.PERSON if _BY_PERSON.search(said) else DeniedBy.RULE)


def _answer(outcome: ToolResult) -> Fields:
    return fields_of(outcome.structured)


def _shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    answer = _answer(outcome)
    if not answer:
        return execute.result(call, outcome)
    code = number(answer, "exit_code")
    task = text(answer, "session_id")
    output = text(answer, "output", "output_preview")
    launched = task is not None and call.provider_name == "terminal"
    error = text(answer, "error")
    return ShellResult(
        output=output if output or error is None else error,
        exit_code=None if launched or code == -1 else code,
        timed_out=code == _TIMED_OUT,
        task_id=task,
        status=text(answer, "status"),
        launched=launched,
    )


def _read(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    answer = _answer(outcome)
    if outcome.ok is False:
        return None
    if text(answer, "status") == "unchanged":
        return ReadResult(unchanged=True, note=text(answer, "message"))
    content = text(answer, "content")
    if content is None:
        return read.result(call, outcome)
    made = read.read_text(content.removesuffix("\n"), media_from=outcome)
    return ReadResult(
        content=made.content,
        start=made.start,
        line_count=made.line_count,
        total_lines=number(answer, "total_lines"),
        media=media_of(outcome.output),
        cells=made.cells,
        truncated=flag(answer, "truncated"),
        note=text(answer, "hint") or made.note,
    )


def _grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    answer = _answer(outcome)
    count = number(answer, "total_count")
    if outcome.ok is False:
        return None
    if count is None:
        return search.grep_result(call, outcome)
    path = call.payload.path if isinstance(call.payload, GrepPayload) else None
    listed = text(answer, "matches_text") or ""
    found = [*search.matches_by_file(listed, _FILE, _LINE, path or "")]
    for entry in map(mapping, items(answer.get("matches"))):
        place = text(entry, "path", "file") or ""
        found.append(Match(place, number(entry, "line"), text(entry, "content", "text")))
    found += [Match(str(each)) for each in items(answer.get("files"))]
    counts = mapping(answer.get("counts"))
    found += [Match(each, count=number(counts, each)) for each in counts]
    return MatchResult(tuple(found), count, truncated=flag(answer, "truncated"))


def _paths(call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    answer = _answer(outcome)
    if outcome.ok is False or number(answer, "total_count") is None:
        return search.paths_result(call, outcome)
    paths = tuple(str(each) for each in items(answer.get("files")))
    return PathsResult(paths, number(answer, "total_count"), truncated=flag(answer, "truncated"))


def _changed(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The diff that the client made; it writes two slashes before a whole path."""
    answer = _answer(outcome)
    if outcome.ok is False:
        return None
    diff = text(answer, "diff")
    if diff:
        return ChangeResult(parse_changes(_SLASHES.sub(r"\1/", diff)))
    payload = call.payload
    if isinstance(payload, WritePayload):
        after = payload.content
        return ChangeResult((FileChange(payload.path, FileOperation.UPDATE, after=after),))
    return None


def _agent(call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    answer = _answer(outcome)
    status = text(answer, "status")
    own = text(answer, "delegation_id")
    if own is not None:
        said = text(answer, "note") if status != "dispatched" else None
        return SubagentResult(status, own, said, launched=status == "dispatched")
    results = [mapping(each) for each in items(answer.get("results"))]
    if not results:
        return subagent.result(call, outcome)
    said = "\n\n".join(found for each in results if (found := text(each, "summary")))
    return SubagentResult(text(results[0], "status"), text=said or None)


def _answered(call: ToolCall, outcome: ToolResult) -> AskResult | None:
    answer = _answer(outcome)
    said = text(answer, "user_response", "response", "answer")
    question = text(answer, "question") or text(call.args or {}, "question") or ""
    return AskResult((AskAnswer(question, said),)) if said is not None else None


RESULTS: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: _shell,
    ToolKind.READ: _read,
    ToolKind.GREP: _grep,
    ToolKind.GLOB: _paths,
    ToolKind.EDIT: _changed,
    ToolKind.WRITE: _changed,
    ToolKind.SUBAGENT_TASK: _agent,
    ToolKind.ASK: _answered,
}
"""How the result of a call is read, by what the call does."""
