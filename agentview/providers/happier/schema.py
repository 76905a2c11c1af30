"""A record of a tool trace, with the payload of any of the agents that the client runs.

The names are those of the traces. A `Raw` is a body: it is read when somebody looks at it.
"""

from msgspec import UNSET, Raw, Struct, UnsetType, field

Number = int | float | str | None
Words = object
"""A text; any other value is shown as JSON."""


class Payload(Struct, gc=False, rename="camel"):
    """Message to or from an agent."""

    type: Words = None
    call_id: Words = None
    tool_use_id: Words = field(name="tool_use_id", default=None)
    permission_id: Words = None
    id: Words = None
    # Calls, requests for permission, and results.
    name: Words = None
    tool_name: Words = None
    input: Raw = Raw()
    options: Raw = Raw()
    description: Words = None
    output: Raw | UnsetType = UNSET
    content: Raw = Raw()
    approved: object = None
    # Words, and changes of files.
    message: Words = None
    text: Words = None
    data: Words = None
    file_path: Words = None
    old_content: Words = None
    new_content: Words = None
    diff: Words = None


class Record(Struct, gc=False, rename="camel"):
    """A record of a trace."""

    v: Number = None
    ts: Number = None
    direction: str | None = None
    session_id: str | None = None
    protocol: Words = None
    provider: Words = None
    kind: Words = None
    payload: Payload | str | None = None
