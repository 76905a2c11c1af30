"""Base of the widgets of tool calls: what every kind shows of a call that did not go well."""

from abc import abstractmethod
from collections.abc import Iterable

from agentview.domain.activity import Activity
from agentview.domain.content import TextBlock
from agentview.domain.tool_results import AskResult, ShellResult
from agentview.domain.tools import ToolCall, ToolState
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.titles.title import denial_text
from agentview.ui.activity_widget import ActivityWidget
from agentview.ui.render.blocks import blocks_body, listed_body
from agentview.ui.render.containers import Cropped, Stack
from agentview.ui.render.input_output import output_without_error
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.questions import question_rows
from agentview.ui.render.terminal.ansi import ansi_rows
from agentview.ui.render.text_lines import Rows, prose_rows, text_rows
from agentview.ui.render.unused_blocks import unused_blocks

SUMMARY_ROWS = 8
"""Rows of a body at summary level, without the one that says how much more there is."""

_ERROR_ROWS = 5
_QUESTION_ROWS = 12
"""Rows at summary level: a question is of no use without its options."""
_SHORT_ERROR = 60
"""Characters of an error that has no room for more than that it was interrupted."""


class ToolWidget(ActivityWidget):
    """A call: first what went wrong, then `content`, then output that came later."""

    @classmethod
    def body(cls, activity: Activity, level: DetailLevel, space: RenderContext) -> LazyLines | None:
        """Return the lines below the title at summary or full level; None for nothing.

        Blocks of the output that `content` does not use are listed below it.
        """
        call = activity.body
        if not isinstance(call, ToolCall):
            return None
        parts = list(_trouble(call, level, space, shown=cls.shows_failure(call)))
        content = cls.content(call, activity, level, space)
        if content is not None:
            parts.append(content)
        parts += _requests(call, activity, level, space)
        parts += _maker(call, level, space)
        if not cls.shows_output(call) and (unused := unused_blocks(call)):
            listed = listed_body(unused, space, name="unused", trees=True)
            parts.append(shortened(listed, level, "lines", space))
        if activity.progress and call.result is None:
            full = level is DetailLevel.FULL
            progress = ansi_rows(activity.progress, space, fold=full)
            parts.append(shortened(progress, level, "lines", space, tail=SUMMARY_ROWS - 1))
        if (reported := cls.reported(activity)) is not None:
            later = prose_rows(f"later: {reported}", space, space.palette.dim)
            parts.append(shortened(later, level, "lines", space))
        return Stack(parts) if parts else None

    @classmethod
    @abstractmethod
    def content(
        cls, call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
    ) -> LazyLines | None:
        """Return the input and the output of the call."""

    @classmethod
    def reported(cls, activity: Activity) -> str | None:
        """Return the later report, unless `content` shows it."""
        return activity.reported

    @classmethod
    def shows_output(cls, call: ToolCall) -> bool:
        """True when `content` shows the blocks of the output as they are, without a typed form."""
        return call.result is None

    @classmethod
    def shows_failure(cls, call: ToolCall) -> bool:  # noqa: ARG003
        """True when `content` shows the text of the error itself."""
        return False


def shortened(
    body: LazyLines,
    level: DetailLevel,
    what: str,
    space: RenderContext,
    *,
    rows: int = SUMMARY_ROWS,
    tail: int = 0,
) -> LazyLines:
    """The body as it is at full level, else its first rows and how many more there are."""
    if level is DetailLevel.FULL:
        return body
    return Cropped(body, rows, what, space, tail=tail)


def question_body(call: ToolCall, level: DetailLevel, space: RenderContext) -> LazyLines:
    """The questions of a call with their answers."""
    rows = Rows(question_rows(call, space), space)
    parts: list[LazyLines] = [shortened(rows, level, "lines", space, rows=_QUESTION_ROWS)]
    if not isinstance(call.result, AskResult) or not call.result.answers:
        parts.append(untyped_texts(call, level, space))
    return Stack(parts)


def _requests(
    call: ToolCall, activity: Activity, level: DetailLevel, space: RenderContext
) -> Iterable[LazyLines]:
    """Return the questions to a person before the call: all at full level, else the open ones."""
    for request in call.requests:
        waits = activity.live and request.state is ToolState.INPUT_AVAILABLE
        if waits or level is DetailLevel.FULL:
            yield Rows([[("asked for permission", space.palette.dim)]], space)
            yield question_body(request, level, space)


def _maker(call: ToolCall, level: DetailLevel, space: RenderContext) -> Iterable[LazyLines]:
    """The call that made this one, with what it returned: at full level, else media and errors."""
    maker, palette = call.maker, space.palette
    if maker is None:
        return
    name = f"{call.via or 'call'} ({maker.name})"
    if level is DetailLevel.FULL:
        yield Rows([[(f"made by the {name}", palette.dim)]], space)
        yield text_rows(_input_text(maker), space, palette.text)
    if maker.state is ToolState.OUTPUT_ERROR:
        yield Rows([[(f"the {name} failed", palette.error)]], space)
        error = prose_rows((maker.error or _printed(maker)).strip("\n"), space, palette.error)
        yield shortened(error, level, "lines", space, rows=_ERROR_ROWS)
    elif level is DetailLevel.FULL and _printed(maker) not in ("", _printed(call)):
        yield Rows([[(f"the {name} returned", palette.dim)]], space)
        yield ansi_rows(_printed(maker), space, fold=True)
    media = [block for block in maker.output if not isinstance(block, TextBlock)]
    if media:
        yield blocks_body(media, space)


def _input_text(call: ToolCall) -> str:
    """The arguments of a call: its only one as it is, if that is a text."""
    values = [*(call.args or {}).values()]
    only = values[0] if len(values) == 1 else None
    return only if isinstance(only, str) else call.args_json


def _printed(call: ToolCall) -> str:
    if isinstance(call.result, ShellResult):
        texts = (call.result.stdout, call.result.output, call.result.stderr)
        return "\n".join(text.strip("\n") for text in texts if text and text.strip())
    return "\n".join(block.text for block in call.output if isinstance(block, TextBlock))


def untyped(call: ToolCall, level: DetailLevel, space: RenderContext) -> LazyLines | None:
    """Output as it is, of a call whose result has no form; None when that is an error."""
    output = output_without_error(call)
    return shortened(blocks_body(output, space), level, "lines", space) if output else None


def untyped_texts(call: ToolCall, level: DetailLevel, space: RenderContext) -> LazyLines:
    """The texts that came back, without the one that is the error."""
    texts = [block for block in output_without_error(call) if isinstance(block, TextBlock)]
    return shortened(blocks_body(texts, space), level, "lines", space)


def _trouble(
    call: ToolCall, level: DetailLevel, space: RenderContext, *, shown: bool
) -> Iterable[LazyLines]:
    palette, denied = space.palette, call.state is ToolState.OUTPUT_DENIED
    if denied:
        yield from _denial(call, level, space)
    elif call.interrupted:
        yield Rows([[("interrupted", palette.warning)]], space)
        shown = shown or _only_says_interrupted(call.error or "")
    if call.error and not shown and not denied:
        error = prose_rows(call.error.strip("\n"), space, palette.error)
        yield shortened(error, level, "lines", space, rows=_ERROR_ROWS)
    if call.state is ToolState.ABANDONED:
        yield Rows([[("the log went on without a result", palette.dim)]], space)
    if call.state is ToolState.INPUT_STREAMING:
        yield Rows([[("arguments so far", palette.dim)]], space)
        text = text_rows(call.args_json, space, palette.text)
        yield shortened(text, level, "lines", space)
    elif call.args_error is not None:
        yield prose_rows(call.args_error, space, palette.warning)
        text = text_rows(call.args_json, space, palette.text)
        yield shortened(text, level, "lines", space)


def _only_says_interrupted(error: str) -> bool:
    return len(error) < _SHORT_ERROR and "interrupt" in error.lower()


def _denial(call: ToolCall, level: DetailLevel, space: RenderContext) -> Iterable[LazyLines]:
    """The words of who denied a call; the title says who it was."""
    words = (denial_text(call) or "").strip("\n")
    if words:
        said = prose_rows(words, space, space.palette.strong)
        yield shortened(said, level, "lines", space, rows=4)
