"""Lines of a session of Kiro CLI (2.x). The names are those of the format."""

from msgspec import Raw, Struct, field

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


# The description next to a log.


class Model(Struct, gc=False):
    """The model in use."""

    model_id: str | None = None


class ModelState(Struct):
    """The choice of a model."""

    model_info: Model = field(default_factory=Model)


class SessionState(Struct):
    """The state of a session."""

    rts_model_state: ModelState = field(default_factory=ModelState)


class Description(Struct):
    """A session, as the client keeps it."""

    session_id: str | None = None
    title: str | None = None
    cwd: str | None = None
    session_state: SessionState = field(default_factory=SessionState)


# Bodies.


class Source(Struct, gc=False):
    """The bytes of a picture, in base64."""

    data: str | None = None


class Picture(Struct):
    """A picture."""

    format: str | None = None
    source: Source | None = None


class Called(Struct, rename={"tool_use_id": "toolUseId"}):
    """A call, or its outcome."""

    name: str | None = None
    tool_use_id: str | None = None
    input: dict[str, object] | None = None
    status: str | None = None
    content: list[object] | None = None


class Piece(Struct):
    """A piece of an outcome."""

    kind: str | None = None
    data: object = None
