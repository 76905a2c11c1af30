"""Keys of the events of the vendor's own stream, which the client passes on."""

from pydantic import Field

from agentview.providers.claude.shared.messages import Usage
from agentview.providers.claude.shared.read_keys import Shape


class Delta(Shape):
    """What is added to a block."""

    kind: object = Field(None, alias="type")
    text: object = None
    thinking: object = None
    partial_json: object = None


class StartedBlock(Shape):
    """A block that begins: of a call its name, of all others its type."""

    kind: object = Field(None, alias="type")
    id: object = None
    name: object = None
    server_name: object = None


class StartedMessage(Shape):
    """A response that begins."""

    model: object = None


class StreamError(Shape):
    """An error in the place of a response."""

    kind: object = Field(None, alias="type")
    message: object = None


class VendorEvent(Shape):
    """An event of the vendor's own stream."""

    kind: object = Field(None, alias="type")
    index: object = None
    message: StartedMessage | None = None
    content_block: StartedBlock | None = None
    delta: Delta | None = None
    usage: Usage | None = None
    error: StreamError | None = None
