"""Events of what the command line prints beside the conversation: its connection, its questions."""

from dataclasses import replace

from agentview.domain.events import Event, Level, Notification, ToolResult, Topic
from agentview.normalize.build import tool_call
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, text_of, whole_of
from agentview.normalize.raw_span import value_span
from agentview.providers.cursor import tools
from agentview.providers.cursor.event_builder import Frame

_QUERIES = ("RequestQuery", "InteractionQuery")
_TOLD_ONLY_HERE = frozenset({"createPlan", "askQuestion"})
"""Questions whose call may stand in no other record."""
_WORDS = {
    "reconnected": ("Connected again", Level.INFO),
    "reconnecting": ("The connection broke", Level.WARNING),
    "resuming": ("Going on where the connection broke", Level.INFO),
    "scheduled": ("Trying again soon", Level.WARNING),
    "starting": ("Trying again", Level.WARNING),
}


def connection_events(frame: Frame) -> list[Event]:
    """The connection broke, or came back; the client tries again by itself."""
    subtype = text_of(frame.fields.get("subtype")) or ""
    words, level = _WORDS.get(subtype, (f"Connection: {subtype}", Level.WARNING))
    attempt = whole_of(frame.fields.get("attempt"))
    if attempt is not None and attempt > 1:
        words += f" (attempt {attempt})"
    return [frame.event("connection", Notification(Topic.API_ERROR, words, level), run="")]


def query_events(frame: Frame) -> list[Event]:
    """What the client asks its host, which answers without a person where none is there.

    A question that names its call tells of that call, whose own record has the answer; a plan may
    be told nowhere else.
    """
    if text_of(frame.fields.get("subtype")) == "response":
        answer = fields_of(frame.fields.get("response"))
        outcome = ToolResult(_own_id(answer), ok=None)
        name = _tool(text_of(frame.fields.get("query_type")))
        if name in _TOLD_ONLY_HERE and not any(map(fields_of, answer.values())):
            return [frame.event("result", outcome)]
        return frame.hidden("an answer of the host", "interaction_query")
    query = fields_of(frame.fields.get("query"))
    key = text_of(frame.fields.get("query_type")) or next(iter(query), "")
    asked = fields_of(query.get(key))
    name, args = _tool(key), fields_of(asked.get("args"))
    call_id = text(args, "toolCallId") or text(asked, "toolCallId")
    if not args or (call_id is None and name not in _TOLD_ONLY_HERE):
        return frame.hidden("a question to the host", "interaction_query")
    span = value_span(frame.raw, ("query", key, "args"))
    call = tool_call(
        call_id=call_id or _own_id(query),
        name=name,
        arguments=args,
        raw=frame.raw[slice(*span)] if span is not None else None,
        spec=tools.spec_for(name, args),
    )
    return [replace(frame.event("call", call, run=""), amends=True)]


def _own_id(query: Fields) -> str:
    return f"query:{query.get('id')}"


def _tool(query_type: str | None) -> str:
    found = query_type or ""
    return next((found.removesuffix(each) for each in _QUERIES if found.endswith(each)), found)


def task_events(frame: Frame, subtype: str) -> list[Event]:
    """What a command or an agent in the background came to."""
    words = text(frame.fields, "summary", "text", "description", "status")
    words = words or subtype.replace("_", " ").capitalize()
    return [frame.event("task", Notification(Topic.BACKGROUND, words), run="")]
