"""Effects of shell commands on files, as far as their words show them.

Redirections, the programs that exist to write, move and delete files, and texts within a command
are understood. Any other program that is not known to leave files alone may have changed
command are understood. Any other program that is not known to leave files alone may have changed
files without naming them.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from agentview.domain.events import SlashCommand
from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    WritePayload,
)
from agentview.domain.tool_results import ReadResult, ShellResult
from agentview.domain.tools import ShellReading, ShellStep, ToolCall, ToolState
from agentview.facts.edits.call_outcome import CallOutcome, asked_for, seen_in
from agentview.facts.edits.operations import (
    Appended,
    FileAction,
    Moved,
    ReadEffect,
    Removed,
    UnknownEffect,
    Written,
)
from agentview.normalize.output_text import is_cut
from agentview.normalize.shell_command import ENTERS, directory_of, read_command
from agentview.normalize.shell_split import pipelines

UNNAMED = ""
"""The path that stands for files that a command may write to without naming them."""
LONGEST = 20_000
"""Characters of a command that are looked at."""
_MOST_TEXTS = 20
"""Here-documents that are looked for in a command."""
_DEEPEST = 8
"""Shells within shells (`sh -c`) that are looked at."""
_OPENER = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)(\w+)\1")
"""The start of a here-document, and the mark that ends it."""
_INTO = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
    r"|(?<![<>=\-])(?:\d|&)?>{1,2}\|?[ \t]*(?!&)"
    r"(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s'\"<>|&;()]+))",
    re.DOTALL,
)
"""Redirections into files; quoted text redirects nothing."""
_COMPUTED = re.compile(r"[$`]|\{\}")
"""A path that only the shell knows."""
_DEVICES = ("/dev/", "/proc/")
_RUNS_OTHERS = re.compile(r"'[^']*'|\\.|(\$\((?!\()|`|[<>]\()", re.DOTALL)
"""Commands inside a command; text in single quotes is not run."""
_PARTS = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^;|&\n'\"\\])+", re.DOTALL)
_SHELL_WORD = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|((?:[^\s'\"\\]|\\.)+)", re.DOTALL)
_RUNS = frozenset(
    {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "(", "time", "sudo"}
    | {"env", "command", "builtin", "exec", "nohup"}
)
"""Words of a shell, and programs, that run the command behind them."""
_NEUTRAL = frozenset(
    {"for", "case", "select", "done", "fi", "esac", "function", "[", "[[", "test", "true", "false"}
    | {":", "cd", "pushd", "popd", "pwd", "echo", "printf", "export", "set", "unset", "read"}
    | {"exit", "return", "break", "continue", "wait", "sleep", "kill", "ulimit", "umask", "type"}
    | {"cat", "head", "tail", "less", "more", "nl", "wc", "cut", "tr", "uniq", "column", "grep"}
    | {"egrep", "fgrep", "rg", "ag", "ls", "tree", "stat", "file", "du", "df", "which", "whereis"}
    | {"diff", "cmp", "comm", "basename", "dirname", "realpath", "readlink", "date", "env", "id"}
    | {"whoami", "uname", "hostname", "ps", "jq", "seq", "rev", "tac", "sha256sum", "md5sum"}
    | {"base64", "mkdir", "chmod", "chown"}
)
"""Commands that leave the text of files alone, whatever their arguments."""
_WRITES_IF = {
    "sort": re.compile(r"-o|--output"),
    "find": re.compile(r"-(?:exec|ok|delete|fprint|fls)"),
    "fd": re.compile(r"-[xX]\Z|--exec"),
    "awk": re.compile(r"[>|]|system|inplace"),
}
"""Commands that leave files alone unless an argument has this form."""
_GIT_NEUTRAL = frozenset(
    {"status", "log", "diff", "show", "branch", "tag", "add", "commit", "push", "fetch", "remote"}
    | {"config", "blame", "grep", "describe", "shortlog", "reflog", "rev-parse", "rev-list"}
    | {"ls-files", "ls-tree", "ls-remote", "cat-file", "merge-base", "version", "help"}
)
"""Commands of git that leave the files of the working tree alone."""
_ALL_OPERANDS = frozenset({"rm", "unlink", "mv", "tee", "touch"})
"""Programs that write to, move or delete every file that they name."""
_SHELL = re.compile(r"(?:ba|z|da|k)?sh\Z")
_IN_PLACE = re.compile(r"-[a-zA-Z]*i|--in-place")
_SED_WRITES = re.compile(r"(?:\A|[;}/\d\s])[wW]\s")
"""A command of `sed` that writes to a file."""
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
"""A command up to what ends it; the lines of a text within it are part of it."""
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
_COMMAND = "a command may have changed it"
_BY_PERSON = "a command that you ran may have changed it"
_NO_TOOL = re.compile(
    r"(?i)(?:error: ?)?(?:no such tool|unknown tool|tool ['\"`]?[\w.-]+['\"`]? "
    r"(?:was |is )?(?:not found|not available|does not exist|unknown))"
)
"""Words about a call of a tool that does not exist: it never ran."""
_ASKS = re.compile(r"\|\||\brm\s+(?:-\w+\s+)*-\w*[iI]")
"""Where part of it runs only if another one fails, or a file goes only if somebody agrees."""
_FAILED = re.compile(r"(?m)^(?:mv|rm|cp|tee|unlink): ")
"""How programs complain that did not do, or not all of, what they were asked for."""
_GOES_ELSEWHERE = re.compile(r"(?:^|[;&|({\n])[ \t]*(?:cd|pushd)\s")


def outcomes_of_command(call: ToolCall, cwd: str | None) -> Iterator[CallOutcome]:
    """Return the certain and possible effects of a shell command, run in the directory `cwd`."""
    payload, result = call.payload, call.result
    if not isinstance(payload, ShellPayload) or payload.action is not ShellAction.RUN:
        return
    if call.state not in (ToolState.OUTPUT_AVAILABLE, ToolState.OUTPUT_ERROR):
        return
    if _NO_TOOL.match(call.error or ""):
        return
    went_well = call.state is ToolState.OUTPUT_AVAILABLE and call.ok is not False
    output = ""
    if isinstance(result, ShellResult):
        went_well = went_well and result.exit_code in (0, None) and result.task_id is None
        output = (result.stdout if result.stdout is not None else result.output) or ""
    errors = result.stderr if isinstance(result, ShellResult) else None
    said = "\n".join(filter(None, (output, errors, call.error)))
    command = payload.command
    here = directory_of(command, payload.cwd or cwd)
    if went_well and call.reading is not None and not _asks(command):
        known = list(_by_reading(call, output))
        yield from (replace(one, cwd=here, words=command) for one in known)
        if known or call.reading.looks:
            return
    for piece, where, sure in statements(command, payload.cwd or cwd):
        certain = went_well and sure and not _asks(piece) and _FAILED.search(said) is None
        known = list(_by_words(piece)) if certain else []
        known = known or list(_doubts(piece, said, certain))
        yield from (replace(one, cwd=where, words=command) for one in known)


def outcomes_of_person(command: SlashCommand, cwd: str | None) -> Iterator[CallOutcome]:
    """The files that a command which a person ran through the client seems to write to."""
    if not command.shell:
        return
    for piece, where, _ in statements(command.name, cwd):
        for path in may_write(piece):
            effect = UnknownEffect(_BY_PERSON, certain=False)
            yield CallOutcome(path, FileAction.COMMAND, effect, where, words=command.name)


def _asks(command: str) -> bool:
    return _ASKS.search(_without_texts(command[:LONGEST])) is not None


def _doubts(command: str, output: str, went_well: bool = False) -> Iterator[CallOutcome]:
    """Files that a command may have changed, for all that is known of it."""
    elsewhere = _GOES_ELSEWHERE.search(command) is not None
    way = _move_words(command) if went_well else None
    for path in may_write(command):
        if path == UNNAMED or not _was_unopened(path, output):
            unplaced = elsewhere and not path.startswith("/")
            to = way[1] if way is not None and way[0] == path else None
            effect = UnknownEffect(_COMMAND, certain=False, moved_to=to)
            yield CallOutcome(UNNAMED if unplaced else path, FileAction.COMMAND, effect)


def _by_reading(call: ToolCall, output: str) -> Iterator[CallOutcome]:
    """Return the effects of a command that is understood as a whole."""
    reading, payload = call.reading, call.payload
    if reading is None or not isinstance(payload, ShellPayload):
        return
    for step in reading.steps:
        read = step.payload
        if not isinstance(read, ReadPayload):
            yield from _by_step(step)
        else:
            alone = _printed(payload.command, reading, output)
            effect = (
                seen_in(read, ReadResult(output, start=read.start), exact=False) if alone else None
            )
            effect = effect or ReadEffect("", whole=False)
            yield CallOutcome(
                read.path, FileAction.READ, effect, start=read.start, limit=read.limit
            )


def _by_words(command: str) -> Iterator[CallOutcome]:
    """Return the files that a command wrote, moved or deleted, as far as its words show."""
    way = _moved(command)
    if way is not None:
        yield CallOutcome(way[0], FileAction.MOVE, Moved(way[1]))
    said = _echoed(command)
    if said is not None:
        path, text, appended = said
        yield CallOutcome(path, FileAction.WRITE, Appended(text) if appended else Written(text))
        return
    reading = read_command(command)
    for step in reading.steps if reading is not None else ():
        yield from _by_step(step)


def _by_step(step: ShellStep) -> Iterator[CallOutcome]:
    match step.payload:
        case WritePayload() as write:
            yield CallOutcome(write.path, FileAction.WRITE, Written(write.content or ""))
        case EditPayload() as edit:
            for asked in edit.files:
                if asked.patch is None and asked.edits and not asked.edits[0].old:
                    yield CallOutcome(asked.path, FileAction.WRITE, Appended(asked.edits[0].new))
                else:
                    yield from asked_for(asked)
        case DeletePayload() as delete:
            for path in delete.paths:
                yield CallOutcome(path, FileAction.DELETE, Removed())
        case _:
            return


def may_write(command: str) -> Iterator[str]:
    """Paths of files that a command may write to, as the command names them, each once.

    A path may be that of a directory or a pattern. `UNNAMED` stands for files that it does not
    name.
    """
    found = dict.fromkeys(
        UNNAMED if _COMPUTED.search(path) else path for path in _targets(command, 0)
    )
    yield from (path for path in found if not path.startswith(_DEVICES))


def _targets(command: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST or len(command) > LONGEST:
        yield UNNAMED
        return
    text = _without_texts(command)
    if any(match[1] for match in _RUNS_OTHERS.finditer(text)):
        yield UNNAMED
    for match in _INTO.finditer(text):
        yield from (name for name in match.groups() if name is not None)
    text = _INTO.sub(lambda match: match[0] if match.lastindex is None else " ", text)
    for part in _PARTS.findall(text):
        words = [
            single or re.sub(r"\\([\\\"$`])", r"\1", double) or plain
            for single, double, plain in _SHELL_WORD.findall(part)
        ]
        words = _unprefixed(words)
        if words:
            yield from _by_program(posixpath.basename(words[0]), words[1:], depth)


def _unprefixed(words: list[str]) -> list[str]:
    """A program and its arguments, without what only runs it and without closing brackets."""
    while words:
        first = words[0].lstrip("({") or words[0]
        if first in _RUNS or re.match(r"\w+=", first) or first.strip(")}") == "":
            del words[0]
        elif first.startswith("#"):
            return []
        else:
            return [first.rstrip(")") if len(words) == 1 else first, *words[1:]]
    return words


def _by_program(name: str, words: Sequence[str], depth: int) -> Iterator[str]:
    """Paths that a program may write to."""
    unless = _WRITES_IF.get(name)
    if name in _ALL_OPERANDS:
        yield from _operands(words)
    elif name == "cp":
        yield from _operands(words)[-1:]
    elif name == "sed":
        yield from _by_sed(words)
    elif _SHELL.match(name):
        option = next((at for at, word in enumerate(words) if re.match(r"-\w*c\Z", word)), None)
        if option is not None and option + 1 < len(words):
            yield from _targets(words[option + 1], depth + 1)
        else:
            yield UNNAMED
    elif name == "git":
        yield from _by_git(words)
    elif unless is not None:
        yield from (UNNAMED,) * any(map(unless.match if name != "awk" else unless.search, words))
    elif name not in _NEUTRAL:
        yield UNNAMED


def _by_sed(words: Sequence[str]) -> Iterator[str]:
    """Files that `sed` edits in place; the first operand is the script unless an option is."""
    valued = {at + 1 for at, word in enumerate(words) if word in ("-e", "-f")}
    scripts = [word for at, word in enumerate(words) if at in valued]
    # An empty word is the suffix of `-i` on macOS.
    files = [*filter(None, _operands([w for at, w in enumerate(words) if at not in valued]))]
    if not valued:
        scripts, files = files[:1], files[1:]
    if "-f" in words or any(map(_SED_WRITES.search, scripts)):
        yield UNNAMED
    edits = next((word for word in words if _IN_PLACE.match(word)), None)
    if edits is None:
        return
    yield from files
    suffix = re.match(r"(?:-[a-zA-Z]*?i|--in-place=)(\.[\w.~-]+|~)\Z", edits)
    if suffix is not None:
        yield from (f"{file}{suffix[1]}" for file in files)


def _by_git(words: Sequence[str]) -> Iterator[str]:
    """Files that git deletes or moves; any file for other commands that change the working tree."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("-C", "-c") else 1]
    verb = rest.pop(0) if rest else "help"
    if verb in ("rm", "mv"):
        yield from _operands(rest)
    elif verb not in _GIT_NEUTRAL or any(word.startswith("--output") for word in rest):
        yield UNNAMED


def _operands(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith(("-", "<", ">", "&")) and word != ")"]


def _without_texts(command: str) -> str:
    """A command without its here-documents."""
    at = 0
    for _ in range(_MOST_TEXTS):
        opener = _OPENER.search(command, at)
        line = command.find("\n", opener.end()) if opener is not None else -1
        if opener is None or line < 0:
            break
        mark = re.compile(rf"^[ \t]*{opener[2]}[ \t]*$", re.MULTILINE)
        end = mark.search(command, line + 1)
        at = opener.end()
        if end is not None:
            at = opener.start()
            command = command[:at] + command[opener.end() : line] + command[end.end() :]
    return command


def _printed(command: str, reading: ShellReading, output: str) -> ReadPayload | None:
    """The file that a command prints, and nothing else; None when it prints anything else."""
    if len(reading.steps) != 1 or is_cut(output):
        return None
    payload = reading.steps[0].payload
    split = pipelines(ENTERS.sub("", command, count=1))
    if split is None or len(split) != 1 or len(split[0]) != 1:
        return None
    words = [word.text for word in split[0][0]]
    if len(words) == 3 and words[1] in ("-c", "-lc") and words[0].endswith("sh"):
        return _printed(words[2], reading, output)
    if not isinstance(payload, ReadPayload):
        return None
    match posixpath.basename(words[0]):
        case "cat":
            return None if any(word.startswith("-") for word in words[1:]) else payload
        case "sed" | "head":
            return payload if payload.limit is not None else None
        case _:
            return None


def statements(command: str, cwd: str | None) -> Iterator[tuple[str, str | None, bool]]:
    """The commands that a line runs one after the other, and the directory of each.

    The third value is whether it ran for sure, if the line as a whole went well.
    Where something of it depends on how something else went, or is repeated, it is one command.
    """
    if len(command) > LONGEST or command.count("<<") > _MOST_TEXTS:
        yield command, cwd, False
        return
    text = _BEHIND_TEXT.sub(r"\g<mark>\g<into>\n\g<body>\n\g<rest>", command)
    words = _without_texts(text)
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
        way = ENTERS.fullmatch(piece + ";")
        if way is not None:
            cwd = directory_of(piece + ";", cwd)
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


def _moved(command: str) -> tuple[str, str] | None:
    """From where to where a command moves one file; None where it may move it into a directory."""
    way = _move_words(command)
    if way is None:
        return None
    if way[1].endswith("/"):
        return way[0], posixpath.join(way[1], posixpath.basename(way[0].rstrip("/")))
    suffix = posixpath.splitext(way[0])[1]
    # A directory is hardly called as files of that kind are.
    named = bool(suffix) and posixpath.splitext(way[1])[1] == suffix
    return way if named else None


def _move_words(command: str) -> tuple[str, str] | None:
    """The sources and the target of a command that moves files; None for others."""
    split = pipelines(command)
    if split is None or len(split) != 1 or len(split[0]) != 1:
        return None
    words = [word.text for word in split[0][0] if word.text not in ("-f", "-v", "--")]
    if any(word.glob for word in split[0][0]):
        return None
    words = words[1:] if words[:1] == ["git"] else words
    if len(words) != 3 or words[0] != "mv" or words[1].startswith("-"):
        return None
    return words[1], words[2]


def _echoed(command: str) -> tuple[str, str, bool] | None:
    """The path, the text, and whether it is appended, of a command that echoes plain words."""
    match = _ECHO.fullmatch(command)
    if match is None:
        return None
    said = next(words for words in match.groups()[:3] if words is not None)
    path = next(name for name in match.groups()[4:] if name is not None)
    if said.startswith("-"):
        return None
    return path, f"{said}\n", match["into"] == ">>"


def _was_unopened(path: str, output: str) -> bool:
    return re.search(_UNOPENED.replace("{path}", re.escape(path)), output[:LONGEST]) is not None
