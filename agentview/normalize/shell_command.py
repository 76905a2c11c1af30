"""What a shell command seems to do: reads, searches, lists, writes; a guess from its words alone.

A command is read only when all of it is understood. The call stays what it was recorded as.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    FileEdit,
    GlobPayload,
    GrepPayload,
    LsPayload,
    Payload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    TextEdit,
    WritePayload,
)
from agentview.domain.tools import ShellReading, ShellStep, ToolCall, ToolKind
from agentview.normalize.shell_split import Pipeline, Simple, Word, pipelines
from agentview.normalize.tools.patch import parse_patch

_CD = r"(?:cd\s+(?:'[^']*'|\"[^\"$`]*\"|[^\s;&|$`]+)\s*(?:&&|;|\n)\s*)?"
_FILE = r"(?:'(?P<{0}q>[^']+)'|\"(?P<{0}d>[^\"$`]+)\"|(?P<{0}>[^\s'\"<>|&;$`*?]+))"
_END = r"\n(?P<body>.*?\n)??(?P=mark)\s*"
_MARK = r"<<-?\s*(?P<quote>['\"]?)(?P<mark>\w+)(?P=quote)"
_WRITES = (
    re.compile(
        rf"\s*{_CD}cat\s*(?P<to>>>?)\s*{_FILE.format('file')}\s*{_MARK}\s*{_END}", re.DOTALL
    ),
    re.compile(
        rf"\s*{_CD}cat\s*{_MARK}\s*(?P<to>>>?)\s*{_FILE.format('file')}\s*{_END}", re.DOTALL
    ),
    re.compile(
        rf"\s*{_CD}tee\s+(?P<to>-a\s+)?{_FILE.format('file')}\s*(?:>\s*/dev/null\s*)?{_MARK}"
        rf"(?:\s*>\s*/dev/null)?\s*{_END}",
        re.DOTALL,
    ),
)
_PATCHES = (
    re.compile(rf"\s*{_CD}apply_?patch\s*{_MARK}\s*{_END}", re.DOTALL),
    re.compile(rf"\s*{_CD}apply_?patch\s+(?P<quote>['\"])(?P<body>.*)(?P=quote)\s*", re.DOTALL),
)
_RANGE = re.compile(r"(\d{1,9})(?:,(\d{1,9}))?p;?")
_COUNT = re.compile(r"-(?:n|-lines=)?(\d{1,9})")
_NEUTRAL = frozenset({"cd", "pwd", "echo", "printf", "true", ":", "set"})
_FILTERS = frozenset(
    {"head", "tail", "sort", "uniq", "cut", "tr", "nl", "cat", "wc", "column", "less", "grep"}
    | {"egrep", "fgrep", "rg", "sed"}
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_RUNS_ON = frozenset({"-f", "-F", "--follow"})

Steps = tuple[ShellStep, ...]


def with_reading(call: ToolCall) -> ToolCall:
    """The call with what its command seems to do; calls of other kinds stay as they are."""
    payload = call.payload
    if call.kind is not ToolKind.SHELL or not isinstance(payload, ShellPayload):
        return call
    if payload.action is not ShellAction.RUN:
        return call
    reading = read_command(payload.command)
    return replace(call, reading=reading) if reading is not None else call


def read_command(command: str) -> ShellReading | None:
    """What a command seems to do; None when some of it is not understood, or its parts differ."""
    whole = _written(command) or _patched(command)
    if whole is not None:
        return ShellReading(whole)
    split = pipelines(command)
    if split is None:
        return None
    script = _unwrapped(split)
    if script is not None:
        return read_command(script)
    steps: list[ShellStep] = []
    for pipeline in split:
        found = _pipeline(pipeline)
        if found is None:
            return None
        steps += found
    kinds = {step.kind for step in steps}
    return ShellReading(tuple(steps)) if len(kinds) == 1 else None


def _written(command: str) -> Steps | None:
    """Return the steps of a command that writes a text of its own to a file."""
    for pattern in _WRITES:
        match = pattern.fullmatch(command)
        if match is None or not _is_literal(match):
            continue
        path = match["file"] or match["fileq"] or match["filed"]
        body = match["body"] or ""
        if (match["to"] or "").strip() in (">>", "-a"):
            edit = FileEdit(path, edits=(TextEdit("", body),))
            return (ShellStep(ToolKind.EDIT, EditPayload((edit,))),)
        return (ShellStep(ToolKind.WRITE, WritePayload(path, body)),)
    return None


def _is_literal(match: re.Match[str]) -> bool:
    """Return True if a text is written as it stands, and ends where it seems to end."""
    body = match["body"] or ""
    expanded = not match["quote"] and any(mark in body for mark in "$`\\")
    return not expanded and match["mark"] not in body.split("\n")


def _patched(command: str) -> Steps | None:
    """Return the steps of a command that applies a patch of its own."""
    for pattern in _PATCHES:
        match = pattern.fullmatch(command)
        body = match["body"] if match is not None else None
        if body is not None and match is not None and match["quote"] == "'":
            body = body.replace("'\"'\"'", "'")
        if body is not None and body.lstrip().startswith("*** Begin Patch"):
            files = parse_patch(body)
            return (ShellStep(ToolKind.EDIT, EditPayload(files)),) if files else None
    return None


def _unwrapped(split: tuple[Pipeline, ...]) -> str | None:
    """The script of `bash -lc script`, when a command is nothing else."""
    if len(split) != 1 or len(split[0]) != 1 or len(split[0][0]) != 3:
        return None
    program, option, script = (word.text for word in split[0][0])
    wraps = PurePosixPath(program).name in _SHELLS and option in ("-c", "-lc", "-ic", "-cl")
    return script if wraps else None


def _pipeline(pipeline: Pipeline) -> Steps | None:
    """Steps of a pipeline: what its first command does, if the others only pass on."""
    first = pipeline[0]
    if first[0].text in _NEUTRAL:
        return () if len(pipeline) == 1 else None
    found = _simple(first)
    for simple in pipeline[1:]:
        if not _only_passes_on(simple):
            return None
    if found is not None and len(found) == 1 and len(pipeline) > 1:
        return (_narrowed(found[0], pipeline[1]),)
    return found


def _only_passes_on(simple: Simple) -> bool:
    name = simple[0].text
    if name not in _FILTERS or any(word.text in _RUNS_ON for word in simple):
        return False
    return name != "sed" or _sed_range(simple[1:]) is not None


def _narrowed(step: ShellStep, passed: Simple) -> ShellStep:
    """Reading a file of which the next command lets only some lines through."""
    payload = step.payload
    if not isinstance(payload, ReadPayload) or payload.start is not None:
        return step
    name, words = passed[0].text, passed[1:]
    if name == "head" and payload.limit is None:
        return ShellStep(step.kind, replace(payload, start=1, limit=_count(words)))
    shown = _sed_range(words) if name == "sed" else None
    if shown is None or shown == (None, None):
        return step
    return ShellStep(step.kind, replace(payload, start=shown[0], limit=shown[1]))


def _simple(simple: Simple) -> Steps | None:
    name = PurePosixPath(simple[0].text).name
    reader = _READERS.get(name)
    return reader(simple[1:]) if reader is not None else None


def _one(kind: ToolKind, payload: Payload) -> Steps:
    return (ShellStep(kind, payload),)


def _operands(words: Sequence[Word], valued: str = "") -> list[Word]:
    """The words that are no options; options in `valued` take the next word."""
    takes = frozenset(valued.split())
    found: list[Word] = []
    rest = iter(words)
    for word in rest:
        if word.text == "--":
            return [*found, *rest]
        if word.text in takes:
            next(rest, None)
        elif not word.text.startswith("-") or word.text == "-":
            found.append(word)
    return found


def _value(words: Sequence[Word], *options: str) -> str | None:
    """The value of an option, in the next word or behind `=`."""
    for index, word in enumerate(words):
        name, equals, value = word.text.partition("=")
        if name in options:
            if equals:
                return value
            return words[index + 1].text if index + 1 < len(words) else None
    return None


def _cat(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words)
    if not paths or any(path.glob or path.text == "-" for path in paths):
        return None
    return tuple(ShellStep(ToolKind.READ, ReadPayload(path.text)) for path in paths)


def _count(words: Sequence[Word]) -> int | None:
    """The number of lines that `head` or `tail` gives."""
    given = _value(words, "-n", "--lines")
    if given is not None and given.isdigit():
        return int(given)
    return next((int(m[1]) for word in words if (m := _COUNT.fullmatch(word.text))), None)


def _head(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words, "-n -c --lines --bytes")
    if len(paths) != 1 or paths[0].glob:
        return None
    return _one(ToolKind.READ, ReadPayload(paths[0].text, start=1, limit=_count(words)))


def _tail(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words, "-n -c --lines --bytes")
    if len(paths) != 1 or paths[0].glob or any(word.text in _RUNS_ON for word in words):
        return None
    return _one(ToolKind.READ, ReadPayload(paths[0].text, limit=_count(words)))


def _nl(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words, "-b -w -s -v -n")
    if len(paths) != 1 or paths[0].glob:
        return None
    return _one(ToolKind.READ, ReadPayload(paths[0].text))


def _sed_range(words: Sequence[Word]) -> tuple[int | None, int | None] | None:
    """First line and number of lines that `sed -n` prints; (None, None) for several ranges.

    None for a `sed` that does more than print lines.
    """
    if not any(word.text in ("-n", "--quiet", "-En", "-nE") for word in words):
        return None
    scripts = [word.text for word in _operands(words)][:1]
    if not scripts or re.fullmatch(rf"(?:{_RANGE.pattern}\s*)+", scripts[0]) is None:
        return None
    ranges = _RANGE.findall(scripts[0])
    if len(ranges) != 1:
        return None, None
    start = int(ranges[0][0])
    return start, int(ranges[0][1] or start) - start + 1


def _sed(words: Sequence[Word]) -> Steps | None:
    shown = _sed_range(words)
    paths = _operands(words)[1:]
    if shown is None or not paths or any(path.glob for path in paths):
        return None
    return tuple(ShellStep(ToolKind.READ, ReadPayload(path.text, *shown)) for path in paths)


_GREP_VALUES = (
    "-e -f -m -A -B -C -g -t -T -j -M --glob --iglob --type --type-not --include --exclude "
    "--exclude-dir --max-count --context --after-context --before-context --color --colors --sort"
)


def _grep(words: Sequence[Word]) -> Steps | None:
    if any(word.text == "--files" for word in words):
        return _rg_files(words)
    pattern = _value(words, "-e", "--regexp")
    operands = _operands(words, _GREP_VALUES)
    if pattern is None:
        if not operands:
            return None
        pattern = operands.pop(0).text
    flags = [word.text for word in words if word.text.startswith("-")]
    return _one(
        ToolKind.GREP,
        GrepPayload(
            pattern,
            path=" ".join(word.text for word in operands) or None,
            include=_value(words, "-g", "--glob", "--include", "-t", "--type"),
            ignore_case=any(_short(flag, "i") or flag == "--ignore-case" for flag in flags),
            literal=any(_short(flag, "F") or flag == "--fixed-strings" for flag in flags),
        ),
    )


def _short(flag: str, letter: str) -> bool:
    return not flag.startswith("--") and letter in flag


def _rg_files(words: Sequence[Word]) -> Steps:
    paths = " ".join(word.text for word in _operands(words, _GREP_VALUES)) or None
    pattern = _value(words, "-g", "--glob", "--iglob")
    if pattern is not None:
        return _one(ToolKind.GLOB, GlobPayload(pattern, paths))
    return _one(ToolKind.LS, LsPayload(paths))


def _ls(words: Sequence[Word]) -> Steps:
    paths = [word.text for word in _operands(words, "-I --ignore -L")]
    return _one(ToolKind.LS, LsPayload(" ".join(paths) or None))


def _find(words: Sequence[Word]) -> Steps | None:
    if any(word.text in ("-exec", "-execdir", "-ok", "-okdir", "-delete") for word in words):
        return None
    if any(word.text.startswith("-fprint") for word in words):
        return None
    paths: list[str] = []
    for word in words:
        if word.text.startswith(("-", "(", "!")):
            break
        paths.append(word.text)
    where = " ".join(paths) or None
    pattern = _value(words, "-name", "-iname", "-path", "-ipath")
    if pattern is not None:
        return _one(ToolKind.GLOB, GlobPayload(pattern, where))
    return _one(ToolKind.LS, LsPayload(where))


def _fd(words: Sequence[Word]) -> Steps | None:
    if any(word.text in ("-x", "-X", "--exec", "--exec-batch") for word in words):
        return None
    operands = [word.text for word in _operands(words, "-e -t -d -E --extension --type")]
    if not operands:
        return _one(ToolKind.LS, LsPayload())
    return _one(ToolKind.GLOB, GlobPayload(operands[0], " ".join(operands[1:]) or None))


def _git(words: Sequence[Word]) -> Steps | None:
    if not words:
        return None
    name, rest = words[0].text, words[1:]
    if any(word.text.startswith("--output") for word in rest):
        return None
    if name in ("diff", "show"):
        return _one(ToolKind.READ, ReadPayload(" ".join(["git", *(word.text for word in words)])))
    if name == "grep":
        return _grep(rest)
    return _ls(rest) if name == "ls-files" else None


def _rm(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words)
    if not paths or any(path.glob for path in paths):
        return None
    return _one(ToolKind.DELETE, DeletePayload(tuple(path.text for path in paths)))


_READERS: dict[str, Callable[[Sequence[Word]], Steps | None]] = {
    "cat": _cat, "bat": _cat, "less": _cat, "more": _cat, "head": _head, "tail": _tail, "nl": _nl,
    "sed": _sed, "rg": _grep, "grep": _grep, "egrep": _grep, "fgrep": _grep, "ag": _grep,
    "ls": _ls, "tree": _ls, "find": _find, "fd": _fd, "fdfind": _fd, "git": _git, "rm": _rm,
}  # fmt: skip
"""Programs whose arguments show what they do."""
