"""Running a command: the command when it is long, and its output as the terminal had it."""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from msgspec.structs import replace

from agentview.domain.activity import Activity, Kind
from agentview.domain.tool_inputs import ShellAction, ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolCall, ToolKind
from agentview.domain.value import Value
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import diffs_of
from agentview.timeline.view.diff.printed import printed_parts
from agentview.timeline.view.format_numbers import byte_size, counted, span
from agentview.timeline.view.sanitize import clean
from agentview.timeline.view.titles.findings import findings_of, severity_of
from agentview.timeline.view.titles.test_results import results_of
from agentview.timeline.view.titles.text import cwd_of
from agentview.ui.render.blocks import blocks_body, media_body
from agentview.ui.render.containers import Cropped, Indented, Stack
from agentview.ui.render.diff.body import diff_body
from agentview.ui.render.diff.files import diff_heading, printed_body
from agentview.ui.render.failed_tests import failed_tests
from agentview.ui.render.findings import findings_body
from agentview.ui.render.input_output import output_without_error
from agentview.ui.render.json_tree import json_tree, parsed
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.section import Section
from agentview.ui.render.syntax import Highlighter
from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.text_lines import LineRows, Piece, Rows, split_lines, text_rows
from agentview.ui.tool_widget import SUMMARY_ROWS, ToolWidget, shortened

# A shell command as one typed it: coloured, with long here-documents folded away.

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
    """The command cut at its here-documents; one without an end continues to the last line."""
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


def command_body(command: str, space: RenderContext, *, fold: bool = True) -> LazyLines:
    return Stack(list(_bodies(command, space, fold=fold)))


def _bodies(command: str, space: RenderContext, *, fold: bool) -> Iterator[LazyLines]:
    for number, part in enumerate(command_parts(command)):
        if part.language is None:
            yield _rows(part.lines, "bash", "  " if number else "$ ", space, fold=fold)
        elif len(part.lines) <= _SHORT:
            yield _rows(part.lines, part.language, "  ", space, fold=fold)
        else:
            yield Indented(_folded(number, part, space, fold=fold), [("  ", space.palette.dim)])


def _folded(number: int, part: Part, space: RenderContext, *, fold: bool) -> LazyLines:
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
    lines: Sequence[str], language: str, prompt: str, space: RenderContext, *, fold: bool
) -> LineRows:
    highlighter = Highlighter(lines, language, space.palette, late=space.sliced)

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


_COMMAND_ROWS = 3
_ACTS = {ShellAction.INPUT: "written to it", ShellAction.KILL: "ended by a call"}
_MAX_JSON = 500_000
"""Characters of an output that is shown as a tree."""
_MAY_BE_TABLE = re.compile(r"(?m)--[-+| :]*$|==[=+| ]*$|^[A-Z][A-Z ]+(?:  |$)|^[-dl][-rwx]{9}")
"""Signs of lines of tables, other than those that a command names by its words."""
_TAIL = 5
"""Of the rows at summary level, so many are the last ones: that is where commands say it."""


class ShellTool(ToolWidget):
    """A command with its output."""

    KINDS: ClassVar[tuple[Kind, ...]] = (ToolKind.SHELL,)

    @classmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """The part of the command that the title leaves out; output, stderr marked if known."""
        parts = list(_command(call, level, space))
        result = call.result
        if level is DetailLevel.FULL:
            parts += _inputs(call, space)
        if isinstance(result, ShellResult):
            parts += _understood(call, result, cwd_of(activity), level, space)
            files = Stack(list(_changes(call, cwd_of(activity), level, space)))
            parts.append(shortened(files, level, "files", space))
        else:
            parts.append(_cropped(blocks_body(output_without_error(call), space), level, space))
        return Stack(parts)

    @classmethod
    def shows_failure(cls, call: ToolCall) -> bool:
        """True when the output is there: the error of a command repeats it."""
        result = call.result
        if not isinstance(result, ShellResult):
            return False
        return any(text and text.strip() for text in (result.stdout, result.stderr, result.output))


def _command(call: ToolCall, level: DetailLevel, space: RenderContext) -> Iterator[LazyLines]:
    payload = call.payload
    if not isinstance(payload, ShellPayload):
        return
    full = level is DetailLevel.FULL
    if payload.description and full:
        yield Rows([[(payload.description, space.palette.dim)]], space)
    if "\n" in payload.command.strip() or (full and len(payload.command) > space.width // 2):
        command = command_body(payload.command.strip("\n"), space, fold=full)
        yield shortened(command, level, "lines of the command", space, rows=_COMMAND_ROWS)
    if full and payload.timeout is not None:
        yield Rows([[(f"at most {span(payload.timeout)}", space.palette.dim)]], space)


def _inputs(call: ToolCall, space: RenderContext) -> Iterator[LazyLines]:
    for poll in call.polls:
        payload = poll.payload
        if not isinstance(payload, ShellPayload) or payload.action is ShellAction.OUTPUT:
            continue
        yield Rows([[(_ACTS[payload.action], space.palette.dim)]], space)
        if payload.command:
            yield text_rows(payload.command, space, space.palette.text)


def _printed(
    text: str,
    number: int,
    command: str,
    cwd: str | None,
    level: DetailLevel,
    space: RenderContext,
) -> LazyLines:
    """Diffs as those of edits, JSON as a tree, tables in columns, the rest as it was printed."""
    full = level is DetailLevel.FULL
    parts = printed_parts(text)
    if parts:
        bodies = [
            printed_body(part.diffs, cwd, space, full=full, key=f"{number}.{at} ")
            if part.diffs
            else ansi_rows(part.text, space, fold=full)
            for at, part in enumerate(parts)
        ]
        return shortened(Stack(bodies), level, "lines", space)
    value = parsed(text) if len(text) <= _MAX_JSON else None
    if value is not None:
        return shortened(json_tree(value, space, f"output {number}"), level, "lines", space)
    tables = Stack(list(_tables(text, command, space, fold=full)))
    return _cropped(tables if tables.height else ansi_rows(text, space, fold=full), level, space)


def _tables(text: str, command: str, space: RenderContext, *, fold: bool) -> Iterator[LazyLines]:
    """The parts of an output with tables that there is room for; nothing for any other."""
    if not _MAY_BE_TABLE.search(text) and "sv" not in command:
        return
    # Not wanted for the first frame.
    from agentview.normalize.printed_tables import printed_tables
    from agentview.ui.render.table import table_body

    for part in printed_tables(text, command):
        if part.table is None:
            yield ansi_rows("\n".join(part.lines), space, fold=fold)
        else:
            yield table_body(part.table, part.lines, space, fold=fold)


def _output(
    result: ShellResult,
    command: str,
    cwd: str | None,
    level: DetailLevel,
    space: RenderContext,
    *,
    failed: bool,
) -> Iterator[LazyLines]:
    palette, full = space.palette, level is DetailLevel.FULL
    texts = [text for text in (result.output, result.stdout) if text and text.strip()]
    for number, text in enumerate(texts):
        yield _printed(text, number, command, cwd, level, space)
    if result.stderr and result.stderr.strip():
        yield Rows([[("stderr", palette.dim)]], space)
        # What a command that went well says on it is not an error: progress, warnings.
        style = palette.error if failed else palette.text
        errors = ansi_rows(result.stderr, _narrowed(space), style, fold=full)
        gutter = (f"{space.glyphs.gutter} ", palette.error if failed else palette.warning)
        yield _cropped(Indented(errors, [gutter]), level, space)
    yield media_body(result.media, space)
    if result.spill_path:
        size = "" if result.spill_size is None else f"  {byte_size(result.spill_size)}"
        yield text_rows(f"the whole output: {result.spill_path}{size}", space, palette.dim)
    if full and not texts and not result.stderr and not result.media:
        yield Rows([[("no output", palette.dim)]], space)


def _understood(
    call: ToolCall,
    result: ShellResult,
    cwd: str | None,
    level: DetailLevel,
    space: RenderContext,
) -> Iterator[LazyLines]:
    """Failed tests, or findings of compilers and linters, above the output that has them."""
    failed = call.ok is False
    command = call.payload.command if isinstance(call.payload, ShellPayload) else ""
    tests, findings = results_of(call), findings_of(call)
    if tests is not None and (tests.failures or not tests.bad):
        body, what = failed_tests(tests.failures, cwd, level, space), "failed tests"
    elif any(severity_of(item) != "warning" for item in findings):
        body, what = findings_body(findings, cwd, level, space), "lines"
    else:
        yield from _output(result, command, cwd, level, space, failed=failed)
        return
    yield shortened(body, level, what, space)
    texts = (result.output, result.stdout, result.stderr)
    lines = sum(len(split_lines(text)) for text in texts if text)
    yield Section(
        "output",
        [(f"output  {counted(lines, 'line')}", space.palette.dim)],
        lambda: Stack(list(_output(result, command, cwd, DetailLevel.FULL, space, failed=failed))),
        space,
        begins=level is DetailLevel.FULL,
    )


def _changes(
    call: ToolCall, cwd: str | None, level: DetailLevel, space: RenderContext
) -> Iterator[LazyLines]:
    for diff in diffs_of(call):
        yield Rows([diff_heading(diff, cwd, space)], space)
        if level is DetailLevel.FULL:
            yield diff_body(diff, space, fold=True)


def _narrowed(space: RenderContext) -> RenderContext:
    return replace(space, width=max(1, space.width - 2))


def _cropped(body: LazyLines, level: DetailLevel, space: RenderContext) -> LazyLines:
    if level is DetailLevel.FULL:
        return body
    return Cropped(body, SUMMARY_ROWS, "lines", space, tail=_TAIL)
