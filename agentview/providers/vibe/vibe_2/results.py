"""Results, which are text: `key: value`, or an error in a tag."""

import re
from collections.abc import Mapping

from agentview.domain.events import ToolResult
from agentview.domain.tool_inputs import FileOperation, WritePayload
from agentview.domain.tool_results import (
    ChangeResult,
    FileChange,
    ShellResult,
    SubagentResult,
    WebFetchResult,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.output_text import text_of
from agentview.normalize.tools.specs import ResultMaker
from agentview.providers._kit.result_text import ResultText

TAGGED = re.compile(r"<(tool_error|user_cancellation)>(.*?)(?:</\1>)?\s*\Z", re.DOTALL)
"""The client's own words in the place of a result."""
_RAN = re.compile(r"command: .*?\nstdout: (.*)\nstderr: (.*)\nreturncode: (-?\d{1,9})\Z", re.DOTALL)
_CODE = re.compile(r"^Return code: (-?\d{1,9})$", re.MULTILINE)
_STREAMS = re.compile(r"^(Stderr|Stdout): ", re.MULTILINE)
_LATE = re.compile(r"Command timed out after \d")
_VIEWED = ResultText(
    head=r"file_path: [^\n]*\ncontent: ",
    tail=(
        (
            r"\nnum_lines: \d+\n(?:(?:total_lines: (?:(?P<total_lines>\d{1,12})|None)"
            r"|was_truncated: (?:(?P<truncated>True)|False)"
            r"|(?!total_lines|was_truncated)\w+: [^\n]*)(?:\n|\Z))*\Z"
        ),
    ),
)
_MATCHES = ResultText(
    head=r"matches: ",
    tail=(
        r"\nmatch_count: (?P<match_count>\d{1,12})\nwas_truncated: (?:(?P<truncated>True)|\w+)\Z",
    ),
)
_PAGE = re.compile(
    r"url: ([^\n]*)\ncontent: (.*)\ncontent_type: [^\n]*\nwas_truncated: \w+\Z", re.DOTALL
)
_ANSWER = re.compile(r"response: (.*)\nturns_used: \d+\ncompleted: (\w+)\Z", re.DOTALL)


def shell(_call: ToolCall, outcome: ToolResult) -> ShellResult | None:
    """The streams and the exit code of a command."""
    said = text_of(outcome.output)
    ran = _RAN.match(said or "")
    if ran is not None:
        return ShellResult(stdout=ran[1], stderr=ran[2], exit_code=int(ran[3]))
    if said is None or outcome.denial is not None:
        return None
    late = _LATE.search(said) is not None
    code = _CODE.search(said)
    if code is None:
        return ShellResult(output=said, timed_out=late)
    parts = _STREAMS.split(said[code.end() :])
    streams = dict(zip(parts[1::2], parts[2::2], strict=True))
    return ShellResult(
        stdout=streams.get("Stdout", ""),
        stderr=streams.get("Stderr", ""),
        exit_code=int(code[1]),
        timed_out=late,
    )


def written(call: ToolCall, outcome: ToolResult) -> ChangeResult | None:
    """A new file: the client writes none that exists."""
    payload = call.payload
    if outcome.ok is False or not isinstance(payload, WritePayload):
        return None
    change = FileChange(payload.path, FileOperation.CREATE, after=payload.content)
    return ChangeResult((change,))


def page(_call: ToolCall, outcome: ToolResult) -> WebFetchResult | None:
    """A page as text."""
    found = _PAGE.match(text_of(outcome.output) or "")
    return None if found is None else WebFetchResult(url=found[1] or None, text=found[2])


def answer(_call: ToolCall, outcome: ToolResult) -> SubagentResult | None:
    """The last message of a subagent."""
    said = text_of(outcome.output)
    found = _ANSWER.match(said or "")
    if found is None:
        return SubagentResult(text=said) if said is not None else None
    return SubagentResult(status=None if found[2] == "True" else "not completed", text=found[1])


BY_KIND: Mapping[ToolKind, ResultMaker] = {
    ToolKind.SHELL: shell,
    ToolKind.READ: _VIEWED.read,
    ToolKind.WRITE: written,
    ToolKind.GREP: _MATCHES.grep,
    ToolKind.WEB_FETCH: page,
    ToolKind.SUBAGENT_TASK: answer,
}
"""How the result of a call is read, by what the call does."""
