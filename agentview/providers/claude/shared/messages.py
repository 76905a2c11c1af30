"""Keys of messages in the form of the vendor's API: blocks, calls, results, usage."""

from collections.abc import Mapping

from pydantic import Field

from agentview.normalize.json_values import Fields, fields_of, text_of
from agentview.providers.claude.shared.arguments import ARGUMENTS, BrokenArguments
from agentview.providers.claude.shared.read_keys import CamelShape, Shape


class Source(Shape):
    """Where the bytes of an image are."""

    data: object = None
    media_type: object = None
    url: object = None
    file_id: object = None


class DocumentSource(Source):
    """Where the text or the bytes of a document are."""

    kind: object = Field(None, alias="type")


class Resource(CamelShape):
    """A resource of an MCP server."""

    uri: object = None
    name: object = None
    mime_type: object = None
    text: object = None
    blob: object = None


class Model(Shape):
    """A model that another one took the place of."""

    model: object = None


class Block(Shape):
    """A content block: text, thinking, image, call, result."""

    kind: object = Field(None, alias="type")
    text: object = None
    thinking: object = None
    title: object = None
    source: Source | None = None
    resource: Resource | None = None
    uri: object = None
    name: object = None
    mime_type: object = Field(None, alias="mimeType")
    tool_name: object = None
    id: object = None
    input: Shape | None = None
    server_name: object = None
    tool_use_id: object = None
    is_error: object = None
    content: "list[ResultBlock] | None" = None
    old: Model | None = Field(None, alias="from")
    new: Model | None = Field(None, alias="to")

    @classmethod
    def parts(cls, value: Fields) -> Mapping[str, type[Shape] | None]:
        """The keys of the block; the arguments of a call by its tool."""
        parts = {**super().parts(value)}
        if value.get("type") == "document":
            parts["source"] = DocumentSource
        given = fields_of(value.get("input"))
        if "__unparsedToolInput" in given:
            return {**parts, "input": BrokenArguments}
        return {**parts, "input": ARGUMENTS.get(text_of(value.get("name")) or "")}


class ResultBlock(Block):
    """A block of a result; one of no known type is shown whole."""

    @classmethod
    def parts(cls, value: Fields) -> Mapping[str, type[Shape] | None]:
        """The keys of the block."""
        known = text_of(value.get("type")) in _RESULT_BLOCKS
        return super().parts(value) if known else dict.fromkeys(value)


_RESULT_BLOCKS = frozenset(
    {"text", "image", "document", "resource", "resource_link", "tool_reference"}
)


class CacheCreation(Shape):
    """Tokens written to the cache, by how long it lives."""

    ephemeral_5m_input_tokens: object = None
    ephemeral_1h_input_tokens: object = None


class OutputDetails(Shape):
    """What the output tokens were spent on."""

    thinking_tokens: object = None


class Usage(Shape):
    """Tokens of a response."""

    input_tokens: object = None
    output_tokens: object = None
    cache_creation_input_tokens: object = None
    cache_read_input_tokens: object = None
    cache_creation: CacheCreation | None = None
    output_tokens_details: OutputDetails | None = None


class Message(Shape):
    """A message in the form of the vendor's API."""

    id: object = None
    model: object = None
    content: list[Block] | None = None
    usage: Usage | None = None


class NestedContent(Shape):
    """A message of another agent; its tokens count in that agent's own log."""

    id: object = None
    model: object = None
    content: list[Block] | None = None


class Sender(Shape):
    """Who wrote a prompt."""

    kind: object = None
    sender: object = Field(None, alias="from")
