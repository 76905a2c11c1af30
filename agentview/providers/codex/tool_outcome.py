"""Outcome of a call, out of the text that the model was given for it."""

import re
from collections.abc import Iterable

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy
from agentview.domain.value import Value
from agentview.normalize.json_fields import mapping
from agentview.normalize.json_values import fields_of, whole_of
from agentview.providers._kit.typed_values import read_as
from agentview.providers.codex.content import blocks_of
from agentview.providers.codex.schema import OldOutput

_HEADS = re.compile(
    r"(?:(?:Chunk ID: \S+"
    r"|(?:Wall time|Duration):? [\d.]+ seconds"
    r"|Process exited with code (?P<exited>-?\d{1,10})"
    r"|Exit code: (?P<code>-?\d{1,10})"
    r"|Process running with session ID (?P<session>\S+)"
    r"|Script running with cell ID (?P<cell>\S+)"
    r"|Script (?P<script>completed|failed|terminated)"
    r"|Original token count: \d+"
    r"|Total output lines: \d+"
    r")[ \t]*(?:\n|$))*(?:Output:[ \t]*(?:\n|$))?"
)
"""The lines in front of an output; always matches."""
_OLDEST = re.compile(r'\s*\{\s*"(?:output|metadata)"\s*:')
_FAILED = re.compile(
    r"(?:\w+ )?(?:verification )?failed\b|unsupported (?:custom tool )?(?:call|tool)"
    r"|(?:execution |fatal )?error\b|resources/\w+ failed|exec_command failed"
    r"|write_stdin failed|tool call error|collab spawn failed|unable to ",
    re.IGNORECASE,
)
_REFUSED = (
    ("rejected by user approval", DeniedBy.RULE),
    ("rejected: rejected by user", DeniedBy.PERSON),
    ("rejected by user", DeniedBy.PERSON),
    ("denied by user", DeniedBy.PERSON),
    ("user rejected", DeniedBy.PERSON),
    ("user cancelled", DeniedBy.PERSON),
    ("rejected: blocked by policy", DeniedBy.RULE),
    ("approval required by policy", DeniedBy.APPROVAL),
    ("patch rejected:", DeniedBy.RULE),
)
_POLICY = re.compile(r"approval policy is [\w-]+; reject")
_ABORTED = re.compile(r"aborted by user(?: after [\d.]+s)?|aborted$", re.IGNORECASE)
_UNAVAILABLE = " is unavailable in "
_HEAD_CHARS = 300
"""How far into a text the words of a refusal are looked for."""


class ToolOutcome(Value):
    """Facts in the lines that the client writes in front of an output, and the output itself."""

    body: str
    exit_code: int | None = None
    running: str | None = None
    """Id of the process or the script that runs on."""
    script: str | None = None
    """How a script ended, in the client's word."""


def outcome_in(blocks: Iterable[Block]) -> ToolOutcome:
    """Return the outcome in the text blocks of an output; the last one that has one counts."""
    bodies: list[str] = []
    exit_code: int | None = None
    running = script = None
    for block in blocks:
        if not isinstance(block, TextBlock):
            continue
        outcome = _parsed_text(block.text)
        exit_code = outcome.exit_code if outcome.exit_code is not None else exit_code
        running, script = outcome.running or running, outcome.script or script
        if outcome.body or not block.text:
            bodies.append(outcome.body)
    if script is not None or exit_code is not None:
        running = None
    joined = "".join(part if part.endswith("\n") else f"{part}\n" for part in bodies[:-1])
    return ToolOutcome(joined + (bodies[-1] if bodies else ""), exit_code, running, script)


def bare(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks of an output without the lines that the client writes in front of it."""
    found: list[Block] = []
    for block in blocks:
        if not isinstance(block, TextBlock):
            found.append(block)
        elif (body := _parsed_text(block.text).body) or not block.text:
            found.append(TextBlock(body))
    return tuple(found)


def _parsed_text(text: str) -> ToolOutcome:
    """Parse one text; a JSON object with `output` and `metadata` is the oldest form.

    Who writes logs again may have laid it out again.
    """
    old = read_as(mapping(text) if _OLDEST.match(text) is not None else None, OldOutput)
    if old.output is not None and old.metadata is not None:
        return ToolOutcome(old.output, whole_of(old.metadata.exit_code))
    heads = _HEADS.match(text)
    if heads is None or not heads[0]:
        return ToolOutcome(text)
    exited, code, session, cell, script = heads.groups()
    code = exited or code
    return ToolOutcome(
        text[heads.end() :], int(code) if code is not None else None, session or cell, script
    )


def result_of(output: object, call_id: str) -> tuple[ToolResult, str | None]:
    """The outcome in the output of a call: text, content items, or `{content, success}`.

    Also the id of the process or the script that runs on.
    """
    wrapped = fields_of(output)
    success = wrapped.get("success")
    if "content" in wrapped:
        output = wrapped["content"]
    blocks = blocks_of(output)
    outcome = outcome_in(blocks)
    success = success if isinstance(success, bool) else None
    return judged(call_id, blocks, success, outcome), outcome.running


def judged(
    call_id: str,
    blocks: tuple[Block, ...],
    success: bool | None,
    outcome: ToolOutcome | None = None,
) -> ToolResult:
    """Return the `outcome` in the blocks; `ok` is None where nothing says how it went."""
    outcome = outcome_in(blocks) if outcome is None else outcome
    head = outcome.body[:_HEAD_CHARS].strip()
    denial = _denial(head)
    interrupted = _ABORTED.match(head) is not None
    ok = success
    if outcome.exit_code is not None:
        ok = outcome.exit_code == 0
    elif outcome.script is not None:
        ok = outcome.script == "completed"
    elif ok is None and outcome.running is None:
        ok = _plainly_ok(head, refused=denial is not None or interrupted)
    error = None
    if ok is False:
        error = outcome.body.strip() or None
    return ToolResult(call_id, ok, blocks, error=error, denial=denial, interrupted=interrupted)


def _plainly_ok(head: str, *, refused: bool) -> bool | None:
    """False for the words by which the client itself says that a call failed, else not known."""
    if refused or _FAILED.match(head) is not None or _UNAVAILABLE in head:
        return False
    return None


def _denial(head: str) -> Denial | None:
    lowered = head.lower()
    for words, by in _REFUSED:
        if words in lowered:
            return Denial(by)
    return Denial(DeniedBy.RULE) if _POLICY.match(lowered) is not None else None
