"""Which files a shell command may write to, by the programs that it runs and their arguments."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import dropwhile

from agentview.file_changes.scripts import UNNAMED, written_by_script

_OPENER = re.compile(r"(?<!<)<<-?[ \t]*(['\"]?)(\w+)\1")
"""What says that lines up to one with a mark are a text that a command is fed."""
LONGEST = 20_000
"""Characters of a command that are looked at for what it writes."""
FILE = r"(?:'([^'\n]+)'|\"([^\"\n]+)\"|([^\s'\"<>|&;()]+))"
_INTO = re.compile(
    r"'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\."
    rf"|(?<![<>=\-])(?:[012]|&)?>{{1,2}}\|?[ \t]*(?!&){FILE}",
    re.DOTALL,
)
"""Redirections into files; what stands in quotes redirects nothing."""
MOST_TEXTS = 20
"""Texts that stand in a command and are told apart."""
_DEVICES = ("/dev/", "/proc/")
_COMPUTED = re.compile(r"[$`]|\{\}")
_PARTS = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^;|&\n'\"\\])+", re.DOTALL)
_WORD = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|((?:[^\s'\"\\]|\\.)+)", re.DOTALL)
_PREFIXES = frozenset(
    {"sudo", "then", "do", "else", "time", "env", "command", "nohup", "exec", "builtin", "!", "{"}
    | {"(", "npx", "bunx", "uvx", "pipx", "xvfb-run", "nice", "-n"}
)
_RUNS = frozenset(
    {"uv run", "poetry run", "pipenv run", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx"}
    | {"npm exec", "bundle exec", "rye run", "hatch run", "mise exec"}
)
_INTERPRETER = re.compile(
    r"(?:python|pypy|perl|ruby|node|nodejs|php|deno|bun|osascript|tsx|ts-node)[\d.]*\Z"
)
_SHELL = re.compile(r"(?:ba|z|da|k|fi)?sh\Z")
_CODE = re.compile(r"-\w*[ceEr]\Z|--eval\Z|eval\Z")
_SHELL_CODE = re.compile(r"-\w*c\Z")
"""Options of interpreters and shells that a script follows."""
_OF_XARGS = re.compile(r"-|\d+\Z|\{\}\Z")
"""Options of `xargs` and their values."""
_LOOKS = re.compile(r"--(?:check|diff|dry-run|list-different|help|version)\Z")
"""Options with which programs change nothing."""
_TASKS = re.compile(r"(?:test|lint|types?|typecheck|check|dev|start|serve|preview)(?:[:-]\S*)?\Z")
"""Tasks of a project that leave its files alone, by how they are usually called."""
_DEEPEST = 8
"""Commands within commands that are looked at: `xargs`, `-m`, `-c`, and what a shell is fed."""
_PATCHED = re.compile(r"(?m)^\+\+\+ (?:b/)?([^\t\n]+)")

Words = Sequence[str]
Writer = Callable[[Words], Sequence[str]]


def seems_to_write(command: str) -> Iterator[str]:
    """Paths of files that a command may write to, as the command names them, each once.

    A path may be that of a directory, and may be a pattern as shells know them. `UNNAMED` stands
    for files that it does not name.
    """
    yield from _written(command, 0)


# A text that many shells of a command are fed is looked at once: there may be such texts in it.
@lru_cache(maxsize=2 * _DEEPEST)
def _written(command: str, depth: int) -> tuple[str, ...]:
    if depth > _DEEPEST:
        return (UNNAMED,)
    text, fed = without_texts(command[:LONGEST])
    found = [*_redirected(text), *_named(text, "\n".join(fed), depth)]
    if len(command) > LONGEST:
        found.append(UNNAMED)
    paths = dict.fromkeys(UNNAMED if _COMPUTED.search(path) else path for path in found)
    return tuple(path for path in paths if not path.startswith(_DEVICES))


def without_texts(command: str) -> tuple[str, list[str]]:
    """A command without the texts that stand in it, and these."""
    at, texts = 0, list[str]()
    for _ in range(MOST_TEXTS):
        opener = _OPENER.search(command, at)
        line = command.find("\n", opener.end()) if opener is not None else -1
        if opener is None or line < 0:
            break
        mark = re.compile(rf"^[ \t]*{opener[2]}[ \t]*$", re.MULTILINE)
        end = mark.search(command, line + 1)
        at = opener.end()
        if end is not None:
            texts.append(command[line + 1 : end.start()])
            at = opener.start()
            command = command[:at] + command[opener.end() : line] + command[end.end() :]
    return command, texts


def _redirected(text: str) -> Iterator[str]:
    for match in _INTO.finditer(text):
        name = next((name for name in match.groups() if name is not None), None)
        if name is not None:
            yield name


def _named(text: str, fed: str, depth: int) -> Iterator[str]:
    """Paths that the programs of a command write to; `fed` are the texts that stand in it."""
    for part in _PARTS.findall(text):
        words = [
            single or re.sub(r"\\([\\\"$`])", r"\1", double) or plain
            for single, double, plain in _WORD.findall(part)
        ]
        words = _unprefixed(words)
        if words and words[0].startswith("./"):
            yield UNNAMED
        elif words:
            yield from _by_program(words, fed, depth)


def _unprefixed(words: list[str]) -> list[str]:
    """A program and its arguments, without what only runs it."""
    while words:
        first = words[0].lstrip("({") or words[0]
        if first in _PREFIXES or re.match(r"\w+=", first):
            del words[0]
        elif first == "timeout" or " ".join([first, *words[1:2]]) in _RUNS:
            del words[:2]
        else:
            return [first.rstrip(")") if len(words) == 1 else first, *words[1:]]
    return words


def _by_program(command: Words, fed: str, depth: int) -> Iterator[str]:
    """Paths that a program, the first word, writes to."""
    if depth > _DEEPEST or not command:
        yield from (UNNAMED,) * bool(command)
        return
    name, words = posixpath.basename(command[0]), command[1:]
    if name == "xargs":
        run = list(dropwhile(_OF_XARGS.match, words))
        # What it writes to is named by what comes in.
        if run and any(True for _ in _by_program([*run, "{}"], fed, depth + 1)):
            yield UNNAMED
    elif _SHELL.match(name) or _INTERPRETER.match(name):
        yield from _run(name, words, fed, depth + 1)
    elif name in ("patch", "git") and (name == "patch" or words[:1] in (["apply"], ["am"])):
        if not {"--cached", "--check", "--stat", "--numstat", "--dry-run"}.intersection(words):
            yield from _PATCHED.findall(fed) or [UNNAMED]
    else:
        writer = _WRITERS.get(name)
        if writer is not None:
            yield from writer(words)


def _run(name: str, words: Words, fed: str, depth: int) -> Iterator[str]:
    """What a script may write to that an interpreter is given."""
    shell = _SHELL.match(name) is not None
    option = _SHELL_CODE if shell else _CODE
    code = next((index for index, word in enumerate(words) if option.match(word)), None)
    if not shell and (words[:1] in (["run"], ["test"], ["x"]) or any(map(_LOOKS.match, words))):
        yield from _WRITERS.get(name, _no_file)(words)
        return
    if "-m" in words:
        yield from _by_program(words[list(words).index("-m") + 1 :], fed, depth)
        return
    if name.startswith(("perl", "ruby")) and any(re.match(r"-\w*i", word) for word in words[:3]):
        yield from _in_place(words)
        return
    script = words[code + 1] if code is not None and code + 1 < len(words) else ""
    if code is None:
        files = [word for word in _operands(words) if word != "-"]
        script = fed if not files or "-" in words else ""
        if files and not script:
            # What a program of one's own does shows only when it runs.
            yield UNNAMED
    yield from (_written(script, depth) if shell else written_by_script(script)) if script else ()


def _operands(words: Words) -> list[str]:
    return [word for word in words if not word.startswith(("-", "<", ">", "2>", "&"))]


def _in_place(words: Words) -> Sequence[str]:
    """Files that `sed` or `perl` edits where they are; the first operand is the script."""
    options = [word for word in words if word.startswith("-")]
    edits = [option for option in options if re.match(r"-[a-zA-Z]*i|--in-place", option)]
    if not edits:
        return ()
    valued = {index + 1 for index, word in enumerate(words) if word in ("-e", "-f")}
    rest = [word for index, word in enumerate(words) if index not in valued]
    files = [word for word in _operands(rest) if word]
    files = files if valued else files[1:]
    suffix = re.match(r"(?:-[a-zA-Z]*?i|--in-place=)(\.[\w.~-]+|~)\Z", edits[0])
    return [*files, *(f"{file}{suffix[1]}" for file in files)] if suffix else files


def _last(words: Words) -> Sequence[str]:
    return _operands(words)[-1:]


def _unnamed(words: Words) -> Sequence[str]:
    del words
    return (UNNAMED,)


def _no_file(words: Words) -> Sequence[str]:
    del words
    return ()


def _here(words: Words) -> Sequence[str]:
    """The files and directories that are named, or what lies below the directory it runs in."""
    named = [word for word in _operands(words) if word != "check"]
    return () if any(map(_LOOKS.match, words)) else named or (".",)


def _value(*options: str) -> Writer:
    """Writes to the value of an option, and to nothing without it."""

    def found(words: Words) -> Sequence[str]:
        for index, word in enumerate(words):
            if word in options and index + 1 < len(words):
                return (words[index + 1],)
            name = next((option for option in options if word.startswith(option)), None)
            if name is not None and not word.startswith("--") and len(word) > len(name):
                return (word[len(name) :],)
        return ()

    return found


def _if_told(writer: Writer, *options: str) -> Writer:
    """Writes only where one of the options, or verbs, is given."""

    def found(words: Words) -> Sequence[str]:
        given = any(word.split("=")[0] in options for word in words)
        spared = writer is _unnamed and any(map(_TASKS.match, words))
        given = given and not spared and not any(map(_LOOKS.match, words))
        return writer([word for word in words if word not in options]) if given else ()

    return found


def _git(words: Words) -> Sequence[str]:
    """Files that git puts back as they were, moves or deletes, or those of other revisions."""
    verb, rest = (words[0], words[1:]) if words else ("", ())
    if verb in ("rm", "mv", "restore"):
        return _operands(rest)
    if verb in ("checkout", "switch"):
        if any(word in ("-b", "-B", "-c", "-C", "--orphan") for word in rest):
            return ()
        if "--" in rest:
            return rest[rest.index("--") + 1 :]
        # What has no suffix is hardly a file, but what else there is to check out.
        return (*(word for word in _operands(rest) if posixpath.splitext(word)[1]), UNNAMED)
    if verb == "reset":
        return (".",) if {"--hard", "--merge", "--keep"}.intersection(rest) else ()
    if verb == "stash":
        return () if {"list", "show", "drop", "clear"}.intersection(rest[:1]) else (".",)
    others = ("pull", "merge", "rebase", "cherry-pick", "revert", "clean", "submodule", "clone")
    return (UNNAMED,) if verb in others else ()


def _find(words: Words) -> Sequence[str]:
    if "-delete" in words:
        return (UNNAMED,)
    starts = [index for index, word in enumerate(words) if word in ("-exec", "-execdir", "-ok")]
    for start in starts:
        rest = list(words[start + 1 :])
        program = posixpath.basename(rest[0]) if rest else ""
        writes = program in _WRITERS and _WRITERS[program](rest[1:])
        if writes or _SHELL.match(program):
            return (UNNAMED,)
    return ()


def _awk(words: Words) -> Sequence[str]:
    script = " ".join(words)
    inside = re.findall(r">{1,2}\s*\"([^\"$]+)\"", script)
    in_place = "inplace" in words
    return [*inside, *_operands(words)[2:]] if in_place else inside


def _tar(words: Words) -> Sequence[str]:
    mode = words[0] if words else ""
    return (
        (UNNAMED,)
        if "x" in mode or "--extract" in words
        else _value("-f")(words) or _operands(words[1:])[:1]
    )


_WRITERS: dict[str, Writer] = {
    "sed": _in_place, "gsed": _in_place, "tee": _operands, "touch": _operands, "sponge": _operands,
    "mv": _operands, "cp": _last, "rm": _operands, "unlink": _operands, "truncate": _last,
    "install": _last, "ln": _last, "rsync": _last, "ed": _last, "ex": _last, "vim": _last,
    "shred": _operands, "dos2unix": _operands, "unix2dos": _operands, "gunzip": _operands,
    "dd": lambda words: [word[3:] for word in words if word.startswith("of=")],
    "sort": _value("-o", "--output"), "curl": _value("-o", "--output"), "git": _git,
    "wget": _value("-O", "--output-document"), "find": _find, "awk": _awk, "gawk": _awk,
    "tar": _tar, "unzip": _unnamed, "split": _unnamed, "rename": _unnamed, "make": _unnamed,
    "just": _unnamed, "json.tool": lambda words: _operands(words)[1:],
    "black": _here, "isort": _here, "autopep8": _if_told(_here, "-i", "--in-place"),
    "yapf": _if_told(_here, "-i", "--in-place"), "gofmt": _if_told(_here, "-w"),
    "goimports": _if_told(_here, "-w"), "rustfmt": _here,
    "ruff": _if_told(_here, "format", "--fix"),
    "prettier": _if_told(_here, "--write", "-w"), "eslint": _if_told(_here, "--fix"),
    "biome": _if_told(_here, "--write", "--apply", "--fix"), "dprint": _if_told(_here, "fmt"),
    "clang-format": _if_told(_here, "-i"), "terraform": _if_told(_here, "fmt"),
    "stylelint": _if_told(_here, "--fix"), "pre-commit": _if_told(_unnamed, "run"),
    "cargo": _if_told(_unnamed, "fmt", "fix", "add", "remove", "init", "new", "update", "--fix"),
    "go": _if_told(_unnamed, "fmt", "get", "tidy", "generate", "fix"),
    "npm": _if_told(_unnamed, "install", "i", "add", "uninstall", "update", "init", "run", "ci"),
    "pnpm": _if_told(_unnamed, "install", "i", "add", "remove", "update", "init", "run"),
    "yarn": _if_told(_unnamed, "install", "add", "remove", "upgrade", "init", "run"),
    "bun": _if_told(_unnamed, "install", "add", "remove", "run"),
    "uv": _if_told(_unnamed, "add", "remove", "lock", "sync", "init"),
    "poetry": _if_told(_unnamed, "add", "remove", "lock", "install", "init"),
}  # fmt: skip
"""Programs that write, and which of their arguments name what is written."""
