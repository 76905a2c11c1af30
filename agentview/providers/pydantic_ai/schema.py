"""Messages and events of runs (0.3 to 2.68), and what llm-do puts around them.

The names are those of the library. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType

Number = int | float | str | None


class Part(Struct, gc=False):
    """A part of a message; which keys it has follows from its kind."""

    part_kind: str | None = None
    content: Raw = Raw()
    timestamp: Number = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    args: Raw = Raw()
    outcome: str | None = None
    signature: object = None
    # Speech.
    transcript: str | None = None
    text: str | None = None


class Delta(Struct, gc=False):
    """Additions to a part."""

    part_delta_kind: str | None = None
    content_delta: str | None = None
    args_delta: Raw = Raw()


class Said(Struct, gc=False):
    """A message, or an event of a run."""

    # A message.
    kind: str | None = None
    parts: list[Part | None] | UnsetType | None = UNSET
    timestamp: Number = None
    instructions: str | None = None
    model_name: str | None = None
    usage: Raw = Raw()
    provider_response_id: str | None = None
    vendor_id: str | None = None
    state: str | None = None
    # An event: outcomes are under `result` up to 1.x, under `part` since.
    event_kind: str | None = None
    index: object = None
    part: Part | None = None
    result: Part | None = None
    delta: Delta | None = None
    content: Raw = Raw()


class Line(Said, gc=False):
    """The same, or with what llm-do puts around it; or what llm-do printed until 2026."""

    message: Said | str | None = None
    """A text in an error of llm-do."""
    event: Said | None = None
    agent: str | UnsetType | None = UNSET
    depth: Number = None
    seq: object = UNSET
    repr: str | UnsetType | None = UNSET
    # Records of llm-do.
    type: str | None = None
    worker: str | UnsetType | None = UNSET
    args: Raw = Raw()
    args_json: str | None = None
    attachments: list[object] | None = None
    model: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    status: str | None = None
    is_error: object = None
