"""Typed results, from what the clients print and what Kimi CLI keeps next to it."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from agentview.domain.content import TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import AskPayload
from agentview.domain.tool_results import (
    AskResult,
    ChangeResult,
    FileChange,
    Hunk,
    ReadResult,
    ShellResult,
    SubagentResult,
)
from agentview.domain.tools import Denial, DeniedBy, ToolCall, ToolKind
from agentview.normalize.json_fields import mapping, number
from agentview.normalize.json_values import fields_of, text_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import plan, read
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText, refusal
from agentview.providers._kit.typed_records import read_as
from agentview.providers.kimi.shared.content import blocks_of
from agentview.providers.kimi.shared.schema import ShownChange, Structured

_TAIL_CHARS = 400
_COMMAND = ResultText(
    tail=(r"(?:^|\n)Command failed with exit code: (?P<exit_code>-?\d{1,10})\.?\s*$",)
)
_LATE = re.compile(r"(?:^|\n)Command killed by timeout \(")
_TASK = re.compile(r"task_id: (\S{1,80})\n(?:[a-z_]{1,40}: [^\n]*\n){0,8}?status: (\w{1,40})\b")
_FOUND = re.compile(r"\b[Tt]otal lines in file: (\d{1,9})")
_SEARCH = ResultText(none=r"\s*No (?:non-sensitive )?(?:matches|files)(?: were)? found\b")
_AGENT = re.compile(r"agent_id: (\S{1,80})\n")
_STATUS = re.compile(r"^status: (\w{1,40})$", re.MULTILINE)
_SUMMARY = re.compile(r"\n\[summary\]\n(.*?)(?:\n+resume_hint: [^\n]*)?\s*$", re.DOTALL)
_REFUSALS = (
    (
        (
            r'(?s)\s*(?:Tool "[^"\n]{0,200}" was not run because the user rejected the approval '
            r"request\.|The tool call is rejected by the user\.)"
            r"(?:[^\n]*?(?:Reason|User feedback): (?P<words>.*))?"
        ),
        DeniedBy.PERSON,
    ),
    (r'\s*Tool "[^"\n]{0,200}" was denied by permission', DeniedBy.RULE),
    (r'\s*Tool "[^"\n]{0,200}" was not run because the approval request was c', DeniedBy.APPROVAL),
)


def denial_of(said: str) -> Denial | None:
    return refusal(said, _REFUSALS)


def shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command, without the line about its exit."""
    said = text_in(outcome.output)
    message = text_of(fields_of(outcome.structured).get("message")) or ""
    if said is None and not message:
        return None
    body = said or ""
    task = _TASK.match(body)
    if task is not None:
        running = task[2] == "running"
        return ShellResult(output=body, task_id=task[1], status=task[2], launched=running)
    output, facts = _COMMAND.parse(body)
    code = number(facts or _COMMAND.parse(message)[1], "exit_code")
    return ShellResult(
        output=output,
        exit_code=0 if code is None and outcome.ok else code,
        timed_out=_LATE.search(message or body[-_TAIL_CHARS:]) is not None,
        interrupted=outcome.interrupted,
        media=media_of(outcome.output),
    )


def read_file(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """A part of a file with numbers in front of its lines; a note says how many it has."""
    made = read.result(call, outcome)
    structured = read_as(outcome.structured, Structured)
    note = structured.note or structured.message or None
    if made is None:
        return None
    if made.media:
        # The text around a picture names its file, as the call does.
        return replace(made, content=None, start=None, line_count=None, note=note)
    found = _FOUND.search(note or "")
    total = int(found[1]) if found is not None else made.total_lines
    return replace(made, total_lines=total, note=note)


def changes(_call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The changes that Kimi CLI shows: parts of a file before and after, and where they are."""
    files: dict[str, list[Hunk]] = {}
    for each in read_as(outcome.structured, Structured).display or ():
        shown = each or ShownChange()
        old, new = shown.old_text, shown.new_text
        if shown.type != "diff" or not shown.path or shown.is_summary:
            continue
        if old is not None and new is not None:
            starts = whole_of(shown.old_start) or 1, whole_of(shown.new_start) or 1
            files.setdefault(shown.path, []).append(_hunk(old, new, *starts))
    made = tuple(FileChange(name, hunks=tuple(hunks)) for name, hunks in files.items())
    return ChangeResult(made) if made and outcome.ok is not False else None


def _hunk(old: str, new: str, old_start: int, new_start: int) -> Hunk:
    """A hunk of two texts: lines that both begin and end with are around it."""
    before, after = _lines(old), _lines(new)
    head = _alike(before, after)
    rest_before, rest_after = before[head:], after[head:]
    tail = _alike(rest_before[::-1], rest_after[::-1])
    gone, came = rest_before[: len(rest_before) - tail], rest_after[: len(rest_after) - tail]
    around = rest_before[len(rest_before) - tail :]
    lines = [f" {line}" for line in before[:head]]
    lines += [f"-{line}" for line in gone] + [f"+{line}" for line in came]
    lines += [f" {line}" for line in around]
    return Hunk(old_start, len(before), new_start, len(after), tuple(lines))


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _lines(text: str) -> Sequence[str]:
    return text.split("\n") if text else []


def agent(_call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """Return the outcome of an agent, behind the lines that say which one it was."""
    said = text_in(outcome.output)
    if said is None:
        return None
    task, own = _TASK.match(said), _AGENT.search(said[:_TAIL_CHARS])
    status, summary = _STATUS.search(said[:_TAIL_CHARS]), _SUMMARY.search(said)
    return SubagentResult(
        status=status[1] if status is not None else None,
        agent_id=own[1] if own is not None else task[1] if task is not None else None,
        text=summary[1] if summary is not None else said,
        launched=task is not None and task[2] == "running",
    )


def answered(call: ToolCall, outcome: ToolResult) -> AskResult | None:
    """Return the choices of the person, by question."""
    if outcome.ok is False or not isinstance(call.payload, AskPayload):
        return None
    fields = mapping(text_in(outcome.output))
    return AskResult(plan.answers(fields.get("answers"))) if "answers" in fields else None


def outcome_of(
    call_id: str, ok: bool | None, output: object, structured: Mapping[str, object]
) -> ToolResult:
    """The outcome of a call; `message` says in Kimi CLI what came of it, apart from the output."""
    blocks = blocks_of(output)
    message = read_as(structured, Structured).message or None
    said = text_in(blocks) or ""
    denial = denial_of(message or said) if ok is False else None
    if not blocks and message is not None:
        blocks = (TextBlock(message),) if ok is False else blocks
    error = (message or said or None) if ok is False else None
    return ToolResult(call_id, ok, blocks, structured or None, error, denial)


RESULTS: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: read_file,
    ToolKind.GREP: _SEARCH.grep,
    ToolKind.GLOB: _SEARCH.paths,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.SUBAGENT_TASK: agent,
    ToolKind.ASK: answered,
}
"""How the result of a call is read, by what the call does."""
