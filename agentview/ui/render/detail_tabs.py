"""The tabs of the detail screen: one activity rendered, as input, result, bytes and events."""

from collections.abc import Sequence

import orjson

from agentview.domain.activity import Activity
from agentview.domain.tools import ToolCall
from agentview.timeline.activity_text import blocks_text, output_text, subject_text
from agentview.timeline.text_parts import PART, part_count, part_of
from agentview.ui.render.containers import Stack
from agentview.ui.render.json_tree import json_tree
from agentview.ui.render.lazy_lines import Body, Space
from agentview.ui.render.prose import prose_rows
from agentview.ui.render.raw import json_body
from agentview.ui.render.text_lines import text_rows


def input_text(activity: Activity) -> str:
    """What was asked, as text to be copied: arguments as they were recorded, or the words."""
    body = activity.body
    return body.args_json if isinstance(body, ToolCall) else subject_text(activity)


def result_text(activity: Activity) -> str:
    """What came back, as text to be copied."""
    body = activity.body
    if not isinstance(body, ToolCall):
        return output_text(activity)
    return blocks_text(body.output) or body.error or activity.progress or ""


def input_parts(activity: Activity) -> int:
    """How many parts the input is shown in."""
    body = activity.body
    return 1 if isinstance(body, ToolCall) and body.args else part_count(input_text(activity))


def result_parts(activity: Activity) -> int:
    """How many parts the result is shown in."""
    return part_count(result_text(activity))


def input_body(activity: Activity, space: Space, part: int) -> Body:
    """Arguments as they were recorded: as JSON, or the text itself where it is none."""
    body = activity.body
    text = part_of(input_text(activity), part)
    if not isinstance(body, ToolCall):
        return text_rows(text, space, space.palette.text)
    name = text_rows(body.provider_name, space, space.palette.strong)
    if body.args is not None:
        long = len(body.args_json) > PART
        return Stack([name, (json_tree if long else json_body)(body.args, space)])
    error = text_rows(body.args_error or "", space, space.palette.warning)
    return Stack([name, error, text_rows(text, space, space.palette.text)])


def result_body(activity: Activity, space: Space, part: int) -> Body:
    """What came back, block by block, and the typed result made of it."""
    body = activity.body
    palette = space.palette
    text = part_of(result_text(activity), part)
    if not isinstance(body, ToolCall):
        return text_rows(text or "this activity has no result", space, palette.text)
    parts: list[Body] = []
    if body.error and not part and body.error.strip() not in text:
        parts.append(prose_rows(body.error, space, palette.error))
    if text:
        failed = body.ok is False and body.error is not None
        parts.append(prose_rows(text, space, palette.error if failed else palette.text))
    if body.result is not None and result_parts(activity) == 1:
        parts.append(text_rows(" ", space, palette.dim))
        parts.append(json_body(body.result, space))
    if not parts:
        word = "no result yet" if body.ok is None else "no output"
        parts.append(text_rows(word, space, palette.dim))
    return Stack(parts)


def events_text(events: Sequence[object]) -> str:
    """Events as indented JSON, to be copied."""
    return "\n".join(
        orjson.dumps(event, default=_plain, option=orjson.OPT_INDENT_2).decode() for event in events
    )


def _plain(value: object) -> object:
    names: Sequence[str] = getattr(type(value), "field_names", ())
    if not names:
        return str(value)
    found = {name: getattr(value, name) for name in names}
    return {"type": type(value).__name__} | {
        name: item for name, item in found.items() if item is not None and item != ()
    }
