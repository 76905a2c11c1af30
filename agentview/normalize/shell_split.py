"""Splits a shell command into its simple commands, as long as nothing in it needs a shell to know.

A command with variables, substitutions, loops or redirections into files is not split: what it does
shows only when it runs.
"""

import re
from functools import lru_cache

from agentview.domain.value import Value

_WORD = (
    r"""(?:[^\s'"\\|&;()<>`$#*?\[\]{}~!]|\\.|'[^']*'|"(?:[^"\\`$]|\\.|\$(?=["\s|)/.,:;]))*\""""
    r"""|(?<=\S)[#~!]|\{\}|[{}](?=\S))"""
)
_TOKEN = re.compile(
    r"(?P<blank>[ \t]+|\\\n)"
    r"|(?P<quiet>[12]?>{1,2}\s*/dev/null|2>&1|&>\s*/dev/null|<\s*/dev/null)"
    r"|(?P<end>&&|\|\||;|\n+)"
    r"|(?P<pipe>\|)"
    rf"|(?P<word>(?:{_WORD}|[*?\[\]~])+)",
    re.DOTALL,
)
_PART = re.compile(r"""\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\\'"]+)""", re.DOTALL)
_ESCAPED = re.compile(r'\\([\\"$`\n])')
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")


class Word(Value):
    """A word of a command without its quotes; `glob` when the shell would look for files."""

    text: str
    glob: bool = False


Simple = tuple[Word, ...]
"""A program and its arguments."""
Pipeline = tuple[Simple, ...]


# What a command seems to do is asked in several ways, one soon after the other.
@lru_cache(maxsize=16)
def pipelines(command: str) -> tuple[Pipeline, ...] | None:
    """The pipelines of a command in their order; None for a command that cannot be split.

    Assignments in front of a program are left out.
    """
    done: list[Pipeline] = []
    stages: list[Simple] = []
    words: list[Word] = []
    position = 0
    while position < len(command):
        match = _TOKEN.match(command, position)
        if match is None:
            return None
        position = match.end()
        if match.lastgroup == "word":
            words.append(_word(match["word"]))
        elif match.lastgroup == "pipe":
            stages.append(tuple(words))
            words = []
        elif match.lastgroup == "end":
            _close(done, stages, words)
            stages, words = [], []
    _close(done, stages, words)
    found = tuple(tuple(map(_without_assignments, pipeline)) for pipeline in done)
    return found if all(simple for pipeline in found for simple in pipeline) else None


def _close(done: list[Pipeline], stages: list[Simple], words: list[Word]) -> None:
    if stages or words:
        done.append((*stages, tuple(words)))


def _without_assignments(simple: Simple) -> Simple:
    start = 0
    while start < len(simple) and _ASSIGNED.match(simple[start].text) is not None:
        start += 1
    return simple[start:]


def _word(raw: str) -> Word:
    glob = False
    parts: list[str] = []
    for match in _PART.finditer(raw):
        escaped, single, double, plain = match.groups()
        if plain is not None:
            glob = glob or any(mark in plain for mark in "*?[")
        if double is not None:
            double = _ESCAPED.sub(r"\1", double)
        parts.append(next(part for part in (escaped, single, double, plain) if part is not None))
    return Word("".join(parts), glob)
