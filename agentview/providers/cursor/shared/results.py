"""Typed results out of what the stream records of an outcome; one maker for each kind."""

from collections.abc import Iterator, Mapping
from itertools import islice
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
from agentview.normalize.json_fields import as_text, items, mapping, number, path, texts
from agentview.normalize.json_values import seconds_of, whole_of
from agentview.normalize.output_text import media_of, text_of
from agentview.normalize.tools import execute, read, search, subagent, todo, web
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.typed_values import read_as
from agentview.providers.cursor.shared.schema import (
    Line,
    Listed,
    Node,
    Outcome,
    Questions,
    Step,
)

_SEVERITY = "diagnostic_severity_"
_MAX_DEPTH = 32
_MAX_PATHS = 20_000


def _outcome(result: ToolResult) -> Outcome:
    return read_as(mapping(result.structured), Outcome)


def _read(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    found = _outcome(outcome)
    content = found.content if found.content is not None else found.text
    if content is None:
        content = "" if found.is_empty else text_of(outcome.output)
    media = media_of(outcome.output)
    if outcome.ok is False or (content is None and not media):
        return None
    payload = call.payload
    asked = payload.start if isinstance(payload, ReadPayload) else None
    return ReadResult(
        content=content,
        start=whole_of(found.read_range and found.read_range.start_line) or asked,
        total_lines=whole_of(found.total_lines),
        media=media,
        truncated=found.exceeded_limit is True,
    )


def _changed(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """Return the change of a file: a diff where there is one, else its text before and after."""
    fields = mapping(outcome.structured)
    if outcome.ok is False or not fields:
        return None
    place = path(fields) or path(call.args or {}) or ""
    found = _outcome(outcome)
    before, after = found.before_full_file_content, found.after_full_file_content
    after = after if after is not None else found.file_content_after_write
    if before is None and isinstance(call.payload, WritePayload):
        # Whether there was such a file before is not recorded; the call has what was written.
        return None
    hunks = _hunks(found.diff_string, pieces=before is None or after is None)
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
    found = _outcome(outcome)
    before = found.prev_content
    before = before if before is not None else found.before_full_file_content
    delete = FileOperation.DELETE
    return ChangeResult(
        tuple(FileChange(each, delete, before=before) for each in call.payload.paths)
    )


def _shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    found = _outcome(outcome)
    stdout, stderr = found.stdout, found.stderr
    joined = found.interleaved_output
    joined = joined if joined is not None else found.output
    if not stdout and not stderr and joined:
        stdout = stderr = None
    else:
        joined = None
    output = joined if joined is not None else text_of(outcome.output)
    if stdout is None and stderr is None and output is None and not mapping(outcome.structured):
        return None
    saved = found.output_location
    return ShellResult(
        stdout=stdout,
        stderr=stderr,
        output=output if stdout is None and stderr is None else None,
        exit_code=whole_of(found.exit_code),
        interrupted=bool(as_text(found.signal)),
        timed_out=found.timed_out is True,
        task_id=as_text(found.shell_id if found.shell_id is not None else found.pid),
        status="background" if found.is_background else None,
        spill_path=(saved.file_path or saved.path) if saved is not None else None,
    )


def _grep(_call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches of all roots that were searched."""
    roots = _outcome(outcome).workspace_results
    if outcome.ok is False or not roots:
        return None
    found: list[Match] = []
    lines: list[int | None] = []
    files: list[int | None] = []
    cut = False
    for root in filter(None, roots.values()):
        for listed, matches in (
            (root.content, _lines), (root.files, _names), (root.count, _counts)
        ):  # fmt: skip
            if listed is not None:
                found += matches(listed)
                count = whole_of(listed.total_matched_lines)
                lines.append(count if count is not None else whole_of(listed.total_matches))
                files.append(whole_of(listed.total_files))
                cut = cut or _is_cut(listed)
    return MatchResult(tuple(found), _sum(lines), _sum(files), truncated=cut)


def _is_cut(listed: Listed | Outcome) -> bool:
    return listed.client_truncated is True or listed.ripgrep_truncated is True


def _sum(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _names(listed: Listed) -> Iterator[Match]:
    for name in texts(listed.files):
        yield Match(_relative(name))


def _counts(listed: Listed) -> Iterator[Match]:
    for entry in map(mapping, listed.counts):
        yield Match(_relative(path(entry) or ""), count=number(entry, "count"))


def _lines(listed: Listed) -> Iterator[Match]:
    for file in map(mapping, listed.matches):
        name = _relative(path(file) or "")
        for each in items(file.get("matches")):
            line = read_as(each, Line)
            context = line.is_context_line is True
            yield Match(name, whole_of(line.line_number), line.content, context=context)


def _relative(name: str) -> str:
    return name.removeprefix("./")


def _glob(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    if outcome.ok is False or "files" not in mapping(outcome.structured):
        return None
    found = _outcome(outcome)
    return PathsResult(
        tuple(_relative(name) for name in texts(found.files)),
        count=whole_of(found.total_files),
        truncated=_is_cut(found),
    )


def _ls(_call: ToolCall, outcome: ToolResult) -> PathsResult | None:
    """The nested listing as paths below its root; a directory ends with a slash."""
    found = _outcome(outcome)
    if outcome.ok is False:
        return None
    if not mapping(found.directory_tree_root):
        tree = found.output if found.output is not None else found.tree
        tree = tree or text_of(outcome.output)
        return PathsResult(tree=tree) if tree is not None else None
    paths = list(islice(_below(found.directory_tree_root, "", 0), _MAX_PATHS + 1))
    return PathsResult(tuple(paths[:_MAX_PATHS]), truncated=len(paths) > _MAX_PATHS)


def _below(value: object, prefix: str, depth: int) -> Iterator[str]:
    if depth > _MAX_DEPTH:
        return
    node = read_as(mapping(value), Node)
    for each in node.children_dirs:
        child = read_as(mapping(each), Node)
        name = PurePosixPath(child.abs_path or child.name or child.path or "?").name
        yield f"{prefix}{name}/"
        yield from _below(each, f"{prefix}{name}/", depth + 1)
    for each in node.children_files:
        file = read_as(mapping(each), Node)
        yield prefix + (file.name or file.path or "?")


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
    if not mapping(outcome.structured):
        return None
    found = _outcome(outcome)
    steps = [step or Step() for step in found.conversation_steps or ()]
    said = [step.assistant_message.text for step in steps if step.assistant_message is not None]
    return SubagentResult(
        status="background" if found.is_background else None,
        agent_id=found.agent_id,
        text=next(filter(None, reversed(said)), None) or found.result_suffix,
        call_count=sum(step.tool_call is not None for step in steps) if steps else None,
        duration=seconds_of(found.duration_ms),
        model=call.payload.model if isinstance(call.payload, SubagentPayload) else None,
    )


def _answered(call: ToolCall, outcome: ToolResult) -> AskResult | None:
    """Answers by the words of their questions and options, which have ids in the log."""
    answers = {each.question_id or "": each for each in _outcome(outcome).answers or () if each}
    found: list[AskAnswer] = []
    for question in filter(None, read_as(call.args, Questions).questions):
        answer = answers.get(question.id or "")
        if answer is None:
            continue
        labels = {each.id: each.label for each in question.options if each is not None}
        chosen = [labels.get(own) or own for own in texts(answer.selected_option_ids)]
        words = ", ".join([*chosen, *filter(None, [answer.freeform_text])])
        found.append(AskAnswer(question.prompt or question.question or "", words))
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
