"""Report of the client on a command: its output between lines that the client writes itself."""

import re
from collections.abc import Mapping

from agentview.domain.value import Value
from agentview.normalize.error_text import unwrap
from agentview.normalize.json_values import items_of
from agentview.providers._kit.typed_records import read_as
from agentview.providers.gemini.shared.content import bare_output
from agentview.providers.gemini.shared.schema import Token

_TOO_LARGE = re.compile(
    r"Output too large\. Showing [^\n]*?For full output see: (?P<path>[^\n]+)\n", re.ASCII
)
_MASKED = "tool_output_masked"
"""The tag around what is left of an output that the model has had and no longer needs."""
_KEPT_AT = re.compile(
    r"\n+Output too large\. Full output available at: (?P<path>[^\n]+)\s*\Z", re.ASCII
)
_HEAD = re.compile(r"(?:Command: .*?\n(?:Directory: [^\n]*\n)?)?(Output|Stdout): ", re.DOTALL)
_STDERR = "\nStderr: "
_WAS_STOPPED = "Command was "
_STOPPED = re.compile(
    _WAS_STOPPED + r"(?:(?P<late>automatically cancelled because it exceeded the timeout)"
    r"|cancelled by user)[^\n]*?\.(?: (?:There was no|Below is the) output[^\n]*(?:\n|\Z)|\s*\Z)"
)
_HOOK = "<hook_context>"
_HOOKED = re.compile(r"\n*<hook_context>.*</hook_context>\s*\Z", re.DOTALL)
_LONGEST_END = 5000
"""How far from the end of a text a place is looked for."""
_TAIL = re.compile(
    r"(Error|Exit Code|Signal|Background PIDs|Process Group PGID): ?([^\n]*)", re.ASCII
)
_NONE = frozenset({"(none)", "(empty)", ""})
_NO_SIGNAL = "0"
"""Signal that a pseudo-terminal reports of a command that ended by itself."""
_TAIL_LINES = 12


class ParsedShellOutput(Value):
    """Output and end of a command; `path` is the file with all of it, where it was too large."""

    output: str
    stderr: str | None = None
    """Error output, where it is distinguished."""
    exit_code: int | None = None
    signal: str | None = None
    error: str | None = None
    path: str | None = None
    known: bool = False
    """True if the text has the client's form at all."""
    cancelled: bool = False
    timed_out: bool = False

    @property
    def failed(self) -> bool:
        """True if the command did not end well by itself."""
        ended = self.exit_code in (None, 0) and self.signal is None
        return not ended or self.cancelled or self.timed_out


def may_have_failed(text: str) -> bool:
    """False where nothing in a text says that the command did not end well by itself."""
    return _WAS_STOPPED in text or any(
        text.count(end) != text.count(f"{end} 0\n") for end in ("Exit Code:", "Signal:")
    )


def parse_shell_output(text: str) -> ParsedShellOutput:
    """Parse the text that the model was given for a command."""
    masked = unwrap(text, _MASKED)
    text, path = _excerpt(text if masked is None else masked.strip("\n"))
    bare = bare_output(text)
    stopped = _STOPPED.match(bare)
    if stopped is not None:
        late = stopped["late"] is not None
        rest = bare[stopped.end() :] or bare
        return ParsedShellOutput(rest, path=path, known=True, cancelled=not late, timed_out=late)
    hooked = _HOOKED.search(bare) if _HOOK in bare else None
    own = bare[: hooked.start()] if hooked is not None else bare
    head = _HEAD.match(own)
    if head is None:
        return ParsedShellOutput(bare, path=path)
    output, ends = _cut_tail(own[head.end() :])
    said, _, stderr = output.partition(_STDERR) if head[1] == "Stdout" else (output, "", "")
    code = ends.get("Exit Code", "")
    signal = _given(ends, "Signal")
    return ParsedShellOutput(
        ("" if said in _NONE else said) + bare[len(own) :],
        stderr=None if stderr in _NONE else stderr,
        exit_code=int(code) if re.fullmatch(r"-?\d{1,10}", code) else None,
        signal=None if signal == _NO_SIGNAL else signal,
        error=_given(ends, "Error"),
        path=path,
        known=True,
    )


def _excerpt(text: str) -> tuple[str, str | None]:
    """The text without what says where all of it is, and that place."""
    large = _TOO_LARGE.match(text)
    if large is not None:
        return text[large.end() :], large["path"].strip()
    kept = _KEPT_AT.search(text, max(0, len(text) - _LONGEST_END))
    return (text[: kept.start()], kept["path"].strip()) if kept is not None else (text, None)


def _given(ends: Mapping[str, str], name: str) -> str | None:
    value = ends.get(name, "")
    return None if value in _NONE else value


def _cut_tail(text: str) -> tuple[str, dict[str, str]]:
    """The output, and the lines behind it by their names."""
    ends: dict[str, str] = {}
    rest = text
    for _ in range(_TAIL_LINES):
        before, newline, line = rest.rpartition("\n")
        match = _TAIL.fullmatch(line)
        if match is None or not newline or match[1] in ends:
            break
        ends[match[1]] = match[2].strip()
        rest = before
    return rest, ends


def styled_text(lines: object) -> str | None:
    """Lines of tokens `{text, bold, fg ...}` as text with colour codes; None for another value.

    A terminal's lines are filled up with blanks: those at the ends of lines, and empty lines at the
    end, are left out.
    """
    listed = items_of(lines)
    if not listed or not all(isinstance(line, list) for line in listed):
        return None
    rows = [_line(items_of(line)) for line in listed]
    while rows and not rows[-1]:
        rows.pop()
    return "\n".join(rows)


def _line(tokens: list[object]) -> str:
    cells = [read_as(token, Token) for token in tokens]
    while cells and not (cells[-1].text or "").strip():
        cells.pop()
    last = len(cells) - 1
    return "".join(_token(cell, final=index == last) for index, cell in enumerate(cells))


_COLOUR = re.compile(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")


def _token(cell: Token, *, final: bool) -> str:
    text = cell.text or ""
    text = text.rstrip() if final else text
    styles = (cell.bold, cell.dim, cell.italic, cell.underline, cell.inverse)
    codes = [str(code) for code, on in zip((1, 2, 3, 4, 7), styles, strict=True) if on]
    codes += [*_colour(cell.fg, 38), *_colour(cell.bg, 48)]
    return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if codes and text else text


def _colour(colour: str | None, base: int) -> list[str]:
    match = _COLOUR.fullmatch(colour or "")
    if match is None:
        return []
    return [f"{base};2;" + ";".join(str(int(match[part], 16)) for part in (1, 2, 3))]
