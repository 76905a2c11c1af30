"""The work that a scripted model gave to real clients, and who wrote each line that it left.

The recordings in `tests/fixtures/blame` are logs of these runs. What a line is expected to show is
found here without any code of the program: each step is carried out on a tree of texts, whose lines
carry the step that put them there.
"""

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.facts.edits.scratch import APP, GUIDE, README, UTIL


@dataclass(frozen=True)
class Write:
    """The whole of a file."""

    path: str
    text: str


@dataclass(frozen=True)
class Edit:
    """A text in a file that takes the place of another one; of all like it with `every`."""

    path: str
    old: str
    new: str
    every: bool = False


@dataclass(frozen=True)
class Append:
    """A line that a shell command puts at the end of a file."""

    path: str
    line: str

    @property
    def command(self) -> str:
        return f"echo '{self.line}' >> {self.path}"


@dataclass(frozen=True)
class Move:
    """A file or a directory that a shell command moves."""

    path: str
    to: str

    @property
    def command(self) -> str:
        return f"mv {self.path} {self.to}"


@dataclass(frozen=True)
class Agent:
    """What a sub-agent does."""

    name: str
    steps: "tuple[Step, ...]"


Step = Write | Edit | Append | Move | Agent


@dataclass(frozen=True)
class Run:
    """One start of a client: a prompt, and what the model had it do."""

    prompt: str
    session: str
    """Runs of the same session continue it; `fork` continues a copy of `work`."""
    steps: tuple[Step, ...]


PARSER = '''"""Reads lines."""

import json


def parse(line):
    return json.loads(line)


def parse_all(lines):
    return [parse(line) for line in lines]
'''
NOTES = "# Notes\n\nThe reader takes lines.\nIt gives objects.\n"

FIRST = Run(
    "Write the parser.",
    "work",
    (
        Write("src/parser.py", PARSER),
        Edit("src/app.py", '    return "Hello, " + name', '    return f"Hello, {name}!"'),
        Edit(
            "src/parser.py",
            "def parse(line):\n    return json.loads(line)\n",
            'def parse(line):\n    """One object."""\n    text = line.strip()\n'
            "    return json.loads(text)\n",
        ),
        Edit("src/app.py", "this text is not in the file", "nor is this"),
        Edit("src/util.py", "TODO: document", "Documented", every=True),
    ),
)
SECOND = Run(
    "Now rename it to reader.",
    "work",
    (
        Move("src/parser.py", "src/reader.py"),
        Edit("src/reader.py", '"""Reads lines."""', '"""Reads lines of JSON."""'),
        Agent(
            "notes",
            (
                Edit(
                    "src/reader.py",
                    "def parse_all(lines):\n",
                    "def parse_all(lines):\n    # Empty lines are left out.\n",
                ),
                Write("docs/notes.md", NOTES),
            ),
        ),
        Append("docs/notes.md", "A command added this."),
        Edit("docs/notes.md", "It gives objects.", "It gives objects, one a line."),
    ),
)
FORK = Run(
    "Try another name.",
    "fork",
    (
        Edit("src/reader.py", "    text = line.strip()\n", "    text = line.strip(' ')\n"),
        Write("README.md", "# Reader\n\nFor mock sessions. Ünïcödé: 日本語 ✅\nIt has a reader.\n"),
    ),
)
FRESH = Run(
    "Sort the files.",
    "fresh",
    (
        Move("docs/guide.md", "docs/manual.md"),
        Edit("docs/manual.md", "# Guide", "# Manual"),
        Edit("docs/manual.md", "- item two\n", "- item two\n- item three\n"),
        Move("src", "lib"),
        Edit("lib/app.py", "    return a - b", '    """Subtract."""\n    return a - b'),
        Edit("lib/reader.py", "import json\n", "import json\nimport sys\n"),
        Append("lib/app.py", "# The end."),
    ),
)
RUNS = (FIRST, SECOND, FORK, FRESH)


@dataclass(frozen=True)
class Author:
    """Who wrote a line."""

    run: Run
    agent: bool


Lines = list[tuple[str, Author | None]]


def left(runs: Sequence[Run]) -> dict[str, Lines]:
    """The lines of all files behind the last run, with their authors; None for older ones."""
    start = {"src/app.py": APP, "src/util.py": UTIL, "docs/guide.md": GUIDE, "README.md": README}
    tree: dict[str, Lines] = {
        path: [(line, None) for line in text.splitlines()] for path, text in start.items()
    }
    for run in runs:
        for step, agent in _flat(run.steps):
            _carry_out(tree, step, Author(run, agent))
    return tree


def _flat(steps: Sequence[Step], agent: bool = False) -> Iterator[tuple[Step, bool]]:
    for step in steps:
        if isinstance(step, Agent):
            yield from _flat(step.steps, agent=True)
        else:
            yield step, agent


def _carry_out(tree: dict[str, Lines], step: Step, author: Author) -> None:
    if isinstance(step, Move):
        for path in [path for path in tree if f"{path}/".startswith(f"{step.path}/")]:
            tree[step.to + path.removeprefix(step.path)] = tree.pop(path)
    elif isinstance(step, Append):
        tree[step.path].append((step.line, author))
    elif isinstance(step, Write):
        tree[step.path] = _written(tree.get(step.path, []), step.text, author)
    elif isinstance(step, Edit):
        text = "".join(f"{line}\n" for line, _ in tree[step.path])
        changed = text.replace(step.old, step.new, -1 if step.every else 1)
        tree[step.path] = _written(tree[step.path], changed, author)


def _written(before: Lines, text: str, author: Author) -> Lines:
    after = text.splitlines()
    matcher = difflib.SequenceMatcher(None, [line for line, _ in before], after, autojunk=False)
    lines: Lines = []
    for tag, a, b, c, d in matcher.get_opcodes():
        lines += before[a:b] if tag == "equal" else [(line, author) for line in after[c:d]]
    return lines
