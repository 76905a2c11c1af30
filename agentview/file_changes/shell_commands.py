"""Shell commands that print a file as it is, move one, or write a text into one."""

import posixpath
import re
from collections.abc import Iterator

from agentview.domain.tool_inputs import ReadPayload
from agentview.domain.tools import ShellReading
from agentview.file_changes.writers import LONGEST, MOST_TEXTS, without_texts
from agentview.normalize.shell_split import pipelines

_CD = re.compile(
    r"\s*cd\s+(?:'(?P<q>[^']*)'|\"(?P<d>[^\"$`]*)\"|(?P<p>[^\s;&|$`'\"]+))\s*(?:&&|;|\n)\s*"
)
_PRINTERS = frozenset({"cat", "sed", "head"})
_CUT = re.compile(
    r"(?im)\ATotal output lines: \d|^.{0,200}(?:\b\d+ (?:chars|characters|tokens|bytes|lines) "
    r"(?:truncated|omitted)|\[\.{3}.{0,80}truncated|\boutput truncated\b)"
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.", re.DOTALL)
_BRANCHES = re.compile(
    r"\|\||[`(){}]|\b(?:if|for|while|until|case|do|then|else|pushd|alias|trap)\b"
)
_STATEMENT = re.compile(
    r"""(?P<piece>[^\n<;&'"]*<<-?\s*(['"]?)(?P<mark>\w+)\2[^\n;&]*\n"""
    r"""(?:.*?\n)??(?P=mark)[ \t]*(?=\n|\Z)"""
    r"""|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|(?!&&)[^'"\\;\n])*)(?P<end>&&|;|\n|\Z)""",
    re.DOTALL,
)
"""A command up to what ends it; the lines of a text that stands in it are part of it."""
_FILE = r"(?:'([^'\n]+)'|\"([^\"$`\n]+)\"|([^\s'\"<>|&;()$`*?]++)(?![$`*?]))"
_ECHO = re.compile(
    r"\s*echo\s+(?:'([^'\\\n]*)'|\"([^\"\\$`!\n]*)\"|(?!-)([\w./,:@%+=-]+(?: [\w./,:@%+=-]+)*))"
    rf"\s*(?P<into>>{{1,2}})[ \t]*{_FILE}\s*"
)
_UNOPENED = (
    r"(?m)^(?:\S*/)?(?:ba|z|da|k)?sh: (?:line )?(?:\d+: )?(?:cannot create )?{path}: "
    r"(?:Read-only file system|Permission denied|Operation not permitted|Is a directory|"
    r"No such file or directory|Directory nonexistent)"
    r"|^(?:\(eval\)|\S*zsh)(?::\d+)?: [a-z -]{10,40}: {path}\s*$"
)
_LEAVES = re.compile(r"(?:exit|return)\b")
_UNHEARD = re.compile(r"(?:2|&)>\s*/dev/null")
_GOES_ON = re.compile(
    r"\s*(?:cd|mkdir|cat|echo|printf|touch|rm|mv|cp|tee|sed|export|set|chmod|pwd|ls|git add)\b"
)
"""Commands that hardly ever fail, so that what is joined to them by `&&` has run as well."""
_BEHIND_TEXT = re.compile(
    r"(?P<mark><<-?\s*(['\"]?)(?P<end>\w++)\2)(?P<into>[^\n;&|<'\"]*)(?:&&|;)(?P<rest>[^\n]*)\n"
    r"(?P<body>(?:.*?\n)??[ \t]*(?P=end)[ \t]*)(?=\n|\Z)",
    re.DOTALL,
)
"""A command that is fed a text and is followed by others on the line that the text begins below."""


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


def statements(command: str, cwd: str | None) -> Iterator[tuple[str, str | None, bool]]:
    """The commands that a line runs one after the other, and the directory of each.

    The third value is whether it ran for sure, if the line as a whole went well.
    Where something of it depends on how something else went, or is repeated, it is one command.
    """
    if len(command) > LONGEST or command.count("<<") > MOST_TEXTS:
        yield command, cwd, False
        return
    text = _BEHIND_TEXT.sub(r"\g<mark>\g<into>\n\g<body>\n\g<rest>", command)
    words, _ = without_texts(text)
    pieces = _pieces(text)
    if pieces is None or _BRANCHES.search(_QUOTED.sub("", words)) is not None:
        yield command, cwd, False
        return
    joined = [end == "&&" for _, end in pieces]
    last = max((index + 1 for index, on in enumerate(joined[:-1]) if not on), default=0)
    sure = True
    for index, (piece, _) in enumerate(pieces):
        if index >= last or not joined[index - 1]:
            sure = index >= last or _UNHEARD.search(piece) is None
        way = _CD.fullmatch(piece + ";")
        if way is not None:
            cwd = directory(piece + ";", cwd)
        elif _LEAVES.match(piece):
            return
        else:
            yield piece, cwd, sure
        sure = sure and _GOES_ON.match(piece) is not None


def _pieces(text: str) -> list[tuple[str, str]] | None:
    """Commands and what ends each; None where a quote is open or nothing follows a backslash."""
    pieces: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _STATEMENT.match(text, at)
        if match is None:
            return None
        at = match.end()
        if piece := match["piece"].strip():
            pieces.append((piece, match["end"]))
    return pieces


def moved(command: str) -> tuple[str, str] | None:
    """From where to where a command moves one file; None where it may move it into a directory."""
    split = pipelines(command)
    if split is None or len(split) != 1 or len(split[0]) != 1:
        return None
    words = [word.text for word in split[0][0] if word.text not in ("-f", "-v", "--")]
    if any(word.glob for word in split[0][0]):
        return None
    words = words[1:] if words[:1] == ["git"] else words
    if len(words) != 3 or words[0] != "mv" or words[1].startswith("-"):
        return None
    if words[2].endswith("/"):
        return words[1], posixpath.join(words[2], posixpath.basename(words[1].rstrip("/")))
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
    return re.search(_UNOPENED.replace("{path}", re.escape(path)), output[:LONGEST]) is not None
