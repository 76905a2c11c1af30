"""Typed results out of what the stream records of an outcome; one maker for each kind."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    DeletePayload,
    FileOperation,
    ReadPayload,
    SubagentPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    FileChange,
    Hunk,
    LintsResult,
    Match,
    MatchResult,
    PathsResult,
    PlanResult,
    ReadResult,
    Result,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import flag, items, mapping, number, path, real, text, texts
from agentview.normalize.json_values import Fields
from agentview.normalize.output_text import media_of, text_of
from agentview.normalize.tools import execute, read, search, subagent, todo, web
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker

_TRUNCATED = ("clientTruncated", "ripgrepTruncated")
_SEVERITY = "diagnostic_severity_"
_MAX_DEPTH = 32
_MAX_PATHS = 20_000


def _read(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    fields = mapping(outcome.structured)
    content = text(fields, "content", "text")
    if content is None:
        content = "" if flag(fields, "isEmpty") else text_of(outcome.output)
    media = media_of(outcome.output)
    if outcome.ok is False or (content is None and not media):
        return None
    payload = call.payload
    asked = payload.start if isinstance(payload, ReadPayload) else None
    start = number(mapping(fields.get("readRange")), "startLine") or asked
    return ReadResult(
        content=content,
        start=start,
        total_lines=number(fields, "totalLines"),
        media=media,
        truncated=flag(fields, "exceededLimit"),
    )


def _changed(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """Return the change of a file: a diff where there is one, else its text before and after."""
    fields = mapping(outcome.structured)
    if outcome.ok is False or not fields:
        return None
    place = path(fields) or path(call.args or {}) or ""
    before = text(fields, "beforeFullFileContent")
    after = text(fields, "afterFullFileContent", "fileContentAfterWrite")
    if before is None and isinstance(call.payload, WritePayload):
        # Whether there was such a file before is not recorded; the call has what was written.
        return None
    hunks = _hunks(text(fields, "diffString"), pieces=before is None or after is None)
    if hunks is None and before is None and after is None:
        return None
    # A file that is made is recorded as one that was empty.
    operation = FileOperation.CREATE if before == "" and after else FileOperation.UPDATE
    whole = (before, after) if before is not None and after is not None else None
    change = FileChange(place, operation, hunks, before, after, whole=whole)
    return ChangeResult((change,))


def _hunks(diff: str | None, *, pieces: bool) -> tuple[Hunk, ...] | None:
    """Hunks of a diff. One without a header is a piece of the file that says no line numbers.

    With `pieces` it counts, since there is nothing better.
    """
    if not diff:
        return None
    found = tuple(hunk for change in parse_changes(diff) for hunk in change.hunks or ())
    if found or not pieces:
        return found or None
    lines = tuple(diff.rstrip("\n").split("\n"))
    if not any(line[:1] in ("+", "-") for line in lines):
        return None
    old = sum(1 for line in lines if line[:1] != "+")
    new = sum(1 for line in lines if line[:1] != "-")
    return (Hunk(0, old, 0, new, lines),)


def _deleted(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    if outcome.ok is False or not isinstance(call.payload, DeletePayload):
        return None
    before = text(mapping(outcome.structured), "prevContent", "beforeFullFileContent")
    delete = FileOperation.DELETE
    return ChangeResult(
        tuple(FileChange(each, delete, before=before) for each in call.payload.paths)
    )


def _shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    fields = mapping(outcome.structured)
    stdout, stderr = text(fields, "stdout"), text(fields, "stderr")
    joined = text(fields, "interleavedOutput", "output")
    if not stdout and not stderr and joined:
        stdout = stderr = None
    else:
        joined = None
    output = joined if joined is not None else text_of(outcome.output)
    if stdout is None and stderr is None and output is None and not fields:
        return None
    background = flag(fields, "isBackground")
    return ShellResult(
        stdout=stdout,
        stderr=stderr,
        output=output if stdout is None and stderr is None else None,
        exit_code=number(fields, "exitCode"),
        interrupted=bool(text(fields, "signal")),
        timed_out=flag(fields, "timedOut"),
        task_id=text(fields, "shellId", "pid"),
        status="background" if background else None,
        spill_path=text(mapping(fields.get("outputLocation")), "filePath", "path"),
    )


def _grep(_call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches of all roots that were searched."""
    fields = mapping(outcome.structured)
    roots = [mapping(each) for each in mapping(fields.get("workspaceResults")).values()]
    if outcome.ok is False or not roots:
        return None
    found: list[Match] = []
    lines: list[int | None] = []
    files: list[int | None] = []
    cut = False
    for root in roots:
        for mode in ("content", "files", "count"):
            inner = mapping(root.get(mode))
            if inner:
                found += _matches(mode, inner)
                lines.append(number(inner, "totalMatchedLines", "totalMatches"))
                files.append(number(inner, "totalFiles"))
                cut = cut or any(flag(inner, key) for key in _TRUNCATED)
    return MatchResult(tuple(found), _sum(lines), _sum(files), truncated=cut)


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _matches(mode: str, inner: Fields) -> Iterator[Match]:
    if mode == "files":
        for name in texts(inner.get("files")):
            yield Match(_relative(name))
    elif mode == "count":
        for entry in map(mapping, items(inner.get("counts"))):
            yield Match(_relative(path(entry) or ""), count=number(entry, "count"))
    else:
        for file in map(mapping, items(inner.get("matches"))):
            name = _relative(path(file) or "")
            for line in map(mapping, items(file.get("matches"))):
                yield Match(
                    name,
                    number(line, "lineNumber"),
                    text(line, "content"),
                    context=flag(line, "isContextLine"),
                )


def _relative(name: str) -> str:
    return name.removeprefix("./")


def _glob(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    fields = mapping(outcome.structured)
    if outcome.ok is False or "files" not in fields:
        return None
    return PathsResult(
        tuple(_relative(name) for name in texts(fields.get("files"))),
        count=number(fields, "totalFiles"),
        truncated=any(flag(fields, key) for key in _TRUNCATED),
    )


def _ls(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """The nested listing as paths below its root; a directory ends with a slash."""
    fields = mapping(outcome.structured)
    root = mapping(fields.get("directoryTreeRoot"))
    if outcome.ok is False:
        return None
    if not root:
        tree = text(fields, "output", "tree") or text_of(outcome.output)
        return PathsResult(tree=tree) if tree is not None else None
    found: list[str] = []
    for name in _below(root, "", 0):
        if len(found) == _MAX_PATHS:
            return PathsResult(tuple(found), truncated=True)
        found.append(name)
    return PathsResult(tuple(found))


def _below(node: Fields, prefix: str, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    for child in map(mapping, items(node.get("childrenDirs"))):
        name = PurePosixPath(text(child, "absPath", "name", "path") or "?").name
        yield f"{prefix}{name}/"
        yield from _below(child, f"{prefix}{name}/", depth + 1)
    for file in map(mapping, items(node.get("childrenFiles"))):
        yield prefix + (text(file, "name", "path") or "?")


def _lints(call: ToolCall, outcome: ToolResult) -> LintsResult | None:
    """Diagnostics with their severities as words, which are recorded as names of constants."""
    found = search.lints_result(call, outcome)
    if found is None:
        return None
    named = tuple(
        replace(each, severity=each.severity.lower().removeprefix(_SEVERITY))
        if each.severity is not None
        else each
        for each in found.diagnostics
    )
    return replace(found, diagnostics=named)


def _plan(_call: ToolCall, outcome: ToolResult) -> PlanResult | None:
    if outcome.denial is not None:
        return PlanResult(approved=False, text=outcome.denial.words)
    return None


def _task(call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """How an agent ended: what it said last, and how many tools it called."""
    fields = mapping(outcome.structured)
    if not fields:
        return None
    steps = [mapping(step) for step in items(fields.get("conversationSteps"))]
    said = [text(mapping(step.get("assistantMessage")), "text") for step in steps]
    milliseconds = real(fields, "durationMs")
    model = call.payload.model if isinstance(call.payload, SubagentPayload) else None
    return SubagentResult(
        status="background" if flag(fields, "isBackground") else None,
        agent_id=text(fields, "agentId"),
        text=next((each for each in reversed(said) if each), None) or text(fields, "resultSuffix"),
        call_count=sum("toolCall" in step for step in steps) if steps else None,
        duration=milliseconds / 1000 if milliseconds is not None else None,
        model=model,
    )


def _answered(call: ToolCall, outcome: ToolResult) -> AskResult | None:
    """Answers by the words of their questions and options, which have ids in the log."""
    given = {
        text(entry, "questionId") or "": (
            texts(entry.get("selectedOptionIds")),
            text(entry, "freeformText"),
        )
        for entry in map(mapping, items(mapping(outcome.structured).get("answers")))
    }
    found: list[AskAnswer] = []
    for question in map(mapping, items((call.args or {}).get("questions"))):
        answer = given.get(text(question, "id") or "")
        if answer is None:
            continue
        options = {
            text(each, "id"): text(each, "label")
            for each in map(mapping, items(question.get("options")))
        }
        selected, said = answer
        chosen = [options.get(own) or own for own in selected]
        words = ", ".join([*chosen, *([said] if said else [])])
        found.append(AskAnswer(text(question, "prompt", "question") or "", words))
    return AskResult(tuple(found)) if found else None


_PLAIN: Mapping[ToolKind, ResultMaker] = {
    ToolKind.READ: read.result,
    ToolKind.SHELL: execute.result,
    ToolKind.GREP: search.grep_result,
    ToolKind.GLOB: search.paths_result,
    ToolKind.LS: search.paths_result,
    ToolKind.SUBAGENT_TASK: subagent.result,
}
"""Makers of results that are a text alone."""


def _maker(kind: ToolKind, make: ResultMaker) -> ResultMaker:
    """Without a maker's result where the outcome says nothing, as in a transcript."""

    def made(call: ToolCall, outcome: ToolResult) -> Result | None:
        if outcome.structured is None:
            plain = _PLAIN.get(kind)
            if not outcome.output or plain is not None:
                return plain(call, outcome) if plain is not None and outcome.output else None
        return make(call, outcome)

    return made


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    kind: _maker(kind, make)
    for kind, make in (
        (ToolKind.READ, _read),
        (ToolKind.WRITE, _changed),
        (ToolKind.EDIT, _changed),
        (ToolKind.NOTEBOOK_EDIT, _changed),
        (ToolKind.DELETE, _deleted),
        (ToolKind.SHELL, _shell),
        (ToolKind.GREP, _grep),
        (ToolKind.GLOB, _glob),
        (ToolKind.LS, _ls),
        (ToolKind.SEM_SEARCH, search.search_result),
        (ToolKind.READ_LINTS, _lints),
        (ToolKind.WEB_FETCH, web.fetch_result),
        (ToolKind.WEB_SEARCH, web.search_result),
        (ToolKind.TODOS, todo.result),
        (ToolKind.PLAN, _plan),
        (ToolKind.SUBAGENT_TASK, _task),
        (ToolKind.ASK, _answered),
    )
}
"""Makers of typed results; what a server's tool brings back is shown by its blocks."""
