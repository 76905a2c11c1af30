"""Shell commands that print a file as it is, or that seem to write to files."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence

from agentview.domain.payloads import ReadPayload
from agentview.domain.tools import ShellReading
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
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_BRANCHES = re.compile(r"\|\||[`(){}]|\b(?:if|for|while|until|case|do|then|else)\b")
_STATEMENT = re.compile(
    r"""(?P<piece>[^\n<;&'"]*<<-?\s*(['"]?)(?P<mark>\w+)\2[^\n;&]*\n"""
    r"""(?:.*?\n)??(?P=mark)[ \t]*(?=\n|\Z)"""
    r"""|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?!&&)[^'"\\;\n])*)(?:&&|;|\n|\Z)""",
    re.DOTALL,
)
"""A command up to what ends it; the lines of a text that stands in it are part of it."""
_FILE = r"(?:'([^'\n]+)'|\"([^\"$`\n]+)\"|([^\s'\"<>|&;()$`*?]++)(?![$`*?]))"
_INTO = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
    rf"|(?<![<>=\-])(?:[012]|&)?>{{1,2}}\|?[ \t]*(?!&){_FILE}",
    re.DOTALL,
)
"""Redirections into files; what stands in quotes redirects nothing."""
_ECHO = re.compile(
    r"\s*echo\s+(?:'([^'\\\n]*)'|\"([^\"\\$`!\n]*)\"|(?!-)([\w./,:@%+=-]+(?: [\w./,:@%+=-]+)*))"
    rf"\s*(?P<into>>{{1,2}})[ \t]*{_FILE}\s*"
)
_UNOPENED = (
    r"(?m)^(?:\S*/)?(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )?(?:cannot create )?{path}: "
    r"(?:Read-only file system|Permission denied|Operation not permitted|Is a directory|"
    r"No such file or directory|Directory nonexistent)"
)
_DEVICES = ("/dev/", "/proc/")
_PARTS = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|[^;|&\n'\"])+")
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


def statements(command: str, cwd: str | None) -> Iterator[tuple[str, str | None]]:
    """The commands that a line runs one after the other, and the directory of each.

    Where something of it depends on how something else went, or is repeated, it is one command.
    """
    text = command[:_LONGEST]
    if len(command) > _LONGEST or _BRANCHES.search(_HEREDOC.sub("", _QUOTED.sub("", text))):
        yield command, cwd
        return
    position = 0
    while position < len(text):
        match = _STATEMENT.match(text, position)
        if match is None:
            yield text[position:], cwd
            return
        position = match.end()
        piece = match["piece"].strip()
        moved = _CD.fullmatch(piece + ";")
        if moved is not None:
            cwd = directory(piece + ";", cwd)
        elif piece:
            yield piece, cwd


def moved(command: str) -> tuple[str, str] | None:
    """From where to where a command moves one file; None where it may move it into a directory."""
    split = pipelines(command)
    if split is None or len(split) != 1 or len(split[0]) != 1:
        return None
    words = [word.text for word in split[0][0] if word.text not in ("-f", "-v", "-n", "--")]
    if any(word.glob for word in split[0][0]):
        return None
    words = words[1:] if words[:1] == ["git"] else words
    if len(words) != 3 or words[0] != "mv" or words[1].startswith("-"):
        return None
    suffix = posixpath.splitext(words[1])[1]
    # A directory is hardly called as files of that kind are.
    named = bool(suffix) and posixpath.splitext(words[2])[1] == suffix
    return (words[1], words[2]) if named else None


def echoed(command: str) -> tuple[str, str, bool] | None:
    """The path, the text, and whether it is appended, of a command that echoes plain words."""
    match = _ECHO.fullmatch(command)
    if match is None:
        return None
    said = next(words for words in match.groups()[:3] if words is not None)
    path = next(name for name in match.groups()[4:] if name is not None)
    if said.startswith("-"):
        return None
    return path, f"{said}\n", match["into"] == ">>"


def was_unopened(path: str, output: str) -> bool:
    """Whether a shell said that it could not open a file which it was to write into."""
    return re.search(_UNOPENED.replace("{path}", re.escape(path)), output[:_LONGEST]) is not None


def _redirected(text: str) -> Iterator[str]:
    for match in _INTO.finditer(text):
        name = next((name for name in match.groups() if name is not None), None)
        if name is not None:
            yield name


def _named(text: str) -> Iterator[str]:
    for part in _PARTS.findall(text):
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
