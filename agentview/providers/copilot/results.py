"""Typed results of commands, searches and changes of files; the shared rules read others."""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import (
    AskPayload,
    EditPayload,
    FileOperation,
    GrepPayload,
    WritePayload,
)
from agentview.domain.tool_results import (
    AskAnswer,
    AskResult,
    ChangeResult,
    Match,
    MatchResult,
    ShellResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_values import fields_of, items_of, text_of, whole_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import search
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker

_SHELL = r"(?P<shell>[^\s<>]{1,80})"
_ENDED = re.compile(
    rf"\n?<(?:exited|shellId: {_SHELL} completed) with exit code (?P<code>-?\d{{1,10}})>\s*$"
)
_STARTED = re.compile(rf"\n?<command started in (?:the )?background with shellId: {_SHELL}>\s*$")
_RUNNING = re.compile(rf"\n?<command with shellId: {_SHELL} is still running[^<>]*>\s*$")
_TAIL_CHARS = 400
_SPILLED = re.compile(
    r"Output too large to read at once \([^()\n]{1,20}\)\. Saved to: ([^\n]+)\n.*?"
    r"\nPreview \([^()\n]*\):\n",
    re.DOTALL,
)
_HEADING = re.compile(r"\[grep \w+: (\d{1,9}) match(?:es)? across (\d{1,9}) file\(s\)[^\n]*\]\n")
_FILE = re.compile(r"(\S.*) \((\d{1,9}) match\(es\)\):")
_LINE = re.compile(r"\s{1,8}(\d{1,9})([:-]) ?(.*)")
_ANSWER = re.compile(r"(?:User (?:selected|responded|answered)[^:\n]*: ?)?(.*)", re.DOTALL)


def exit_code(said: str) -> int | None:
    """The exit code that the last line of a command's output states in the client's words."""
    found = _ENDED.search(said[-_TAIL_CHARS:])
    return int(found["code"]) if found is not None else None


def shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return what a command printed, without the line that the client adds."""
    said = text_in(outcome.output)
    if said is None:
        return None
    cut = max(0, len(said) - _TAIL_CHARS)
    ended, started = _ENDED.search(said, cut), _STARTED.search(said, cut)
    running = _RUNNING.search(said, cut)
    note = ended or started or running
    code = whole_of(fields_of(fields_of(outcome.structured).get("shell")).get("exitCode"))
    if code is None and ended is not None:
        code = int(ended["code"])
    output = said[: note.start()] if note is not None else said
    spilled = _SPILLED.match(output)
    return ShellResult(
        output=output[spilled.end() :] if spilled is not None else output,
        exit_code=code,
        interrupted=outcome.interrupted,
        task_id=note["shell"] if note is not None and note is not ended else None,
        launched=started is not None,
        status="running" if running is not None else None,
        spill_path=spilled[1] if spilled is not None else None,
        media=media_of(outcome.output),
    )


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches under the names of their files, else as the usual tools print them."""
    said = text_in(outcome.output) or ""
    heading = _HEADING.match(said)
    if heading is None:
        payload = call.payload
        none = said.strip() == "No matches found."
        if none and isinstance(payload, GrepPayload) and outcome.ok is not False:
            return MatchResult(match_count=0, file_count=0)
        return search.grep_result(call, outcome)
    found: list[Match] = []
    path = ""
    for line in said[heading.end() :].split("\n"):
        file, match = _FILE.fullmatch(line), _LINE.fullmatch(line)
        if file is not None:
            path = file[1]
        elif match is not None:
            found.append(Match(path, int(match[1]), match[3], context=match[2] == "-"))
    return MatchResult(tuple(found), match_count=int(heading[1]), file_count=int(heading[2]))


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """The change as the client recorded it: a diff whose paths have lost their first slash."""
    structured = fields_of(outcome.structured)
    if outcome.ok is False:
        return None
    made = parse_changes(text_of(structured.get("detail")) or "")
    if not made:
        return None
    names = [text_of(fields_of(item).get("path")) for item in items_of(structured.get("edits"))]
    asked = _asked(call)
    if len(made) == 1 and (asked or names):
        payload = call.payload
        created = isinstance(payload, WritePayload)
        path = asked or names[0] or made[0].path
        operation = FileOperation.CREATE if created else made[0].operation
        after = payload.content if isinstance(payload, WritePayload) else None
        return ChangeResult((replace(made[0], path=path, operation=operation, after=after),))
    known = {name.lstrip("/"): name for name in names if name}
    return ChangeResult(tuple(replace(file, path=known.get(file.path, file.path)) for file in made))


def _asked(call: ToolCall) -> str | None:
    payload = call.payload
    if isinstance(payload, EditPayload):
        return payload.files[0].path or None if len(payload.files) == 1 else None
    return payload.path or None if isinstance(payload, WritePayload) else None


def answered(call: ToolCall, outcome: ToolResult) -> AskResult | None:
    """Return what the person chose or wrote."""
    payload, said = call.payload, text_in(outcome.output)
    if outcome.ok is False or said is None or not isinstance(payload, AskPayload):
        return None
    if len(payload.questions) != 1:
        return None
    found = _ANSWER.fullmatch(said)
    return AskResult((AskAnswer(payload.questions[0].text, found[1] if found else said),))


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.GREP: grep,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.ASK: answered,
}
"""How the result of a call is read, by what the call does."""
