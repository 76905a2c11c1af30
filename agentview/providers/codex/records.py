"""Models of the records: which of their keys are read, so that the raw view can mark the others."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import cast, get_args

import orjson
from pydantic import BaseModel, ConfigDict

from agentview.normalize.json_values import Fields, fields_of, items_of


class Shape(BaseModel):
    """Keys of an object that are read; a field typed `object` is read whole, whatever it holds.

    Every key may be missing or of another type: shapes name keys, they do not judge values.
    """

    model_config = ConfigDict(extra="allow")


class PassedOn(Shape):
    """`internal_chat_message_metadata_passthrough` of an item."""

    turn_id: object = None


class Counted(Shape):
    """`metadata` beside an item (0.169)."""

    sampled_through_sequence: object = None


class Payload(Shape):
    """What all payloads have in common."""

    type: object = None
    id: object = None
    timestamp: object = None
    turn_id: object = None
    thread_id: object = None
    internal_chat_message_metadata_passthrough: PassedOn | None = None


class Item(Payload):
    """A response item of any type: message, reasoning, call, output."""

    role: object = None
    content: object = None
    summary: object = None
    name: object = None
    namespace: object = None
    arguments: object = None
    input: object = None
    call_id: object = None
    output: object = None
    action: object = None
    status: object = None
    tools: object = None
    author: object = None
    revised_prompt: object = None
    result: object = None
    item: object = None


class State(Shape):
    """A line of the first generation that says how the client is set up."""

    record_type: object = None


class Counts(Shape):
    """Tokens of a response, a turn or a thread."""

    input_tokens: object = None
    cached_input_tokens: object = None
    cache_write_input_tokens: object = None
    output_tokens: object = None
    reasoning_output_tokens: object = None
    total_tokens: object = None


class Info(Shape):
    """`info` of a `token_count`."""

    total_token_usage: Counts | None = None
    last_token_usage: Counts | None = None


class Report(Payload, Counts):
    """An `event_msg` of any type; records of what a tool did are read whole."""

    message: object = None
    content: object = None
    kind: object = None
    images: object = None
    local_images: object = None
    text: object = None
    info: Info | None = None
    item: object = None
    started_at_ms: object = None
    duration_ms: object = None
    reason: object = None
    num_turns: object = None
    error: object = None
    codex_error_info: object = None
    additional_details: object = None
    thread_name: object = None
    thread_settings: object = None
    target: object = None
    user_facing_hint: object = None
    review_output: object = None
    status: object = None
    rationale: object = None
    target_item_id: object = None
    success: object = None
    call_id: object = None
    command: object = None
    changes: object = None
    request: object = None
    run: object = None
    to_model: object = None
    goal: object = None


class Git(Shape):
    """`git` of a session."""

    branch: object = None


class Session(Payload):
    """`session_meta`, and the first line of the oldest logs."""

    session_id: object = None
    cwd: object = None
    cli_version: object = None
    git: Git | None = None
    source: object = None
    thread_source: object = None
    parent_thread_id: object = None
    forked_from_id: object = None
    history_base: object = None
    subagent_history_start_ordinal: object = None
    agent_nickname: object = None
    agent_path: object = None
    agent_role: object = None


class Turn(Payload):
    """`turn_context`."""

    cwd: object = None
    model: object = None
    approval_policy: object = None
    collaboration_mode: object = None


class Compacted(Payload):
    """`compacted`; what replaces the history repeats what stands above."""

    message: object = None
    summary: object = None


class UsageRecord(Payload):
    """`token_usage_record`."""

    usage: Counts | None = None
    thread_token_usage: Counts | None = None


class Printed(Shape):
    """A line of the printed stream."""

    type: object = None
    thread_id: object = None
    item: object = None
    usage: Counts | None = None
    error: object = None
    message: object = None


class Reported(Shape):
    """A line of what was printed up to 0.43; its report is read whole."""

    id: object = None
    msg: object = None
    prompt: object = None
    workdir: object = None
    model: object = None
    approval: object = None


class Envelope(Shape):
    """What every record since 0.40 is wrapped in."""

    timestamp: object = None
    ordinal: object = None
    type: object = None
    payload: object = None
    metadata: Counted | None = None


_PAYLOADS: Mapping[str, type[Shape]] = {
    "response_item": Item,
    "event_msg": Report,
    "session_meta": Session,
    "turn_context": Turn,
    "compacted": Compacted,
    "token_usage_record": UsageRecord,
}
_WHOLE = frozenset(
    {
        "exec_command_begin", "exec_command_end", "patch_apply_end", "mcp_tool_call_end",
        "web_search_end", "dynamic_tool_call_response", "collab_agent_spawn_end",
        "collab_agent_interaction_end", "collab_waiting_end", "collab_close_end",
        "collab_resume_end", "sub_agent_activity", "image_generation_end", "view_image_tool_call",
        "tool_call", "plan_update",
    }
)  # fmt: skip
"""Reports that are kept whole as what is known of an outcome."""


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads; none where it is no JSON object."""
    try:
        value: object = orjson.loads(record)
    except ValueError:
        return ()
    fields = fields_of(value)
    if "payload" not in fields:
        return tuple(_unread(fields, _bare_shape(fields), ""))
    found = [*_unread(fields, Envelope, "")]
    payload = fields_of(fields.get("payload"))
    shape = _PAYLOADS.get(str(fields.get("type")), Payload)
    if str(payload.get("type")) not in _WHOLE:
        found.extend(_unread(payload, shape, "/payload"))
    return tuple(found)


def _bare_shape(fields: Fields) -> type[Shape]:
    if "instructions" in fields and "type" not in fields:
        return Session
    if "record_type" in fields:
        return State
    if "type" not in fields and fields.keys() & {"msg", "prompt", "workdir"}:
        return Reported
    kind = str(fields.get("type"))
    return Printed if kind.partition(".")[0] in ("thread", "turn", "item", "error") else Item


def _unread(value: object, shape: type[Shape], pointer: str) -> Iterator[str]:
    """Pointers of the keys of a value that its shape does not have; not of what is below them."""
    for index, item in enumerate(items_of(value)):
        yield from _unread(item, shape, f"{pointer}/{index}")
    parts = _parts(shape)
    for key, item in fields_of(value).items():
        place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        inner = parts.get(key)
        if key not in parts:
            yield place
        elif inner is not None:
            yield from _unread(item, inner, place)


@cache
def _parts(shape: type[Shape]) -> dict[str, type[Shape] | None]:
    """Keys of a shape, with the shape of what is under each; None for what is read whole."""
    return {name: _inner(field.annotation) for name, field in shape.model_fields.items()}


def _inner(annotation: object) -> type[Shape] | None:
    for part in get_args(annotation) or (annotation,):
        if isinstance(part, type) and issubclass(cast("type[object]", part), Shape):
            return part
    return None
