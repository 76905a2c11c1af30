"""Reads the text of a result: that a person refused the call, that it failed, its output.

Source: the public source of Cline and Roo Code, whose words these are.
"""

import re

from agentview.domain.content import Block, TextBlock
from agentview.domain.events import ToolResult
from agentview.domain.tools import Denial, DeniedBy

_CHARS = 2000
"""Characters of a text in which such words stand."""
_DENIED = re.compile(r"\s*The user denied this operation", re.IGNORECASE)
_BY_USER = re.compile(r'Tool "[^"\n]{1,200}" was (?:denied|rejected) by (?:the )?user')
_UNASKED = re.compile(r'Tool "[^"\n]{1,200}" requires approval\b')
_FEEDBACK = re.compile(r"<feedback>\s*(.*?)\s*</feedback>", re.DOTALL)
_FAILED = re.compile(
    r"\s*(?:The tool execution failed with the following error:|\[ERROR\]|<error>|Error:"
    r"|Command (?:exited with|failed with exit) code (?!0\b)|Command execution was not successful"
    r"|Command executed in terminal[^\n]*Exit code: (?!0\b)-?\d"
    r"|Error executing |Error (?:reading|writing|searching|listing) |The tool execution was "
    r"interrupted)"
)
_ERROR = re.compile(r"<error>\s*(.*?)\s*</error>", re.DOTALL)
_REPORTED = re.compile(r'\{\s*"status"\s*:\s*"(error|denied)"')


def denial(text: str) -> Denial | None:
    """Who refused a call whose result has this text; None where nobody did."""
    said = text[:_CHARS]
    reported = _REPORTED.match(said.lstrip())
    if _DENIED.match(said) or _BY_USER.search(said) or (reported and reported[1] == "denied"):
        words = _FEEDBACK.search(text)
        return Denial(DeniedBy.PERSON, words[1] if words else None)
    return Denial(DeniedBy.APPROVAL) if _UNASKED.search(said) else None


def failure(text: str) -> str | None:
    """Return the error, where the client's words say that there was one."""
    said = text[:_CHARS]
    reported = _REPORTED.match(said.lstrip())
    if _FAILED.match(said) is None and (reported is None or reported[1] != "error"):
        return None
    found = _ERROR.search(text)
    return found[1] if found else text.strip()


def outcome_of(
    call_id: str, text: str, more: tuple[Block, ...] = (), *, failed: bool | None = None
) -> ToolResult:
    """The outcome of a call by the text of its result; `failed` where the log has that."""
    refused, error = denial(text), failure(text)
    if failed is True and error is None:
        error = text.strip() or "failed"
    bad = failed is True or error is not None or refused is not None
    return ToolResult(
        call_id,
        ok=not bad,
        output=(*((TextBlock(text),) if text else ()), *more),
        error=error if refused is None else text.strip(),
        denial=refused,
    )
