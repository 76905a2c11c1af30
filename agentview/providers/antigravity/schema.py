"""Steps of Antigravity (June 2026). The names are those of the format."""

from msgspec import Raw, Struct

Number = int | float | str | None


class Asked(Struct, gc=False):
    """A call, without an id."""

    name: str | None = None
    args: Raw = Raw()


class Step(Struct, gc=False):
    """A step of a conversation: what was said, asked for or done."""

    step_index: Number = None
    source: str | None = None
    type: str | None = None
    status: str | None = None
    created_at: Number = None
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[Asked | None] | None = None
