"""Lines of a session of Kiro CLI (2.x). The names are those of the format."""

from msgspec import Raw, Struct

Number = int | float | str | None


class Part(Struct, gc=False):
    """A part of a message; what its data is follows from its kind."""

    kind: str | None = None
    data: Raw = Raw()


class Meta(Struct, gc=False):
    """Keys of prompts alone."""

    timestamp: Number = None


class Data(Struct, gc=False):
    """A message."""

    message_id: str | None = None
    content: list[Part | None] | None = None
    meta: Meta | None = None


class Line(Struct, gc=False):
    """A line of a session."""

    version: str | None = None
    kind: str | None = None
    data: Data | None = None
