"""A shell command as one typed it: coloured, with long here-documents folded away."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentview.domain.value import Value
from agentview.timeline.format_numbers import counted
from agentview.timeline.sanitize import clean
from agentview.ui.render.containers import Indented, Stack
from agentview.ui.render.lazy_lines import Body, Space
from agentview.ui.render.section import Section
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.text_lines import LineRows, Piece, split_lines

_BEGIN = re.compile(r"(?<!<)<<(-?)[ \t]*(['\"]?)([A-Za-z_][\w.-]*)\2")
_FILE = re.compile(r"(?:>>?|\btee(?:\s+-\w+)*)[ \t]*['\"]?([^\s'\"|&;<>]+\.\w+)")
_PROGRAM = re.compile(
    r"(?:^|[\s|&;(/])(python|node|ruby|perl|php|psql|mysql|sqlite3|bash|sh)[\d.]*(?=\s|$)"
)
_LANGUAGES = {"node": "js", "psql": "sql", "mysql": "sql", "sqlite3": "sql"}
_SHORT = 4
"""Lines of a here-document that are not folded."""
_MAX_PARTS = 200


class Part(Value):
    """Neighbouring lines of a command; `language` is that of a here-document's text."""

    lines: tuple[str, ...]
    language: str | None = None


def command_parts(command: str) -> list[Part]:
    """The command cut at its here-documents; one without an end goes on to the last line."""
    lines = split_lines(command)
    parts: list[Part] = []
    own: list[str] = []
    at = 0
    while at < len(lines):
        own.append(lines[at])
        begin = _BEGIN.search(lines[at]) if len(parts) < _MAX_PARTS else None
        if begin is not None and "((" in lines[at][: begin.start()]:
            begin = None
        at += 1
        if begin is None:
            continue
        end = _end(lines, at, begin[3], tabs=bool(begin[1]))
        if end > at:
            parts += (Part(tuple(own)), Part(tuple(lines[at:end]), _language(own[-1])))
            own = []
        at = end
    return [*parts, Part(tuple(own))] if own else parts


def command_body(command: str, space: Space, *, fold: bool = True) -> Body:
    """Rows of the command behind a prompt; lines are folded at the width or cropped to it."""
    return Stack(list(_bodies(command, space, fold=fold)))


def _bodies(command: str, space: Space, *, fold: bool) -> Iterator[Body]:
    for number, part in enumerate(command_parts(command)):
        if part.language is None:
            yield _rows(part.lines, "bash", "  " if number else "$ ", space, fold=fold)
        elif len(part.lines) <= _SHORT:
            yield _rows(part.lines, part.language, "  ", space, fold=fold)
        else:
            yield Indented(_folded(number, part, space, fold=fold), [("  ", space.palette.dim)])


def _folded(number: int, part: Part, space: Space, *, fold: bool) -> Body:
    dots = space.glyphs.ellipsis
    head = f"{dots} {counted(len(part.lines), 'line')} of here-document {dots}"
    inner = replace(space, width=max(1, space.width - 2))
    return Section(
        f"command:{number}",
        [(head, space.palette.dim)],
        lambda: _rows(part.lines, part.language or "", "", inner, fold=fold),
        inner,
        begins=False,
    )


def _rows(
    lines: Sequence[str], language: str, prompt: str, space: Space, *, fold: bool
) -> LineRows:
    highlighter = Highlighter(lines, language, space.palette)

    def prefix(index: int, first: bool) -> list[Piece]:
        return [(prompt if not index and first else "  ", space.palette.dim)]

    return LineRows(
        len(lines),
        lambda index: clean(lines[index]),
        highlighter.line,
        space,
        prefix=prefix if prompt else None,
        prefix_width=len(prompt),
        fold=fold,
    )


def _end(lines: Sequence[str], start: int, word: str, *, tabs: bool) -> int:
    for at in range(start, len(lines)):
        if (lines[at].lstrip("\t") if tabs else lines[at]) == word:
            return at
    return len(lines)


def _language(line: str) -> str:
    """Language of a here-document by the file or program that it is given to; or empty."""
    file = _FILE.search(line)
    if file is not None:
        return file[1]
    programs: list[str] = _PROGRAM.findall(line)
    return _LANGUAGES.get(programs[-1], programs[-1]) if programs else ""
