"""Names of the files that a call may have changed, by which its log is found again."""

import posixpath
from collections.abc import Iterator

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.events import Body, SlashCommand, ToolResult
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.facts.edits.call_operations import CHANGING, outcomes_of
from agentview.facts.edits.call_outcome import CallOutcome
from agentview.facts.edits.operations import Moved, ReadEffect, UnknownEffect
from agentview.facts.edits.path_identity import absolute
from agentview.facts.edits.shell import UNNAMED

ANY = ""
"""Stands for files whose names do not show."""
_NAMELESS = ("", ".", "..", "~")
_UNANSWERED = (ToolState.INPUT_AVAILABLE, ToolState.INPUT_STREAMING, ToolState.ABANDONED)


def edited_names(body: Body) -> frozenset[str]:
    """Last parts of the paths that an activity may have changed, `ANY` among them where unknown.

    A directory that was moved or deleted has its own name. A call without a result counts as one
    that went well: its result may come later.
    """
    if isinstance(body, ToolResult):
        # It may be of any call, and may say itself what changed.
        return frozenset() if body.structured is None else frozenset((ANY,))
    if isinstance(body, ToolCall):
        if body.kind not in CHANGING and body.kind is not ToolKind.MCP:
            return frozenset()
        if body.state in _UNANSWERED:
            body = replace(body, state=ToolState.OUTPUT_AVAILABLE)
    elif not isinstance(body, SlashCommand):
        return frozenset()
    outcomes = outcomes_of(Activity(body, ()))
    return frozenset(name for outcome in outcomes for name in _names_in(outcome))


def _names_in(outcome: CallOutcome) -> Iterator[str]:
    effect = outcome.effect
    if outcome.path == UNNAMED or effect is None or isinstance(effect, ReadEffect):
        return
    moved = effect.to if isinstance(effect, Moved) else None
    moved = effect.moved_to if isinstance(effect, UnknownEffect) else moved
    for path in (outcome.path, moved):
        if path:
            name = posixpath.basename(absolute(path, None))
            yield ANY if name in _NAMELESS else name
