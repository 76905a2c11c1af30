"""Shell commands that print a file as it is, or that seem to write to files."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from agentview.domain.payloads import ReadPayload
from agentview.domain.tools import ShellReading, ShellStep, ToolKind
from agentview.normalize.shell_reading import read_command
from agentview.normalize.shell_words import pipelines

_CD = re.compile(
    r"\s*cd\s+(?:'(?P<q>[^']*)'|\"(?P<d>[^\"$`]*)\"|(?P<p>[^\s;&|$`'\"]+))\s*(?:&&|;|\n)\s*"
)
_PRINTERS = frozenset({"cat", "sed", "head"})
_CUT = re.compile(
    r"(?im)\ATotal output lines: \d|^.{0,200}(?:\b\d+ (?:chars|characters|tokens|bytes|lines) "
    r"(?:truncated|omitted)|\[\.{3}.{0,80}truncated|\boutput truncated\b)"
)
_HEREDOC = re.compile(
    r"<<-?\s*(['\"]?)(?P<mark>\w+)\1(?P<rest>[^\n]*)\n.*?^[ \t]*(?P=mark)[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_WRITES_TEXT = re.compile(
    r"\s*(?:cat|tee|apply_?patch)\b[^\n]*<<-?\s*(['\"]?)(?P<mark>\w+)\1[^\n]*\n"
    r".*?^(?P=mark)[ \t]*(?:\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
_WRITING = (ToolKind.WRITE, ToolKind.EDIT)
_FILE = r"(?:'([^'\n]+)'|\"([^\"$`\n]+)\"|([^\s'\"<>|&;()$`*?]+))"
_INTO = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
    rf"|(?<![<>=\-])(?:[012]|&)?>{{1,2}}\|?[ \t]*(?!&){_FILE}",
    re.DOTALL,
)
"""Redirections into files; what stands in quotes redirects nothing."""
_DEVICES = ("/dev/", "/proc/")
_PARTS = re.compile(r"&&|\|\||[;|\n]")
_WORD = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|([^\s'\"]+)")
_LONGEST = 20_000
"""Characters of a command that are looked at for what it writes."""


def directory(command: str, cwd: str | None) -> str | None:
    """The directory that the rest of a command runs in, after a `cd` that it begins with."""
    match = _CD.match(command)
    if match is None:
        return cwd
    to = match["q"] or match["d"] or match["p"] or "."
    return posixpath.join(cwd, to) if cwd else to if to.startswith("/") else None


def printed(command: str, reading: ShellReading, output: str) -> ReadPayload | None:
    """What a command prints of one file and nothing else; None when it prints anything else."""
    if len(reading.steps) != 1 or _CUT.search(output) is not None:
        return None
    payload = reading.steps[0].payload
    split = pipelines(_CD.sub("", command, count=1))
    if split is None or len(split) != 1 or len(split[0]) != 1:
        return None
    words = [word.text for word in split[0][0]]
    if len(words) == 3 and words[1] in ("-c", "-lc") and words[0].endswith("sh"):
        return printed(words[2], reading, output)
    plain = posixpath.basename(words[0]) in _PRINTERS
    numbered = words[0] == "cat" and any(word.startswith("-") for word in words[1:])
    if not plain or numbered or not isinstance(payload, ReadPayload):
        return None
    return payload


def seems_to_write(command: str) -> Iterator[str]:
    """Paths of files that a command may write to, as the command names them, each once."""
    text = _HEREDOC.sub(lambda match: match["rest"] + "\n", command[:_LONGEST])
    seen: set[str] = set()
    for path in (*_redirected(text), *_named(text)):
        if path and path not in seen and not path.startswith(_DEVICES):
            seen.add(path)
            yield path


def leading_writes(command: str) -> tuple[tuple[ShellStep, ...], str]:
    """Texts that a command writes to files before it does anything else, and what follows them."""
    steps: list[ShellStep] = []
    start = _CD.match(command)
    rest = command[start.end() :] if start is not None else command
    while True:
        match = _WRITES_TEXT.match(rest)
        reading = read_command(match[0]) if match is not None else None
        if match is None or reading is None or reading.kind not in _WRITING:
            return tuple(steps), rest
        steps += reading.steps
        rest = rest[match.end() :]


def _redirected(text: str) -> Iterator[str]:
    for match in _INTO.finditer(text):
        name = next((name for name in match.groups() if name is not None), None)
        if name is not None:
            yield name


def _named(text: str) -> Iterator[str]:
    for part in _PARTS.split(text):
        words = [single or double or plain for single, double, plain in _WORD.findall(part)]
        while words and ("=" in words[0] or words[0] in ("sudo", "then", "do", "else", "time")):
            words.pop(0)
        if words:
            writer = _WRITERS.get(posixpath.basename(words[0]))
            if writer is not None:
                yield from writer(words[1:])


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith(("-", "<", ">", "2>", "&"))]


def _in_place(words: Sequence[str]) -> Sequence[str]:
    """Files that `sed` or `perl` edits where they are; the first operand is the script."""
    options = [word for word in words if word.startswith("-")]
    if not any(re.match(r"-[a-zA-Z]*i|--in-place", option) for option in options):
        return ()
    return [word for word in _operands(words) if word][1:]


def _last(words: Sequence[str]) -> Sequence[str]:
    return _operands(words)[-1:]


def _git(words: Sequence[str]) -> Sequence[str]:
    """Files that git puts back as they were."""
    if not words or words[0] not in ("checkout", "restore", "rm", "mv"):
        return ()
    if words[0] == "checkout":
        return words[words.index("--") + 1 :] if "--" in words else ()
    return _operands(words[1:])


_WRITERS: dict[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "sed": _in_place, "gsed": _in_place, "perl": _in_place, "tee": _operands, "touch": _operands,
    "mv": _operands, "cp": _last, "rm": _operands, "truncate": _last, "install": _last, "ln": _last,
    "dd": lambda words: [word[3:] for word in words if word.startswith("of=")],
    "patch": _operands, "git": _git,
}  # fmt: skip
"""Programs that write, and which of their arguments name what is written."""
