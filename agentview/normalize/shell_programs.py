"""Programs that only look, and which of their arguments make them do more.

A reader takes the words behind a program and returns its steps; None if it may do more than look.
"""

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from agentview.domain.tool_inputs import (
    DeletePayload,
    GlobPayload,
    GrepPayload,
    LsPayload,
    Payload,
    ReadPayload,
    ShellPayload,
)
from agentview.domain.tools import ShellStep, ToolKind
from agentview.normalize.shell_split import Simple, Word

Steps = tuple[ShellStep, ...]
Reader = Callable[[Sequence[Word]], Steps | None]

NEUTRAL = frozenset({"cd", "echo", "printf", "true", ":", "set", "sleep"})
"""Programs that neither change a file nor show one."""
_PASS_ON = frozenset(
    {"head", "tail", "sort", "uniq", "cut", "tr", "nl", "cat", "wc", "column", "less", "more"}
    | {"grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "mawk", "jq", "tac", "rev", "fold"}
    | {"paste", "fmt", "expand", "strings", "xxd", "od", "hexdump", "base64", "basename"}
    | {"dirname", "ls", "stat", "file", "du", "md5sum", "sha1sum", "sha256sum", "true"}
)
"""Programs that print what they are given, or something about it."""
_RUNS_ON = frozenset({"-f", "-F", "--follow"})
_WRAPPERS = frozenset({"time", "command", "sudo", "env", "timeout"})
_TIME = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_RANGE = re.compile(r"(\d{1,9})(?:,(\d{1,9}))?p;?")
_COUNT = re.compile(r"-(?:n|-lines=)?(\d{1,9})")
_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)"
_SED_STEP = (
    rf"(?:{_ADDRESS}(?:\s*,\s*[+~]?{_ADDRESS})?\s*!?\s*)?"
    r"(?:[pdqQ=hHgGxnN]|s(?P<by{0}>[/|#,:@!])"
    r"(?:\\.|(?!(?P=by{0}))[^\\])*(?P=by{0})(?:\\.|(?!(?P=by{0}))[^\\])*(?P=by{0})[gpiI\d]*)"
)
_SED_FIRST, _SED_NEXT = (_SED_STEP.replace("{0}", name) for name in ("1", "2"))
_SED = re.compile(rf"\s*{_SED_FIRST}\s*(?:[;\n]\s*{_SED_NEXT}\s*)*;?\s*")
_SED_FLAGS = re.compile(r"-[nErusz]*e?|--quiet|--silent")
_LONGEST_SCRIPT = 500
_AWK_ACTS = re.compile(r"\bprint.*[>|]|\bsystem\b|\bgetline\b|@", re.DOTALL)
_DO_MORE = {
    "bat": ("--pager",),
    "jq": ("--arg", "--slurpfile", "--rawfile", "-f", "--from-file", "-L", "--indent"),
    "less": ("-o", "-O", "--log", "--LOG", "+"),
    "rg": ("--pre", "--hostname-bin"),
    "sort": ("-o", "--output", "--compress"),
    "tree": ("-o",),
}
"""Beginnings of options that write a file or run a program, or that take more than one word."""


def steps_of(simple: Simple) -> Steps | None:
    """Steps of one program with its arguments; None if it is not known only to look or delete."""
    simple = unwrapped(simple)
    name = PurePosixPath(simple[0].text).name
    reader = _READERS.get(name)
    if reader is not None:
        return reader(simple[1:])
    return _look(_ABOUT[name], simple) if _is_about(simple) else None


def unwrapped(simple: Simple) -> Simple:
    """The program that `time`, `timeout`, `env`, `sudo` or `command` runs, with its arguments."""
    at = 0
    while at + 1 < len(simple) and simple[at].text in _WRAPPERS:
        behind = at + 1
        if simple[at].text == "env":
            while behind < len(simple) and _ASSIGNED.fullmatch(simple[behind].text) is not None:
                behind += 1
        elif simple[at].text == "timeout" and _TIME.fullmatch(simple[behind].text) is not None:
            behind += 1
        if behind == len(simple) or simple[behind].text.startswith("-"):
            break
        at = behind
    return simple[at:]


def passes_on(simple: Simple) -> bool:
    """Return True if a program in a pipe only prints some of what it is given, or counts it."""
    simple = unwrapped(simple)
    name, words = simple[0].text, simple[1:]
    if name == "xargs":
        return _runs_for_each(words)
    return name in _PASS_ON and _only_prints(name, words)


def narrowed(step: ShellStep, passed: Simple) -> ShellStep:
    """Reading a file of which the next command lets only some lines through."""
    payload = step.payload
    if not isinstance(payload, ReadPayload) or payload.start is not None:
        return step
    name, words = passed[0].text, passed[1:]
    if name == "head" and payload.limit is None:
        return ShellStep(step.kind, replace(payload, start=1, limit=_count(words)))
    start, limit = _sed_lines(words) if name == "sed" else (None, None)
    if start is None:
        return step
    return ShellStep(step.kind, replace(payload, start=start, limit=limit))


def _only_prints(name: str, words: Sequence[Word]) -> bool:
    """Return True if no argument makes a program write a file, run another or wait for more."""
    texts = [word.text for word in words]
    match name:
        case "sed":
            return _sed_script(words) is not None
        case "awk" | "gawk" | "mawk":
            return _awk_files(words) is not None
        case "tail":
            return not any(text in _RUNS_ON for text in texts)
        case "uniq" | "xxd":
            return len(_operands(words, "-f -s -w -c -g -l -o -n")) < 2
        case "date":
            return all(text.startswith(("+", "-u", "-R", "-I", "--iso")) for text in texts)
        case "hostname" | "env":
            return not texts
        case _:
            return not any(text.startswith(_DO_MORE.get(name, ())) for text in texts)


def _runs_for_each(words: Sequence[Word]) -> bool:
    """Return True if what `xargs` runs only prints."""
    rest = list(words)
    while rest and rest[0].text.startswith("-"):
        takes = rest.pop(0).text in ("-n", "-P", "-L", "-I", "-d", "-s", "-E")
        if takes and rest:
            rest.pop(0)
    return not rest or (rest[0].text != "xargs" and passes_on(tuple(rest)))


def _look(kind: ToolKind, simple: Simple) -> Steps:
    """A look that shows no file as it is: the step has its command."""
    text = " ".join(word.text if word.glob else shlex.quote(word.text) for word in simple)
    return _one(kind, ShellPayload(text))


def _is_about(simple: Simple) -> bool:
    name = PurePosixPath(simple[0].text).name
    words = simple[1:]
    if name == "command":
        return bool(words) and words[0].text in ("-v", "-V")
    return name in _ABOUT and _only_prints(name, words)


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


def _files(
    program: str,
    words: Sequence[Word],
    paths: Sequence[Word],
    start: int | None = None,
    limit: int | None = None,
) -> Steps:
    """Reads of files; of a pattern of files the command, since only a shell knows the files."""
    if any(path.glob for path in paths):
        return _look(ToolKind.READ, (Word(program), *words))
    return tuple(ShellStep(ToolKind.READ, ReadPayload(path.text, start, limit)) for path in paths)


def _printer(program: str, valued: str = "", *, leave: int = 0) -> Reader:
    """Reader of a program that prints its operands, apart from the first `leave` ones."""

    def read(words: Sequence[Word]) -> Steps | None:
        paths = _operands(words, valued)[leave:]
        if not paths or any(path.text == "-" for path in paths) or not _only_prints(program, words):
            return None
        return _files(program, words, paths)

    return read


def _count(words: Sequence[Word]) -> int | None:
    """The number of lines that `head` or `tail` gives, where it is a number of lines."""
    given = _value(words, "-n", "--lines")
    if given is not None:
        return int(given) if given.isdecimal() and given.isascii() and len(given) < 10 else None
    return next((int(m[1]) for word in words if (m := _COUNT.fullmatch(word.text))), None)


_COUNTS = "-n -c --lines --bytes"


def _head(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words, _COUNTS)
    if not paths:
        return None
    asked = any(word.text.startswith(("-n", "-c", "--lines", "--bytes")) for word in words)
    count = _count(words)
    return _files("head", words, paths, start=1, limit=count if asked or count else 10)


def _tail(words: Sequence[Word]) -> Steps | None:
    paths = [path for path in _operands(words, _COUNTS) if not path.text.startswith("+")]
    if not paths or not _only_prints("tail", words):
        return None
    start = re.fullmatch(r"\+(\d{1,9})", _value(words, "-n", "--lines") or "")
    return _files("tail", words, paths, start=int(start[1]) if start else None, limit=_count(words))


def _sed_script(words: Sequence[Word]) -> str | None:
    """The script of a `sed` that only prints; None for one that may do more."""
    flags = [word.text for word in words if word.text.startswith("-") and word.text != "-"]
    if not all(map(_SED_FLAGS.fullmatch, flags)) or len(flags) != len(set(flags)):
        return None
    scripts = [word.text for word in _operands(words)][:1]
    if not scripts or len(scripts[0]) > _LONGEST_SCRIPT:
        return None
    return scripts[0] if _SED.fullmatch(scripts[0]) is not None else None


def _sed_lines(words: Sequence[Word]) -> tuple[int | None, int | None]:
    """First line and number of lines that `sed -n` prints; None for anything but one range."""
    quiet = any(word.text in ("-n", "--quiet", "--silent", "-En", "-nE", "-ne") for word in words)
    script = _sed_script(words)
    shown = _RANGE.fullmatch(script.strip()) if quiet and script is not None else None
    if shown is None:
        return None, None
    start = int(shown[1])
    return start, int(shown[2] or start) - start + 1


def _sed(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words)[1:]
    if _sed_script(words) is None or not paths:
        return None
    start, limit = _sed_lines(words)
    return _files("sed", words, paths, start=start, limit=limit)


def _awk_files(words: Sequence[Word]) -> list[Word] | None:
    """The files of an `awk` that only prints; None for one that may do more."""
    if any(word.text.startswith(("-f", "-i", "-l", "-o", "-p", "-d", "--")) for word in words):
        return None
    operands = _operands(words, "-F -v")
    if not operands or len(operands[0].text) > _LONGEST_SCRIPT:
        return None
    if _AWK_ACTS.search(operands[0].text) is not None:
        return None
    return [word for word in operands[1:] if _ASSIGNED.fullmatch(word.text) is None]


def _awk(words: Sequence[Word]) -> Steps | None:
    paths = _awk_files(words)
    return _files("awk", words, paths) if paths else None


_GREP_VALUES = (
    "-e -f -m -A -B -C -g -t -T -j -M --glob --iglob --type --type-not --include --exclude "
    "--exclude-dir --max-count --context --after-context --before-context --color --colors --sort"
)


def _grep(words: Sequence[Word]) -> Steps | None:
    if not _only_prints("rg", words):
        return None
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


def _ls(words: Sequence[Word]) -> Steps | None:
    paths = [word.text for word in _operands(words, "-I --ignore -L")]
    return _one(ToolKind.LS, LsPayload(" ".join(paths) or None))


def _tree(words: Sequence[Word]) -> Steps | None:
    return _ls(words) if _only_prints("tree", words) else None


def _find(words: Sequence[Word]) -> Steps | None:
    if any(
        word.text in ("-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls") for word in words
    ):
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


_GIT_LOOKS = re.compile(
    r"annotate|blame|cat-file|check-ignore|cherry|count-objects|describe|diff(?:-files|-index|-tree)?"
    r"|for-each-ref|grep|log|ls-(?:files|remote|tree)|merge-base|name-rev|range-diff"
    r"|rev-(?:list|parse)|shortlog|show(?:-branch|-ref)?|status|var|version|whatchanged"
)
_GIT_BY_OPERAND = {
    "bisect": ("log",),
    "config": ("get", "list"),
    "notes": ("", "list", "show"),
    "reflog": ("", "show"),
    "remote": ("", "show", "get-url"),
    "stash": ("list", "show"),
    "submodule": ("", "status", "summary"),
    "worktree": ("list",),
}
"""First operands of subcommands that only look with these, or without any."""
_GIT_LISTS = re.compile(
    r"-l|--list|-[arv]+|--all|--remotes|--(?:no-)?(?:contains|merged)|--points-at|--show-current"
    r"|--get(?:-all|-regexp)?"
)
"""Options by which `branch`, `tag` and `config` only look, also with operands."""
_GIT_FLAGS = re.compile(
    r"-[in\d]+|--(?:sort|format|column|color|verbose|abbrev|no-abbrev|no-color)"
)
_GIT_WIDE = frozenset({"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs"})


def _git(words: Sequence[Word]) -> Steps | None:
    own = list(words)
    while own and own[0].text.startswith("-"):
        option = own.pop(0).text
        if option == "-C" and own:
            own.pop(0)
        elif option not in _GIT_WIDE and option != "--version":
            return None
        elif option == "--version":
            return _look(ToolKind.READ, (Word("git"), *words))
    if not own or not _git_looks(own[0].text, own[1:]):
        return None
    named = len(own) == len(words)
    if named and own[0].text == "grep":
        return _grep(own[1:])
    if named and own[0].text == "ls-files":
        return _ls(own[1:])
    kinds = {"grep": ToolKind.GREP, "ls-files": ToolKind.LS}
    return _look(kinds.get(own[0].text, ToolKind.READ), (Word("git"), *words))


def _git_looks(name: str, words: Sequence[Word]) -> bool:
    texts = [word.text for word in words]
    if any(text.startswith(("--output", "-O", "--open-files", "--ext-diff")) for text in texts):
        return False
    if _GIT_LOOKS.fullmatch(name) is not None:
        return True
    operands = [word.text for word in _operands(words)]
    if name in _GIT_BY_OPERAND and (operands or [""])[0] in _GIT_BY_OPERAND[name]:
        return name != "config" or not any(text.startswith("--") for text in texts)
    if name not in ("branch", "tag", "config"):
        return False
    flags = [text.partition("=")[0] for text in texts if text.startswith("-")]
    lists = [flag for flag in flags if _GIT_LISTS.fullmatch(flag) is not None]
    known = all(flag in lists or _GIT_FLAGS.fullmatch(flag) is not None for flag in flags)
    return known and (bool(lists) or (not operands and name != "config"))


def _rm(words: Sequence[Word]) -> Steps | None:
    paths = _operands(words)
    if not paths or any(path.glob for path in paths):
        return None
    return _one(ToolKind.DELETE, DeletePayload(tuple(path.text for path in paths)))


_READERS: dict[str, Reader] = {
    "cat": _printer("cat"), "bat": _printer("bat", "-l -r -H"), "less": _printer("less"),
    "more": _printer("more"), "nl": _printer("nl", "-b -w -s -v -n"), "tac": _printer("tac"),
    "head": _head, "tail": _tail, "sed": _sed, "awk": _awk, "gawk": _awk, "mawk": _awk,
    "jq": _printer("jq", leave=1), "rg": _grep, "grep": _grep,
    "egrep": _grep, "fgrep": _grep, "zgrep": _grep, "ag": _grep, "ls": _ls, "tree": _tree,
    "find": _find, "fd": _fd, "fdfind": _fd, "git": _git, "rm": _rm,
    "sort": _printer("sort", "-k -t -S -T"), "uniq": _printer("uniq", "-f -s -w"),
    "cut": _printer("cut", "-d -f -c -b"), "column": _printer("column", "-s -o -c"),
    "strings": _printer("strings", "-n"), "zcat": _printer("zcat"),
}  # fmt: skip
"""Programs whose arguments show what they do."""
_ABOUT: dict[str, ToolKind] = {
    **dict.fromkeys(("diff", "cmp", "comm", "xxd", "od", "hexdump", "env", "printenv", "date"),
                    ToolKind.READ),
    **dict.fromkeys(("pwd", "test", "[", "wc", "stat", "file", "which", "type", "whereis",
                     "command", "du", "df", "basename", "dirname", "realpath", "readlink",
                     "md5sum", "sha1sum", "sha256sum", "whoami", "id", "uname", "hostname",
                     "nproc", "ps", "free", "uptime", "groups", "locale"), ToolKind.LS),
}  # fmt: skip
"""Programs that show something about files or the machine, by the kind of look that it is."""
