"""Typed results of the engine's calls, each of which may have done several things."""

import re
from collections.abc import Mapping, Sequence

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import EditPayload, FileOperation, WritePayload
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    Match,
    MatchResult,
    ReadResult,
    ShellResult,
    SubagentResult,
    WebFetchResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.json_fields import mapping, number, text
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.output_text import media_of
from agentview.normalize.output_text import text_of as text_in
from agentview.normalize.tools import execute, read, search, subagent
from agentview.normalize.tools.patch import parse_changes
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText

_NUMBERED = re.compile(r" {0,12}(\d{1,9}) \| ?")
_EXITED = re.compile(r"\[Command exited with code (-?\d{1,10})\]\n?")
_CODE = re.compile(r"Command exited with code (-?\d{1,10})")
_STDERR = re.compile(r"(?:^|\n)\[stderr\]\n")
_TERMINAL = ResultText(
    head=(
        r"(?:Command executed(?: successfully)?\.?(?=\n|$)"
        r"|Command execution (?:completed|was not successful)[^\n]*"
        r"|(?:(?:Command executed in terminal[^\n]*)?Exit code: "
        r"|Command (?:exited with|failed with exit) code )(?P<exit_code>-?\d{1,10})[^\n]*)"
        r"\n?(?:Output:\n)?"
    )
)
_PLACE = r"(\S.*?):\d{1,9}:\d{1,9}$"
_SHOWN = r"(?:> |(?P<context>  ))(?P<line>\d{1,9}): ?(?P<text>.*)"
_ANSWER = ResultText(head=r"\s*(?:<answer>\s*)?", tail=(r"\s*(?:</answer>\s*)?$",))
_FOUND = re.compile(
    r"(?:Found|Showing first \d+ of) (\d{1,9}) (?:results?|matches)|No results found"
)
_CONTENT = re.compile(r"\n--- Content ---\n(.*?)(?:\n\n?--- Analysis Request ---\n.*)?$", re.DOTALL)
_TIMED_OUT = re.compile(r"timed out", re.IGNORECASE)


def entries(outcome: ToolResult) -> Sequence[Fields]:
    """Return the result of a call of the engine for each thing that it was asked for."""
    listed = items_of(outcome.structured)
    return [fields_of(each) for each in listed] or [mapping(outcome.structured)]


def _words(entry: Fields) -> str:
    found = entry.get("result")
    if isinstance(found, str):
        return found
    said = (text(fields_of(each), "text") for each in items_of(found))
    return "\n".join(each for each in said if each)


def reads(call: ToolCall, outcome: ToolResult) -> ReadResult | None:
    """The text without line numbers; of several files the texts under their names."""
    if outcome.structured is None:
        return read.result(call, outcome)
    found = [entry for entry in entries(outcome) if entry.get("success") is not False]
    media = media_of(outcome.output)
    if not found:
        return None
    if len(found) == 1:
        start, content = _bare(_words(found[0]))
        return ReadResult(
            content=None if media else content,
            start=start,
            line_count=content.count("\n") + 1 if start is not None else None,
            media=media,
        )
    parts = [f"{text(entry, 'query')}\n{_bare(_words(entry))[1]}" for entry in found]
    return ReadResult(content="\n\n".join(parts), media=media)


def _bare(printed: str) -> tuple[int | None, str]:
    """The first line's number and the text, where each line has one."""
    lines = printed.split("\n")
    matches = [_NUMBERED.match(line) for line in lines]
    if not all(matches):
        return None, printed
    bare = [line[match.end() :] for line, match in zip(lines, matches, strict=True) if match]
    return int(matches[0][1]) if matches[0] else None, "\n".join(bare)


def shell(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of the commands; the code is that of the first that failed."""
    if outcome.structured is None:
        return _terminal(call, outcome)
    found = entries(outcome)
    parts = [_printed(entry) for entry in found]
    codes = [_exit_code(entry) for entry in found]
    code = next((each for each in codes if each), 0 if codes and None not in codes else None)
    late = any(_TIMED_OUT.search(text(entry, "error") or "") for entry in found)
    if len(parts) == 1:
        stdout, stderr = parts[0]
        return ShellResult(stdout=stdout, stderr=stderr, exit_code=code, timed_out=late)
    shown = [
        f"$ {text(entry, 'query') or ''}\n{out}{err or ''}"
        for entry, (out, err) in zip(found, parts, strict=True)
    ]
    return ShellResult(output="\n".join(shown), exit_code=code, timed_out=late)


def _printed(entry: Fields) -> tuple[str, str | None]:
    words = _EXITED.sub("", _words(entry), count=1)
    out, *err = _STDERR.split(words, maxsplit=1)
    return out, err[0] if err else None


def _exit_code(entry: Fields) -> int | None:
    if entry.get("success") is True:
        return 0
    found = _CODE.search(text(entry, "error") or "")
    return int(found[1]) if found is not None else None


def _terminal(call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """Return the output of a command of the extension, without the line that says that it ended."""
    said = text_in(outcome.output)
    if said is None or _TERMINAL.parse(said)[0] == said:
        return execute.result(call, outcome)
    return _TERMINAL.shell(call, outcome)


def grep(call: ToolCall, outcome: ToolResult) -> MatchResult | None:
    """Matches with the lines around them; of several patterns all of them."""
    if outcome.structured is None:
        return search.grep_result(call, outcome)
    found: list[Match] = []
    count = 0
    for entry in entries(outcome):
        words = _words(entry)
        heading = _FOUND.match(words)
        if heading is None:
            return None
        count += int(heading[1] or 0)
        found += search.matches_by_file(words, _PLACE, _SHOWN)
    files = {match.path for match in found}
    shown = sum(not match.context for match in found)
    return MatchResult(tuple(found), count, len(files), truncated=shown < count)


def page(call: ToolCall, outcome: ToolResult) -> WebFetchResult | None:
    """The text of a page without what the tool says around it."""
    found = entries(outcome)
    if outcome.ok is False or outcome.structured is None:
        said = text_in(outcome.output)
        return WebFetchResult(text=said) if said and outcome.ok is not False else None
    texts = [_CONTENT.search(_words(entry)) for entry in found]
    said = "\n\n".join(
        match[1] if match else _words(entry) for entry, match in zip(found, texts, strict=True)
    )
    return WebFetchResult(url=getattr(call.payload, "url", None), text=said)


def changes(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """Return the result that was asked for, once the client says that it was done."""
    payload = call.payload
    if outcome.ok is False:
        return None
    if isinstance(payload, WritePayload):
        made = FileChange(payload.path, FileOperation.CREATE, after=payload.content)
        return ChangeResult((made,)) if call.provider_name == "newFileCreated" else None
    if not isinstance(payload, EditPayload):
        return None
    patch = text(call.args or {}, "input", "patch")
    files = parse_changes(patch) if patch else ()
    return ChangeResult(files) if files else None


def agent(call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """Return the last words of another agent."""
    fields = mapping(outcome.structured)
    if "finishReason" not in fields:
        return subagent.result(call, outcome)
    usage = mapping(fields.get("usage"))
    counts = [number(usage, key) for key in ("inputTokens", "outputTokens")]
    known = [each for each in counts if each is not None]
    return SubagentResult(
        status=text(fields, "finishReason"),
        text=text(fields, "text"),
        total_tokens=sum(known) if len(known) == 2 else None,
    )


RESULTS: Mapping[ToolKind, ResultMaker] = {
    ToolKind.READ: reads,
    ToolKind.SHELL: shell,
    ToolKind.GREP: grep,
    ToolKind.WEB_FETCH: page,
    ToolKind.EDIT: changes,
    ToolKind.WRITE: changes,
    ToolKind.SUBAGENT_TASK: agent,
    ToolKind.ASK: _ANSWER.answer,
}
"""How the result of a call is read, by what the call does."""
